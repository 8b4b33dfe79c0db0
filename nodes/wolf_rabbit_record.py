"""Wolf and rabbit as they are seen on ROS from outside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from arena_trees.games.observers import StillnessObserver
from arena_trees.games.wolf_rabbit.referee import GAME_TOPIC, Outcome
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.messages import Message
from arena_trees.robot.percepts import GamePhase
from arena_trees.simulation.plan import TrialPlan
from arena_trees.simulation.results import TrialResult

__all__ = ["WolfRabbitRecord"]

_ENDS = {
    GamePhase.CAPTURED.value: Outcome.CAUGHT.value,
    GamePhase.SURVIVED.value: Outcome.SURVIVED.value,
    GamePhase.ABORTED.value: Outcome.ABORTED.value,
}
_CATCH = "CATCH"
_COUNTED_CUES = {"REST": "rest_events", "LOST": "lost_events"}


class WolfRabbitRecord:
    """One round, by the referee's word; an isolated one by the wolf's own, compared with the truth.

    Implements :class:`~arena_trees.nodes.game_record.SeenGame`.

    Args:
        plan: what is played
        start: when the trees begin to tick, ns

    Attributes:
        outcome: caught, survived, aborted, or over while or where none of them fits
        reason: what ended it
        ends_at: when the trial is over, ns, or None while the referee has not ended the round
        refereed: whether there is a referee
    """

    def __init__(self, plan: TrialPlan, start: int) -> None:
        self._wolf, self._rabbit = plan.with_role("wolf"), plan.with_role("rabbit")
        self.refereed = not plan.scenario.isolated and self._wolf is not None and self._rabbit is not None
        survives = not self.refereed and self._rabbit is not None
        self.outcome = Outcome.SURVIVED.value if survives else "over"
        self.reason = "time is up"
        self.ends_at: int | None = None
        self._plan = plan
        self._start = start
        self._poses: dict[str, Pose2D] = {}
        self._twists: dict[str, Twist2D] = {}
        self._cues: Counter[str] = Counter()
        self._verdicts: Mapping[str, bool] = {}
        self._false_catches = 0
        self._catch: tuple[float, Mapping[str, tuple[float, float]]] | None = None
        self._catch_distance: float | None = None
        self._stillness: StillnessObserver | None = None
        self._contacts: Mapping[str, int] = {}

    def note_truth(self, robot: str, now: int, pose: Pose2D, twist: Twist2D) -> None:
        """A robot is there at that time, and moves so."""
        self._poses[robot], self._twists[robot] = pose, twist
        if self._stillness is not None and len(self._twists) == len(self._plan.robots):
            self._stillness.observe(now, self._twists.values())

    def note_cue(self, robot: str, event: str, now: int) -> None:
        """A robot's tree tells of an event."""
        self._cues[event] += 1
        if event == _CATCH and robot == self._wolf and not self.refereed:
            self._judge_alone(now)

    def note_contacts(self, counts: Mapping[str, int]) -> None:
        """The arena has counted so many contacts altogether."""
        self._contacts = dict(counts)

    def note_message(self, message: Message) -> None:
        """The referee says how the game stands."""
        if message.topic != GAME_TOPIC or self.ends_at is not None:
            return
        self._verdicts = message.payload["verdicts"]
        end = _ENDS.get(message.payload["phase"])
        if end is None:
            return
        self.outcome, self.ends_at = end, message.stamp
        if end == Outcome.CAUGHT.value:
            self.ends_at += from_seconds(self._plan.scenario.end.after_catch_s)
            claim = next((number for number, accepted in self._verdicts.items() if accepted), "?")
            self._note_catch(message.stamp)
            self.reason = f"claim {claim} at {self._catch_distance:.2f} m"
            self._stillness = StillnessObserver(message.stamp)

    def values(self) -> dict[str, Any]:
        """Return what the trial is judged by, the arena's contacts with it."""
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
        return {**values, **self._contacts}

    def tell(self, result: TrialResult) -> TrialResult:
        """Return the result with the catch."""
        return replace(result, catch=self._catch)

    def _judge_alone(self, now: int) -> None:
        """Judge what an isolated wolf takes for a catch; nobody hears of it."""
        distance = self._distance()
        if distance is None or distance > self._plan.scenario.referee.catch_distance:
            self._false_catches += 1
        elif self._catch is None:
            self._note_catch(now)
            self.outcome, self.reason = Outcome.CAUGHT.value, f"at {distance:.2f} m"

    def _note_catch(self, now: int) -> None:
        self._catch = to_seconds(now - self._start), {name: (pose.x, pose.y) for name, pose in self._poses.items()}
        self._catch_distance = self._distance()

    def _distance(self) -> float | None:
        wolf, rabbit = self._poses.get(self._wolf or ""), self._poses.get(self._rabbit or "")
        return None if wolf is None or rabbit is None else wolf.distance_to(rabbit.x, rabbit.y)
