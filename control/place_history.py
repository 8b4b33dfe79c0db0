"""Short memory of where a robot was by its localisation, so that an old image can be compared with that."""

from __future__ import annotations

from dataclasses import dataclass

from arena_trees.control.odometry_buffer import OdometryBuffer
from arena_trees.control.turret_history import TurretHistory
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.percepts import Odometry, PoseEstimate
from arena_trees.sensors.turret.sensor import TurretState

__all__ = ["Place", "PlaceHistory"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a robot is at an instant.

    Attributes:
        pose: of base_link, map frame as the robot knows it
        twist: of the base by its odometry
        turret: yaw and pitch of the turret, rad, base_link; None where there is none
    """

    pose: Pose2D
    twist: Twist2D
    turret: tuple[float, float] | None = None

    def __str__(self) -> str:
        return str(self.pose)


class PlaceHistory:
    """Where a robot was in the last seconds: poses of the map frame, with odometry's twist in between."""

    def __init__(self) -> None:
        self._poses = OdometryBuffer()
        self._turret = TurretHistory()
        self._twist = ZERO

    def add(self, pose: PoseEstimate | None, odometry: Odometry | None, turret: TurretState | None = None) -> None:
        """Remember what is new."""
        self._turret.add(turret)
        if odometry is not None:
            self._twist = odometry.twist
        if pose is not None:
            # AMCL stamps its transform into the future; what was measured had been measured when it arrived.
            stamp = min(pose.stamp, pose.arrival)
            self._poses.add(Odometry(stamp, pose.arrival, pose.sequence, pose.pose, self._twist))

    def at(self, stamp: int) -> Place | None:
        """Return where the robot was at an instant (ns); None before its first pose."""
        pose = self._poses.at(stamp)
        return None if pose is None else Place(pose, self._twist, self._turret.at(stamp))

    def turn_rate(self, stamp: int) -> float:
        """Return how fast the camera turned about an instant (ns), rad/s: base and turret together."""
        step = 20_000_000
        before, after = self.at(stamp - step), self.at(stamp + step)
        if before is None or after is None:
            return 0.0
        one, other = (place.pose.yaw + (place.turret or (0.0, 0.0))[0] for place in (before, after))
        return (other - one) / (2e-9 * step) if abs(other - one) < 1.0 else 0.0
