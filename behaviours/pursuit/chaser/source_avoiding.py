"""The source system's way round a wall: Avoiding aligning and Avoiding straight (section II.E of the report)."""

from __future__ import annotations

import math
from collections.abc import Mapping

from py_trees.common import Status

from arena_trees.behaviours.base import PerceptBehaviour
from arena_trees.behaviours.pursuit.chaser.drive import ChaserBehaviour
from arena_trees.behaviours.pursuit.chaser.equipment import Equipment
from arena_trees.behaviours.pursuit.chaser.parameters import ChaserParameters
from arena_trees.perception.sectors import sector_min
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.scan import Scan
from arena_trees.sensors.ranges.sensor import Ranges

__all__ = ["AvoidingAligning", "AvoidingStraight", "WallNear", "corner_gaps"]

_SECTOR = math.radians(4.0)
"""Half the width of a LiDAR's sector that stands for a sensor."""
_WALL = 1.5
"""Sensors that agree farther away than this see no wall that is to be followed, m."""
_EASY = 0.5
"""Share of the speed along a wall."""


def corner_gaps(
    ranges: Ranges | None, scan: Scan | None, parameters: ChaserParameters, radius: float
) -> Mapping[str, float]:
    """Return the distances (m) at the hull's four corners by name; inf where nothing is.

    They are those of the time-of-flight sensors ``front_left``, ``front_right``, ``back_left`` and ``back_right``; on a
    robot without them, of LiDAR sectors in the same directions, less the hull's radius (m).
    """
    if ranges is not None:
        return {reading.name: reading.distance for reading in ranges.readings}
    if scan is None:
        return {}
    ray = math.radians(parameters.lidar_rays_deg)
    directions = {"front_left": ray, "front_right": -ray, "back_left": math.pi - ray, "back_right": ray - math.pi}
    return {
        name: sector_min(scan, bearing - _SECTOR, bearing + _SECTOR) - radius for name, bearing in directions.items()
    }


class WallNear(PerceptBehaviour):
    """SUCCESS while a front sensor reads less than ``avoid_trigger``. FAILURE otherwise.

    Blackboard Variables:
        * ranges (Ranges) [r]; absent without such sensors
        * scan (Scan) [r]: in their place
    """

    def __init__(self, name: str, robot: str, live: Live[ChaserParameters], equipment: Equipment) -> None:
        super().__init__(name, robot, ("ranges", keys.SCAN))
        self.live = live
        self.radius = equipment.radius

    def update(self) -> Status:
        """Return SUCCESS if a front sensor reads less than ``avoid_trigger``, FAILURE otherwise."""
        parameters = self.live.value
        gaps = corner_gaps(self.percepts.ranges, self.percepts.scan, parameters, self.radius)
        near = min(gaps.get("front_left", math.inf), gaps.get("front_right", math.inf)) < parameters.avoid_trigger
        return Status.SUCCESS if near else Status.FAILURE


class AvoidingAligning(ChaserBehaviour):
    """Turn until both sensors of one side agree: to the right for the left ones, to the left for the right ones.

    RUNNING until then, then SUCCESS; SUCCESS also after a whole turn in which they never did. Two readings agree, too,
    between which of them is the greater one changes. It turns away from the front sensor that reads less, which is the
    smaller rotation.

    Blackboard Variables:
        * ranges (Ranges) [r]; absent without such sensors
        * scan (Scan) [r]: in their place
        * place (Place) [r]: how far it has turned
        * command [w]
    """

    def __init__(self, name: str, robot: str, live: Live[ChaserParameters], equipment: Equipment) -> None:
        super().__init__(name, robot, live, equipment, ("ranges",))
        self._left = False
        self._yaw: float | None = None
        self._turned = 0.0
        self._differed = 0.0

    def initialise(self) -> None:
        """Choose the side."""
        gaps = corner_gaps(self.percepts.ranges, self.percepts.scan, self.live.value, self.equipment.radius)
        self._left = gaps.get("front_right", math.inf) < gaps.get("front_left", math.inf)
        self._yaw, self._turned, self._differed = None, 0.0, 0.0

    def update(self) -> Status:
        """Turn on the spot; SUCCESS once both sensors agree or after a whole turn, RUNNING until then."""
        parameters = self.live.value
        side = "right" if self._left else "left"
        gaps = corner_gaps(self.percepts.ranges, self.percepts.scan, parameters, self.equipment.radius)
        front, back = gaps.get(f"front_{side}", math.inf), gaps.get(f"back_{side}", math.inf)
        place = self.place
        if place is not None:
            yaw = place.pose.yaw
            self._turned += 0.0 if self._yaw is None else abs(wrap(yaw - self._yaw))
            self._yaw = yaw
        agree = False
        if min(front, back) < _WALL:
            # Between two readings the robot may have turned past the angle at which they are equal, and next to a
            # corner one of them always sees past the wall.
            differs = front - back
            agree = abs(differs) <= parameters.align_tolerance or differs * self._differed < 0.0
            self._differed = differs
        if agree or self._turned > math.tau:
            self.feedback_message = f"wall on the {side}"
            return Status.SUCCESS
        self.drive(0.0, parameters.align_rate if self._left else -parameters.align_rate)
        return Status.RUNNING


class AvoidingStraight(ChaserBehaviour):
    """Drive along the wall until the back sensor beside it reads more than ``avoid_clear``. RUNNING, then SUCCESS.

    It drives on for the hull's own length at least: beside a corner the back sensor is clear from the beginning, and a
    robot that stays there finds the same corner again and again. The wall is on the side of the nearer back sensor when
    it begins. FAILURE, which begins the alignment anew, where the other front sensor finds another wall.

    Blackboard Variables:
        * ranges (Ranges) [r]; absent without such sensors
        * scan (Scan) [r]: in their place
        * place (Place) [r]: how far it has driven
        * command [w]
    """

    def __init__(self, name: str, robot: str, live: Live[ChaserParameters], equipment: Equipment) -> None:
        super().__init__(name, robot, live, equipment, ("ranges",))
        self._side = "left"
        self._begun: Pose2D | None = None

    def initialise(self) -> None:
        """Find the wall."""
        gaps = corner_gaps(self.percepts.ranges, self.percepts.scan, self.live.value, self.equipment.radius)
        self._side = "left" if gaps.get("back_left", math.inf) <= gaps.get("back_right", math.inf) else "right"
        place = self.place
        self._begun = None if place is None else place.pose

    def update(self) -> Status:
        """Drive ahead; SUCCESS once past the wall, FAILURE if the other side's front sensor triggers, else RUNNING."""
        parameters = self.live.value
        gaps = corner_gaps(self.percepts.ranges, self.percepts.scan, parameters, self.equipment.radius)
        begun, place = self._begun, self.place
        along = math.inf if begun is None or place is None else begun.distance_to(place.pose.x, place.pose.y)
        if along >= 2.0 * self.equipment.radius and gaps.get(f"back_{self._side}", math.inf) > parameters.avoid_clear:
            return Status.SUCCESS
        other = "right" if self._side == "left" else "left"
        if gaps.get(f"front_{other}", math.inf) < parameters.avoid_trigger:
            return Status.FAILURE
        self.drive(_EASY * parameters.speed, 0.0)
        return Status.RUNNING
