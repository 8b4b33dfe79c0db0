"""Where ghosts want to go: one policy a kind of ghost. A policy is asked at a node of the ghost's grid."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

import numpy as np

from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.games.pacman.rules import GhostKind, GhostRules

__all__ = ["POLICIES", "GhostPolicy", "PolicyWorld", "flee"]

Point = tuple[float, float]

_TRIES = 20
"""Random places that are looked at before the next best is taken."""


@dataclass(frozen=True, slots=True)
class PolicyWorld:
    """What a policy knows besides the robot.

    Attributes:
        space: the ghosts' grid
        rules: how they move
        rng: the ghost's own random numbers
        guarded: what a puppy guard guards, map frame, m
    """

    space: FreeSpace
    rules: GhostRules
    rng: np.random.Generator
    guarded: Point


class GhostPolicy(Protocol):
    """Chooses where to go next.

    Attributes:
        watches: whether it looks at the robot, and so thinks anew while it is on its way
    """

    watches: bool

    def home(self) -> list[int]:
        """Return the nodes where the ghost may appear; none where any will do."""
        ...

    def route(self, node: int, robot: Point | None) -> list[int]:
        """Return the nodes to walk to from a node, in order and without it; none to stay."""
        ...


class _Wanderer:
    """The document's Clyde: to a random free place, and then to another. Each is as likely."""

    watches = False

    def __init__(self, world: PolicyWorld) -> None:
        self._world = world

    def home(self) -> list[int]:
        return []

    def route(self, node: int, robot: Point | None) -> list[int]:
        space = self._world.space
        return space.node_path(node, space.random_node(self._world.rng, reachable_from=node))[1:]


class _Chaser(_Wanderer):
    """Goes the shortest way to the robot; wanders while nobody knows where that is, or no way leads there."""

    watches = True

    def route(self, node: int, robot: Point | None) -> list[int]:
        space = self._world.space
        if robot is None:
            return super().route(node, robot)
        goal = space.nearest(*robot)
        if space.components[goal] != space.components[node]:
            return super().route(node, robot)
        return space.node_path(node, goal)[1:]


class _Clyde(_Chaser):
    """The arcade's Clyde: chases from afar, turns to his corner when near, and walks about there."""

    def __init__(self, world: PolicyWorld) -> None:
        super().__init__(world)
        self._corners: dict[int, list[int]] = {}

    def route(self, node: int, robot: Point | None) -> list[int]:
        space, shy = self._world.space, self._world.rules.shy_distance
        if robot is None or math.dist(space.point(node), robot) >= shy:
            return super().route(node, robot)
        corner = self._corner(node)
        return space.node_path(node, corner[int(self._world.rng.integers(len(corner)))])[1:]

    def _corner(self, node: int) -> list[int]:
        """Return the nodes near the lower left corner of the part of the map that the ghost is in."""
        space = self._world.space
        part = int(space.components[node])
        if part not in self._corners:
            nodes = np.flatnonzero(space.components == part)
            places = space.points[nodes]
            corner = nodes[int(np.argmin(np.hypot(*(places - places.min(axis=0)).T)))]
            near = space.distances_from_node(int(corner)) <= self._world.rules.shy_distance / 2.0
            self._corners[part] = np.flatnonzero(near).tolist()
        return self._corners[part]


class _PuppyGuard(_Wanderer):
    """Walks about near one pellet, for ever: random places within the radius, by ways within the radius."""

    def __init__(self, world: PolicyWorld) -> None:
        super().__init__(world)
        space = world.space
        self._post = space.nearest(*world.guarded)
        gaps = np.hypot(*(space.points - world.guarded).T)
        self._inside = gaps <= max(world.rules.guard_radius, float(gaps[self._post]))
        # A wall may part the circle: what is near only through it is not guarded.
        walks = space.distances_from_node(self._post) <= 1.5 * world.rules.guard_radius
        self._nodes = np.flatnonzero(self._inside & walks).tolist() or [self._post]

    def home(self) -> list[int]:
        return list(self._nodes)

    def route(self, node: int, robot: Point | None) -> list[int]:
        space = self._world.space
        for _ in range(_TRIES):
            goal = self._nodes[int(self._world.rng.integers(len(self._nodes)))]
            path = space.node_path(node, goal)[1:]
            if path and all(self._inside[step] for step in path):
                return path
        return space.node_path(node, self._post)[1:]


POLICIES: Mapping[GhostKind, Callable[[PolicyWorld], GhostPolicy]] = MappingProxyType(
    {"clyde_source": _Wanderer, "clyde": _Clyde, "chase": _Chaser, "puppy_guard": _PuppyGuard}
)
"""Kind of ghost to its policy."""


def flee(world: PolicyWorld, node: int, robot: Point | None) -> list[int]:
    """Return a frightened ghost's way: of some random places, to the one where it is most ahead of the robot."""
    space = world.space
    goals = [space.random_node(world.rng, reachable_from=node) for _ in range(_TRIES)]
    if robot is None:
        return space.node_path(node, goals[0])[1:]
    own, theirs = space.distances_from_node(node), space.distances_from(*robot)
    # Where no way leads from the robot, every place is as safe as another.
    ahead = [float(min(theirs[goal], 1e9) - own[goal]) for goal in goals]
    return space.node_path(node, goals[int(np.argmax(ahead))])[1:]
