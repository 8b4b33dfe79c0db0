"""Steering along a path: our law by the path error, and the source system's by the columns of the lane's lines."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arena_trees.control.pid import clamp
from arena_trees.robot.geometry import Twist2D
from arena_trees.robot.lane import SliceColumns
from arena_trees.robot.quick_init import quick_init

__all__ = ["PathError", "along_path", "lane_error", "speed_in_turn"]

_TIGHTEST = 6.0
"""Greatest curvature that is steered, 1/m; about half a turn on its own width."""

_FOCAL = 339.8
"""Focal length (px) of the source system's camera, whose pixels its gain is for: 410 px wide, 62.2 degrees.

Its code has a red line 190 px off the middle, which is outside of a narrower image of that camera."""


@quick_init
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


def lane_error(seen: SliceColumns, red_alone: bool = False, offset: float | None = None) -> float | None:
    """Return the lane's error as the source system has it, hundreds of pixels, left positive; None without its lines.

    ``(w / 2 - (r + (b - r) / 2)) / 100`` of both lines' columns. There it has one bracket too many; this reading is its
    code's, and its text's. By one line alone it is ``(w / 2 - (r + x)) / 100`` or ``(w / 2 - (b - x)) / 100``,
    x being half of what a lane is wide in the slice, or as given.

    Args:
        seen: the columns in one slice
        red_alone: go by the red line alone, as the source system does where roads meet
        offset: x from the red line, px of the source system's camera; half a lane where None
    """
    black = None if red_alone else seen.black
    if seen.red is not None and black is not None:
        middle = seen.red + (black - seen.red) / 2.0
    elif seen.red is not None:
        middle = seen.red - (seen.half_lane if offset is None else offset / _FOCAL)
    elif black is not None:
        middle = black + seen.half_lane
    else:
        return None
    return _FOCAL * middle / 100.0
