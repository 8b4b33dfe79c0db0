"""Search: look where the rabbit can be, and go where more of that is to be seen."""

from __future__ import annotations

import math

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.behaviours.bumps import BUMPED, BumpedObstacles
from arena_trees.behaviours.wolf_rabbit.parameters import WolfParameters
from arena_trees.control.searching.room_search import ROOM, RoomView
from arena_trees.control.steering import steer_clear
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import wrap
from arena_trees.robot.percepts import PoseEstimate

__all__ = ["GoAndLook", "LookAround"]

_REACH = 0.5
"""Length (m) of the way that must be free."""


class LookAround(ActionBehaviour):
    """Turn to where the rabbit may be seen from here. RUNNING while there is such a direction, FAILURE otherwise.

    Blackboard Variables:
        * room (RoomView) [r]: where to look
        * pose (PoseEstimate) [r]
        * command [w]
    """

    def __init__(self, name: str, robot: str, live: Live[WolfParameters]) -> None:
        super().__init__(name, robot, (ROOM, keys.POSE))
        self.live = live

    def update(self) -> Status:
        """Turn towards the next direction to search; RUNNING, or FAILURE where there is none."""
        room: RoomView | None = self.percepts.room
        pose: PoseEstimate | None = self.percepts.pose
        if room is None or pose is None or room.look is None:
            return Status.FAILURE
        # Directions are given anew as they are seen: it turns on meanwhile.
        rate = math.copysign(self.live.value.look_turn_speed, wrap(room.look - pose.pose.yaw))
        self.feedback_message = "to the left" if rate > 0.0 else "to the right"
        self.drive(0.0, rate)
        return Status.RUNNING


class GoAndLook(ActionBehaviour):
    """Go to the view that shows most of where the rabbit can be. RUNNING on the way, FAILURE where none is known.

    Blackboard Variables:
        * room (RoomView) [r]: the way
        * pose (PoseEstimate) [r]
        * scan (Scan) [r], bumped (BumpedObstacles) [r]: what is in the way
        * command [w]
    """

    def __init__(self, name: str, robot: str, live: Live[WolfParameters]) -> None:
        super().__init__(name, robot, (ROOM, keys.POSE, keys.SCAN, BUMPED))
        self.live = live

    def update(self) -> Status:
        """Drive to the next view of the arena; RUNNING, or FAILURE where there is none."""
        room: RoomView | None = self.percepts.room
        pose: PoseEstimate | None = self.percepts.pose
        scan = self.percepts.scan
        if room is None or pose is None or scan is None or not room.way:
            return Status.FAILURE
        parameters = self.live.value
        goal = room.way[0]
        bearing = pose.pose.bearing_to(*goal)
        reach = min(_REACH, max(0.3, pose.pose.distance_to(*goal)))
        bumped: BumpedObstacles = self.percepts.bumped
        twist = steer_clear(
            scan, bearing, parameters.search_speed, parameters.max_angular_speed, gain=2.0, reach=reach, drive_gate=0.6,
            obstacles=bumped.obstacles,
        )  # fmt: skip
        self.feedback_message = str(room)
        self.drive(twist.linear, twist.angular)
        return Status.RUNNING
