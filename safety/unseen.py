"""The unseen limit: where the LiDAR does not look, or has become blind, nothing is free."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.quick_init import quick_init
from arena_trees.robot.scan import FieldOfView
from arena_trees.safety.lost_returns import LostReturns, look
from arena_trees.safety.motion_limit import MotionLimit, Situation
from arena_trees.safety.obstacle import margin_left, moved_since, taken_at
from arena_trees.safety.reasons import GateReason
from arena_trees.safety.reckoning import advance
from arena_trees.safety.stopping import allowed_speed, stopping_distance

__all__ = ["UnseenLimit", "View"]

_STEP = 0.02
"""Metres between the places of a path that are looked at."""

_TIGHTEST = 1000.0
"""1/m; on such an arc a robot turns on the spot."""

_MOST_STEPS = 200
"""Of one path; a robot that stops within four metres needs no more."""


_AHEAD = np.zeros(1)
"""Directions of the points of the hull that are followed, off that of the motion, rad; the bumper feels the others."""

_BACKWARDS = np.radians(np.linspace(-80.0, 80.0, 9))
"""The same where nothing feels what is met. What is farther to the side is not swept."""

_APPROACH = 0.6
"""Metres ahead at which both sides of the hull's way are in the view: nearer by, they were seen from there."""


@quick_init
@dataclass(frozen=True, slots=True)
class View:
    """What the LiDAR looked at in its newest scan.

    Attributes:
        sequence: of the scan
        arrival: of the scan, ns
        stamp: of the scan, ns, no later than its arrival
        base: the robot's pose (odom frame) when it was taken
        field: the directions, in base_link at that time
        returns: of each direction; None before the first scan with a return
    """

    sequence: int
    arrival: int
    stamp: int
    base: Pose2D
    field: FieldOfView
    returns: LostReturns | None = None


class _Directions(Protocol):
    """Directions that are seen."""

    def contains(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which points (m, base_link at the time of the scan, shape (k,)) lie in them."""
        ...


class UnseenLimit(MotionLimit[View]):
    """Takes away motion into directions in which the LiDAR has no beams, or has lost all its returns at once.

    The hull is followed along the commanded arc as far as the robot goes until it stands. Where that leads out of the
    view the robot may go as far as the view reaches. Ahead, where the bumper feels what is met, that is asked of the
    hull's foremost point, and of both sides of its way some 0.6 m ahead; the robot may then go on at ``unseen_speed``.
    Backwards it is asked of all of the hull that sweeps floor, and nothing goes on.

    Where all returns are lost from one scan to the next, as in low sun, the robot stands until they come again, for
    ``blind_memory`` at the most: then there may well be nothing to be seen.
    """

    reason = GateReason.UNSEEN

    def observe(self, memory: View | None, situation: Situation) -> View | None:
        """Return what the newest scan looked at, whether it had a return or not."""
        parameters, scan, now = situation.parameters, situation.percepts.scan, situation.percepts.now
        if not parameters.obstacles or scan is None:
            return None
        known = None if memory is None else (memory.sequence, memory.arrival)
        if known == (scan.sequence, scan.arrival) or now < scan.arrival:
            return memory
        then = taken_at(parameters, scan, situation.base, situation.motion, now)
        returns = None if memory is None else memory.returns
        if scan.distance.size:
            returns = look(returns, scan, then, parameters.blind_memory)
        return View(scan.sequence, scan.arrival, min(scan.stamp, scan.arrival), then, scan.view, returns)

    def limit(self, memory: View | None, situation: Situation, wanted: Twist2D) -> tuple[float, View | None]:
        """Return the speed from which the robot stops where the view ends, or at which it may feel its way on."""
        if memory is None:
            return math.inf, memory
        speed, parameters = math.inf, situation.parameters
        if not memory.field.all_round:
            feels_its_way = parameters.unseen_speed if wanted.linear > 0.0 else 0.0
            speed = max(feels_its_way, _speed(memory, memory.field, situation, wanted))
        if memory.returns is not None and memory.returns.blind:
            speed = min(speed, _speed(memory, memory.returns, situation, wanted))
        return speed, memory


def _speed(view: View, seen: _Directions, situation: Situation, wanted: Twist2D) -> float:
    """Return the speed (m/s) from which the robot stops where what is seen ends; inf where its way lies in it."""
    parameters = situation.parameters
    age = (situation.percepts.now - view.stamp) / SECOND
    margin = margin_left(parameters, age)
    needed = stopping_distance(wanted.linear, parameters.reaction_time, parameters.deceleration) + margin
    moved, believed = moved_since(parameters, view.base, situation.base, age)
    radius = parameters.hull_radius + parameters.side_margin
    free = _seen_way(seen, moved, wanted, radius, needed)
    if not believed:
        # No base moves like that: it may as well stand where it stood.
        free = min(free, _seen_way(seen, Pose2D(), wanted, radius, needed))
    if free >= needed:
        return math.inf
    return allowed_speed(free - margin, parameters.reaction_time, parameters.deceleration)


def _seen_way(seen: _Directions, moved: Pose2D, wanted: Twist2D, radius: float, needed: float) -> float:
    """Return how far (m) a circle stays in view along an arc; inf for all of what is needed.

    Args:
        seen: what is seen
        moved: the robot's pose now, in base_link when the view was taken
        wanted: the arc
        radius: of the circle, m
        needed: way (m) to look ahead
    """
    count = min(_MOST_STEPS, 1 + math.ceil(needed / _STEP))
    ways = np.linspace(0.0, needed, count)
    direction = math.copysign(1.0, wanted.linear)
    curvature = max(-_TIGHTEST, min(_TIGHTEST, wanted.angular / abs(wanted.linear)))
    ahead = wanted.linear > 0.0
    if ahead and not _contains(seen, moved, np.full(2, radius + _APPROACH), np.array([-radius, radius])).all():
        return 0.0
    angles = _AHEAD if ahead else _BACKWARDS
    x, y = direction * radius * np.cos(angles), radius * np.sin(angles)
    arc = Twist2D(direction, curvature)
    known = [bool(_contains(seen, moved.compose(advance(Pose2D(), arc, way)), x, y).all()) for way in ways]
    return math.inf if all(known) else float(ways[known.index(False)])


def _contains(seen: _Directions, pose: Pose2D, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which points of a robot at a pose are in view."""
    cosine, sine = math.cos(pose.yaw), math.sin(pose.yaw)
    return seen.contains(pose.x + cosine * x - sine * y, pose.y + sine * x + cosine * y)
