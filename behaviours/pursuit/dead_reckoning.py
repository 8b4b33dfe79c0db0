"""Reckon: how far a robot has come by its odometry alone, for who watches."""

from __future__ import annotations

from py_trees.common import Status

from arena_trees.behaviours.base import PerceptBehaviour
from arena_trees.games.pursuit.blackboard import RECKONED
from arena_trees.robot import keys
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.percepts import Odometry

__all__ = ["DeadReckoning"]


class DeadReckoning(PerceptBehaviour):
    """Write the pose relative to the first odometry; belongs into the sensing branch. SUCCESS always.

    Blackboard Variables:
        * odometry (Odometry) [r]
        * reckoned (Pose2D) [w]: relative to the start; None until there is odometry
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (keys.ODOMETRY,), (RECKONED,))
        self.outputs.reckoned = None
        self._begin: Pose2D | None = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self.outputs.reckoned = None
        self._begin = None

    def update(self) -> Status:
        """Write the odometry pose relative to the first one; SUCCESS always."""
        odometry: Odometry | None = self.percepts.odometry
        if odometry is not None:
            if self._begin is None:
                self._begin = odometry.pose
            self.outputs.reckoned = self._begin.relative(odometry.pose)
        return Status.SUCCESS
