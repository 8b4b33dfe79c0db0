"""Observers of one robot on its lap: distance from the wall, ripple of its heading, being stuck, and its gate."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import shapely

from arena_trees.games.metrics import Value
from arena_trees.games.truth import TruthSample
from arena_trees.games.wall_following.blackboard import NEAREST_RAY, NearestRay
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.geometry import ZERO
from arena_trees.robot.keys import ODOMETRY
from arena_trees.robot.percepts import sequence_names
from arena_trees.robot.record import TickRecord
from arena_trees.safety.reasons import GateReason
from arena_trees.world.footprint import Solid

__all__ = ["DistanceBand", "DistanceObserver", "GateObserver", "HeadingObserver", "StuckObserver", "WallDistance"]

_STUCK = from_seconds(5.0)
"""Time at one place after which a robot counts as stuck, ns."""


@dataclass(frozen=True, slots=True)
class DistanceBand:
    """What a robot is to keep.

    Attributes:
        ideal: distance from the wall, m
        tolerance: about it, m
        speed: that it drives at most, m/s
        follow_distance: to another robot's hull, within which it follows that one, m; 0 where it follows nobody
        by_rays: whether its nearest ray is of the wall; not where another robot follows it, and its LiDAR sees that one
    """

    ideal: float
    tolerance: float
    speed: float
    follow_distance: float = 0.0
    by_rays: bool = True

    def has(self, distance: float) -> bool:
        """Return whether a distance (m) is right."""
        return abs(distance - self.ideal) <= self.tolerance


class WallDistance:
    """Tells how far a point is from the nearest wall or box.

    Args:
        solids: walls and boxes
    """

    def __init__(self, solids: Sequence[Solid]) -> None:
        self._area = shapely.union_all([solid.polygon() for solid in solids])
        shapely.prepare(self._area)

    def __call__(self, x: float, y: float) -> float:
        """Return the distance (m) of a point; infinite where there is no wall."""
        distance = shapely.distance(self._area, shapely.Point(x, y))
        return math.inf if math.isnan(distance) else float(distance)


class DistanceObserver:
    """Measures the share of time, and of odometry messages, at the right distance.

    Args:
        wall: tells the true distance
        band: what is right
    """

    def __init__(self, wall: WallDistance, band: DistanceBand) -> None:
        self._wall = wall
        self._band = band
        self._ticks = self._right = 0
        self._sum = 0.0
        self._messages = self._right_messages = 0
        self._odometry = 0
        self._place = sequence_names().index(ODOMETRY)

    def observe(self, sample: TruthSample, record: TickRecord | None, following: bool) -> None:
        """Look at one tick; ``following`` is whether the robot follows the wall."""
        distance = self._wall(sample.pose.x, sample.pose.y)
        self._ticks += 1
        self._sum += distance
        self._right += self._band.has(distance)
        if record is None or record.sequences[self._place] == self._odometry:
            return
        self._odometry = record.sequences[self._place]
        ray = record.blackboard.get(NEAREST_RAY)
        if following and isinstance(ray, NearestRay) and ray.distance is not None:
            self._messages += 1
            self._right_messages += self._band.has(ray.distance)

    def values(self) -> dict[str, Value]:
        """Return the shares, but none by rays that say nothing of the wall; None where nothing was measured.

        A share of a wall that nobody knows is None, too.
        """
        messages = self._messages
        # Where no wall is known, each distance is infinite.
        ticks = self._ticks if math.isfinite(self._sum) else 0
        values: dict[str, Value] = {"correct_distance_share": self._right / ticks if ticks else None}
        if self._band.by_rays:
            values["odometry_correct_distance_share"] = self._right_messages / messages if messages else None
        values["wall_distance_m"] = self._sum / ticks if ticks else None
        return values


class HeadingObserver:
    """Measures how much a robot turns, and how much of that is ripple about its mean over a while.

    Args:
        window_s: over which the mean is taken, s
        step_s: between two observations, s
    """

    def __init__(self, window_s: float, step_s: float) -> None:
        size = max(1, round(window_s / step_s))
        # Odd, so that one rate is in the middle.
        self._window: deque[float] = deque(maxlen=size + 1 - size % 2)
        self._sum = self._squares = self._ripple = 0.0
        self._count = self._rippled = 0

    def observe(self, rate: float) -> None:
        """Take a true yaw rate, rad/s."""
        window = self._window
        if len(window) == window.maxlen:
            self._sum -= window[0]
        window.append(rate)
        self._sum += rate
        self._squares += rate * rate
        self._count += 1
        if len(window) == window.maxlen:
            off = window[len(window) // 2] - self._sum / len(window)
            self._ripple += off * off
            self._rippled += 1

    def values(self) -> dict[str, Value]:
        """Return the root mean squares, rad/s; None where nothing was measured."""
        return {
            "heading_rate_rms": math.sqrt(self._squares / self._count) if self._count else None,
            "heading_ripple_rms": math.sqrt(self._ripple / self._rippled) if self._rippled else None,
        }


class StuckObserver:
    """Counts how often a robot stays within its own radius of a place for some seconds.

    Attributes:
        count: times so far

    Args:
        radius: of the robot, m
    """

    def __init__(self, radius: float) -> None:
        self.count = 0
        self._radius = radius
        self._place: tuple[float, float] | None = None
        self._since = 0
        self._stuck = False

    def observe(self, sample: TruthSample) -> None:
        """Look where it is."""
        pose = sample.pose
        if self._place is None or pose.distance_to(*self._place) > self._radius:
            self._place, self._since, self._stuck = (pose.x, pose.y), sample.now, False
        elif not self._stuck and sample.now - self._since >= _STUCK:
            self._stuck = True
            self.count += 1


class GateObserver:
    """Counts in how many ticks the gate took away something of a motion that was commanded.

    Attributes:
        ticks: with a motion commanded
        gated: of those, in which the gate took something away
    """

    def __init__(self) -> None:
        self.ticks = 0
        self.gated = 0

    def observe(self, record: TickRecord) -> None:
        """Look at one tick."""
        if record.command is None or record.command == ZERO:
            return
        self.ticks += 1
        self.gated += any(reason != GateReason.NO_COMMAND for reason in record.reasons)

    @property
    def share(self) -> float | None:
        """Share of the ticks; None where no motion was commanded."""
        return self.gated / self.ticks if self.ticks else None
