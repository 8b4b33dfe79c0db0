"""What is seen of a game on ROS from outside, and the result that follows from it. Pure: no node, no clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from arena_trees.games.observers import BreachObserver
from arena_trees.nodes.crossing_record import CrossingRecord
from arena_trees.nodes.pacman_record import PacmanRecord
from arena_trees.nodes.wolf_rabbit_record import WolfRabbitRecord
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.messages import Message
from arena_trees.simulation.plan import TrialPlan
from arena_trees.simulation.results import Trajectory, TrialResult
from arena_trees.world.layout import Layout

__all__ = ["CONTACTS", "GameRecord", "SeenGame"]

CONTACTS = ("collisions", "robot_contacts")
"""Metrics that only the arena can count."""

_TRUTH_S = 0.04
"""Simulated time between two messages of the truth."""

_GRACE_S = 10.0
"""Simulated time by which the rules may be late."""


class SeenGame(Protocol):
    """One game as it is seen from outside: what :class:`~arena_trees.simulation.game.TrialGame` is in a trial."""

    @property
    def outcome(self) -> str:
        """How the game ended, in a word; ``over`` while or where no word fits."""
        ...

    @property
    def reason(self) -> str:
        """What ended it."""
        ...

    @property
    def ends_at(self) -> int | None:
        """When the trial is over, ns, or None while nobody has ended the game."""
        ...

    @property
    def refereed(self) -> bool:
        """Whether somebody ends the game."""
        ...

    def note_truth(self, robot: str, now: int, pose: Pose2D, twist: Twist2D) -> None:
        """A robot is there at that time, and moves so."""
        ...

    def note_cue(self, robot: str, event: str, now: int) -> None:
        """A robot's tree tells of an event."""
        ...

    def note_contacts(self, counts: Mapping[str, int]) -> None:
        """The arena has counted so many contacts altogether, by the names in ``CONTACTS``."""
        ...

    def note_message(self, message: Message) -> None:
        """The rules say how the game stands, or a robot what it does."""
        ...

    def values(self) -> dict[str, Any]:
        """Return what the trial is judged by, the arena's contacts with it."""
        ...

    def tell(self, result: TrialResult) -> TrialResult:
        """Return the result with what this game's picture needs besides."""
        ...


_GAMES: Mapping[str, Callable[[TrialPlan, int], SeenGame]] = {
    "wolf_rabbit": WolfRabbitRecord,
    "pacman": PacmanRecord,
    "crossroads": CrossingRecord,
}


class GameRecord:
    """Collects what is published, by the simulated clock (ns), from the instant at which the trees begin to tick.

    Attributes:
        over: whether the trial is over

    Args:
        plan: what is played
        start: that instant
    """

    def __init__(self, plan: TrialPlan, start: int) -> None:
        self.over = False
        self._late = False
        self._plan = plan
        self._start = self._now = start
        self._game: SeenGame = _GAMES[plan.scenario.game](plan, start)
        self._active = dict.fromkeys(plan.robots, "")
        self._ways: dict[str, list[tuple[float, float, float, float, str]]] = {name: [] for name in plan.robots}
        self._breaches = {name: BreachObserver(fence.points, _TRUTH_S) for name, fence in plan.fences.items()}
        self._faults: dict[str, str] = {}

    @property
    def outcome(self) -> str:
        """How the game ended, in a word; ``over`` while or where none fits."""
        return self._game.outcome

    def note_time(self, now: int) -> None:
        """See whether the trial is over at that time."""
        self._now = max(self._now, now)
        ends_at, longest = self._game.ends_at, from_seconds(self._plan.scenario.duration_s)
        elapsed = self._now - self._start
        if ends_at is not None:
            self.over = self._now >= ends_at
        elif not self._game.refereed:
            self.over = elapsed >= longest
        elif elapsed >= longest + from_seconds(_GRACE_S):
            self.over = self._late = True

    def note_truth(self, robot: str, now: int, pose: Pose2D, twist: Twist2D) -> None:
        """A robot is there at that time, and moves so."""
        if now < self._start:
            return
        if robot in self._breaches:
            self._breaches[robot].observe(pose)
        self._ways[robot].append((to_seconds(now - self._start), pose.x, pose.y, pose.yaw, self._active[robot]))
        self._game.note_truth(robot, now, pose, twist)

    def note_active(self, robot: str, leaf: str) -> None:
        """A robot's tree is at that leaf."""
        self._active[robot] = leaf

    def note_fault(self, robot: str, reason: str) -> None:
        """A robot is latched."""
        self._faults.setdefault(robot, reason)

    def note_contacts(self, counts: Mapping[str, int]) -> None:
        """The arena has counted so many contacts altogether, by the names in ``CONTACTS``."""
        self._game.note_contacts(counts)

    def note_cue(self, robot: str, event: str) -> None:
        """A robot's tree tells of an event."""
        self._game.note_cue(robot, event, self._now)

    def note_message(self, message: Message) -> None:
        """The rules say how the game stands, or a robot what it does."""
        if message.stamp >= self._start:
            self._game.note_message(message)

    def result(self, index: int, layout: Layout, taken_s: float) -> TrialResult:
        """Return the trial as it stands.

        Args:
            index: of the trial
            layout: its world
            taken_s: time that it took, s
        """
        simulated_s = to_seconds(self._now - self._start)
        values = self._game.values()
        for name, breaches in self._breaches.items():
            values[f"{name}_breaches"] = breaches.breaches
            values[f"{name}_outside_s"] = round(breaches.outside_s, 3)
        values["latched_robots"] = len(self._faults)
        values["real_time_factor"] = round(simulated_s / taken_s, 3) if taken_s > 0.0 else None
        result = TrialResult(
            index=index,
            seed=self._plan.scenario.seed + index,
            outcome=self.outcome,
            reason="the rules did not end the game" if self._late else self._game.reason,
            values=values,
            simulated_s=simulated_s,
            faults=self._faults,
            trace_sha256=None,
            layout=layout,
            trajectories={name: self._way(name) for name in self._ways},
        )
        return self._game.tell(result)

    def _way(self, name: str) -> Trajectory:
        rows = self._ways[name]
        numbers = np.asarray([row[:4] for row in rows], dtype=np.float64).reshape(-1, 4)
        role = self._plan.robots[name].entry.role
        return Trajectory(role, numbers[:, 0], numbers[:, 1:], tuple(row[4] for row in rows))
