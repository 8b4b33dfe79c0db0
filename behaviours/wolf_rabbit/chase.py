"""Chase: steer by the target's predicted column, drive as fast as turn, fence and range allow."""

from __future__ import annotations

import math

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.behaviours.wolf_rabbit.parameters import WolfParameters
from arena_trees.control.heading import slow_in_turns, turn_rate
from arena_trees.control.pid import Pid, clamp
from arena_trees.control.steering import clear_heading
from arena_trees.robot import keys
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.percepts import FenceStatus, Target, Tracking

__all__ = ["ChaseBySource", "ChaseSign"]

_CORRIDOR = 0.21
"""Half width (m) of the way that must be free: hull and a margin."""

_REACH = 0.55
"""Length (m) of the way that must be free."""


class ChaseSign(ActionBehaviour):
    """Drive after the target. RUNNING always.

    The column's error in half images, limited to +-1.5, goes through the PID; the yaw rate is
    minus its output (the Wolf and Rabbit report, section 2.2). The speed falls with the yaw rate and in the
    warning band. The target's own motion across the image is turned with, the speed also falls with the range, and
    something in the way is driven round.

    Blackboard Variables:
        * target (Target) [r]: what is chased
        * scan (Scan) [r]: what is in the way
        * geofence (GeofenceReport) [r]: slows down in the warning band
        * command [w], tracking [w]
        * cues [w]: CHASE when it begins, LOST when it ends because the target was lost
    """

    def __init__(
        self,
        name: str,
        robot: str,
        live: Live[WolfParameters],
        reads: tuple[str, ...] = (keys.SCAN, keys.GEOFENCE, keys.TARGET),
    ) -> None:
        super().__init__(name, robot, reads)
        self.live = live
        self._pid = Pid()
        self._last: int | None = None

    def initialise(self) -> None:
        """Forget the chase before."""
        self._pid.reset()
        self._last = None
        self.show("CHASE")

    def update(self) -> Status:
        """Steer towards the target; RUNNING, or FAILURE without one."""
        target: Target | None = self.percepts.target
        if target is None:
            self.feedback_message = "nothing to chase"
            return Status.FAILURE
        parameters = self.live.value
        tracking = _tracking(target, parameters)
        self.track(tracking)
        now = self.now
        dt = 0.0 if self._last is None else to_seconds(now - self._last)
        self._last = now
        angular, speed = self._steer(target, tracking, dt, parameters)
        speed = slow_in_turns(speed, angular, parameters.max_angular_speed, parameters.chase_turn_slowdown)
        if self._in_warning_band():
            speed *= parameters.chase_warning_speed_scale
        self.drive(speed, angular)
        return Status.RUNNING

    def terminate(self, new_status: Status) -> None:
        """Say that the target was lost, where that is why the chase ends."""
        if new_status is Status.INVALID and self.status is Status.RUNNING:
            target: Target | None = self.percepts.target
            timeout = self.live.value.vision_timeout
            if target is not None and to_seconds(self.now - target.seen) > timeout:
                self.show("LOST")

    def _in_warning_band(self) -> bool:
        report = self.percepts.geofence
        return report is not None and report.status is FenceStatus.WARNING

    def _steer(self, target: Target, tracking: Tracking, dt: float, parameters: WolfParameters) -> tuple[float, float]:
        """Return the yaw rate (rad/s) and the speed (m/s), a while (s) after the last ones."""
        angular = self._pid.update(_bounded(tracking.error), dt, parameters.gains) + _drift(target, parameters)
        angular = -clamp(angular, parameters.max_angular_speed)
        return self._avoid(target, angular, parameters.chase_linear_speed, parameters)

    def _avoid(self, target: Target, angular: float, speed: float, parameters: WolfParameters) -> tuple[float, float]:
        """Close slowly when near, and go round what stands between."""
        if target.range is None:
            return angular, speed
        closing = parameters.catch_closing_gain * (target.range - parameters.catch_standoff)
        speed = max(0.0, min(speed, closing))
        scan = self.percepts.scan
        if scan is None:
            return angular, speed
        hull = (target.range * math.cos(target.bearing), target.range * math.sin(target.bearing), 0.30)
        reach = min(_REACH, max(0.0, target.range - 0.30))
        heading = clear_heading(scan, target.bearing, reach, _CORRIDOR, ignore=hull)
        if heading is None:
            return angular, 0.0
        if heading != target.bearing:
            angular = turn_rate(heading, 2.0, parameters.max_angular_speed)
        return angular, speed


class ChaseBySource(ChaseSign):
    """Drive after the target as the Wolf and Rabbit report does. RUNNING always.

    No turn is commanded within the deadband, and nothing but turn and fence slows it.

    Blackboard Variables:
        * target (Target) [r]: what is chased
        * geofence (GeofenceReport) [r]: slows down in the warning band
        * command [w], tracking [w]
        * cues [w]: CHASE when it begins, LOST when it ends because the target was lost
    """

    def __init__(self, name: str, robot: str, live: Live[WolfParameters]) -> None:
        super().__init__(name, robot, live, (keys.GEOFENCE, keys.TARGET))

    def _steer(self, target: Target, tracking: Tracking, dt: float, parameters: WolfParameters) -> tuple[float, float]:
        error = 0.0 if tracking.in_deadband else _bounded(tracking.error)
        return -self._pid.update(error, dt, parameters.gains_source), parameters.chase_linear_speed


def _bounded(error: float) -> float:
    return max(-1.5, min(1.5, error))


def _drift(target: Target, parameters: WolfParameters) -> float:
    """Return the clockwise yaw rate (rad/s) that keeps up with the target's own motion across the image."""
    return target.velocity_px / parameters.camera.focal_px(target.image_width)


def _tracking(target: Target, parameters: WolfParameters) -> Tracking:
    return Tracking(
        state="chase",
        raw_px=target.box.x,
        filtered_px=target.filtered_px,
        velocity_px=target.velocity_px,
        predicted_px=target.predicted_px,
        image_width=target.image_width,
        deadband=parameters.chase_deadband,
        range=target.range,
    )
