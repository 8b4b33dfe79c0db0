"""The judge of PacMan: compares what the game declares with the true ways of robot and ghosts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from arena_trees.games.pacman.controller import GameEvent, PacmanEvent
from arena_trees.games.pacman.messages import GhostView, Pellet
from arena_trees.robot.clock import from_seconds, to_seconds

__all__ = ["PacmanJudge"]

_SAME = 1e-6
"""Metres by which the judge's own arithmetic may differ from the game's."""
_TOGETHER_S = 1.0
"""A true touch and the death that is declared for it are no farther apart than this."""
_EPISODE_GAP_S = 0.5
"""Two touches less than this apart are one."""
_CUES = frozenset(
    (
        PacmanEvent.START_THEATRICAL,
        PacmanEvent.PELLET,
        PacmanEvent.POWER_PELLET,
        PacmanEvent.DEATH,
        PacmanEvent.WIN,
    )
)
"""Events that the robot shows with a cue of the same name."""

Point = tuple[float, float]


class PacmanJudge:
    """Follows one round by the truth. It shares no arithmetic with the game's own judgement of touches.

    A death is false where no ghost that could do harm was within the death radius in the second before it was
    declared; it is missed where one was, and none is declared within a second. A pellet is scored falsely where the
    robot has not been within the pickup radius of it before.

    Args:
        pellets: of the round
        pickup_radius: m
        death_radius: m

    Attributes:
        deaths: declared deaths
        false_deaths: those of them without a true touch
        missed_deaths: true touches without a death
        false_pickups: pellets scored without having been touched
        collected: instant (ns) and number of each scored pellet, in order
        latencies: from each event to its cue, ns
    """

    def __init__(self, pellets: Sequence[Pellet], pickup_radius: float, death_radius: float) -> None:
        self.deaths = 0
        self.false_deaths = 0
        self.missed_deaths = 0
        self.false_pickups = 0
        self.collected: list[tuple[int, int]] = []
        self.latencies: list[int] = []
        self._pellets = {pellet.id: (pellet.x, pellet.y) for pellet in pellets}
        self._pickup_radius = pickup_radius
        self._death_radius = death_radius
        self._passed: set[int] = set()
        self._before: tuple[Point, Mapping[str, GhostView]] | None = None
        self._last_near: int | None = None
        self._last_touch: int | None = None
        self._undeclared: int | None = None
        self._waiting: list[GameEvent] = []

    @property
    def complete(self) -> bool:
        """Whether every pellet of the round was scored."""
        return {number for _, number in self.collected} == set(self._pellets)

    @property
    def left(self) -> int:
        """Pellets that were not scored."""
        return len(set(self._pellets) - {number for _, number in self.collected})

    @property
    def missing_cues(self) -> int:
        """Events that have not been shown."""
        return len(self._waiting)

    def hear(self, now: int, cues: Sequence[str]) -> None:
        """Take what the robot shows from an instant (ns) on."""
        for cue in cues:
            event = next((event for event in self._waiting if event.event.value == cue), None)
            if event is not None:
                self._waiting.remove(event)
                self.latencies.append(now - event.now)

    def look(
        self, now: int, robot: Point, ghosts: Sequence[GhostView], played: bool, events: Sequence[GameEvent]
    ) -> None:
        """Look at one tick.

        Args:
            now: ns
            robot: true place of the robot's centre, map frame, m
            ghosts: where the ghosts are
            played: whether the game ran from the tick before to this one
            events: what the game declared in this tick
        """
        views = {ghost.name: ghost for ghost in ghosts}
        before, self._before = self._before, (robot, views)
        if played and before is not None:
            self._pass_pellets(before[0], robot)
            self._touch_ghosts(now, before, robot, views)
        elif events:
            # What the robot stands on when the game begins to run.
            self._pass_pellets(robot, robot)
        for event in events:
            self._note(now, event)
        if self._undeclared is not None and now - self._undeclared > from_seconds(_TOGETHER_S):
            self.end()

    def end(self) -> None:
        """Count a touch for which no death was declared."""
        if self._undeclared is not None:
            self._undeclared = None
            self.missed_deaths += 1

    def mean_latency_s(self) -> float | None:
        """Return the mean time from an event to its cue, s; None without any."""
        return to_seconds(sum(self.latencies)) / len(self.latencies) if self.latencies else None

    def _pass_pellets(self, before: Point, after: Point) -> None:
        for number, (x, y) in self._pellets.items():
            gap = _nearest((before[0] - x, before[1] - y), (after[0] - x, after[1] - y))
            if gap <= self._pickup_radius + _SAME:
                self._passed.add(number)

    def _touch_ghosts(
        self, now: int, before: tuple[Point, Mapping[str, GhostView]], robot: Point, ghosts: Mapping[str, GhostView]
    ) -> None:
        for name, new in ghosts.items():
            old = before[1][name]
            gap = _nearest((before[0][0] - old.x, before[0][1] - old.y), (robot[0] - new.x, robot[1] - new.y))
            # A ghost that was frightened for a part of the tick is given the benefit of the doubt, either way.
            if gap <= self._death_radius + _SAME and not (old.frightened and new.frightened):
                self._last_near = now
            if gap <= self._death_radius - _SAME and not (old.frightened or new.frightened):
                last, self._last_touch = self._last_touch, now
                if last is None or now - last > from_seconds(_EPISODE_GAP_S):
                    self._undeclared = now

    def _note(self, now: int, event: GameEvent) -> None:
        if event.event in _CUES:
            self._waiting.append(event)
        if event.event is PacmanEvent.DEATH:
            self.deaths += 1
            if self._last_near is None or now - self._last_near > from_seconds(_TOGETHER_S):
                self.false_deaths += 1
            self._undeclared = None
        elif event.pellet is not None:
            self.collected.append((event.now, event.pellet))
            self.false_pickups += event.pellet not in self._passed


def _nearest(before: Point, after: Point) -> float:
    """Return the smallest distance from the origin of the straight step between two points."""
    dx, dy = after[0] - before[0], after[1] - before[1]
    length2 = dx * dx + dy * dy
    share = 0.0 if length2 == 0.0 else min(max(-(before[0] * dx + before[1] * dy) / length2, 0.0), 1.0)
    return math.hypot(before[0] + share * dx, before[1] + share * dy)
