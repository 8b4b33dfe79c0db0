"""Explore: the evader of the Pursuit and Engagement report (section II.D) turns on the spot, and moves ahead."""

from __future__ import annotations

import math

import numpy as np
from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.behaviours.pursuit.evader.gap_sensing import gap_ahead
from arena_trees.behaviours.pursuit.evader.parameters import EvaderParameters
from arena_trees.behaviours.pursuit.evader.threat import newest_threat
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.percepts import PoseEstimate
from arena_trees.robot.repeat import Repeat

__all__ = ["MoveForward", "Rotate"]

_READS = (keys.INBOX, keys.POSE, keys.SCAN, "ranges")


class _Explore(ActionBehaviour):
    """What both states share: whether the way ahead is free, and leads away from the chaser."""

    def __init__(
        self, name: str, robot: str, live: Live[EvaderParameters], rng: np.random.Generator, hull: float
    ) -> None:
        super().__init__(name, robot, _READS)
        self.live = live
        self.rng = rng
        self.hull = hull

    def may_move(self, speed: float, clearance: float) -> bool:
        """Return whether the way ahead is free for a clearance (m), and leads away from the chaser at a speed (m/s).

        The next place is current place + speed * heading * step; it must not be nearer to the chaser. Where no
        message gives the chaser's place, every way leads away from it.
        """
        parameters = self.live.value
        if gap_ahead(self.percepts, self.hull) < clearance:
            self.feedback_message = "something is ahead"
            return False
        threat = newest_threat(self.percepts.inbox, self.now, parameters.threat_timeout)
        estimate: PoseEstimate | None = self.percepts.pose
        if threat is None or estimate is None:
            return True
        pose, step = estimate.pose, speed * parameters.step_s
        ahead = pose.x + step * math.cos(pose.yaw), pose.y + step * math.sin(pose.yaw)
        if threat.pose.distance_to(*ahead) < threat.pose.distance_to(pose.x, pose.y):
            self.feedback_message = "towards the chaser"
            return False
        return True


class Rotate(_Explore):
    """Turn on the spot, to a side that is drawn, until the way ahead is good and chance agrees. RUNNING, then SUCCESS.

    Blackboard Variables:
        * inbox (Inbox) [r]: Threat
        * pose (PoseEstimate) [r], scan (Scan) [r], ranges (Ranges) [r]
        * command [w]
    """

    def initialise(self) -> None:
        """Draw the side."""
        self._side = 1.0 if self.rng.uniform() < 0.5 else -1.0
        self._looks = Repeat()

    def update(self) -> Status:
        """Turn on the spot; SUCCESS once the way ahead is clear and the random draw allows it, RUNNING until then."""
        parameters = self.live.value
        # A little more room than ends a way ahead, or the next one would be over at once.
        if self._looks.due(self.now, parameters.step_s) and self.may_move(
            parameters.max_speed, 1.2 * parameters.clearance
        ):
            if self.rng.uniform() < parameters.move_chance:
                return Status.SUCCESS
            self.feedback_message = "chance says to turn on"
        self.drive(0.0, self._side * parameters.turn_speed)
        return Status.RUNNING


class MoveForward(_Explore):
    """Drive ahead, as fast as is drawn, until something is ahead or the chaser comes nearer. RUNNING, then SUCCESS.

    Blackboard Variables:
        * inbox (Inbox) [r]: Threat
        * pose (PoseEstimate) [r], scan (Scan) [r], ranges (Ranges) [r]
        * command [w]
    """

    def initialise(self) -> None:
        """Draw the speed."""
        parameters = self.live.value
        self._speed = float(self.rng.uniform(parameters.min_speed, parameters.max_speed))
        self.feedback_message = f"at {self._speed:.2f} m/s"

    def update(self) -> Status:
        """Drive ahead; RUNNING while the way ahead is clear, then SUCCESS."""
        if not self.may_move(self._speed, self.live.value.clearance):
            return Status.SUCCESS
        self.drive(self._speed, 0.0)
        return Status.RUNNING
