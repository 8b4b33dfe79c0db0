"""The obstacle limit: how far the hull can go along its path before it meets a point that the LiDAR has shown."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.quick_init import quick_init
from arena_trees.robot.scan import Scan
from arena_trees.safety.motion_limit import MotionLimit, Situation
from arena_trees.safety.parameters import GateParameters
from arena_trees.safety.reasons import GateReason
from arena_trees.safety.reckoning import advance, plausible_rate, plausible_speed
from arena_trees.safety.sight import Sight, fresh_since
from arena_trees.safety.stopping import allowed_speed, stopping_distance

__all__ = [
    "ObstacleLimit",
    "Obstacles",
    "free_path",
    "margin_left",
    "moved_since",
    "obstacle_limit",
    "reach",
    "remember",
    "taken_at",
]


_STRAIGHT = 1e-3
"""1/m; over a stopping distance such a curve leaves the straight line by micrometres."""

_MOVING = 0.02
"""m/s below which the arc that a base is on means nothing."""

_SLIP = 0.05
"""Metres by which odometry may be off between two scans."""

_TURN_SLIP = 0.1
"""Radians, the same."""

_MOST_KEPT = 2000
"""Points that are kept where the LiDAR does not look; those of one scan near a robot are a few hundred."""


@quick_init
@dataclass(frozen=True, slots=True, eq=False)
class Obstacles:
    """The points that a sensor has shown, as far as a robot can come before its next message.

    Attributes:
        sequence: of the message
        arrival: of the message, ns
        stamp: of the message, ns, no later than its arrival
        base: the robot's pose (odom frame) when the points were measured
        x: m, in base_link at that time, shape (k,)
        y: m, in base_link at that time, shape (k,)
        nearest: lower bound of the points' distance from the robot at that time, m
    """

    sequence: int
    arrival: int
    stamp: int
    base: Pose2D
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    nearest: float


class ObstacleLimit(MotionLimit[Sight[Obstacles]]):
    """Takes away motion towards what the newest scan shows; a scan without a return shows nothing new.

    What an earlier scan showed, and the LiDAR does not look at any more, stays where it was until it is seen again or
    the robot is far from it. A robot whose returns are stale, or that never had any, stands.
    """

    reason = GateReason.OBSTACLE

    def observe(self, memory: Sight[Obstacles] | None, situation: Situation) -> Sight[Obstacles] | None:
        """Return what the newest scan with a return shows, and whether returns are fresh."""
        parameters, scan, now = situation.parameters, situation.percepts.scan, situation.percepts.now
        if not parameters.obstacles:
            return None
        since, shown = (None, None) if memory is None else (memory.since, memory.shown)
        returned = None if scan is None else scan.return_age(now)
        blind: str | None = GateReason.NO_SCAN
        if scan is None or returned is None:
            since = None
        else:
            # A message that took long has the age of its stamp; a return from the future is none.
            age = returned if returned < 0 else max(returned, scan.age(now))
            since, fresh = fresh_since(since, age, now, parameters.scan_timeout, parameters.scan_recovery)
            blind = None if fresh else GateReason.SCAN_STALE
        known = None if shown is None else (shown.sequence, shown.arrival)
        if scan is not None and scan.distance.size and known != (scan.sequence, scan.arrival) and now >= scan.arrival:
            shown = remember(parameters, scan, situation.base, situation.motion, now, shown)
        return Sight(since, blind, shown)

    def blind(self, memory: Sight[Obstacles] | None) -> str | None:
        """Return why the robot must stand for want of scans, or None."""
        return None if memory is None else memory.blind

    def limit(
        self, memory: Sight[Obstacles] | None, situation: Situation, wanted: Twist2D
    ) -> tuple[float, Sight[Obstacles] | None]:
        """Return the speed from which the robot stops before it meets a point; any where nothing was ever seen."""
        if memory is None or memory.shown is None:
            return math.inf, memory
        now = situation.percepts.now
        speed = obstacle_limit(situation.parameters, memory.shown, situation.base, situation.motion, wanted, now)
        return speed, memory


def reach(parameters: GateParameters, timeout: float) -> float:
    """Return how far (m) from the robot a point may matter before a sensor's message is stale (timeout: s)."""
    return (
        parameters.hull_radius
        + parameters.side_margin
        + parameters.obstacle_margin
        + _stopping(parameters, parameters.max_linear)
        + _SLIP
        # A message is used until it arrived that long ago, and its stamp may be that much older again.
        + (plausible_speed(parameters) + _unseen_motion(parameters)) * 2.0 * timeout
    )


def taken_at(parameters: GateParameters, scan: Scan, base: Pose2D, twist: Twist2D, now: int) -> Pose2D:
    """Return the robot's pose (odom frame) when a scan was taken; arguments as those of :func:`remember`."""
    age = min((now - min(scan.stamp, scan.arrival)) / SECOND, parameters.scan_timeout)
    return advance(base, twist, -age)


def remember(
    parameters: GateParameters, scan: Scan, base: Pose2D, twist: Twist2D, now: int, before: Obstacles | None = None
) -> Obstacles:
    """Return what a new scan shows near the robot, and what was known where it does not look.

    Points nearer than ``body_radius`` are left out: the hull is wider, so they are the robot itself.

    Args:
        parameters: of the gate
        scan: with at least one return
        base: the robot's pose now, odom frame
        twist: the robot's twist now, by which its pose at the scan's stamp is reckoned
        now: ns
        before: what was known
    """
    stamp = min(scan.stamp, scan.arrival)
    farthest = reach(parameters, parameters.scan_timeout)
    then = taken_at(parameters, scan, base, twist, now)
    x, y, distance = scan.x, scan.y, scan.distance
    if before is not None and not scan.view.all_round:
        moved = before.base.relative(then)
        known_x, known_y = _seen_from(before, moved, 1.0)
        lost = np.flatnonzero(~scan.view.contains(known_x, known_y))[:_MOST_KEPT]
        x, y = np.concatenate([x, known_x[lost]]), np.concatenate([y, known_y[lost]])
        distance = np.hypot(x, y)
    index = np.flatnonzero((distance >= parameters.body_radius) & (distance < farthest))
    nearest = float(distance[index].min()) if index.size else farthest
    return Obstacles(scan.sequence, scan.arrival, stamp, then, x[index], y[index], nearest)


def moved_since(parameters: GateParameters, then: Pose2D, base: Pose2D, age: float) -> tuple[Pose2D, bool]:
    """Return the robot's pose relative to where it was, and whether a base can have moved like that.

    Args:
        parameters: of the gate
        then: the pose that it had, odom frame
        base: the pose that it has
        age: s between them
    """
    moved = then.relative(base)
    believed = math.hypot(moved.x, moved.y) <= _farthest(parameters, age)
    return moved, believed and abs(moved.yaw) <= plausible_rate(parameters) * age + _TURN_SLIP


def margin_left(parameters: GateParameters, age: float) -> float:
    """Return the distance (m) to be left after a stop, by what was seen so long ago (age: s)."""
    return parameters.obstacle_margin + _unseen_motion(parameters) * age


def _unseen_motion(parameters: GateParameters) -> float:
    """Return how fast (m/s) what was seen may have come nearer since."""
    return max(parameters.age_allowance, parameters.others_speed)


def _stopping(parameters: GateParameters, speed: float) -> float:
    """Return by how much (m) the gap to something that comes towards the robot shrinks until it stands."""
    return stopping_distance(speed, parameters.reaction_time, parameters.deceleration, parameters.others_speed)


def _farthest(parameters: GateParameters, age: float) -> float:
    return plausible_speed(parameters) * max(0.0, age) + _SLIP


def obstacle_limit(
    parameters: GateParameters, obstacles: Obstacles, base: Pose2D, twist: Twist2D, command: Twist2D, now: int
) -> float:
    """Return the greatest speed (m/s, not negative) in the direction of the commanded motion.

    The hull is followed along the commanded arc and, since a base turns in slowly, along the
    arc it is on. A point at the side of the hull does not matter. A point within hull and side margin
    limits only motion towards it.

    Args:
        parameters: of the gate
        obstacles: what the newest message showed
        base: the robot's pose now, odom frame
        twist: the robot's twist now
        command: wanted twist, with a linear speed that is not zero
        now: ns
    """
    speed = abs(command.linear)
    if not obstacles.x.size:
        return speed
    age = (now - obstacles.stamp) / SECOND
    margin = margin_left(parameters, age)
    needed = _stopping(parameters, speed) + margin
    radius = parameters.hull_radius + parameters.side_margin
    moved, believed = moved_since(parameters, obstacles.base, base, age)
    way = min(math.hypot(moved.x, moved.y), _farthest(parameters, age))
    if obstacles.nearest - way - radius >= needed:
        return speed
    free = _free_way(parameters, obstacles, moved, command, twist, needed)
    if not believed:
        # No base moves like that: it may as well have kept its direction, and come nearer by all that way.
        free = min(free, _free_way(parameters, obstacles, Pose2D(), command, twist, needed) - way)
    allowed = allowed_speed(
        free - margin, parameters.reaction_time, parameters.deceleration, parameters.others_speed
    )  # fmt: skip
    return min(speed, allowed)


def _free_way(
    parameters: GateParameters,
    obstacles: Obstacles,
    moved: Pose2D,
    command: Twist2D,
    twist: Twist2D,
    needed: float,
) -> float:
    """Return how far (m) the hull can go along the commanded arc and the one it is on, where the robot moved like that.

    Args:
        parameters: of the gate
        obstacles: what the newest message showed
        moved: the robot's pose now, in base_link when the points were measured
        command: wanted twist
        twist: the robot's twist now
        needed: way (m) to look ahead
    """
    direction = 1.0 if command.linear > 0.0 else -1.0
    radius = parameters.hull_radius + parameters.side_margin
    x, y = _seen_from(obstacles, moved, direction)
    curvature = command.angular / abs(command.linear)
    free = free_path(x, y, curvature, radius)
    present_speed = twist.linear * direction
    if present_speed > _MOVING:
        present = twist.angular / present_speed
        # Two arcs part by half their difference in curvature times the square of the way.
        if abs(present - curvature) * needed * needed > parameters.side_margin:
            free = min(free, free_path(x, y, present, radius))
    return free


def free_path(x: NDArray[np.float64], y: NDArray[np.float64], curvature: float, radius: float) -> float:
    """Return how far (m) a circle can go along an arc before it meets a point; inf if it meets none.

    The centre starts at the origin, heading along +x. For an arc of radius r around C, a point
    at distance D from C is met where the two radii enclose the angle
    ``acos((r^2 + D^2 - radius^2) / (2 r D))``, by the law of cosines. A point already inside the
    circle is met at once if it lies ahead, and never if it lies behind.

    Args:
        x: points, m, shape (k,), k >= 1
        y: points, m, shape (k,)
        curvature: 1/m, positive to the left
        radius: of the circle, m
    """
    if abs(curvature) < _STRAIGHT:
        met = (x > 0.0) & (np.abs(y) < radius)
        ahead = x[met]
        side = y[met]
        gaps = ahead - np.sqrt(radius * radius - side * side)
        return max(0.0, float(gaps.min())) if gaps.size else math.inf
    turn = 1.0 / abs(curvature)
    # Mirrored so that it turns left; its centre then is at (0, turn).
    to_centre = turn - y if curvature > 0.0 else turn + y
    squared = x * x + to_centre * to_centre
    cosine = (turn * turn + squared - radius * radius) / (2.0 * turn * np.sqrt(np.maximum(squared, 1e-18)))
    inside = x * x + y * y < radius * radius
    if bool((inside & (x > 0.0)).any()):
        return 0.0
    met = (np.abs(cosine) < 1.0) & ~inside
    if not met.any():
        return math.inf
    angle = np.arctan2(x[met], to_centre[met]) % math.tau - np.arccos(cosine[met])
    return max(0.0, turn * float(angle.min()))


def _seen_from(
    obstacles: Obstacles, moved: Pose2D, direction: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the points in base_link now, turned by 180 degrees for reverse motion."""
    cosine, sine = direction * math.cos(moved.yaw), direction * math.sin(moved.yaw)
    dx, dy = obstacles.x - moved.x, obstacles.y - moved.y
    return cosine * dx + sine * dy, cosine * dy - sine * dx
