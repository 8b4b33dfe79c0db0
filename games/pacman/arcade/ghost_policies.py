"""Where ghosts want to go: one policy a kind of ghost. A policy is asked at a node of the ghost's grid."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.games.pacman.arcade.hunt import Hunt
from arena_trees.games.pacman.rules import GhostKind, GhostRules

__all__ = ["POLICIES", "GhostPolicy", "PolicyWorld", "flee"]

Point = tuple[float, float]

_TRIES = 20
"""Random places that are looked at before the next best is taken."""

_POUNCE = 1.0
"""m; nearer to the robot an ambusher chases."""

_SLOWEST = 0.1
"""m/s; a robot that stands is taken to set out at that."""


@dataclass(frozen=True, slots=True)
class PolicyWorld:
    """What a policy knows besides the robot.

    Attributes:
        space: the ghosts' grid
        rules: how they move
        rng: the ghost's own random numbers
        guarded: what a puppy guard guards, map frame, m
        hunt: what all ghosts of the game know together
        pace: tells how fast the ghost walks now, m/s
    """

    space: FreeSpace
    rules: GhostRules
    rng: np.random.Generator
    guarded: Point
    hunt: Hunt
    pace: Callable[[], float]


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


class _Arcade(_Chaser):
    """One of the arcade's four: to where its kind aims at, and about its own corner while all scatter."""

    corner: ClassVar[tuple[int, int]]
    """Side of its corner along x and y: -1 for the least, 1 for the greatest."""

    def __init__(self, world: PolicyWorld) -> None:
        super().__init__(world)
        self._corners: dict[int, list[int]] = {}

    def route(self, node: int, robot: Point | None) -> list[int]:
        if robot is None:
            return super().route(node, None)
        aim = None if self._world.hunt.scattering else self.aim(node, robot)
        return super().route(node, aim) if aim is not None else self._to_corner(node)

    def aim(self, node: int, robot: Point) -> Point | None:
        """Return where it goes while it hunts, map frame, m; None for its corner."""
        return robot

    def _to_corner(self, node: int) -> list[int]:
        space = self._world.space
        part = int(space.components[node])
        if part not in self._corners:
            nodes = np.flatnonzero(space.components == part)
            places = space.points[nodes] * self.corner
            corner = nodes[int(np.argmin(np.hypot(*(places - places.max(axis=0)).T)))]
            near = space.distances_from_node(int(corner)) <= self._world.rules.shy_distance / 2.0
            self._corners[part] = np.flatnonzero(near).tolist()
        corner = self._corners[part]
        return space.node_path(node, corner[int(self._world.rng.integers(len(corner)))])[1:]


class _Blinky(_Arcade):
    """Goes to the robot, and is whom Inky takes his bearings from."""

    corner = (1, 1)


class _Pinky(_Arcade):
    """Goes to the place ahead of the robot."""

    corner = (-1, 1)

    def aim(self, node: int, robot: Point) -> Point | None:
        return self._world.hunt.ahead(self._world.rules.lead_distance)


class _Inky(_Arcade):
    """Goes to where Blinky, mirrored at a place ahead of the robot, would be."""

    corner = (1, -1)

    def aim(self, node: int, robot: Point) -> Point | None:
        hunt = self._world.hunt
        ahead, leader = hunt.ahead(self._world.rules.lead_distance / 2.0), hunt.leader
        return ahead if ahead is None or leader is None else (2.0 * ahead[0] - leader[0], 2.0 * ahead[1] - leader[1])


class _Clyde(_Arcade):
    """Chases from afar, and turns to his corner when near."""

    corner = (-1, -1)

    def aim(self, node: int, robot: Point) -> Point | None:
        near = math.dist(self._world.space.point(node), robot) < self._world.rules.shy_distance
        return None if near else robot


class _Ambusher(_Chaser):
    """Forecasts the robot's way, and goes to the first place on it where it is first.

    The robot is taken to be going to the pellet to which it has lately come nearer most; where it stands, to the
    nearest. Where the ghost is nowhere first it goes to that pellet, and near the robot to the robot.
    """

    def __init__(self, world: PolicyWorld) -> None:
        super().__init__(world)
        self._walks: dict[int, NDArray[np.float64]] = {}

    def route(self, node: int, robot: Point | None) -> list[int]:
        space = self._world.space
        goal = None if robot is None else self._goal(robot)
        if robot is None or goal is None or math.dist(space.point(node), robot) < _POUNCE:
            return super().route(node, robot)
        here = space.nearest(*robot)
        if not space.components[here] == space.components[goal] == space.components[node]:
            return super().route(node, robot)
        lately = self._world.hunt.lately
        speed = max(_SLOWEST, 0.0 if lately is None else lately[1])
        way, own = space.node_path(here, goal), space.distances_from_node(node)
        places = space.points[way]
        theirs = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(places, axis=0).T)))) / speed
        first = np.flatnonzero(own[way] / self._world.pace() <= theirs)
        return space.node_path(node, way[int(first[0])] if first.size else goal)[1:]

    def _goal(self, robot: Point) -> int | None:
        """Return the node of the pellet that the robot goes for."""
        space, hunt = self._world.space, self._world.hunt
        here = space.nearest(*robot)
        before = here if hunt.lately is None else space.nearest(*hunt.lately[0])
        best: tuple[float, float, int] | None = None
        for number, place in hunt.pellets.items():
            if number not in self._walks:
                self._walks[number] = space.distances_from(*place)
            walks = self._walks[number]
            if math.isfinite(walks[here]):
                gained = round(float(walks[before] - walks[here]), 1) if math.isfinite(walks[before]) else 0.0
                one = (-gained, float(walks[here]), number)
                best = one if best is None else min(best, one)
        return None if best is None else space.nearest(*hunt.pellets[best[2]])


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
    {
        "clyde_source": _Wanderer,
        "chase": _Chaser,
        "puppy_guard": _PuppyGuard,
        "blinky": _Blinky,
        "pinky": _Pinky,
        "inky": _Inky,
        "clyde": _Clyde,
        "ambusher": _Ambusher,
    }
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
