"""Roam: the skills of patrol and wandering: legs, scan spins, obstacle turns, the warning band."""

from __future__ import annotations

import math

import numpy as np
from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.behaviours.parameters import RoamParameters
from arena_trees.behaviours.turn import MeasuredTurn
from arena_trees.control.steering import steer_clear
from arena_trees.perception.sectors import sector_min
from arena_trees.robot import keys
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.percepts import GeofenceReport, Odometry, PoseEstimate
from arena_trees.robot.scan import Scan

__all__ = ["ForceForward", "ForwardLeg", "HeadForCentroid", "LookRound", "ObstacleTurn", "ScanSpin"]


class ForwardLeg(ActionBehaviour):
    """Drive straight ahead for a random time. RUNNING until it is over, then SUCCESS.

    Blackboard Variables:
        * command [w]
    """

    def __init__(self, name: str, robot: str, live: Live[RoamParameters], rng: np.random.Generator) -> None:
        super().__init__(name, robot)
        self.live = live
        self.rng = rng
        self._until = 0

    def initialise(self) -> None:
        """Draw the leg's length."""
        parameters = self.live.value
        self._until = self.now + from_seconds(self.rng.uniform(parameters.leg_min_s, parameters.leg_max_s))

    def update(self) -> Status:
        """Drive straight ahead; RUNNING until the time drawn is over, then SUCCESS."""
        if self.now >= self._until:
            return Status.SUCCESS
        self.drive(self.live.value.roam_linear_speed, 0.0)
        return Status.RUNNING


class ForceForward(ActionBehaviour):
    """Drive ahead for ``force_forward_s`` after an obstacle turn. RUNNING until it is over, then SUCCESS.

    Blackboard Variables:
        * scan (Scan) [r]
        * command [w]

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        blind: the source system's rule: go on even when something is ahead (the velocity gate still stops the robot)
    """

    def __init__(self, name: str, robot: str, live: Live[RoamParameters], *, blind: bool) -> None:
        super().__init__(name, robot, (keys.SCAN,))
        self.live = live
        self.blind = blind
        self._until = 0

    def initialise(self) -> None:
        """Start the clock."""
        self._until = self.now + from_seconds(self.live.value.force_forward_s)

    def update(self) -> Status:
        """Drive straight ahead; SUCCESS once the time is over or an obstacle is near, RUNNING until then."""
        parameters = self.live.value
        if self.now >= self._until:
            return Status.SUCCESS
        scan: Scan | None = self.percepts.scan
        if not self.blind and scan is not None:
            cone = parameters.obstacle_cone
            if sector_min(scan, -cone, cone) < parameters.obstacle_distance:
                self.feedback_message = "something is near ahead"
                return Status.SUCCESS
        self.drive(parameters.roam_linear_speed, 0.0)
        return Status.RUNNING


class ScanSpin(ActionBehaviour):
    """Turn by a random angle to a random side, to look round. RUNNING until turned, then SUCCESS.

    Blackboard Variables:
        * odometry (Odometry) [r]
        * command [w]
    """

    def __init__(self, name: str, robot: str, live: Live[RoamParameters], rng: np.random.Generator) -> None:
        super().__init__(name, robot, (keys.ODOMETRY,))
        self.live = live
        self.rng = rng
        self._turn = MeasuredTurn(0.0)

    def initialise(self) -> None:
        """Draw angle and side."""
        parameters = self.live.value
        self._turn = MeasuredTurn(_random_turn(self.rng, parameters.scan_turn_min_deg, parameters.scan_turn_max_deg))

    def speed(self) -> float:
        """Return the yaw rate, rad/s."""
        return self.live.value.scan_turn_speed

    def update(self) -> Status:
        """Turn by the angle drawn; RUNNING until turned or without odometry, then SUCCESS."""
        odometry: Odometry | None = self.percepts.odometry
        if odometry is None:
            self.feedback_message = "waiting for odometry"
            return Status.RUNNING
        if abs(self._turn.update(odometry.pose.yaw)) < 0.1:
            return Status.SUCCESS
        self.drive(0.0, self._turn.rate(self.speed()))
        return Status.RUNNING


class LookRound(ScanSpin):
    """Turn by ``look_turn_deg``, once all the way round, to a random side. RUNNING until turned, then SUCCESS.

    Blackboard Variables:
        * odometry (Odometry) [r]
        * command [w]
    """

    def initialise(self) -> None:
        """Draw the side."""
        angle = self.live.value.look_turn_deg
        self._turn = MeasuredTurn(_random_turn(self.rng, angle, angle))

    def speed(self) -> float:
        """Return the yaw rate, rad/s."""
        return self.live.value.look_turn_speed


class ObstacleTurn(ActionBehaviour):
    """Turn away from an obstacle to a random side. RUNNING until turned, then SUCCESS.

    Timed, as the source system has it: the angle drawn divided by the yaw rate.

    Blackboard Variables:
        * command [w]
    """

    def __init__(self, name: str, robot: str, live: Live[RoamParameters], rng: np.random.Generator) -> None:
        super().__init__(name, robot)
        self.live = live
        self.rng = rng
        self._side = 1.0
        self._until = 0

    def initialise(self) -> None:
        """Draw angle and side."""
        parameters = self.live.value
        angle = _random_turn(self.rng, parameters.obstacle_turn_min_deg, parameters.obstacle_turn_max_deg)
        self._side = math.copysign(1.0, angle)
        self._until = self.now + from_seconds(abs(angle) / parameters.obstacle_turn_speed)
        self.feedback_message = "to the left" if angle > 0.0 else "to the right"

    def update(self) -> Status:
        """Turn to the side drawn; RUNNING until the time is over, then SUCCESS."""
        if self.now >= self._until:
            return Status.SUCCESS
        self.drive(0.0, self._side * self.live.value.obstacle_turn_speed)
        return Status.RUNNING


class HeadForCentroid(ActionBehaviour):
    """Steer towards the fence's centroid, slowed down; for the warning band. RUNNING always.

    Blackboard Variables:
        * geofence (GeofenceReport) [r]: centroid
        * pose (PoseEstimate) [r]
        * scan (Scan) [r]
        * command [w]

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        blind: the source system's rule: never look at the LiDAR here
    """

    def __init__(self, name: str, robot: str, live: Live[RoamParameters], *, blind: bool) -> None:
        super().__init__(name, robot, (keys.GEOFENCE, keys.POSE, keys.SCAN))
        self.live = live
        self.blind = blind

    def update(self) -> Status:
        """Steer towards the centroid; RUNNING, or FAILURE without a geofence report or a pose."""
        report: GeofenceReport | None = self.percepts.geofence
        pose: PoseEstimate | None = self.percepts.pose
        parameters = self.live.value
        if report is None or pose is None:
            self.feedback_message = "waiting for a pose"
            return Status.FAILURE
        scan: Scan | None = None if self.blind else self.percepts.scan
        bearing = pose.pose.bearing_to(*report.centroid)
        speed = parameters.roam_linear_speed * parameters.warning_speed_scale
        twist = steer_clear(scan, bearing, speed, parameters.max_angular_speed, gain=parameters.warning_gain)
        self.drive(twist.linear, twist.angular)
        return Status.RUNNING


def _random_turn(rng: np.random.Generator, low_deg: float, high_deg: float) -> float:
    """Return a random angle (rad) of a random side."""
    angle = math.radians(rng.uniform(low_deg, high_deg))
    return angle if rng.integers(2) else -angle
