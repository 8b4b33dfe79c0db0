"""Locate: where the chaser is now, carried on from its newest pose."""

from __future__ import annotations

from py_trees.common import Status

from arena_trees.behaviours.base import PerceptBehaviour
from arena_trees.control.odometry_buffer import OdometryBuffer
from arena_trees.control.turret_history import TurretHistory
from arena_trees.games.pursuit.blackboard import PLACE, Place
from arena_trees.robot import keys
from arena_trees.robot.geometry import ZERO, Twist2D
from arena_trees.robot.percepts import Odometry, PoseEstimate
from arena_trees.sensors.turret.sensor import TurretState

__all__ = ["LocateChaser", "PlaceHistory"]


class PlaceHistory:
    """Where the chaser was in the last seconds: poses of the map frame, with odometry's twist in between."""

    def __init__(self) -> None:
        self._poses = OdometryBuffer()
        self._turret = TurretHistory()
        self._twist = ZERO

    def add(self, pose: PoseEstimate | None, odometry: Odometry | None, turret: TurretState | None) -> None:
        """Remember what is new."""
        self._turret.add(turret)
        if odometry is not None:
            self._twist = odometry.twist
        if pose is not None:
            # AMCL stamps its transform into the future; what was measured had been measured when it arrived.
            stamp = min(pose.stamp, pose.arrival)
            self._poses.add(Odometry(stamp, pose.arrival, pose.sequence, pose.pose, self._twist))

    def at(self, stamp: int) -> Place | None:
        """Return where the chaser was at an instant (ns); None before its first pose."""
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


class LocateChaser(PerceptBehaviour):
    """Write where the chaser is now; belongs into the sensing branch. SUCCESS always.

    Blackboard Variables:
        * pose (PoseEstimate) [r]: the newest; by odometry alone, or localisation
        * odometry (Odometry) [r]: carries it on
        * turret (TurretState) [r]: absent where there is none
        * place (Place) [w]: None before the first pose
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (keys.POSE, keys.ODOMETRY, "turret"), (PLACE,))
        self._history = PlaceHistory()
        self.outputs.place = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._history = PlaceHistory()
        self.outputs.place = None

    def update(self) -> Status:
        """Write the chaser's pose predicted for now; SUCCESS always."""
        percepts = self.percepts
        self._history.add(percepts.pose, percepts.odometry, percepts.turret)
        place = self._history.at(self.now)
        if place is not None and percepts.odometry is not None:
            twist: Twist2D = percepts.odometry.twist
            self.outputs.place = Place(place.pose, twist, place.turret)
        return Status.SUCCESS
