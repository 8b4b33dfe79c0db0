"""Track the robot ahead: which of several hulls is it, where is it now, and how fast does it go."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from arena_trees.control.hull_finder import Hull
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.geometry import Pose2D

__all__ = ["Leader", "LeaderTracker", "TrackerSettings"]


@dataclass(frozen=True, slots=True)
class TrackerSettings:
    """Numbers of the tracker.

    Attributes:
        speed: that no robot exceeds, m/s
        acceleration: of robots, root mean square, m/s^2
        gate: from where a hull is expected to where it is found, m
        moved: way from where it was first seen by which a hull proves that it is no wall, m; 0 asks for no proof
        hits: scans in which it was found before it is believed
        lost_s: time without being found after which it is given up, s
        coast_s: time without being found for which its place is still stated, s; never longer than it was seen before
    """

    speed: float
    acceleration: float
    gate: float
    moved: float
    hits: int = 3
    lost_s: float = 0.6
    coast_s: float = 0.3


@dataclass(slots=True)
class Leader:
    """One hull through time, in the odom frame.

    Attributes:
        x: of its centre at ``stamp``, m
        y: the same, m
        vx: velocity, m/s
        vy: the same, m/s
        stamp: of the newest scan in which it was found, ns
        hits: scans in which it was found
        first: where its centre was first found, m
        first_stamp: of that scan, ns
        proved: whether it has moved as no wall does
    """

    x: float
    y: float
    vx: float
    vy: float
    stamp: int
    hits: int
    first: tuple[float, float]
    first_stamp: int
    proved: bool = False

    def at(self, now: int) -> tuple[float, float]:
        """Return where its centre is expected at an instant (ns), m."""
        dt = to_seconds(now - self.stamp)
        return self.x + self.vx * dt, self.y + self.vy * dt

    @property
    def speed(self) -> float:
        """How fast it goes, m/s."""
        return math.hypot(self.vx, self.vy)


class LeaderTracker:
    """Follows all hulls that may be the leader, and believes the first one that proves to be a robot."""

    def __init__(self) -> None:
        self._hulls: list[Leader] = []
        self._leader: Leader | None = None

    def update(
        self, stamp: int, places: Sequence[tuple[float, float]], noises: Sequence[float], settings: TrackerSettings
    ) -> None:
        """Take the centres (m, odom frame) of all hulls of a scan, their deviations (m), and its stamp (ns)."""
        noise = dict(zip(places, noises, strict=True))
        left = list(noise)
        for hull in self._hulls:
            x, y = hull.at(stamp)
            reach = settings.gate + 0.5 * settings.speed * to_seconds(stamp - hull.stamp)
            found = min(left, key=lambda place: math.dist(place, (x, y)), default=None)
            if found is not None and math.dist(found, (x, y)) <= reach:
                left.remove(found)
                _correct(hull, stamp, found, noise[found], settings)
        self._hulls = [one for one in self._hulls if to_seconds(stamp - one.stamp) <= settings.lost_s]
        self._hulls += [Leader(x, y, 0.0, 0.0, stamp, 1, (x, y), stamp) for x, y in left]
        if self._leader not in self._hulls:
            self._leader = None
        if self._leader is None:
            proved = (one for one in self._hulls if one.proved and one.hits >= settings.hits)
            self._leader = max(proved, key=lambda one: one.hits, default=None)

    def observe(
        self, stamp: int, pose: Pose2D, hulls: Sequence[Hull], noises: Sequence[float], settings: TrackerSettings
    ) -> None:
        """Take the hulls of a scan as they were seen.

        Args:
            stamp: of the scan, ns
            pose: of the robot then, odom frame
            hulls: in base_link
            noises: deviation of each hull's centre, m
            settings: numbers of the tracker
        """
        places = [pose.compose(Pose2D(hull.x, hull.y)) for hull in hulls]
        self.update(stamp, [(place.x, place.y) for place in places], noises, settings)

    def leader(self, now: int, settings: TrackerSettings) -> Leader | None:
        """Return the leader that is believed at an instant (ns), or None."""
        leader = self._leader
        return leader if leader is not None and _is_stated(leader, now, settings) else None

    def moving(self, now: int, settings: TrackerSettings) -> list[Leader]:
        """Return all hulls that have proved to be robots and are believed at an instant (ns)."""
        proved = (one for one in self._hulls if one.proved and one.hits >= settings.hits)
        return [one for one in proved if _is_stated(one, now, settings)]


def _is_stated(hull: Leader, now: int, settings: TrackerSettings) -> bool:
    """Return whether a hull was found so lately that its place is still stated."""
    # A velocity of two or three scans is unreliable: far off, rays are as far apart as a hull is wide.
    coast = min(settings.coast_s, to_seconds(hull.stamp - hull.first_stamp))
    return to_seconds(now - hull.stamp) <= coast


def _correct(hull: Leader, stamp: int, place: tuple[float, float], noise: float, settings: TrackerSettings) -> None:
    """Correct a hull by where it was found in a scan, with the deviation of that (m)."""
    dt = to_seconds(stamp - hull.stamp)
    x, y = hull.at(stamp)
    dx, dy = place[0] - x, place[1] - y
    alpha, beta = _gains(settings.acceleration * dt * dt / noise)
    hull.x, hull.y = x + alpha * dx, y + alpha * dy
    if dt > 0.0:
        hull.vx += beta * dx / dt
        hull.vy += beta * dy / dt
    if hull.speed > settings.speed:
        share = settings.speed / hull.speed
        hull.vx, hull.vy = share * hull.vx, share * hull.vy
    hull.stamp = stamp
    hull.hits += 1
    hull.proved = hull.proved or math.dist((hull.x, hull.y), hull.first) >= settings.moved


def _gains(index: float) -> tuple[float, float]:
    """Return the gains of place and velocity of an alpha-beta filter for its tracking index (Kalata 1984)."""
    root = (4.0 + index - math.sqrt(8.0 * index + index * index)) / 4.0
    alpha = 1.0 - root * root
    return alpha, 2.0 * (2.0 - alpha) - 4.0 * root
