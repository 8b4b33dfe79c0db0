"""The range limit: how far the hull can go along its path before it meets what a single beam hits.

A beam sees one point and nothing beside it. What stands between the beams is unseen, and this limit does not hold a
robot before it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.ranges import Ranges
from arena_trees.safety.motion_limit import MotionLimit, Situation
from arena_trees.safety.obstacle import Obstacles, obstacle_limit, reach
from arena_trees.safety.parameters import GateParameters
from arena_trees.safety.reckoning import advance
from arena_trees.safety.sight import Sight, fresh_since

__all__ = ["NO_RANGES", "RANGES_STALE", "Echo", "Echoes", "RangeLimit"]

NO_RANGES = "no ranges"
RANGES_STALE = "ranges stale"


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
        obstacles: the same as points
    """

    by_sensor: Mapping[str, Echo]
    obstacles: Obstacles


class RangeLimit(MotionLimit[Sight[Echoes]]):
    """Takes away motion towards what a beam hits. Ranges without an echo take nothing away.

    A robot stands as long as one of its sensors has never been heard, or the oldest of its readings is stale. An echo
    that a sensor loses is believed for ``ranges_hold`` more, at its place in the odom frame: one reading in some is
    lost for no reason.

    Args:
        sensors: names of the sensors that the robot has
    """

    reason = "range"

    def __init__(self, sensors: frozenset[str]) -> None:
        self.sensors = sensors

    def observe(self, memory: Sight[Echoes] | None, situation: Situation) -> Sight[Echoes] | None:
        """Return what the newest ranges show, and whether they are fresh."""
        parameters, ranges, now = situation.parameters, situation.percepts.ranges, situation.percepts.now
        if not parameters.obstacles:
            return None
        since, shown = (None, None) if memory is None else (memory.since, memory.shown)
        if ranges is None or not self.sensors.issubset({reading.name for reading in ranges.readings}):
            return Sight(None, NO_RANGES, shown)
        since, fresh = fresh_since(
            since, ranges.age(now), now, parameters.ranges_timeout, parameters.scan_recovery
        )  # fmt: skip
        known = None if shown is None else (shown.obstacles.sequence, shown.obstacles.arrival)
        if known != (ranges.sequence, ranges.arrival) and now >= ranges.arrival:
            shown = _heard(parameters, ranges, shown, situation.base, situation.motion, now)
        return Sight(since, None if fresh else RANGES_STALE, shown)

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


def _heard(
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
    places = [then.relative(Pose2D(echo.x, echo.y)) for echo in echoes.values()]
    points = np.array([(place.x, place.y) for place in places], dtype=np.float64).reshape(-1, 2)
    distances = np.hypot(points[:, 0], points[:, 1])
    farthest = reach(parameters, parameters.ranges_timeout)
    near = distances < farthest
    nearest = float(distances[near].min()) if near.any() else farthest
    obstacles = Obstacles(
        ranges.sequence, ranges.arrival, stamp, then, points[near, 0], points[near, 1], nearest
    )  # fmt: skip
    return Echoes(echoes, obstacles)
