"""Locate: where the chaser is now, carried on from its newest pose."""

from __future__ import annotations

from py_trees.common import Status

from arena_trees.behaviours.base import PerceptBehaviour
from arena_trees.control.place_history import Place, PlaceHistory
from arena_trees.games.pursuit.blackboard import PLACE
from arena_trees.robot import keys
from arena_trees.robot.geometry import Twist2D

__all__ = ["LocateChaser"]


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
