"""Odometry: the base's dead reckoning, which drifts."""

from __future__ import annotations

import math

from arena_trees.robot.configuration.parameters import parameter
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import Odometry
from arena_trees.robot.sensor import Times
from arena_trees.simulation.physics.truth import RobotTruth
from arena_trees.simulation.sensors.simulated_sensor import PeriodicSensor, SensorTiming, Surroundings

__all__ = ["OdometryParameters", "OdometrySensor"]


class OdometryParameters(SensorTiming):
    """Rate and errors of the odometry."""

    distance_scale: float = parameter(
        0.01, "standard deviation, over robots, of the relative error of distances", ge=0, le=0.5
    )
    yaw_scale: float = parameter(0.01, "standard deviation, over robots, of the relative error of turns", ge=0, le=0.5)
    distance_walk: float = parameter(0.005, "random walk of the distance in one metre driven", "m", ge=0, le=1)
    yaw_walk: float = parameter(
        0.01, "random walk of the yaw in one metre driven or one radian turned", "rad", ge=0, le=1
    )
    speed_noise: float = parameter(0.003, "standard deviation of the speed", "m/s", ge=0, le=1)
    rate_noise: float = parameter(0.005, "standard deviation of the yaw rate", "rad/s", ge=0, le=1)
    slip_m: float = parameter(
        0.0, "distance counted, but not driven, just after the first message (home slip)", "m", ge=-5, le=5
    )
    slip_yaw: float = parameter(0.0, "turn counted, but not made, just after the first message", "rad", ge=-7, le=7)


class OdometrySensor(PeriodicSensor[Odometry]):
    """Adds up the robot's motion with errors, from (0, 0, 0) where it started: the odom frame is not the map."""

    def __init__(self, parameters: OdometryParameters, surroundings: Surroundings) -> None:
        rng = surroundings.rng
        super().__init__(parameters.rate_hz, parameters.latency_s, rng)
        self._parameters = parameters
        self._rng = rng
        scales = rng.standard_normal(2)
        self._distance_factor = 1.0 + parameters.distance_scale * float(scales[0])
        self._yaw_factor = 1.0 + parameters.yaw_scale * float(scales[1])
        self._true = surroundings.start
        self._pose = Pose2D()

    def measure(self, truth: RobotTruth, times: Times) -> Odometry:
        """Return the pose that is reckoned, and the velocity."""
        parameters = self._parameters
        noise = self._rng.standard_normal(4).tolist()
        if times[2] == 2:
            self._pose = self._pose.compose(Pose2D(parameters.slip_m, 0.0, parameters.slip_yaw))
        motion = self._true.relative(truth.pose)
        distance = math.hypot(motion.x, motion.y)
        stretch = self._distance_factor
        if distance > 0.0:
            # A random walk: the variance grows with the distance, whatever the rate.
            stretch += parameters.distance_walk * noise[0] / math.sqrt(distance)
        yaw = motion.yaw * self._yaw_factor
        yaw += parameters.yaw_walk * noise[1] * math.sqrt(distance + abs(motion.yaw))
        self._pose = self._pose.compose(Pose2D(motion.x * stretch, motion.y * stretch, yaw))
        self._true = truth.pose
        measured = Twist2D(
            truth.twist.linear * self._distance_factor + parameters.speed_noise * noise[2],
            truth.twist.angular * self._yaw_factor + parameters.rate_noise * noise[3],
        )
        return Odometry(*times, self._pose, measured)

    def slip(self, pose: Pose2D, counted: Pose2D) -> None:
        """Count motion that has not been made, by wheels that slip.

        Args:
            pose: true pose of base_link now, map frame
            counted: by how much it would be farther without the slip, base_link
        """
        self._place(pose, self._true.relative(pose).compose(counted))

    def carry(self, pose: Pose2D, to: Pose2D) -> None:
        """Count nothing of a motion that the wheels have not made.

        Args:
            pose: true pose of base_link before, map frame
            to: and after it
        """
        self._place(to, self._true.relative(pose))

    def _place(self, pose: Pose2D, counted: Pose2D) -> None:
        """Have a motion been counted since the newest message by a robot that is at a pose now."""
        self._true = pose.compose(counted.relative(Pose2D()))

    def reckon(self, pose: Pose2D) -> Pose2D:
        """Return where dead reckoning has the robot: its newest message, carried on without further noise.

        Args:
            pose: true pose of base_link now, map frame

        Returns:
            the pose of base_link in the odom frame
        """
        motion = self._true.relative(pose)
        stretch = self._distance_factor
        return self._pose.compose(Pose2D(motion.x * stretch, motion.y * stretch, motion.yaw * self._yaw_factor))
