"""The judge: knows the truth of a trial, says when it is over, and collects what it is judged by."""

from __future__ import annotations

from collections.abc import Mapping

from arena_trees.games.observers import (
    BreachObserver,
    ChaseObserver,
    ContactObserver,
    StillnessObserver,
    encloses,
)
from arena_trees.games.wolf_rabbit.referee import Referee, RefereeParameters
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.geometry import Twist2D
from arena_trees.robot.record import TickRecord
from arena_trees.robot.timing import TICK
from arena_trees.simulation.arena import Arena
from arena_trees.simulation.plan import TrialPlan

__all__ = ["Judge"]


class Judge:
    """Watches a trial from outside, by the arena's truth; implements the referee's ``Witness``.

    Args:
        plan: what is played
        arena: where

    Attributes:
        outcome: caught, survived, aborted, recovered, failed, or over while or where none of them fits
        reason: what ended the trial
        over: whether the trial is over
        catch: time (s) and true positions by robot name at the confirmed catch, or None
    """

    def __init__(self, plan: TrialPlan, arena: Arena) -> None:
        self.outcome = "over"
        self.reason = "time is up"
        self.over = False
        self.catch: tuple[float, Mapping[str, tuple[float, float]]] | None = None
        self._plan = plan
        self._arena = arena
        self._fences = {name: fence.points for name, fence in plan.fences.items()}
        self._wolf, self._rabbit = plan.with_role("wolf"), plan.with_role("rabbit")
        self._contacts = ContactObserver(plan.robots)
        tick_s = to_seconds(TICK)
        self._breaches = {name: BreachObserver(fence, tick_s) for name, fence in self._fences.items()}
        self._chase: ChaseObserver | None = None
        if self._wolf is not None and self._rabbit is not None:
            self._chase = ChaseObserver(self._true_column)
        self._stillness: StillnessObserver | None = None
        self._catch_distance: float | None = None
        self._false_claims = 0
        self._judged = 0
        self._rests = 0
        self._end_s = plan.scenario.duration_s
        self._recovered: bool | None = None if plan.scenario.end.recovery is None else False
        self._recovery_s: float | None = None

    def distance(self, wolf: str, rabbit: str) -> float:
        """Return the true distance between two robots' centres, m."""
        other = self._arena.true_pose(rabbit)
        return self._arena.true_pose(wolf).distance_to(other.x, other.y)

    def inside_wolf_territory(self, rabbit: str) -> bool:
        """Return whether a robot's centre is inside the wolf's fence."""
        return self._wolf is None or self._inside(rabbit, self._wolf)

    def inside_own_fence(self, rabbit: str) -> bool:
        """Return whether a robot's centre is inside its own fence."""
        return self._inside(rabbit, rabbit)

    def observe(self, now: int, records: Mapping[str, TickRecord], referee: Referee | None) -> None:
        """Look at one tick, before the arena moves on."""
        arena = self._arena
        for name, breaches in self._breaches.items():
            breaches.observe(arena.true_pose(name))
        self._contacts.observe(now, arena.contacts)
        if self._wolf is not None and self._chase is not None:
            self._chase.observe(records[self._wolf])
        if self._rabbit is not None:
            self._rests += records[self._rabbit].cues.count("REST")
        if referee is not None:
            self._follow(referee)
        elif self._wolf is not None and self._rabbit is not None and "CATCH" in records[self._wolf].cues:
            self._judge_alone(now)
        if self._stillness is not None:
            self._stillness.observe(now, [self._twist(name) for name in self._plan.robots])
        self._check_end(now, referee)

    def values(self) -> dict[str, float | int | bool | None]:
        """Return what the trial is judged by."""
        values: dict[str, float | int | bool | None] = {}
        if self._chase is not None:
            values |= self._catch_values() | _chase_values(self._chase)
            values["rest_events"] = self._rests
        if self._recovered is not None:
            values |= {"recovered": self._recovered, "time_to_recover_s": self._recovery_s}
        for name, breaches in self._breaches.items():
            values[f"{name}_breaches"] = breaches.breaches
            values[f"{name}_outside_s"] = round(breaches.outside_s, 3)
        values["collisions"] = self._contacts.collisions
        values["robot_contacts"] = self._contacts.robot_contacts
        return values

    def _catch_values(self) -> dict[str, float | int | bool | None]:
        caught = self.catch is not None
        return {
            "caught": caught,
            "time_to_catch_s": self.catch[0] if self.catch is not None else None,
            "game_time_s": self.catch[0] if self.catch is not None else self._end_s,
            "catch_true_distance_m": self._catch_distance,
            "catch_false_count": self._false_claims,
            "stop_after_catch_s": self._stillness.delay_s if self._stillness is not None else None,
        }

    def _follow(self, referee: Referee) -> None:
        """Note what the referee has judged since the last tick."""
        for judgement in referee.judgements[self._judged :]:
            if judgement.accepted:
                self._note_catch(judgement.now, judgement.distance)
            elif judgement.in_play:
                self._false_claims += 1
        self._judged = len(referee.judgements)

    def _judge_alone(self, now: int) -> None:
        """Judge what an isolated wolf takes for a catch; nobody hears of it."""
        assert self._wolf is not None
        assert self._rabbit is not None
        distance = self.distance(self._wolf, self._rabbit)
        limit: RefereeParameters = self._plan.scenario.referee
        if distance > limit.catch_distance:
            self._false_claims += 1
        elif self.catch is None:
            # No time to stand still is measured: the rabbit has no means to know.
            self._note_catch(now, distance, confirmed=False)

    def _note_catch(self, now: int, distance: float, confirmed: bool = True) -> None:
        poses = {name: self._arena.true_pose(name) for name in self._plan.robots}
        self.catch = (to_seconds(now), {name: (pose.x, pose.y) for name, pose in poses.items()})
        self._catch_distance = distance
        self.outcome = "caught"
        self.reason = f"at {distance:.2f} m"
        if confirmed:
            self._stillness = StillnessObserver(now)

    def _check_end(self, now: int, referee: Referee | None) -> None:
        elapsed_s = to_seconds(now + TICK)
        scenario = self._plan.scenario
        if scenario.end.recovery is not None:
            self._check_recovery(elapsed_s)
        if referee is not None and referee.outcome is not None and referee.ended_at is not None:
            self.outcome = referee.outcome.value
            after_s = scenario.end.after_catch_s if self.catch is not None else 0.0
            self.over = self.over or now - referee.ended_at >= from_seconds(after_s)
            return
        if elapsed_s >= scenario.duration_s:
            self.over = True
            if self.outcome == "over" and self._rabbit is not None:
                self.outcome = "survived"

    def _check_recovery(self, elapsed_s: float) -> None:
        """See whether the robot is back inside, or has run out of time or into something."""
        rule = self._plan.scenario.end.recovery
        assert rule is not None
        pose = self._arena.true_pose(rule.robot)
        depth = self._plan.fences[rule.robot].signed_distance(pose.x, pose.y)
        touched = self._contacts.first
        if touched is not None:
            other = next((name for name in touched[1] if name != rule.robot), rule.robot)
            self._end_recovery("failed", f"touched {other}")
        elif depth >= rule.inside:
            self._recovered, self._recovery_s = True, elapsed_s
            self._end_recovery("recovered", f"{depth:.2f} m inside")
        elif elapsed_s >= rule.within_s:
            self._end_recovery("failed", f"{depth:+.2f} m inside after {rule.within_s:g} s")

    def _end_recovery(self, outcome: str, reason: str) -> None:
        self.outcome, self.reason, self.over = outcome, reason, True

    def _inside(self, robot: str, fence: str) -> bool:
        pose = self._arena.true_pose(robot)
        return encloses(self._fences[fence], pose.x, pose.y)

    def _twist(self, name: str) -> Twist2D:
        return self._arena.true_twist(name)

    def _true_column(self) -> float | None:
        assert self._wolf is not None
        assert self._rabbit is not None
        box = self._arena.true_box(self._wolf, self._rabbit)
        return None if box is None else box.x


def _chase_values(chase: ChaseObserver) -> dict[str, float | int | bool | None]:
    ticks, every = chase.ticks, chase.ticks + chase.hidden_ticks
    return {
        "chase_ticks": ticks,
        "all_chase_ticks": every,
        "tracking_error_filtered": chase.filtered_sum / ticks if ticks else None,
        "tracking_error_raw": chase.raw_sum / ticks if ticks else None,
        "deadband_share": chase.deadband_ticks / every if every else None,
        "outside_image_share": chase.outside_ticks / ticks if ticks else None,
        "hidden_share": chase.hidden_ticks / every if every else None,
        "lost_events": chase.lost,
    }
