"""Search: look where the evader can be, and go where more of that is to be seen."""

from __future__ import annotations

import math

from py_trees.common import Status

from arena_trees.behaviours.pursuit.chaser.drive import ChaserBehaviour
from arena_trees.behaviours.pursuit.chaser.equipment import Equipment
from arena_trees.behaviours.pursuit.chaser.parameters import ChaserParameters
from arena_trees.control.pid import clamp
from arena_trees.control.searching.room_search import ROOM, RoomView
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import ZERO, wrap

__all__ = ["LookAroundRoom", "SearchRoom"]


class LookAroundRoom(ChaserBehaviour):
    """Turn to where the evader may be seen from here. RUNNING while there is such a direction, FAILURE otherwise.

    Blackboard Variables:
        * room (RoomView) [r]: where to look
        * place (Place) [r]: own pose now
        * scan (Scan) [r]: not asked, for it turns on the spot
        * command, aim [w]
    """

    def __init__(self, name: str, robot: str, live: Live[ChaserParameters], equipment: Equipment) -> None:
        super().__init__(name, robot, live, equipment, (ROOM,))

    def update(self) -> Status:
        """Turn the camera towards the next direction to search; RUNNING, or FAILURE where there is none."""
        room: RoomView | None = self.percepts.room
        place = self.place
        if room is None or place is None or room.look is None or room.way:
            return Status.FAILURE
        rate = self.live.value.scan_rate
        off = wrap(room.look - place.pose.yaw - (place.turret or (0.0, 0.0))[0])
        # Directions are given anew as they are seen: it turns on meanwhile.
        speed = math.copysign(rate, off)
        if place.turret is None:
            self.drive(0.0, speed)
        else:
            # The base turns as well: beams to its sides sweep the room, and show ways on.
            self.drive(0.0, rate)
            self.aim(speed - place.twist.angular, clamp(-2.0 * place.turret[1], 1.0))
        return Status.RUNNING


class SearchRoom(ChaserBehaviour):
    """Go to the view that shows most of where the evader can be. RUNNING always.

    A turret looks to the sides on the way; a camera on the base looks ahead.

    Blackboard Variables:
        * room (RoomView) [r]: the way
        * place (Place) [r]: own pose now
        * scan (Scan) [r]: what is in the way; absent without a LiDAR
        * command, aim [w]
    """

    def __init__(self, name: str, robot: str, live: Live[ChaserParameters], equipment: Equipment) -> None:
        super().__init__(name, robot, live, equipment, (ROOM,))

    def update(self) -> Status:
        """Drive to the next view of the room, or stand where there is none; RUNNING always."""
        room: RoomView | None = self.percepts.room
        place = self.place
        parameters = self.live.value
        if room is None or place is None:
            self.drive(0.0, 0.0)
            return Status.RUNNING
        twist = self.drive_to(place, room.way[0], parameters.speed) if room.way else ZERO
        self.command(twist)
        ahead = place.pose.yaw if room.look is None else room.look
        self.point_turret(place, ahead, 0.0, twist, parameters.scan_rate)
        self.feedback_message = f"{room}"
        return Status.RUNNING
