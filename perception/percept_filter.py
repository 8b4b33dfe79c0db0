"""The percept filter: checks a robot's readings and messages, and makes one consistent snapshot of percepts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, TypeVar

from arena_trees.perception import checks
from arena_trees.perception.parameters import PerceptionParameters
from arena_trees.perception.supervisor import GeofenceSupervisor
from arena_trees.robot import keys
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.lane import LaneLines, MarkerDetections
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.robot.messaging.inbox import Mailbox
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.percepts import Bumpers, GeofenceReport, Odometry, Percepts, PoseEstimate, Readings, Stamped
from arena_trees.robot.scan import LaserScan, Scan
from arena_trees.robot.sensor import RefusedReadingError
from arena_trees.robot.sensor_registry import sensors

__all__ = ["Localiser", "PerceptFilter"]

ReadingT = TypeVar("ReadingT", bound=Stamped)
PerceptT = TypeVar("PerceptT", bound=Stamped)


class Localiser(Protocol):
    """Estimates the pose of a robot from its other percepts."""

    def update(
        self,
        now: int,
        odometry: Odometry | None,
        scan: Scan | None,
        lane: LaneLines | None,
        markers: MarkerDetections | None,
    ) -> PoseEstimate | None:
        """Return the newest pose of base_link in the map frame (now: ns); None before it is known."""
        ...

    @property
    def lost(self) -> bool:
        """Whether the pose is known too badly to be used."""
        ...

    def report(self) -> Mapping[str, str]:
        """Return what diagnostics show of it, in words."""
        ...


class _Stream:
    """Order and times of one sensor's messages.

    Attributes:
        seen: the newest of them, whether it could be used or not
    """

    def __init__(self, tolerance: float) -> None:
        self._tolerance = from_seconds(tolerance)
        self.seen: Stamped | None = None
        self._newest: int | None = None

    def forget_order(self) -> None:
        """Accept any stamp next: the clock went back."""
        self._newest = None

    def is_new(self, reading: Stamped, now: int) -> bool:
        """Return whether a reading has not been seen before.

        Raises:
            RefusedReadingError: its times make no sense
        """
        seen = self.seen
        if seen is not None and reading.sequence == seen.sequence and reading.stamp == seen.stamp:
            return False
        self.seen = reading
        if reading.arrival > now or reading.stamp > now + self._tolerance:
            raise RefusedReadingError("stamp in the future")
        # A stamp ahead of its arrival must not shut out those that follow.
        instant = min(reading.stamp, reading.arrival)
        if self._newest is not None and instant < self._newest:
            raise RefusedReadingError("stamp went back")
        self._newest = instant
        return True


class PerceptFilter:
    """Turns the readings and messages of one robot into percepts.

    A reading that is refused leaves the last good percept, whose age grows; so does one that
    does not come any more.

    Attributes:
        refusals: how many readings were refused, by stream and reason, such as ``scan: malformed``
        supervisor: of the robot's geofence, or None
        malformed_scans: how many scans in a row were malformed, up to the newest
        localiser: estimates the pose in place of the readings' own, or None

    Args:
        supervisor: of the robot's geofence; None where the robot has none
        parameters: tolerances
        localiser: estimates the pose in place of the readings' own
        subscribes: messages that the robot reads
        known: further messages of its game, which it passes over; a topic that is neither is refused
    """

    def __init__(
        self,
        supervisor: GeofenceSupervisor | None = None,
        parameters: PerceptionParameters | None = None,
        localiser: Localiser | None = None,
        subscribes: Iterable[type[GameMessage]] = (),
        known: Iterable[type[GameMessage]] = (),
    ) -> None:
        self.supervisor = supervisor
        self.parameters = parameters if parameters is not None else PerceptionParameters()
        self.refusals: Counter[str] = Counter()
        self.malformed_scans = 0
        self.localiser = localiser
        self._mailbox = Mailbox(subscribes, known)
        # Counted together with the readings that are refused.
        self._mailbox.refusals = self.refusals
        self._percepts = Percepts(0)
        tolerances = dict.fromkeys(keys.percept_keys(), self.parameters.future_tolerance)
        tolerances[keys.POSE] = self.parameters.pose_future_tolerance
        self._checks = {key: sensor.checked for key, sensor in sensors().items()}
        self._parts = {key: sensor.parts for key, sensor in sensors().items() if sensor.parts is not None}
        self._streams = {name: _Stream(tolerance) for name, tolerance in tolerances.items()}

    @property
    def percepts(self) -> Percepts:
        """The newest snapshot; empty, with its clock at 0, before the first."""
        return self._percepts

    def take(self, readings: Readings, messages: Sequence[Message] = ()) -> Percepts:
        """Check what came and return the snapshot of now."""
        now, before = readings.now, self._percepts
        if now < before.now:
            for stream in self._streams.values():
                stream.forget_order()
        odometry = self._keep(keys.ODOMETRY, readings.odometry, before.odometry, self._check_odometry, now)
        scan = self._keep(keys.SCAN, readings.scan, before.scan, self._check_scan, now)
        more = self._keep_more(readings, before, now)
        received = readings.pose
        if self.localiser is not None:
            received = self.localiser.update(now, odometry, scan, more.get("lane"), more.get("markers"))
        pose = self._keep(keys.POSE, received, before.pose, self._check_pose, now)
        inbox = self._mailbox.take(messages, now)
        self._percepts = Percepts(
            now,
            scan,
            odometry,
            pose,
            self._supervised(now, pose, 0.0 if odometry is None else odometry.twist.linear),
            self._keep(keys.BUMPERS, readings.bumpers, before.bumpers, self._check_bumpers, now),
            inbox,
            more,
        )
        return self._percepts

    def _keep_more(self, readings: Readings, before: Percepts, now: int) -> Mapping[str, Any]:
        """Return the percepts of the sensors that have no attribute of their own; the same map where none is new."""
        kept = before.more
        for key, reading in readings.more.items():
            if self._streams[key].seen is reading:
                continue
            old = before.more.get(key)
            percept = self._keep(key, reading, old, partial(self._checks[key], before=old), now)
            if percept is not old:
                kept = {**kept, key: percept}
                if percept is not reading and (parts := self._parts.get(key)) is not None:
                    dropped = parts(reading) - parts(percept)
                    self.refusals[f"{key}: part dropped"] += dropped
        return kept

    def _keep(
        self,
        name: str,
        reading: ReadingT | None,
        kept: PerceptT | None,
        check: Callable[[ReadingT], PerceptT],
        now: int,
    ) -> PerceptT | None:
        """Return the checked reading if it is new and good, else what was kept before."""
        # Most readings are those of the tick before.
        if reading is None or self._streams[name].seen is reading:
            return kept
        try:
            return check(reading) if self._streams[name].is_new(reading, now) else kept
        except RefusedReadingError as error:
            self.refusals[f"{name}: {error}"] += 1
            return kept

    def _check_scan(self, laser: LaserScan) -> Scan:
        self.malformed_scans += 1
        scan = Scan.checked(laser, self._percepts.scan)
        self.malformed_scans = 0
        return scan

    def _check_bumpers(self, bumpers: Bumpers) -> Bumpers:
        if not bumpers.pressed:
            return bumpers
        before = self._percepts.bumpers
        return replace(bumpers, since=bumpers.stamp if before is None or not before.pressed else before.since)

    def _check_odometry(self, odometry: Odometry) -> Odometry:
        return checks.checked_odometry(odometry, self.parameters)

    def _check_pose(self, pose: PoseEstimate) -> PoseEstimate:
        return checks.checked_pose(pose, self.parameters)

    def _supervised(self, now: int, pose: PoseEstimate | None, speed: float) -> GeofenceReport | None:
        return None if self.supervisor is None else self.supervisor.update(now, pose, speed)
