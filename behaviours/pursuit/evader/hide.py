"""Hide: an evader that knows the arena's walls and boxes keeps one of them between itself and the chaser."""

from __future__ import annotations

import math

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.behaviours.pursuit.evader.cover import Cover, cover_about, length_of
from arena_trees.behaviours.pursuit.evader.parameters import EvaderParameters
from arena_trees.behaviours.pursuit.evader.threat import ChaserCondition, newest_threat
from arena_trees.control.heading import drive_towards
from arena_trees.control.steering import steer_clear
from arena_trees.games.pursuit.messages import Threat
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.percepts import PoseEstimate
from arena_trees.robot.repeat import Repeat
from arena_trees.world.arena_file import load_arena
from arena_trees.world.arenas import find_arena

__all__ = ["InPlainView", "TakeCover"]

_THINK_S = 0.5
"""Between two choices of a place."""


def _known_cover(parameters: EvaderParameters, hull: float) -> Cover | None:
    """Return the cover of an evader that hides, with its hull's radius (m); None of one that does not."""
    if not parameters.arena or parameters.manner not in ("hide", "hide_and_dodge"):
        return None
    solids = load_arena(find_arena(parameters.arena)).solids()
    return cover_about(tuple(solids), hull + parameters.cover_margin, parameters.eye_height)


class InPlainView(ChaserCondition):
    """SUCCESS while the chaser could see the evader, and cover is not near. FAILURE otherwise, and without a chaser.

    It looks every half a second, as ``TakeCover`` does, and in between abides by what it found.

    Blackboard Variables:
        * inbox (Inbox) [r]: Threat
        * pose (PoseEstimate) [r]
    """

    def __init__(self, name: str, robot: str, live: Live[EvaderParameters], hull: float) -> None:
        super().__init__(name, robot, live)
        self.hull = hull
        self._cover: Cover | None = None
        self._looks = Repeat()
        self._in_view = False

    def setup(self, **kwargs: object) -> None:
        """Read the arena, for an evader that hides.

        Raises:
            ConfigError: it cannot be used
        """
        self._cover = _known_cover(self.live.value, self.hull)

    def holds(self, threat: Threat, pose: Pose2D, parameters: EvaderParameters) -> bool:
        """Return whether nothing is between the evader and the chaser, and the way to where that is so is long."""
        if self._looks.due(self.now, _THINK_S):
            self._in_view = self._look((pose.x, pose.y), (threat.x, threat.y))
        return self._in_view

    def _look(self, place: tuple[float, float], eye: tuple[float, float]) -> bool:
        if self._cover is None:
            self.feedback_message = "knows no cover"
            return True
        if self._cover.hidden(place, eye):
            self.feedback_message = "hidden"
            return False
        way = self._cover.way(place, eye)
        near = bool(way) and length_of(place, way) <= self.live.value.cover_near
        self.feedback_message = "cover is near" if near else "in plain view"
        return not near


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
        self._cover = _known_cover(self.live.value, self.hull)

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
