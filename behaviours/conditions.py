"""Conditions: leaves that look and answer at once, without moving the robot."""

from __future__ import annotations

from collections.abc import Callable

from py_trees.common import Status

from arena_trees.behaviours.base import PerceptBehaviour
from arena_trees.behaviours.parameters import RoamParameters
from arena_trees.perception.sectors import sector_min
from arena_trees.robot import keys
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.detections import Detections
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.percepts import Bumpers, FenceStatus, GeofenceReport, Odometry, Target

__all__ = ["Bumped", "FenceIs", "ObstacleAhead", "SignInSight", "TargetInSight"]

_STILL_PRESSED_S = 1.0
"""After which a bumper that has stayed pressed counts as pressed anew."""
_MOVED_ON = 0.1
"""m by which a robot may have moved while its bumper stays pressed."""


class FenceIs(PerceptBehaviour):
    """SUCCESS while the geofence reports one of the given statuses. FAILURE otherwise.

    Blackboard Variables:
        * geofence (GeofenceReport) [r]; absent for a robot without a fence
    """

    def __init__(self, name: str, robot: str, *statuses: FenceStatus) -> None:
        super().__init__(name, robot, (keys.GEOFENCE,))
        self.statuses = statuses

    def update(self) -> Status:
        """Return SUCCESS if the geofence has one of the statuses, FAILURE otherwise."""
        report: GeofenceReport | None = self.percepts.geofence
        if report is None or report.status not in self.statuses:
            self.feedback_message = "no" if report is None else report.status.value
            return Status.FAILURE
        self.feedback_message = report.status.value
        return Status.SUCCESS


class Bumped(PerceptBehaviour):
    """SUCCESS once for each contact of a bumper, and again each second in which it lasts. FAILURE otherwise.

    A bump is how a robot learns of what its LiDAR cannot see, such as glass. A bumper that stays pressed although the
    robot has moved on by 0.1 m has hung, and says nothing more until it is released. That it was released is known
    also where this behaviour was not ticked meanwhile.

    Blackboard Variables:
        * bumpers (Bumpers) [r]
        * odometry (Odometry) [r]: whether the robot has moved on
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (keys.BUMPERS, keys.ODOMETRY))
        self._reset()

    def _reset(self) -> None:
        self._contact: int | None = None
        self._since = 0
        self._place: Pose2D | None = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._reset()

    def update(self) -> Status:
        """Return SUCCESS where a contact is new, or lasts where the robot stays; FAILURE otherwise."""
        bumpers: Bumpers | None = self.percepts.bumpers
        if bumpers is None or not bumpers.pressed:
            self._reset()
            self.feedback_message = "released"
            return Status.FAILURE
        odometry: Odometry | None = self.percepts.odometry
        if self._contact == bumpers.since:
            if self.within(self._since, _STILL_PRESSED_S):
                return Status.FAILURE
            here, place = None if odometry is None else odometry.pose, self._place
            if here is None or place is None or here.distance_to(place.x, place.y) > _MOVED_ON:
                self.feedback_message = f"hangs: {bumpers}"
                return Status.FAILURE
        self._contact, self._since = bumpers.since, self.now
        self._place = None if odometry is None else odometry.pose
        self.feedback_message = str(bumpers)
        return Status.SUCCESS


class ObstacleAhead(PerceptBehaviour):
    """SUCCESS when something is near in the forward cone. FAILURE otherwise, and during the cooldown.

    Blackboard Variables:
        * scan (Scan) [r]

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters, for distance, cone and cooldown
        cooldown: whether obstacles are ignored for a while after one, as the source system's code does
        distance: returns the distance that counts as near, m; ``obstacle_distance`` by default
    """

    def __init__(
        self,
        name: str,
        robot: str,
        live: Live[RoamParameters],
        *,
        cooldown: bool,
        distance: Callable[[], float] | None = None,
    ) -> None:
        super().__init__(name, robot, (keys.SCAN,))
        self.live = live
        self.cooldown = cooldown
        self.distance = distance or (lambda: live.value.obstacle_distance)
        self._last: int | None = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._last = None

    def update(self) -> Status:
        """Return SUCCESS if the forward cone is obstructed and no cooldown runs, FAILURE otherwise."""
        scan = self.percepts.scan
        parameters = self.live.value
        if scan is None or (self.cooldown and self.within(self._last, parameters.obstacle_cooldown_s)):
            self.feedback_message = "not looking"
            return Status.FAILURE
        if sector_min(scan, -parameters.obstacle_cone, parameters.obstacle_cone) >= self.distance():
            self.feedback_message = "nothing near ahead"
            return Status.FAILURE
        self._last = self.now
        self.feedback_message = "something is near ahead"
        return Status.SUCCESS


class SignInSight(PerceptBehaviour):
    """SUCCESS while a class of sign was in an image lately. FAILURE otherwise.

    A sign is believed after ``sight_confirm_frames`` images in a row, and until none has shown it
    for ``vision_timeout``.

    Blackboard Variables:
        * detections (Detections) [r]

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        label: returns the class
    """

    def __init__(self, name: str, robot: str, live: Live[RoamParameters], label: Callable[[], str]) -> None:
        super().__init__(name, robot, ("detections",))
        self.live = live
        self.label = label
        self._reset()

    def _reset(self) -> None:
        self._sequence: int = 0
        self._hits: int = 0
        self._seen: int | None = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._reset()

    def update(self) -> Status:
        """Count new images with the sign; SUCCESS while it was confirmed lately, FAILURE otherwise."""
        detections: Detections | None = self.percepts.detections
        parameters = self.live.value
        if detections is not None and detections.sequence != self._sequence:
            self._sequence = detections.sequence
            self._hits = self._hits + 1 if detections.best(self.label()) is not None else 0
            if self._hits >= parameters.sight_confirm_frames or (self._hits and self._believed(parameters)):
                self._seen = detections.arrival
        if not self._believed(parameters):
            self.feedback_message = "not in sight"
            return Status.FAILURE
        self.feedback_message = self.label()
        return Status.SUCCESS

    def _believed(self, parameters: RoamParameters) -> bool:
        return self._seen is not None and self.now - self._seen <= from_seconds(parameters.vision_timeout)


class TargetInSight(PerceptBehaviour):
    """SUCCESS while the tracked target is confirmed and not lost. FAILURE otherwise.

    Blackboard Variables:
        * target (Target) [r]
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (keys.TARGET,))

    def update(self) -> Status:
        """Return SUCCESS if the target is in sight, FAILURE otherwise."""
        target: Target | None = self.percepts.target
        if target is None or not target.in_sight:
            self.feedback_message = "not in sight"
            return Status.FAILURE
        self.feedback_message = target.box.label
        return Status.SUCCESS
