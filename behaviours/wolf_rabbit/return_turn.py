"""Turn away from a broken-off chase."""

from __future__ import annotations

import math

import numpy as np
from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.behaviours.turn import MeasuredTurn
from arena_trees.behaviours.wolf_rabbit.parameters import WolfParameters
from arena_trees.control.heading import turn_rate
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.percepts import Odometry

__all__ = ["ReturnTurn"]


class ReturnTurn(ActionBehaviour):
    """Turn by ``return_turn_deg`` to a random side. RUNNING until turned, then SUCCESS.

    Blackboard Variables:
        * odometry (Odometry) [r]
        * command [w]
    """

    def __init__(self, name: str, robot: str, live: Live[WolfParameters], rng: np.random.Generator) -> None:
        super().__init__(name, robot, (keys.ODOMETRY,))
        self.live = live
        self.rng = rng
        self._turn = MeasuredTurn(0.0)

    def initialise(self) -> None:
        """Draw the side."""
        angle = math.radians(self.live.value.return_turn_deg)
        self._turn = MeasuredTurn(angle if self.rng.integers(2) else -angle)

    def update(self) -> Status:
        """Turn by the angle drawn; RUNNING until turned or without odometry, then SUCCESS."""
        odometry: Odometry | None = self.percepts.odometry
        parameters = self.live.value
        if odometry is None:
            self.feedback_message = "waiting for odometry"
            return Status.RUNNING
        remaining = self._turn.update(odometry.pose.yaw)
        if abs(remaining) < parameters.return_turn_tolerance:
            return Status.SUCCESS
        self.drive(0.0, turn_rate(remaining, parameters.return_turn_gain, parameters.return_turn_speed))
        return Status.RUNNING
