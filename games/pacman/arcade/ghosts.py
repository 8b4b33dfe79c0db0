"""Ghosts: points that walk the free space of a map at exactly their speed."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.games.pacman.arcade.ghost_policies import POLICIES, PolicyWorld, flee
from arena_trees.games.pacman.arcade.hunt import Hunt
from arena_trees.games.pacman.messages import GhostView
from arena_trees.games.pacman.rules import GhostKind, GhostRules
from arena_trees.robot.clock import from_seconds, to_seconds

__all__ = ["Ghost"]

Point = tuple[float, float]


class Ghost:
    """One ghost. It walks straight from node to node of the grid, thinks only at nodes and never pauses to think.

    Its place is a continuous function of time: between two steps it has gone exactly speed times time along its way,
    whatever the rate at which it is stepped. It stands only where its policy wants it nowhere else.

    Args:
        name: of the ghost
        kind: of its policy
        space: the ghosts' grid
        rng: its random numbers; the same numbers and the same robot give the same way
        rules: how ghosts move
        guarded: place (map frame, m) that a puppy guard stays at; the grid's first node where not given
        hunt: what all ghosts of the game know together; kept by whoever has the ghosts

    Attributes:
        speed: m/s; may be set between steps
    """

    def __init__(
        self,
        name: str,
        kind: GhostKind,
        space: FreeSpace,
        rng: np.random.Generator,
        rules: GhostRules | None = None,
        guarded: Point | None = None,
        hunt: Hunt | None = None,
    ) -> None:
        self.name = name
        self.kind: GhostKind = kind
        self.rules = rules or GhostRules()
        self.speed = self.rules.base_speed
        shared = hunt or Hunt()
        self._world = PolicyWorld(space, self.rules, rng, guarded or space.point(0), shared, lambda: self.pace)
        self._policy = POLICIES[kind](self._world)
        self._frightened = False
        self._fright_ends = 0
        self._now = 0
        self.spawn(0)

    @property
    def position(self) -> Point:
        """Where it is, map frame, m."""
        return self._x, self._y

    @property
    def frightened(self) -> bool:
        """Whether it flees and can do no harm."""
        return self._frightened

    @property
    def pace(self) -> float:
        """How fast it walks now, m/s."""
        return self.speed * (self.rules.fright_factor if self._frightened else 1.0)

    def spawn(self, now: int, robot: Point | None = None, place: Point | None = None) -> None:
        """Appear, unafraid.

        Args:
            now: ns
            robot: where the robot is, map frame, m: the ghost appears in a part of the map that the robot can be in,
                and by the walk to it no nearer than the rules say, or as far as the map allows
            place: where to appear, at the nearest node; random if absent
        """
        space = self._world.space
        node = space.nearest(*place) if place is not None else self._random_node(robot)
        self._x, self._y = space.point(node)
        self._node = node
        self._route: deque[int] = deque()
        self._direction = (0.0, 0.0)
        self._chosen_at: int | None = None
        self._frightened = False
        self._now = now

    def frighten(self, now: int) -> None:
        """Flee from now (ns) on, for the rules' time."""
        self._frightened = True
        self._fright_ends = now + from_seconds(self.rules.fright_time)
        self._chosen_at = None

    def wait(self, now: int) -> None:
        """Let time pass until an instant (ns) without moving."""
        self._now = now
        self._direction = (0.0, 0.0)

    def step(self, now: int, robot: Point | None = None) -> None:
        """Walk until an instant.

        Args:
            now: ns; nothing happens where it is not after the last one
            robot: where the robot is, map frame, m; None where nobody knows
        """
        if now <= self._now:
            return
        if self._frightened and self._fright_ends < now:
            self._walk(max(self._fright_ends, self._now), robot)
            self._frightened = False
            self._chosen_at = None
        self._walk(now, robot)

    def view(self) -> GhostView:
        """Return what the rules tell of it."""
        pace, (dx, dy) = self.pace, self._direction
        return GhostView(self.name, self._x, self._y, pace * dx, pace * dy, self.speed, self._frightened)

    def _walk(self, now: int, robot: Point | None) -> None:
        space, left = self._world.space, self.pace * to_seconds(now - self._now)
        at_node = self._now
        self._now = now
        while left > 0.0:
            if (self._x, self._y) == space.point(self._node):
                self._think(at_node, robot)
                if not self._route:
                    self._direction = (0.0, 0.0)
                    return
                self._node = self._route.popleft()
            x, y = space.point(self._node)
            gap = math.hypot(x - self._x, y - self._y)
            self._direction = ((x - self._x) / gap, (y - self._y) / gap)
            if gap > left:
                self._x += left * self._direction[0]
                self._y += left * self._direction[1]
                return
            self._x, self._y, left = x, y, left - gap
            at_node += from_seconds(gap / self.pace)

    def _think(self, now: int, robot: Point | None) -> None:
        """Choose a new way at a node, where it is time for that."""
        watching = self._frightened or self._policy.watches
        due = self._chosen_at is None or now - self._chosen_at >= from_seconds(self.rules.replan_period)
        if self._route and not (watching and due):
            return
        found = flee(self._world, self._node, robot) if self._frightened else self._policy.route(self._node, robot)
        self._route = deque(found)
        self._chosen_at = now

    def _random_node(self, robot: Point | None) -> int:
        """Return a random node to appear at."""
        space, rng = self._world.space, self._world.rng
        home = np.asarray(self._policy.home() or np.arange(len(space)), np.int64)
        if robot is None:
            return int(rng.choice(home))
        walks = space.distances_from(*robot)[home]
        reachable = np.isfinite(walks)
        if not reachable.any():
            return int(rng.choice(home))
        enough = min(self.rules.spawn_distance, float(walks[reachable].max()))
        return int(rng.choice(home[reachable & (walks >= enough)]))
