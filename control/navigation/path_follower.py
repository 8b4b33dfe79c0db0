"""Path following: regulated pure pursuit for a base whose wheels share one greatest speed."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pydantic import model_validator

from arena_trees.control.heading import turn_rate
from arena_trees.control.pid import clamp
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D

__all__ = ["FollowerParameters", "PathFollower"]

Point = tuple[float, float]

_BEHIND = 2.5
"""rad; beyond this noise must not decide anew to which side to turn."""
_WITHIN = 0.9999
"""Share of the greatest speed that is asked for, so that rounding does not ask for more."""


class FollowerParameters(Parameters):
    """How a path is followed."""

    max_linear: float = parameter(0.306, "greatest speed", "m/s", gt=0.0, le=0.46)
    max_angular: float = parameter(1.9, "greatest yaw rate", "rad/s", gt=0.0, le=1.9)
    max_wheel: float = parameter(0.306, "greatest speed of a wheel", "m/s", gt=0.0, le=0.46)
    half_track: float = parameter(0.1165, "half the distance between the wheels", "m", gt=0.0, le=1.0)
    look_ahead: float = parameter(0.35, "the path is aimed at this far ahead", "m", gt=0.0, le=2.0)
    turn_first: float = parameter(0.8, "bearing beyond which the robot turns on the spot", "rad", gt=0.0, le=3.15)
    turn_done: float = parameter(0.35, "bearing at which such a turn ends", "rad", gt=0.0, le=3.15)
    turn_gain: float = parameter(4.0, "yaw rate per bearing on the spot", "1/s", gt=0.0, le=20.0)
    deceleration: float = parameter(0.6, "with which it comes to rest at the goal", "m/s2", gt=0.0, le=10.0)
    goal_tolerance: float = parameter(0.06, "the goal is reached within", "m", gt=0.0, le=1.0)

    @model_validator(mode="after")
    def _turns_end(self) -> FollowerParameters:
        if self.turn_done > self.turn_first:
            raise ValueError("turn_done must not be more than turn_first")
        return self


class PathFollower:
    """Follows a path of points: an arc to the point at the look-ahead (pure pursuit, Coulter 1992), slower in turns.

    On an arc of curvature k the outer wheel goes ``v (1 + |k| b)``, b half the track, which is what limits v.

    Args:
        parameters: of the follower
    """

    def __init__(self, parameters: FollowerParameters | None = None) -> None:
        self.parameters = parameters if parameters is not None else FollowerParameters()
        self._side = 0.0

    def follow(self, pose: Pose2D, path: Sequence[Point], *, stop: bool = True) -> Twist2D:
        """Return the velocity along a path.

        Args:
            pose: of the robot, in the path's frame
            path: points, m; the last is the goal
            stop: whether to come to rest at the goal, rather than to run through it

        Returns:
            the velocity; zero at the goal and without a path
        """
        parameters = self.parameters
        if not path:
            return ZERO
        left = math.dist((pose.x, pose.y), path[-1])
        if left <= parameters.goal_tolerance:
            return ZERO
        aim = self.aim(pose, path)
        bearing = pose.bearing_to(*aim)
        away = max(pose.distance_to(*aim), 1e-6)
        if abs(bearing) > (parameters.turn_first if not self._side else parameters.turn_done):
            return Twist2D(0.0, self._turn(bearing))
        self._side = 0.0
        curvature = 2.0 * math.sin(bearing) / away
        speed = min(
            parameters.max_linear,
            _WITHIN * parameters.max_wheel / (1.0 + abs(curvature) * parameters.half_track),
            parameters.max_angular / max(abs(curvature), 1e-9),
        )
        if stop:
            speed = min(speed, math.sqrt(2.0 * parameters.deceleration * left))
        return Twist2D(speed, clamp(curvature * speed, parameters.max_angular))

    def _turn(self, bearing: float) -> float:
        """Return the yaw rate (rad/s) of a turn on the spot; one that has begun goes on to its side."""
        parameters = self.parameters
        if abs(bearing) < _BEHIND or not self._side:
            self._side = math.copysign(1.0, bearing)
        limit = min(parameters.max_angular, parameters.max_wheel / parameters.half_track)
        return turn_rate(math.copysign(bearing, self._side), parameters.turn_gain, limit)

    def aim(self, pose: Pose2D, path: Sequence[Point]) -> Point:
        """Return the point of the path that is steered to: the look-ahead on from the nearest one."""
        part, share = _nearest(pose, path)
        if part is None:
            return path[-1]
        left = self.parameters.look_ahead
        here = _along(path[part], path[part + 1], share)
        for end in path[part + 1 :]:
            length = math.dist(here, end)
            if length >= left:
                return _along(here, end, left / length)
            left -= length
            here = end
        return path[-1]


def _nearest(pose: Pose2D, path: Sequence[Point]) -> tuple[int | None, float]:
    """Return the part of the path that is nearest, and where on it: 0 at its begin, 1 at its end."""
    best, part, share = math.inf, None, 0.0
    for k in range(len(path) - 1):
        (x0, y0), (x1, y1) = path[k], path[k + 1]
        dx, dy = x1 - x0, y1 - y0
        squared = dx * dx + dy * dy
        t = 0.0 if squared == 0.0 else max(0.0, min(1.0, ((pose.x - x0) * dx + (pose.y - y0) * dy) / squared))
        away = math.hypot(x0 + t * dx - pose.x, y0 + t * dy - pose.y)
        if away < best - 1e-9:
            best, part, share = away, k, t
    return part, share


def _along(a: Point, b: Point, share: float) -> Point:
    return a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])
