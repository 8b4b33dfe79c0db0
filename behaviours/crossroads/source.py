"""The Crossroads report's way of driving, by the lines in the image and one LiDAR sector.

What the document says is kept: a proportional law of 0.3 alone, 0.075 m/s, 0.06 m/s in a right turn, both lines in the
lane and the red one alone in the crossing, the stop where nothing near is left ahead on the right. That rule is
listened to near the line only, and the place of waiting counts as well. Its right turn went by the red line of the road
that crosses, at an offset found for its own floor; its left turn, at 0.1875 rad/s, was given up. Both are read here as
arcs of the crossing's own radius, begun and ended where the way bends, as the robot knows its place. Behind the
crossing the document's robots stopped; these go on like ours.
"""

from __future__ import annotations

import math

import numpy as np
from py_trees.common import Status

from arena_trees.behaviours.crossroads.drive import Cross, WayFollower
from arena_trees.behaviours.crossroads.mind import CrosserMind
from arena_trees.control.lane_law import lane_error
from arena_trees.games.crossroads.messages import Turn
from arena_trees.robot import keys
from arena_trees.robot.lane import LaneLines
from arena_trees.robot.scan import Scan

__all__ = ["ApproachBySource", "CrossBySource", "right_front_range"]

_SECTOR = (-math.radians(60.0), -math.radians(15.0))
_SHORTEST = 0.07
_NEAREST = 10


def right_front_range(scan: Scan) -> float:
    """Return the mean of the ten shortest ranges (m) 15 to 60 degrees to the right; infinity without ten.

    Ranges below 0.07 m are dropped (the Crossroads report, stopping by LiDAR).
    """
    low, high = _SECTOR
    inside = (scan.bearing >= low) & (scan.bearing <= high) & (scan.distance >= _SHORTEST)
    ranges = np.sort(scan.distance[inside])
    return float(ranges[:_NEAREST].mean()) if ranges.size >= _NEAREST else math.inf


class ApproachBySource(WayFollower):
    """Keep between the lines; stand where the right wall has ended, or at the place of waiting. RUNNING always.

    Blackboard Variables:
        * lane (LaneLines) [r], scan (Scan) [r]
        * command [w]
    """

    def __init__(self, name: str, robot: str, mind: CrosserMind) -> None:
        super().__init__(name, robot, mind, (keys.LANE, keys.SCAN))

    def update(self) -> Status:
        """Steer by the error of the lines; straight on without them."""
        p = self.mind.live.value
        scan: Scan | None = self.percepts.scan
        ended = scan is not None and right_front_range(scan) > p.source_stop_range
        self.mind.halted = ended and self.mind.first
        if self.mind.halted or self.mind.room() <= 0.0:
            self.drive(0.0, 0.0)
            return Status.RUNNING
        lane: LaneLines | None = self.percepts.lane
        error = lane_error(lane) if lane is not None and self.fresh(lane, p.lane_timeout) else None
        self.drive(p.source_speed, p.source_gain * (error or 0.0))
        return Status.RUNNING


class CrossBySource(Cross):
    """Cross as the document does: straight by the red line, right and left by constant speeds. SUCCESS when left.

    Blackboard Variables:
        * lane (LaneLines) [r]
        * command [w]
    """

    def __init__(self, name: str, robot: str, mind: CrosserMind) -> None:
        super().__init__(name, robot, mind, (keys.LANE,))

    def follow(self, room: float = float("inf")) -> None:
        """Steer; the arc lasts as long as the way bends."""
        mind, p = self.mind, self.mind.live.value
        if mind.room() <= 0.0 or mind.round is None or mind.crossing is None:
            self.drive(0.0, 0.0)
            return
        bend = mind.round.curvature(mind.progress)
        if bend != 0.0 and mind.crossing.turn is Turn.RIGHT:
            self.drive(p.source_right_speed, p.source_right_speed * bend)
        elif bend != 0.0:
            self.drive(p.source_left_rate / bend, p.source_left_rate)
        else:
            lane: LaneLines | None = self.percepts.lane
            error = lane_error(lane, red_alone=True) if lane is not None and self.fresh(lane, p.lane_timeout) else None
            self.drive(p.source_speed, p.source_gain * (error or 0.0))
