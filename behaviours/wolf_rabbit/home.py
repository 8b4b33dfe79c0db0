"""Home: the rabbit's safe place, locked from its first odometry, and the way back to it."""

from __future__ import annotations

from collections.abc import Callable

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour, PerceptBehaviour
from arena_trees.behaviours.wolf_rabbit.parameters import RabbitParameters
from arena_trees.control.heading import drive_towards
from arena_trees.control.steering import clear_heading
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import Odometry
from arena_trees.robot.scan import Scan

__all__ = ["DriveHome", "LockHome", "NearHome", "drive_to"]


def drive_to(
    pose: Pose2D, place: tuple[float, float], scan: Scan | None, speed: float, parameters: RabbitParameters
) -> Twist2D:
    """Return the rabbit's twist to a place: turn first, drive once aligned, round what stands in the way.

    Args:
        pose: of base_link, odom frame
        place: x and y, odom frame, m
        scan: what stands in the way; None drives straight
        speed: once aligned, m/s
        parameters: of the turn (the Wolf and Rabbit report, section 2.3)
    """
    bearing = pose.bearing_to(*place)
    if scan is not None:
        heading = clear_heading(scan, bearing, min(0.5, pose.distance_to(*place)), 0.21)
        bearing = bearing if heading is None else heading
    return drive_towards(
        bearing,
        speed,
        parameters.return_heading_gain,
        parameters.max_angular_speed,
        parameters.return_yaw_drive_threshold,
        parameters.return_turn_slowdown,
    )


class LockHome(PerceptBehaviour):
    """Take the first odometry as home; belongs into the sensing branch. Returns SUCCESS always.

    Blackboard Variables:
        * odometry (Odometry) [r]
        * home (Pose2D) [w]: in the odom frame; None until it is locked
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (keys.ODOMETRY,), (keys.HOME,))
        self.outputs.home = None
        self._locked = False

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier home."""
        self.outputs.home = None
        self._locked = False

    def update(self) -> Status:
        """Write the first odometry pose as home; SUCCESS always."""
        if not self._locked:
            odometry: Odometry | None = self.percepts.odometry
            if odometry is not None:
                self.outputs.home = odometry.pose
                self._locked = True
                self.feedback_message = f"home at {odometry.pose}"
        return Status.SUCCESS


class NearHome(PerceptBehaviour):
    """SUCCESS while home is nearer than a radius. FAILURE otherwise, and before home is known.

    Blackboard Variables:
        * odometry (Odometry) [r]
        * home (Pose2D) [r]

    Args:
        name: of the behaviour
        robot: name of the robot
        radius: returns the radius, m
        outer: returns the radius at which it ends again, m; the same one by default
    """

    def __init__(
        self, name: str, robot: str, radius: Callable[[], float], outer: Callable[[], float] | None = None
    ) -> None:
        super().__init__(name, robot, (keys.ODOMETRY, keys.HOME))
        self.radius = radius
        self.outer = outer or radius
        self._near = False

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._near = False

    def update(self) -> Status:
        """Return SUCCESS if home is within the radius, with hysteresis, FAILURE otherwise."""
        odometry: Odometry | None = self.percepts.odometry
        home: Pose2D | None = self.percepts.home
        if odometry is None or home is None:
            return Status.FAILURE
        limit = self.outer() if self._near else self.radius()
        self._near = odometry.pose.distance_to(home.x, home.y) <= limit
        return Status.SUCCESS if self._near else Status.FAILURE


class DriveHome(ActionBehaviour):
    """Drive home: turn first, drive once aligned (the Wolf and Rabbit report, section 2.3). RUNNING always.

    Blackboard Variables:
        * odometry (Odometry) [r]
        * home (Pose2D) [r]
        * scan (Scan) [r]: what stands in the way is driven round
        * command [w]

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        speed: returns the speed, m/s
    """

    def __init__(self, name: str, robot: str, live: Live[RabbitParameters], speed: Callable[[], float]) -> None:
        super().__init__(name, robot, (keys.ODOMETRY, keys.HOME, keys.SCAN))
        self.live = live
        self.speed = speed

    def update(self) -> Status:
        """Steer towards home, round obstacles, or stand there; RUNNING always."""
        odometry: Odometry | None = self.percepts.odometry
        home: Pose2D | None = self.percepts.home
        if odometry is None or home is None:
            self.feedback_message = "waiting for odometry"
            return Status.RUNNING
        parameters = self.live.value
        if odometry.pose.distance_to(home.x, home.y) < parameters.home_arrival_radius:
            self.drive(0.0, 0.0)
            return Status.RUNNING
        twist = drive_to(odometry.pose, (home.x, home.y), self.percepts.scan, self.speed(), parameters)
        self.drive(twist.linear, twist.angular)
        return Status.RUNNING
