"""What a robot did from a fault on: how long it moved on, how fast, and whom it touched."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from arena_trees.experiments.trial import Trial
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.safety.gate import VelocityGate, need_place
from arena_trees.simulation.faults.fault import drawn_faults
from arena_trees.world.geofence import Geofence

__all__ = ["FaultWatch", "Seen"]

_STILL_LINEAR, _STILL_ANGULAR = 0.02, 0.05
"""Who moves no faster (m/s, rad/s) stands."""
_PUSHED_NS = from_seconds(1.0)
"""Motion up to so long after a contact may be of the other, or of the base's bump reflex."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a robot did while it had a fault.

    Attributes:
        seconds: for which it had the fault
        moved_s: from its beginning until the robot moved by itself for the last time
        way_m: driven since
        fastest: greatest speed of its second half, m/s
        contacts: that began since
        outside_m: how far its centre was outside its fence at most; None where it has none
        placed: whether its gate needs the place that localisation gives
    """

    seconds: float
    moved_s: float
    way_m: float
    fastest: float
    contacts: int
    outside_m: float | None
    placed: bool

    def to_dict(self) -> dict[str, Any]:
        """Return what records hold of it."""
        return asdict(self)


class FaultWatch:
    """Watches one robot from its first fault's beginning to that fault's end; implements ``TrialObserver``.

    Args:
        robot: its name
    """

    def __init__(self, robot: str) -> None:
        self._robot = robot
        self._begin: int | None = None
        self._now = 0
        self._moved = 0
        self._way = 0.0
        self._speeds: list[float] = []
        self._contacts = 0
        self._touching: frozenset[str] = frozenset()
        self._touched = -_PUSHED_NS
        self._placed = False
        self._fence: Geofence | None = None
        self._outside = 0.0
        self._sensors: set[str] = set()

    def begin(self, trial: Trial) -> None:
        """Note when the fault is to begin."""
        faults = drawn_faults(trial.plan.scenario.faults, trial.seed)
        self._fault = faults[0]
        self._sensors = {fault.sensor for fault in faults if fault.part == "sensor"}
        self._fence = trial.plan.robots[self._robot].fence
        gate = trial.loops[self._robot].gate
        own = trial.plan.role(self._robot).localiser is not None
        self._placed = isinstance(gate, VelocityGate) and need_place(gate.limits) and not own

    def tick(self, trial: Trial) -> None:
        """Look what the robot does."""
        now = trial.arena.now
        if self._sensors:
            readings = trial.arena.robots[self._robot].read()
            self._sensors = {key for key in self._sensors if readings.get(key) is None}
        touching = frozenset(other for robot, other in trial.arena.contacts if robot == self._robot)
        elapsed = self._fault.elapsed(now)
        if elapsed is not None:
            self._look(trial, now, touching)
        if touching:
            self._touched = now
        self._touching = touching

    def end(self, trial: Trial) -> None:
        """Do nothing."""

    def seen(self) -> Seen | None:
        """Return what the robot did; None where the trial ended before the fault began, or it lacks the sensor."""
        if self._begin is None or self._sensors:
            return None
        late = self._speeds[len(self._speeds) // 2 :]
        return Seen(
            round(to_seconds(self._now - self._begin), 3),
            round(to_seconds(max(0, self._moved - self._begin)), 3),
            round(self._way, 4),
            round(max(late), 4),
            self._contacts,
            None if self._fence is None else round(self._outside, 4),
            self._placed,
        )

    def _look(self, trial: Trial, now: int, touching: frozenset[str]) -> None:
        if self._begin is None:
            self._begin = now
        twist = trial.arena.true_twist(self._robot)
        self._way += abs(twist.linear) * to_seconds(now - self._now) if self._speeds else 0.0
        self._now = now
        self._speeds.append(abs(twist.linear))
        if self._fence is not None:
            pose = trial.arena.true_pose(self._robot)
            self._outside = max(self._outside, -self._fence.signed_distance(pose.x, pose.y))
        self._contacts += len(touching - self._touching)
        pushed = bool(touching) or now - self._touched < _PUSHED_NS
        moves = abs(twist.linear) > _STILL_LINEAR or abs(twist.angular) > _STILL_ANGULAR
        if moves and not pushed:
            self._moved = now
