"""Compares what a game of PacMan declares with the true ways of robot and ghosts."""

from __future__ import annotations

import math
from collections.abc import Sequence

from arena_trees.games.pacman.events import GameEvent, GameSnapshot, PacmanEvent
from arena_trees.games.pacman.messages import PacmanPhase
from arena_trees.robot.clock import from_seconds

__all__ = ["TouchCheck"]

_SAME = 1e-6
"""Metres by which the check's own arithmetic may differ from the game's."""
_TOGETHER_S = 1.0
"""A true touch and the death that is declared for it are no farther apart than this."""
_EPISODE_GAP_S = 0.5
"""Two touches less than this apart are one."""

Point = tuple[float, float]


class TouchCheck:
    """Follows one round by the truth. It shares no arithmetic with the game's own judgement of touches.

    A death is false where no ghost that could do harm was within the death radius in the second before it was
    declared; it is missed where one was, and none is declared within a second. A pellet is scored falsely where the
    robot has not been within the pickup radius of it before.

    Attributes:
        false_deaths: declared deaths without a true touch
        missed_deaths: true touches without a death
        false_pickups: pellets scored without having been touched
    """

    def __init__(self) -> None:
        self.false_deaths = 0
        self.missed_deaths = 0
        self.false_pickups = 0
        self._passed: set[int] = set()
        self._last_near: int | None = None
        self._last_touch: int | None = None
        self._undeclared: int | None = None

    def observe(self, before: GameSnapshot | None, after: GameSnapshot, events: Sequence[GameEvent]) -> None:
        """Look at one tick.

        Args:
            before: the tick before
            after: the tick
            events: what the game declared in between
        """
        if after.robot is not None and before is not None:
            if before.game.phase is PacmanPhase.RUNNING and before.robot is not None:
                self._pass_pellets(before, before.robot, after.robot)
                self._touch_ghosts(before, before.robot, after, after.robot)
            elif events:
                # What the robot stands on when the game begins to run.
                self._pass_pellets(before, after.robot, after.robot)
        for event in events:
            self._note(after.now, event)
        if self._undeclared is not None and after.now - self._undeclared > from_seconds(_TOGETHER_S):
            self.end()

    def end(self) -> None:
        """Count a touch for which no death was declared."""
        if self._undeclared is not None:
            self._undeclared = None
            self.missed_deaths += 1

    def _pass_pellets(self, glance: GameSnapshot, start: Point, end: Point) -> None:
        for pellet in glance.game.pellets:
            gap = _nearest((start[0] - pellet.x, start[1] - pellet.y), (end[0] - pellet.x, end[1] - pellet.y))
            if gap <= glance.game.pickup_radius + _SAME:
                self._passed.add(pellet.id)

    def _touch_ghosts(self, before: GameSnapshot, start: Point, after: GameSnapshot, end: Point) -> None:
        now, radius = after.now, after.game.death_radius
        known = {ghost.name: ghost for ghost in before.game.ghosts}
        for new in after.game.ghosts:
            old = known.get(new.name, new)
            gap = _nearest((start[0] - old.x, start[1] - old.y), (end[0] - new.x, end[1] - new.y))
            # A ghost that was frightened for a part of the tick is given the benefit of the doubt, either way.
            if gap <= radius + _SAME and not (old.frightened and new.frightened):
                self._last_near = now
            if gap <= radius - _SAME and not (old.frightened or new.frightened):
                last, self._last_touch = self._last_touch, now
                if last is None or now - last > from_seconds(_EPISODE_GAP_S):
                    self._undeclared = now

    def _note(self, now: int, event: GameEvent) -> None:
        if event.event is PacmanEvent.DEATH:
            if self._last_near is None or now - self._last_near > from_seconds(_TOGETHER_S):
                self.false_deaths += 1
            self._undeclared = None
        elif event.pellet is not None:
            self.false_pickups += event.pellet not in self._passed


def _nearest(before: Point, after: Point) -> float:
    """Return the smallest distance from the origin of the straight step between two points."""
    dx, dy = after[0] - before[0], after[1] - before[1]
    length2 = dx * dx + dy * dy
    share = 0.0 if length2 == 0.0 else min(max(-(before[0] * dx + before[1] * dy) / length2, 0.0), 1.0)
    return math.hypot(before[0] + share * dx, before[1] + share * dy)
