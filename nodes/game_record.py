"""What is seen of a game on ROS from outside, and the result that follows from it. Pure: no node, no clock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from arena_trees.games.referee import GAME_TOPIC, Outcome
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.messages import Message
from arena_trees.robot.percepts import GamePhase
from arena_trees.simulation.layout import Layout
from arena_trees.simulation.observers import BreachObserver, StillnessObserver
from arena_trees.simulation.plan import TrialPlan
from arena_trees.simulation.results import Trajectory, TrialResult

__all__ = ["CONTACTS", "GameRecord"]

CONTACTS = ("collisions", "robot_contacts")
"""Metrics that only the arena can count."""

_ENDS = {
    GamePhase.CAPTURED.value: Outcome.CAUGHT.value,
    GamePhase.SURVIVED.value: Outcome.SURVIVED.value,
    GamePhase.ABORTED.value: Outcome.ABORTED.value,
}
_TRUTH_S = 0.04
"""Simulated time between two messages of the truth."""

_GRACE_S = 10.0
"""Simulated time by which a referee may be late."""

_CATCH = "CATCH"
_COUNTED_CUES = {"REST": "rest_events", "LOST": "lost_events"}


class GameRecord:
    """Collects what is published, by the simulated clock (ns), from the instant at which the trees begin to tick.

    Attributes:
        outcome: caught, survived, aborted, or over while or where none of them fits
        over: whether the trial is over

    Args:
        plan: what is played
        start: that instant
    """

    def __init__(self, plan: TrialPlan, start: int) -> None:
        self.outcome = "over"
        self.over = False
        self._reason = "time is up"
        self._plan = plan
        self._start = self._now = start
        self._wolf, self._rabbit = plan.with_role("wolf"), plan.with_role("rabbit")
        self._poses: dict[str, Pose2D] = {}
        self._twists: dict[str, Twist2D] = {}
        self._active = dict.fromkeys(plan.robots, "")
        self._ways: dict[str, list[tuple[float, float, float, float, str]]] = {name: [] for name in plan.robots}
        self._breaches = {name: BreachObserver(robot.fence.points, _TRUTH_S) for name, robot in plan.robots.items()}
        self._faults: dict[str, str] = {}
        self._cues: Counter[str] = Counter()
        self._contacts: dict[str, int] = {}
        self._verdicts: Mapping[str, bool] = {}
        self._false_catches = 0
        self._catch: tuple[float, Mapping[str, tuple[float, float]]] | None = None
        self._catch_distance: float | None = None
        self._stillness: StillnessObserver | None = None
        self._ended_at: int | None = None

    def note_time(self, now: int) -> None:
        """See whether the trial is over at that time."""
        self._now = max(self._now, now)
        scenario, elapsed = self._plan.scenario, self._now - self._start
        if self._ended_at is not None:
            after_s = scenario.end.after_catch_s if self._catch is not None else 0.0
            self.over = self._now - self._ended_at >= from_seconds(after_s)
        elif self._isolated and elapsed >= from_seconds(scenario.duration_s):
            self.over = True
            if self.outcome == "over" and self._rabbit is not None:
                self.outcome = Outcome.SURVIVED.value
        elif elapsed >= from_seconds(scenario.duration_s + _GRACE_S):
            self.over = True
            self._reason = "the referee did not end the round"

    def note_truth(self, robot: str, now: int, pose: Pose2D, twist: Twist2D) -> None:
        """A robot is there at that time, and moves so."""
        if now < self._start:
            return
        self._poses[robot], self._twists[robot] = pose, twist
        self._breaches[robot].observe(pose)
        self._ways[robot].append((to_seconds(now - self._start), pose.x, pose.y, pose.yaw, self._active[robot]))
        if self._stillness is not None and len(self._twists) == len(self._plan.robots):
            self._stillness.observe(now, self._twists.values())

    def note_active(self, robot: str, leaf: str) -> None:
        """A robot's tree is at that leaf."""
        self._active[robot] = leaf

    def note_fault(self, robot: str, reason: str) -> None:
        """A robot is latched."""
        self._faults.setdefault(robot, reason)

    def note_contacts(self, counts: Mapping[str, int]) -> None:
        """The arena has counted so many contacts altogether, by the names in ``CONTACTS``."""
        self._contacts = dict(counts)

    def note_cue(self, robot: str, event: str) -> None:
        """A robot's tree tells of an event."""
        self._cues[event] += 1
        if event == _CATCH and robot == self._wolf and self._isolated:
            self._judge_alone()

    def note_message(self, message: Message) -> None:
        """The referee says how the game stands."""
        if message.topic != GAME_TOPIC or self._ended_at is not None or message.stamp < self._start:
            return
        self._verdicts = message.payload["verdicts"]
        end = _ENDS.get(message.payload["phase"])
        if end is None:
            return
        self.outcome, self._ended_at = end, message.stamp
        if end == Outcome.CAUGHT.value:
            claim = next((number for number, accepted in self._verdicts.items() if accepted), "?")
            self._note_catch(message.stamp)
            self._reason = f"claim {claim} at {self._catch_distance:.2f} m"
            self._stillness = StillnessObserver(message.stamp)

    def result(self, index: int, layout: Layout, taken_s: float) -> TrialResult:
        """Return the trial as it stands.

        Args:
            index: of the trial
            layout: its world
            taken_s: time that it took, s
        """
        simulated_s = to_seconds(self._now - self._start)
        values = self._values()
        values["latched_robots"] = len(self._faults)
        values["real_time_factor"] = round(simulated_s / taken_s, 3) if taken_s > 0.0 else None
        return TrialResult(
            index=index,
            seed=self._plan.scenario.seed + index,
            outcome=self.outcome,
            reason=self._reason,
            values=values,
            simulated_s=simulated_s,
            faults=self._faults,
            trace_sha256=None,
            layout=layout,
            trajectories={name: self._way(name) for name in self._ways},
            catch=self._catch,
        )

    @property
    def _isolated(self) -> bool:
        return self._plan.scenario.isolated or self._wolf is None or self._rabbit is None

    def _judge_alone(self) -> None:
        """Judge what an isolated wolf takes for a catch; nobody hears of it."""
        distance = self._distance()
        if distance is None or distance > self._plan.scenario.referee.catch_distance:
            self._false_catches += 1
        elif self._catch is None:
            self._note_catch(self._now)
            self.outcome, self._reason = Outcome.CAUGHT.value, f"at {distance:.2f} m"

    def _note_catch(self, now: int) -> None:
        self._catch = to_seconds(now - self._start), {name: (pose.x, pose.y) for name, pose in self._poses.items()}
        self._catch_distance = self._distance()

    def _distance(self) -> float | None:
        wolf, rabbit = self._poses.get(self._wolf or ""), self._poses.get(self._rabbit or "")
        return None if wolf is None or rabbit is None else wolf.distance_to(rabbit.x, rabbit.y)

    def _values(self) -> dict[str, Any]:
        values: dict[str, Any] = {}
        if self._wolf is not None and self._rabbit is not None:
            time_s = None if self._catch is None else self._catch[0]
            refused = sum(not accepted for accepted in self._verdicts.values())
            values |= {
                "caught": self._catch is not None,
                "time_to_catch_s": time_s,
                "game_time_s": self._plan.scenario.duration_s if time_s is None else time_s,
                "catch_true_distance_m": self._catch_distance,
                "catch_false_count": refused + self._false_catches,
                "stop_after_catch_s": None if self._stillness is None else self._stillness.delay_s,
            }
            values |= {name: self._cues[event] for event, name in _COUNTED_CUES.items()}
        for name, breaches in self._breaches.items():
            values[f"{name}_breaches"] = breaches.breaches
            values[f"{name}_outside_s"] = round(breaches.outside_s, 3)
        return values | self._contacts

    def _way(self, name: str) -> Trajectory:
        rows = self._ways[name]
        numbers = np.asarray([row[:4] for row in rows], dtype=np.float64).reshape(-1, 4)
        role = self._plan.robots[name].entry.role
        return Trajectory(role, numbers[:, 0], numbers[:, 1:], tuple(row[4] for row in rows))
