"""Go to a place in the map: by a planner where there is one, else straight, round what the LiDAR sees."""

from __future__ import annotations

import math

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.behaviours.parameters import GoToParameters
from arena_trees.control.heading import turn_rate
from arena_trees.control.steering import steer_clear
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.percepts import PoseEstimate
from arena_trees.robot.ports import NavigationStatus, Navigator

__all__ = ["GoTo"]


class GoTo(ActionBehaviour):
    """Drive to a place and turn as it asks for. SUCCESS when it is there, FAILURE where the navigator gives it up.

    RUNNING until then. Without a fresh pose it stands, as its feedback reports. A robot that cannot come nearer, as
    behind a wall that only a planner leads round, is RUNNING for ever: put a time-out above the leaf.

    Blackboard Variables:
        * pose (PoseEstimate) [r]: where the robot is, map frame
        * scan (Scan) [r]: what is in the way, without a navigator
        * command [w]

    Args:
        name: of the behaviour
        robot: name of the robot
        x: of the place, map frame, m
        y: of the place, map frame, m
        yaw: how the robot shall stand there, map frame, rad; None for any
        live: parameters; as by default where not given
        navigator: plans and drives the way, such as :class:`~arena_trees.control.navigation.embedded_navigator.
            EmbeddedNavigator` on a map, or Nav2's client; None drives straight

    Raises:
        ConfigError: a coordinate is NaN or infinite
    """

    optional_reads = (keys.SCAN,)

    def __init__(
        self,
        name: str,
        robot: str,
        x: float,
        y: float,
        yaw: float | None = None,
        *,
        live: Live[GoToParameters] | None = None,
        navigator: Navigator | None = None,
    ) -> None:
        super().__init__(name, robot, (keys.POSE, keys.SCAN))
        for key, value in (("x", x), ("y", y), ("yaw", yaw)):
            if value is not None and not math.isfinite(value):
                raise ConfigError("must be finite", key=key, value=value)
        self.goal = Pose2D(x, y, 0.0 if yaw is None else wrap(yaw))
        self._any_yaw = yaw is None
        self._live = live if live is not None else Live(GoToParameters())
        self._navigator = navigator
        self._sent = False

    def initialise(self) -> None:
        """Forget whether a goal was sent."""
        self._sent = False

    def terminate(self, new_status: Status) -> None:
        """Give the goal up."""
        if self._navigator is not None and self._sent:
            self._navigator.cancel()
        self._sent = False

    def update(self) -> Status:
        """Drive or turn towards the goal; RUNNING until it is reached or given up."""
        p = self._live.value
        estimate: PoseEstimate | None = self.percepts.pose
        if estimate is None or not self.fresh(estimate, p.go_to_pose_timeout):
            self.feedback_message = "no pose"
            self.drive(0.0, 0.0)
            return Status.RUNNING
        pose = estimate.pose
        away = pose.distance_to(self.goal.x, self.goal.y)
        self.feedback_message = f"{away:.1f} m away"
        # A navigator has a tolerance of its own.
        arrived = self._navigator is not None and self._sent and self._navigator.status() is NavigationStatus.SUCCEEDED
        if arrived or away <= p.go_to_tolerance:
            return self._turn(pose, p)
        return self._go(pose, away, p)

    def _go(self, pose: Pose2D, away: float, p: GoToParameters) -> Status:
        if self._navigator is None:
            speed = min(p.go_to_speed, p.go_to_brake * away)
            bearing = pose.bearing_to(self.goal.x, self.goal.y)
            reach = min(p.go_to_reach, away)
            twist = steer_clear(self.percepts.scan, bearing, speed, p.go_to_turn_rate, reach=reach)
            self.drive(twist.linear, twist.angular)
            return Status.RUNNING
        if not self._sent:
            self._navigator.send_goal(self.goal)
            self._sent = True
        velocity = self._navigator.velocity()
        self.drive(0.0, 0.0) if velocity is None else self.drive(velocity.linear, velocity.angular)
        return Status.FAILURE if self._navigator.status() is NavigationStatus.FAILED else Status.RUNNING

    def _turn(self, pose: Pose2D, p: GoToParameters) -> Status:
        left = 0.0 if self._any_yaw else wrap(self.goal.yaw - pose.yaw)
        if abs(left) <= math.radians(p.go_to_yaw_tolerance_deg):
            self.drive(0.0, 0.0)
            return Status.SUCCESS
        self.drive(0.0, turn_rate(left, p.go_to_turn_gain, p.go_to_turn_rate))
        return Status.RUNNING
