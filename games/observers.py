"""Observers: count, tick by tick and by the arena's truth, what a trial is judged by."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import Tracking
from arena_trees.robot.record import TickRecord

__all__ = [
    "BreachObserver",
    "ChaseObserver",
    "ContactObserver",
    "StillnessObserver",
    "encloses",
]

STILL_LINEAR = 0.01
"""A robot stands still below this speed, m/s."""
STILL_ANGULAR = 0.02
"""A robot stands still below this yaw rate, rad/s."""
EPISODE_GAP_S = 0.5
"""Two touches of one pair less than this apart are one contact: a hull bounces."""


def encloses(polygon: Sequence[tuple[float, float]], x: float, y: float) -> bool:
    """Return whether a point lies inside a polygon (crossing number; points in order, last joined to first)."""
    inside = False
    x1, y1 = polygon[-1]
    for x2, y2 in polygon:
        if (y1 > y) is not (y2 > y) and x < x1 + (y - y1) * (x2 - x1) / (y2 - y1):
            inside = not inside
        x1, y1 = x2, y2
    return inside


class BreachObserver:
    """Counts how often a robot's centre leaves its polygon; a start outside counts for none.

    Attributes:
        breaches: times it left
        outside_s: time spent outside, s
    """

    def __init__(self, polygon: Sequence[tuple[float, float]], tick_s: float) -> None:
        self.breaches = 0
        self.outside_s = 0.0
        self._polygon = tuple(polygon)
        self._tick_s = tick_s
        self._inside = False

    def observe(self, pose: Pose2D) -> None:
        """Look at one tick's true pose."""
        inside = encloses(self._polygon, pose.x, pose.y)
        if self._inside and not inside:
            self.breaches += 1
        if not inside:
            self.outside_s += self._tick_s
        self._inside = inside


class ContactObserver:
    """Counts contact episodes: of robots with walls and boxes, and of robots with each other.

    Attributes:
        collisions: episodes of a robot with a wall or a box
        robot_contacts: episodes of two robots
        first: instant (ns) and pair of the first episode, or None
    """

    def __init__(self, robots: Iterable[str]) -> None:
        self.collisions = 0
        self.robot_contacts = 0
        self.first: tuple[int, tuple[str, str]] | None = None
        self._robots = frozenset(robots)
        self._last: dict[tuple[str, str], int] = {}
        self._gap = from_seconds(EPISODE_GAP_S)

    def observe(self, now: int, pairs: Iterable[tuple[str, str]]) -> None:
        """Look at one tick's touching pairs of names, of which at least one is a robot's."""
        for first, second in pairs:
            pair = (first, second) if first <= second else (second, first)
            last = self._last.get(pair)
            self._last[pair] = now
            if last is not None and now - last < self._gap:
                continue
            if self._robots.issuperset(pair):
                self.robot_contacts += 1
            else:
                self.collisions += 1
            if self.first is None:
                self.first = (now, pair)


class StillnessObserver:
    """Measures how long after an event all robots stand still, and stay so.

    Args:
        event: instant of the event, ns
    """

    def __init__(self, event: int) -> None:
        self._event = event
        self._moving = event
        self._seen = event
        self._still = False

    def observe(self, now: int, twists: Iterable[Twist2D]) -> None:
        """Look at one tick's true twists."""
        self._seen = now
        self._still = all(abs(twist.linear) < STILL_LINEAR and abs(twist.angular) < STILL_ANGULAR for twist in twists)
        if not self._still:
            self._moving = now

    @property
    def delay_s(self) -> float | None:
        """Time (s) from the event to the last tick in which one moved; None if one still moves."""
        return to_seconds(self._moving - self._event) if self._still else None


class ChaseObserver:
    """Compares what a chase believes of its target's column with where the target is.

    A tick of chase is one whose record holds a tracking in the given state. Errors are in half
    images. The truth is the camera's noise-free projection at the true poses of this very tick, so
    that latency counts as error. Ticks in which the target is not in front of the camera have no
    true column; they are counted apart.

    Args:
        column: returns the target's true column (px) now, or None if it is not in front of the camera
        chasing: states of :class:`~arena_trees.robot.percepts.Tracking` that are a chase

    Attributes:
        ticks: ticks of chase with a true column
        hidden_ticks: ticks of chase without
        filtered_sum: sum of the errors of the column that is steered by
        raw_sum: sum of the errors of the newest measured column
        outside_ticks: those of the ticks in which the true column lies outside the image
        deadband_ticks: ticks of chase in which the aim was within the deadband
        lost: chases that ended because the target was lost, as the chase's cue LOST says
    """

    def __init__(
        self,
        column: Callable[[], float | None],
        chasing: Iterable[str] = ("chase",),
    ) -> None:
        self.ticks = 0
        self.hidden_ticks = 0
        self.filtered_sum = 0.0
        self.raw_sum = 0.0
        self.outside_ticks = 0
        self.deadband_ticks = 0
        self.lost = 0
        self._column = column
        self._chasing = frozenset(chasing)

    def observe(self, record: TickRecord) -> None:
        """Look at one tick of the chaser; to be called before the arena moves on."""
        self.lost += record.cues.count("LOST")
        tracking = record.tracking
        if tracking is not None and tracking.state in self._chasing:
            self._measure(tracking)

    def _measure(self, tracking: Tracking) -> None:
        self.deadband_ticks += tracking.in_deadband
        column = self._column()
        if column is None or not math.isfinite(column):
            self.hidden_ticks += 1
            return
        half = tracking.image_width / 2.0
        self.ticks += 1
        self.outside_ticks += not 0.0 <= column <= tracking.image_width
        self.filtered_sum += abs(tracking.predicted_px - column) / half
        self.raw_sum += abs(tracking.raw_px - column) / half
