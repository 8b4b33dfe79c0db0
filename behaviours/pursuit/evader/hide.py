"""Hide: an evader that knows the arena's walls and boxes keeps one of them between itself and the chaser."""

from __future__ import annotations

import math

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.behaviours.pursuit.evader.cover import Cover
from arena_trees.behaviours.pursuit.evader.parameters import EvaderParameters
from arena_trees.behaviours.pursuit.evader.threat import newest_threat
from arena_trees.control.heading import drive_towards
from arena_trees.control.steering import steer_clear
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.percepts import PoseEstimate
from arena_trees.robot.repeat import Repeat
from arena_trees.world.arena_file import load_arena
from arena_trees.world.arenas import find_arena

__all__ = ["TakeCover"]

_THINK_S = 0.5
"""Between two choices of a place."""


class TakeCover(ActionBehaviour):
    """Go the shortest way to where the chaser does not see it, and stand there. FAILURE where there is no cover.

    Blackboard Variables:
        * inbox (Inbox) [r]: Threat
        * pose (PoseEstimate) [r]
        * scan (Scan) [r]: what stands in the way is driven round
        * command [w]
    """

    def __init__(self, name: str, robot: str, live: Live[EvaderParameters], hull: float) -> None:
        super().__init__(name, robot, (keys.INBOX, keys.POSE, keys.SCAN))
        self.live = live
        self.hull = hull
        self._cover: Cover | None = None

    def setup(self, **kwargs: object) -> None:
        """Read the arena, for an evader that hides.

        Raises:
            ConfigError: it cannot be used
        """
        parameters = self.live.value
        if parameters.arena and parameters.manner == "hide":
            solids = load_arena(find_arena(parameters.arena)).solids()
            self._cover = Cover(solids, self.hull + parameters.cover_margin, parameters.eye_height)

    def initialise(self) -> None:
        """Plan in the first tick."""
        self._thinks = Repeat()
        self._way: list[tuple[float, float]] = []
        self._hidden = False

    def update(self) -> Status:
        """Drive to the cover or stand in it; RUNNING, or FAILURE where there is none."""
        parameters = self.live.value
        threat = newest_threat(self.percepts.inbox, self.now, parameters.threat_timeout)
        estimate: PoseEstimate | None = self.percepts.pose
        if self._cover is None or threat is None or estimate is None:
            return Status.FAILURE
        pose = estimate.pose
        if self._thinks.due(self.now, _THINK_S):
            place, eye = (pose.x, pose.y), (threat.x, threat.y)
            self._hidden = self._cover.hidden(place, eye)
            self._way = [] if self._hidden else self._cover.way(place, eye)
        if self._hidden:
            self.feedback_message = "hidden"
            self.drive(0.0, 0.0)
            return Status.RUNNING
        while self._way and pose.distance_to(*self._way[0]) <= parameters.cover_arrival:
            del self._way[0]
        if not self._way:
            self.feedback_message = "no cover"
            return Status.FAILURE
        bearing = pose.bearing_to(*self._way[0])
        speed, limit = parameters.max_speed, parameters.turn_speed
        if self.percepts.scan is None:
            twist = drive_towards(bearing, speed, parameters.gain, limit, math.radians(40.0), 0.3)
        else:
            twist = steer_clear(self.percepts.scan, bearing, speed, limit, gain=parameters.gain)
        self.drive(twist.linear, twist.angular)
        self.feedback_message = f"to ({self._way[-1][0]:.1f}, {self._way[-1][1]:.1f})"
        return Status.RUNNING
