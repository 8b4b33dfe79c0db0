"""Steering along a path: our law by the path error, and the source system's by the columns of the lane's lines."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arena_trees.control.pid import clamp
from arena_trees.robot.geometry import Twist2D
from arena_trees.robot.lane import LaneLines

__all__ = ["PathError", "along_path", "lane_error", "speed_in_turn"]

_TIGHTEST = 6.0
"""Greatest curvature that is steered, 1/m; about half a turn on its own width."""

_IMAGE = 250.0
_FOCAL = 325.6
"""Width and focal length (px) of the TurtleBot 4's preview; the source system's error is in these pixels."""

_SLICE = 0.79
"""m ahead of base_link: where the source system's image row (5/6 down) shows the floor, for a camera 0.244 m high."""


@dataclass(frozen=True, slots=True)
class PathError:
    """How far a robot is off its path.

    Attributes:
        cross_track: distance from the path, m, left positive
        heading: angle off the path's direction, rad, left positive
    """

    cross_track: float
    heading: float


def along_path(error: PathError, curvature: float, speed: float, aside_gain: float, turned_gain: float) -> Twist2D:
    """Return the twist that leads back to the path and along it.

    The curvature of the path for where the robot is, less a spring and a damper in the distance driven:
    ``k cos(heading) / (1 - k cross_track) - aside_gain cross_track - turned_gain sin(heading)`` (Samson 1992, Path
    following and time-varying feedback stabilization of a wheeled mobile robot). With turned_gain = 2 sqrt(aside_gain)
    it is critically damped.

    Args:
        error: how far the robot is off the path
        curvature: of the path a little ahead, 1/m, left positive
        speed: m/s
        aside_gain: 1/m2
        turned_gain: 1/m
    """
    own = curvature * math.cos(error.heading) / max(0.2, 1.0 - curvature * error.cross_track)
    bend = clamp(own - aside_gain * error.cross_track - turned_gain * math.sin(error.heading), _TIGHTEST)
    return Twist2D(speed, speed * bend)


def speed_in_turn(curvature: float, wheel_speed: float, half_track: float) -> float:
    """Return the greatest speed (m/s) at which neither wheel is faster than a limit, at a curvature (1/m)."""
    return wheel_speed / (1.0 + half_track * abs(curvature))


def lane_error(lane: LaneLines, red_alone: bool = False) -> float | None:
    """Return the lane's error as the source system has it, hundreds of pixels, left positive; None without lines.

    ``(w / 2 - (r + (b - r) / 2)) / 100`` of the two lines' columns in the lower slice, and ``(w / 2 - (r + x)) / 100``
    of the red one alone, x being where the middle of the lane is. There the first has one bracket too many;
    this reading is what its text says, and what its formula for one line is as well.

    Args:
        lane: the lines
        red_alone: use the red line alone, as the source system does where roads meet
    """
    if lane.red is None:
        return None
    red = _column(lane.red.left_at(_SLICE))
    if lane.black is not None and not red_alone:
        black = _column(lane.black.left_at(_SLICE))
        return (_IMAGE / 2.0 - (red + (black - red) / 2.0)) / 100.0
    aside = _FOCAL * lane.lane_width / 2.0 / _SLICE
    return (_IMAGE / 2.0 - (red + aside)) / 100.0


def _column(left: float) -> float:
    """Return the column (px) of a point of the floor in the slice that is so far (m) to the left."""
    return _IMAGE / 2.0 - _FOCAL * left / _SLICE
