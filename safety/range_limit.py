"""The range limit: how far the hull can go along its path before it meets what a single beam hits.

A beam sees one point and nothing next to it. Where two neighbouring beams have an echo, what they hit is taken for one
surface: beams to the side would not see a wall ahead otherwise. What else stands between the beams is unseen, and
this limit does not hold a robot before it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.safety.motion_limit import MotionLimit, Situation
from arena_trees.safety.obstacle import Obstacles, obstacle_limit, reach
from arena_trees.safety.parameters import GateParameters
from arena_trees.safety.reasons import GateReason
from arena_trees.safety.reckoning import advance
from arena_trees.safety.sight import Sight, fresh_since
from arena_trees.sensors.ranges.sensor import RangeReading, Ranges

__all__ = ["Echo", "Echoes", "RangeLimit"]


_NEIGHBOURS = math.radians(100.0)
"""Largest angle between neighbouring beams whose echoes are taken for one surface: four may look to the corners."""

_SPACING = 0.05
"""Metres between the points that stand for a surface; no hull fits between them."""

_MOST_POINTS = 1000
"""Of one surface; echoes from kilometres away, which no sensor has, cost no more."""


@dataclass(frozen=True, slots=True)
class Echo:
    """What a beam hit last.

    Attributes:
        stamp: when, ns
        x: odom frame, m
        y: odom frame, m
    """

    stamp: int
    x: float
    y: float


@dataclass(frozen=True, slots=True, eq=False)
class Echoes:
    """What the beams of a robot hit.

    Attributes:
        by_sensor: name of the sensor to what its beam hit
        obstacles: the same as points, with the surfaces between neighbours
    """

    by_sensor: Mapping[str, Echo]
    obstacles: Obstacles


class RangeLimit(MotionLimit[Sight[Echoes]]):
    """Takes away motion towards what a beam hits. Ranges without an echo take nothing away.

    A robot stands as long as one of its sensors has sent nothing yet, or the oldest of its readings is stale. An echo
    that a sensor loses is believed for ``ranges_hold`` more, at its place in the odom frame: one reading in some is
    lost for no reason.

    Args:
        sensors: names of the sensors that the robot has
    """

    reason = GateReason.RANGE

    def __init__(self, sensors: frozenset[str]) -> None:
        self.sensors = sensors

    def observe(self, memory: Sight[Echoes] | None, situation: Situation) -> Sight[Echoes] | None:
        """Return what the newest ranges show, and whether they are fresh."""
        parameters, ranges, now = situation.parameters, situation.percepts.ranges, situation.percepts.now
        if not parameters.obstacles:
            return None
        since, shown = (None, None) if memory is None else (memory.since, memory.shown)
        if ranges is None or not self.sensors.issubset({reading.name for reading in ranges.readings}):
            return Sight(None, GateReason.NO_RANGES, shown)
        since, fresh = fresh_since(
            since, ranges.age(now), now, parameters.ranges_timeout, parameters.scan_recovery
        )  # fmt: skip
        known = None if shown is None else (shown.obstacles.sequence, shown.obstacles.arrival)
        if known != (ranges.sequence, ranges.arrival) and now >= ranges.arrival:
            shown = _updated(parameters, ranges, shown, situation.base, situation.motion, now)
        return Sight(since, None if fresh else GateReason.RANGES_STALE, shown)

    def blind(self, memory: Sight[Echoes] | None) -> str | None:
        """Return why the robot must stand for want of ranges, or None."""
        return None if memory is None else memory.blind

    def limit(
        self, memory: Sight[Echoes] | None, situation: Situation, wanted: Twist2D
    ) -> tuple[float, Sight[Echoes] | None]:
        """Return the speed from which the robot stops before what a beam hits."""
        if memory is None or memory.shown is None:
            return math.inf, memory
        obstacles, now = memory.shown.obstacles, situation.percepts.now
        speed = obstacle_limit(situation.parameters, obstacles, situation.base, situation.motion, wanted, now)
        return speed, memory


def _updated(
    parameters: GateParameters, ranges: Ranges, before: Echoes | None, base: Pose2D, twist: Twist2D, now: int
) -> Echoes:
    """Return what new ranges show, with the echoes before that are still believed.

    Args:
        parameters: of the gate
        ranges: new ones
        before: what was shown before them
        base: the robot's pose now, odom frame
        twist: the robot's twist now, by which its pose at the ranges' stamp is reckoned
        now: ns
    """
    stamp = min(ranges.stamp, ranges.arrival)
    then = advance(base, twist, -min((now - stamp) / SECOND, parameters.ranges_timeout))
    known = {} if before is None else before.by_sensor
    hold = from_seconds(parameters.ranges_hold)
    echoes = {}
    for reading in ranges.readings:
        if reading.distance >= reading.limit:
            echo = known.get(reading.name)
            if echo is not None and 0 <= stamp - echo.stamp <= hold:
                echoes[reading.name] = echo
            continue
        # A distance that is none, which nobody should hand over, counts as something at the sensor.
        mount, distance = then.compose(reading.mount), max(0.0, reading.distance)
        x, y = mount.x + distance * math.cos(mount.yaw), mount.y + distance * math.sin(mount.yaw)
        echoes[reading.name] = Echo(stamp, x, y)
    points = _surfaces([_end(reading, echoes.get(reading.name), then) for reading in ranges.readings])
    distances = np.hypot(points[:, 0], points[:, 1])
    farthest = reach(parameters, parameters.ranges_timeout)
    near = distances < farthest
    nearest = float(distances[near].min()) if near.any() else farthest
    obstacles = Obstacles(
        ranges.sequence, ranges.arrival, stamp, then, points[near, 0], points[near, 1], nearest
    )  # fmt: skip
    return Echoes(echoes, obstacles)


@dataclass(frozen=True, slots=True)
class _End:
    """Where a beam ends, in base_link: bearing (rad), and the point (m) that it hits, if any."""

    bearing: float
    hit: tuple[float, float] | None


def _end(reading: RangeReading, echo: Echo | None, then: Pose2D) -> _End:
    """Return where the beam of a reading ends that was measured at a pose (odom frame)."""
    if echo is None:
        end = reading.mount.compose(Pose2D(reading.limit))
        return _End(math.atan2(end.y, end.x), None)
    place = then.relative(Pose2D(echo.x, echo.y))
    return _End(math.atan2(place.y, place.x), (place.x, place.y))


def _surfaces(ends: Sequence[_End]) -> NDArray[np.float64]:
    """Return the points that beams hit, and points between those of neighbours, shape (n, 2)."""
    parts = [np.empty((0, 2))]
    ordered = sorted(ends, key=lambda end: end.bearing)
    for end, following in zip(ordered, ordered[1:] + ordered[:1], strict=True):
        if end.hit is None:
            continue
        gap = (following.bearing - end.bearing) % math.tau
        if following.hit is None or gap > _NEIGHBOURS:
            parts.append(np.array([end.hit]))
        else:
            count = min(_MOST_POINTS, 1 + math.ceil(math.dist(end.hit, following.hit) / _SPACING))
            parts.append(np.linspace(end.hit, following.hit, count, endpoint=False))
    return np.concatenate(parts)
