"""Evade: know by LiDAR where who chases is, and keep away from it, or out of its sight."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import shapely
from numpy.typing import NDArray
from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour, PerceptBehaviour
from arena_trees.behaviours.wolf_rabbit.parameters import RabbitParameters
from arena_trees.control.escape import EscapeSettings, Pursuer, escape_heading
from arena_trees.control.heading import drive_towards
from arena_trees.control.hull_finder import find_hulls
from arena_trees.control.leader_tracker import LeaderTracker, TrackerSettings
from arena_trees.control.odometry_buffer import OdometryBuffer
from arena_trees.games.wolf_rabbit.blackboard import THREATS, Threats
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.percepts import PoseEstimate
from arena_trees.robot.repeat import Repeat
from arena_trees.robot.scan import Scan

__all__ = ["Evade", "SenseThreats", "ThreatNear"]

_THINK_S = 0.2
"""Between two choices of a way."""
_NOISE = 0.03
"""Deviation of a hull's centre, m."""
_OWN = 1.4
"""Radii about a hull's centre within which returns are its own."""
_FENCE_STEP = 0.1
"""Between two points that stand for the fence, m."""
_WIDTH = 0.21
"""Half width of a way that has to be free, m."""


class SenseThreats(PerceptBehaviour):
    """Track robots that move, as round hulls in the scan, and write where they are now. SUCCESS always.

    A hull proves to be a robot, and no box, by moving.

    Blackboard Variables:
        * scan (Scan), odometry (Odometry) [r]
        * threats (Threats) [w]: of all robots that are believed
    """

    def __init__(self, name: str, robot: str, live: Live[RabbitParameters]) -> None:
        super().__init__(name, robot, (keys.SCAN, keys.ODOMETRY), (THREATS,))
        self.live = live
        self._reset()

    def _reset(self) -> None:
        self._history = OdometryBuffer()
        self._tracker = LeaderTracker()
        self._sequence = 0
        self.outputs.threats = Threats()

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._reset()

    def update(self) -> Status:
        """Take in a new scan and write where robots are now; SUCCESS always."""
        self._history.add(self.percepts.odometry)
        scan: Scan | None = self.percepts.scan
        parameters = self.live.value
        settings = TrackerSettings(
            parameters.threat_speed, 0.9, gate=0.3, moved=parameters.threat_moved, lost_s=parameters.threat_memory_s,
            coast_s=parameters.threat_memory_s,
        )  # fmt: skip
        if scan is not None and scan.sequence != self._sequence:
            self._sequence = scan.sequence
            pose = self._history.at(scan.stamp)
            if pose is not None:
                hulls = find_hulls(scan, parameters.threat_radius, parameters.threat_reach, _NOISE)
                self._tracker.observe(scan.stamp, pose, hulls, [_NOISE] * len(hulls), settings)
        found = self._tracker.moving(self.now, settings)
        self.outputs.threats = Threats(tuple(one.at(self.now) for one in found))
        self.feedback_message = str(self.outputs.threats)
        return Status.SUCCESS


class ThreatNear(PerceptBehaviour):
    """SUCCESS while a threat is known that is nearer than ``evade_distance``. FAILURE otherwise.

    Blackboard Variables:
        * threats (Threats) [r]
        * odometry (Odometry) [r]
    """

    def __init__(self, name: str, robot: str, live: Live[RabbitParameters]) -> None:
        super().__init__(name, robot, (THREATS, keys.ODOMETRY))
        self.live = live

    def update(self) -> Status:
        """Return SUCCESS if a threat is near, FAILURE otherwise."""
        threats: Threats = self.percepts.threats
        odometry = self.percepts.odometry
        if odometry is None or not threats.places:
            self.feedback_message = "none known"
            return Status.FAILURE
        nearest = min(odometry.pose.distance_to(*place) for place in threats.places)
        self.feedback_message = f"{nearest:.1f} m away"
        return Status.SUCCESS if nearest < self.live.value.evade_distance else Status.FAILURE


class Evade(ActionBehaviour):
    """Run where no threat comes near, or hide from it. RUNNING always; FAILURE without a scan or a threat.

    Blackboard Variables:
        * threats (Threats) [r]
        * odometry (Odometry) [r], scan (Scan) [r]
        * pose (PoseEstimate) [r]: where the fence is
        * command [w]

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        fence: corners of the robot's fence, map frame, m; empty where it has none
    """

    def __init__(
        self, name: str, robot: str, live: Live[RabbitParameters], fence: Sequence[tuple[float, float]] = ()
    ) -> None:
        super().__init__(name, robot, (THREATS, keys.ODOMETRY, keys.SCAN, keys.POSE))
        self.live = live
        ring = shapely.segmentize(shapely.LinearRing(fence), _FENCE_STEP)
        self._fence: NDArray[np.float64] = shapely.get_coordinates(ring)

    def initialise(self) -> None:
        """Choose a way in the first tick."""
        self._thinks = Repeat()
        self._course: float | None = None

    def update(self) -> Status:
        """Choose a way now and then, and drive it; RUNNING, or FAILURE without a scan or a threat."""
        scan: Scan | None = self.percepts.scan
        odometry = self.percepts.odometry
        threats: Threats = self.percepts.threats
        if scan is None or odometry is None or not threats.places:
            return Status.FAILURE
        parameters, pose = self.live.value, odometry.pose
        if self._course is None or self._thinks.due(self.now, _THINK_S):
            near = [pose.relative(Pose2D(*place)) for place in threats.places]
            pursuers = [Pursuer(one.x, one.y, parameters.threat_speed) for one in near]
            settings = EscapeSettings(
                parameters.evade_speed, parameters.evade_turn_rate, _WIDTH, parameters.evade_leg_s,
                open=parameters.evade_open,
                hide=parameters.hide_worth if parameters.manner == "hide" else 0.0,
            )  # fmt: skip
            before = None if self._course is None else wrap(self._course - pose.yaw)
            heading, worth = escape_heading(self._obstacles(scan, pursuers), pursuers, settings, before)
            self._course = wrap(pose.yaw + heading)
            self.feedback_message = f"{worth:.2f} m"
        bearing = wrap(self._course - pose.yaw)
        twist = drive_towards(
            bearing, parameters.evade_speed, 2.0, parameters.evade_turn_rate, drive_gate=0.8, slow_share=0.5
        )
        self.drive(twist.linear, twist.angular)
        return Status.RUNNING

    def _obstacles(self, scan: Scan, pursuers: Sequence[Pursuer]) -> NDArray[np.float64]:
        """Return what stands in the way, base_link, shape (n, 2): returns, without those of pursuers, and the fence."""
        points = np.stack((scan.x, scan.y), axis=1)
        radius = _OWN * self.live.value.threat_radius
        for one in pursuers:
            points = points[np.hypot(points[:, 0] - one.x, points[:, 1] - one.y) > radius]
        estimate: PoseEstimate | None = self.percepts.pose
        if estimate is None or not len(self._fence):
            return points
        pose = estimate.pose
        away = self._fence - (pose.x, pose.y)
        cosine, sine = math.cos(pose.yaw), math.sin(pose.yaw)
        turned = np.stack((cosine * away[:, 0] + sine * away[:, 1], cosine * away[:, 1] - sine * away[:, 0]), axis=1)
        return np.concatenate((points, turned))
