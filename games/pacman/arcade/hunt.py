"""The hunt: what all ghosts of a game know together of the robot, and when they scatter."""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from arena_trees.robot.clock import from_seconds, to_seconds

__all__ = ["Hunt"]

Point = tuple[float, float]

_STRIDE = 0.1
"""m; so far the robot must have gone for its heading to be known: localisation errs by less between two ticks."""

_MEMORY = from_seconds(3.0)
_PACE = from_seconds(0.5)


class Hunt:
    """Follows the robot. Time counts while it is observed, and stands between two rounds.

    Args:
        waves: how long ghosts scatter, then hunt, then scatter again and so on, s; after the last they go on with what
            would follow

    Attributes:
        robot: where it is, map frame, m; None where nobody knows
        heading: unit vector of its last stride; None before the first
        pellets: what it still has to collect, by number
        leader: where the ghost is that others take their bearings from, or None
    """

    def __init__(self, waves: Sequence[float] = ()) -> None:
        self._waves = [from_seconds(wave) for wave in waves]
        self.begin()

    def begin(self) -> None:
        """Forget a round."""
        self.robot: Point | None = None
        self.heading: Point | None = None
        self.pellets: Mapping[int, Point] = {}
        self.leader: Point | None = None
        self._foot: Point | None = None
        self._trail: deque[tuple[int, Point]] = deque()
        self._hunted = 0
        self._last: int | None = None

    @property
    def scattering(self) -> bool:
        """Whether ghosts keep to their corners now."""
        passed = self._hunted
        for number, wave in enumerate(self._waves):
            passed -= wave
            if passed < 0:
                return number % 2 == 0
        return bool(self._waves) and len(self._waves) % 2 == 0

    def observe(
        self,
        now: int,
        robot: Point | None,
        pellets: Iterable[tuple[int, Point]] = (),
        leader: Point | None = None,
        paused: bool = False,
    ) -> None:
        """Take in what is known at an instant.

        Args:
            now: ns
            robot: where it is, map frame, m; None where nobody knows
            pellets: number and place of those that are left
            leader: where the leading ghost is
            paused: whether the waves stand, as they do while ghosts are frightened
        """
        passed = 0 if self._last is None else max(0, now - self._last)
        self._last, self.robot, self.leader, self.pellets = now, robot, leader, dict(pellets)
        self._hunted += 0 if paused else passed
        if robot is None:
            return
        if self._foot is None:
            self._foot = robot
        stride = math.dist(self._foot, robot)
        if stride >= _STRIDE:
            self.heading = ((robot[0] - self._foot[0]) / stride, (robot[1] - self._foot[1]) / stride)
            self._foot = robot
        if not self._trail or now - self._trail[-1][0] >= _PACE:
            self._trail.append((now, robot))
        while now - self._trail[0][0] > _MEMORY:
            self._trail.popleft()

    def ahead(self, distance: float) -> Point | None:
        """Return the place so far (m) ahead of the robot; its own while its heading is unknown."""
        if self.robot is None or self.heading is None:
            return self.robot
        (x, y), (dx, dy) = self.robot, self.heading
        return x + distance * dx, y + distance * dy

    @property
    def lately(self) -> tuple[Point, float] | None:
        """Where the robot was some seconds ago, and its mean speed along its way since (m/s), or None."""
        if self.robot is None or len(self._trail) < 2:
            return None
        places = [place for _, place in self._trail] + [self.robot]
        seconds = to_seconds((self._last or 0) - self._trail[0][0])
        way = sum(itertools.starmap(math.dist, itertools.pairwise(places)))
        return places[0], way / seconds
