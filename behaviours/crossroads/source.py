"""The Crossroads report's way of driving, by two colours in the image and one LiDAR sector.

What the document specifies is kept: its masks in slices of the image, a proportional law of 0.3 alone, 0.075 m/s,
0.06 m/s in a right turn, both lines in the lane and the red one across the crossing, and the stop where nothing near is
left ahead on the right. That rule is obeyed near the line only, and the place of waiting counts as well.

Where the lane shows one line, the robot goes by that one, as the report's code does behind the crossing; where it
shows none, straight on. Without pictures it stands. Its right turn goes by the red line of the road that crosses,
which lies across the lower slice, at an offset found for its own floor; it ends where both lines of the next lane are
seen. On our floor that loses the lane in most runs at the best offset, so it is an option. Its left turn, at 0.1875
rad/s, was given up. Both are read here as arcs of the crossing's own radius, begun and ended where the way bends, as
the robot knows its place. Behind the crossing the report's robots stopped; these go on like ours.
"""

from __future__ import annotations

import math

import numpy as np
from py_trees.common import Status

from arena_trees.behaviours.crossroads.drive import ApproachLine, Cross
from arena_trees.behaviours.crossroads.following import free_distance, is_first
from arena_trees.behaviours.crossroads.parameters import CrosserParameters
from arena_trees.control.lane_law import lane_error
from arena_trees.games.crossroads.blackboard import RouteProgress
from arena_trees.games.crossroads.layout.round import Round
from arena_trees.games.crossroads.messages import Turn
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.lane import LaneLines, SliceColumns
from arena_trees.robot.scan import Scan

__all__ = ["ApproachBySource", "CrossBySource", "right_front_range", "right_turn_error"]

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


class ApproachBySource(ApproachLine):
    """Keep between the lines; stand where the right wall has ended, or at the place of waiting. RUNNING always.

    The feedback reports where it sees no lines, or has no pictures.

    Blackboard Variables:
        * lane (LaneLines) [r], scan (Scan) [r]
        * route (Route) [r], progress (RouteProgress) [r], lead_progress (float) [r]
        * command [w]
        * halted (int) [w]: number of the lap in which the wall has ended; None until it has
    """

    def __init__(self, name: str, robot: str, live: Live[CrosserParameters]) -> None:
        super().__init__(name, robot, live, ("lane", keys.SCAN))

    def advance(self, path: Round, progress: RouteProgress) -> Status:
        """Steer by the error of the lines in the lower slice, or stand; RUNNING always."""
        p, lead = self.live.value, self.percepts.lead_progress
        scan: Scan | None = self.percepts.scan
        ended = scan is not None and right_front_range(scan) > p.source_stop_range
        halted = ended and is_first(progress.along, lead, p)
        self.outputs.halted = self.percepts.route.lap if halted else None
        if halted or free_distance(progress.along, lead, p) <= 0.0:
            self.drive(0.0, 0.0)
            return Status.RUNNING
        lane: LaneLines | None = self.percepts.lane
        if lane is None or not self.fresh(lane, p.lane_timeout):
            self.feedback_message = "no pictures"
            self.drive(0.0, 0.0)
            return Status.RUNNING
        error = _error(lane.near_slice)
        self.feedback_message = "sees no line" if error is None else ""
        self.drive(p.source_speed, p.source_gain * (error or 0.0))
        return Status.RUNNING


class CrossBySource(Cross):
    """Cross as the document does: straight by the red line, right and left by arcs. SUCCESS when left.

    With ``source_right_turn: red_line`` it turns right by the red line of the road that crosses, too.

    Blackboard Variables:
        * lane (LaneLines) [r]
        * route (Route) [r], progress (RouteProgress) [r], lead_progress (float) [r]
        * command [w]
        * left (int) [w]: number of the lap whose crossing was left
    """

    def __init__(self, name: str, robot: str, live: Live[CrosserParameters]) -> None:
        super().__init__(name, robot, live, ("lane",))

    def follow(self, path: Round, progress: RouteProgress, distance: float = float("inf")) -> None:
        """Steer; an arc lasts as long as the path bends."""
        p = self.live.value
        if free_distance(progress.along, self.percepts.lead_progress, p) <= 0.0:
            self.drive(0.0, 0.0)
            return
        bend = path.curvature(progress.along)
        lane: LaneLines | None = self.percepts.lane
        seen = lane if lane is not None and self.fresh(lane, p.lane_timeout) else None
        if path.movement.turn is Turn.RIGHT and p.source_right_turn == "red_line":
            error = None if seen is None else right_turn_error(seen.near_slice, p.source_right_offset)
            self.drive(p.source_right_speed, p.source_gain * (error or 0.0))
        elif bend != 0.0 and path.movement.turn is Turn.RIGHT:
            self.drive(p.source_right_speed, p.source_right_speed * bend)
        elif bend != 0.0:
            self.drive(p.source_left_rate / bend, p.source_left_rate)
        else:
            error = None if seen is None else self._error(seen, path)
            self.drive(p.source_speed, p.source_gain * (error or 0.0))

    @staticmethod
    def _error(lane: LaneLines, path: Round) -> float | None:
        """Return the error between both lines of the lane behind the crossing, or by its red line, seen from afar."""
        near = lane.near_slice
        if near is not None and near.red is not None and near.black is not None:
            return lane_error(near)
        # Next to a bend the red line is that of another road.
        return _error(lane.far_slice, red_alone=True) if path.movement.turn is Turn.STRAIGHT else None


def right_turn_error(seen: SliceColumns | None, offset: float) -> float | None:
    """Return the error in a right turn, hundreds of pixels: between both lines, or ``(w / 2 - (r + x)) / 100``.

    r is the centroid of red in the lower slice, across which the red line of the crossing road lies (the Crossroads
    report, moving to the right).

    Args:
        seen: the columns in the lower slice; None without a picture
        offset: x, px of the source system's camera
    """
    if seen is None or seen.red is None:
        return None
    # A black line to the left of the red one is that of another lane.
    if seen.black is not None and seen.black < seen.red:
        return lane_error(seen)
    return lane_error(seen, red_alone=True, offset=offset)


def _error(seen: SliceColumns | None, red_alone: bool = False) -> float | None:
    return None if seen is None else lane_error(seen, red_alone)
