"""Whether a robot gets nearer to its pellets, and which of them it has put aside because it did not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from arena_trees.robot.clock import SECOND, from_seconds

__all__ = ["PelletProgress"]

_NEARER = 0.1
"""m; less is no progress."""
_PAUSE = 2 * SECOND
"""ns; what lies farther apart was not watched between."""
_DRIVEN_OFF = 0.5
"""m; after a pause in which the robot got so much farther away, coming back is progress."""


class PelletProgress:
    """Watches a robot that collects pellets.

    It gets somewhere when it collects one, or comes nearer to one than it ever was since the last was collected: to
    and fro between two of them is nowhere. A pellet that was put aside is tried once more when all others are
    collected or aside, too, where the robot has collected any since; from there it may be got at.
    """

    _best: dict[int, float]
    _tried: int
    _tried_alone: int
    _watched_at: int | None

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget everything: a round begins, or goes on after a death."""
        self._left: frozenset[int] = frozenset()
        self._aside: dict[int, int] = {}
        self._tried_again: set[int] = set()
        self._begin_anew()

    @property
    def aside(self) -> tuple[int, ...]:
        """The pellets that are put aside, by number."""
        return tuple(sorted(self._aside))

    @property
    def gave_up(self) -> bool:
        """Whether all pellets that are left are put aside."""
        return bool(self._left) and self._left == self._aside.keys()

    def update(self, left: Iterable[int]) -> None:
        """Update which pellets are left."""
        now_left = frozenset(left)
        if now_left != self._left:
            self._left = now_left
            self._aside = {pellet: count for pellet, count in self._aside.items() if pellet in now_left}
            self._begin_anew()
            self._try_again()

    def pause(self) -> None:
        """Note that the robot does not try to get anywhere, since it waits or flees: such time does not count."""
        self._watched_at = None

    def watch(self, now: int, ways: Mapping[int, float], hindered: bool = False) -> None:
        """Note how far the pellets are that the robot may be on its way to.

        Args:
            now: ns
            ways: length of the way to each (m), by number
            hindered: whether there is something about that may make it go round
        """
        paused = self._watched_at is None or not 0 <= now - self._watched_at <= _PAUSE
        if paused and any(way > self._best.get(pellet, math.inf) + _DRIVEN_OFF for pellet, way in ways.items()):
            self._begin_anew()
        passed = 0 if self._watched_at is None or paused else now - self._watched_at
        self._tried += passed
        self._tried_alone += 0 if hindered else passed
        self._watched_at = now
        for pellet, way in ways.items():
            if way < self._best.get(pellet, math.inf) - _NEARER:
                self._best[pellet] = way
                self._tried = self._tried_alone = 0

    def is_nowhere(self, limit_s: float, patience_s: float) -> bool:
        """Return whether the robot has tried in vain for so long (s) unhindered, or with patience (s) at all."""
        return self._tried_alone >= from_seconds(limit_s) or self._tried >= from_seconds(max(limit_s, patience_s))

    def put_aside(self, pellet: int) -> None:
        """Leave a pellet for later, or for good."""
        self._aside[pellet] = len(self._left)
        self._begin_anew()
        self._try_again()

    def _begin_anew(self) -> None:
        self._best = {}
        self._tried = self._tried_alone = 0
        self._watched_at = None

    def _try_again(self) -> None:
        """Take back what is worth a second try, once nothing else is left."""
        if not self.gave_up:
            return
        worth = {
            pellet
            for pellet, count in self._aside.items()
            if count > len(self._left) and pellet not in self._tried_again
        }
        self._tried_again |= worth
        for pellet in worth:
            del self._aside[pellet]
