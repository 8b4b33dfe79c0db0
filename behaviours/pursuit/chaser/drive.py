"""How the chaser drives and aims: what its leaves share."""

from __future__ import annotations

import math

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.behaviours.pursuit.chaser.equipment import Equipment
from arena_trees.behaviours.pursuit.chaser.parameters import ChaserParameters
from arena_trees.control.heading import drive_towards
from arena_trees.control.pid import clamp
from arena_trees.control.place_history import Place
from arena_trees.control.searching.room_search import RoomView
from arena_trees.control.steering import clear_heading
from arena_trees.games.pursuit.blackboard import PLACE
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Disc, Twist2D, wrap
from arena_trees.robot.scan import Scan

__all__ = ["ChaserBehaviour"]

_HEADING_GAIN = 3.0
_TURRET_GAIN = 6.0
_GATE = 1.0
"""Bearing beyond which the base only turns, rad."""
_SIDE_ROOM = 0.04
"""Room at either side of the hull that a heading must leave free, m."""


class ChaserBehaviour(ActionBehaviour):
    """A leaf of the chaser that drives, or aims its turret.

    Blackboard Variables:
        * place (Place) [r]: where the chaser is now
        * scan (Scan) [r]: what is in the way; absent without a LiDAR
        * room (RoomView) [r]: what is in the way though the LiDAR does not show it; of leaves that drive to points
        * command, aim [w]

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        equipment: what it carries
        reads: further keys that are read
    """

    def __init__(
        self,
        name: str,
        robot: str,
        live: Live[ChaserParameters],
        equipment: Equipment,
        reads: tuple[str, ...] = (),
    ) -> None:
        super().__init__(name, robot, (PLACE, keys.SCAN, *reads))
        self.live = live
        self.equipment = equipment

    @property
    def place(self) -> Place | None:
        """Where the chaser is now, or None."""
        place: Place | None = self.percepts.place
        return place

    def free_bearing(
        self, place: Place, goal: tuple[float, float], reach: float, ignore: Disc | None = None
    ) -> float | None:
        """Return the bearing (rad) nearest to that of a point along which the LiDAR sees the way free, or None.

        Args:
            place: of the chaser
            goal: x, y, map frame, m
            reach: length of the way that is to be free, m; not beyond the goal
            ignore: (x, y, radius) of a disc of the map frame whose points are no obstacle
        """
        bearing = place.pose.bearing_to(*goal)
        scan: Scan | None = self.percepts.scan
        if scan is None:
            return bearing
        disc = None if ignore is None else place.pose.relative_disc(ignore)
        length = min(reach, max(0.3, place.pose.distance_to(*goal)))
        unseen = self._unseen(place, ignore)
        return clear_heading(scan, bearing, length, self.equipment.radius + _SIDE_ROOM, disc, unseen)

    def _unseen(self, place: Place, ignore: Disc | None) -> list[Disc]:
        """Return what is in the way though the LiDAR does not show it, base_link, but for the target itself."""
        room: RoomView | None = self.percepts.room
        there = () if room is None else room.obstacles
        others = (disc for disc in there if ignore is None or math.dist(disc[:2], ignore[:2]) > ignore[2])
        return list(map(place.pose.relative_disc, others))

    def drive_to(
        self,
        place: Place,
        goal: tuple[float, float],
        speed: float,
        ignore: Disc | None = None,
    ) -> Twist2D:
        """Return the twist to a point of the map frame round what the LiDAR sees; on the spot where no way is free.

        Args:
            place: of the chaser
            goal: x, y, m
            speed: greatest, m/s
            ignore: (x, y, radius) of a disc of the map frame whose points are no obstacle
        """
        limit = self.live.value.turn_rate
        free = self.free_bearing(place, goal, 0.5 + speed, ignore)
        if free is None:
            return Twist2D(0.0, math.copysign(0.5 * limit, place.pose.bearing_to(*goal)))
        return drive_towards(free, speed, _HEADING_GAIN, limit, _GATE, 0.5)

    def point_turret(self, place: Place, azimuth: float, elevation: float, twist: Twist2D, limit: float) -> None:
        """Turn the turret, if there is one, to a direction of the map frame at most so fast (rad/s)."""
        if place.turret is None:
            return
        yaw, pitch = place.turret
        off = wrap(azimuth - place.pose.yaw - yaw)
        self.aim(clamp(_TURRET_GAIN * off, limit) - twist.angular, clamp(_TURRET_GAIN * (elevation - pitch), limit))

    def command(self, twist: Twist2D) -> None:
        """Command the base."""
        self.drive(twist.linear, twist.angular)
