"""Dodge: an evader that is aimed at moves across the beam, and reverses at random times."""

from __future__ import annotations

import math

import numpy as np
from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.behaviours.pursuit.evader.gap_sensing import gap_ahead, gap_behind
from arena_trees.behaviours.pursuit.evader.parameters import EvaderParameters
from arena_trees.behaviours.pursuit.evader.threat import newest_threat
from arena_trees.control.heading import turn_rate
from arena_trees.robot import keys
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import wrap
from arena_trees.robot.percepts import PoseEstimate

__all__ = ["Dodge"]

_ACROSS = math.radians(50.0)
"""Within this of the way across it moves; otherwise it turns on the spot."""


class Dodge(ActionBehaviour):
    """Keep across the beam and move to and fro, each for a random time. RUNNING always.

    It reverses earlier where there is no room, and stands where there is none on either side.

    Blackboard Variables:
        * inbox (Inbox) [r]: Threat
        * pose (PoseEstimate) [r], scan (Scan) [r], ranges (Ranges) [r]
        * command [w]
        * cues [w]: DODGE when it begins
    """

    def __init__(
        self, name: str, robot: str, live: Live[EvaderParameters], rng: np.random.Generator, hull: float
    ) -> None:
        super().__init__(name, robot, (keys.INBOX, keys.POSE, keys.SCAN, "ranges"))
        self.live = live
        self.rng = rng
        self.hull = hull

    def initialise(self) -> None:
        """Draw the side that it begins to."""
        self._forward = self.rng.uniform() < 0.5
        self._until = self._draw()
        self.show("DODGE")

    def update(self) -> Status:
        """Turn across the beam and move to and fro; RUNNING, or FAILURE without chaser or pose."""
        parameters = self.live.value
        threat = newest_threat(self.percepts.inbox, self.now, parameters.threat_timeout)
        estimate: PoseEstimate | None = self.percepts.pose
        if threat is None or estimate is None:
            return Status.FAILURE
        # Of the two headings across the beam, the one that is reached sooner.
        bearing = estimate.pose.bearing_to(threat.x, threat.y)
        across = min((wrap(bearing + side * math.pi / 2.0) for side in (1.0, -1.0)), key=abs)
        if self.now >= self._until:
            self._forward, self._until = not self._forward, self._draw()
        gaps = gap_behind(self.percepts, self.hull), gap_ahead(self.percepts, self.hull)
        if gaps[self._forward] < parameters.clearance <= gaps[not self._forward]:
            self._forward, self._until = not self._forward, self._draw()
        moves = abs(across) <= _ACROSS and gaps[self._forward] >= parameters.clearance
        speed = parameters.max_speed if self._forward else -parameters.max_speed
        self.drive(speed if moves else 0.0, turn_rate(across, parameters.gain, parameters.turn_speed))
        self.feedback_message = "forward" if self._forward else "backward"
        return Status.RUNNING

    def _draw(self) -> int:
        parameters = self.live.value
        return self.now + from_seconds(float(self.rng.uniform(parameters.dodge_min_s, parameters.dodge_max_s)))
