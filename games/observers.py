"""Observers: count, tick by tick and by the truth, what trials of several games are judged by."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from arena_trees.games.metrics import Value
from arena_trees.games.truth import Truth
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import Tracking
from arena_trees.robot.record import TickRecord

__all__ = [
    "BreachObserver",
    "ContactObserver",
    "Episodes",
    "SignChaseObserver",
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
    """Return whether a point lies inside a polygon (even-odd rule; points in order, last joined to first)."""
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

    def __init__(self, polygon: Sequence[tuple[float, float]]) -> None:
        self.breaches = 0
        self.outside_s = 0.0
        self._polygon = tuple(polygon)
        self._inside = False

    def observe(self, pose: Pose2D, elapsed_s: float) -> None:
        """Look at a true pose, that holds for a time (s)."""
        inside = encloses(self._polygon, pose.x, pose.y)
        if self._inside and not inside:
            self.breaches += 1
        if not inside:
            self.outside_s += elapsed_s
        self._inside = inside


class Episodes:
    """Decides whether a touch begins a contact: touches less than ``EPISODE_GAP_S`` apart are one."""

    def __init__(self) -> None:
        self._last: dict[tuple[str, str], int] = {}
        self._gap = from_seconds(EPISODE_GAP_S)

    def begins(self, pair: tuple[str, str], now: int) -> bool:
        """Return whether a pair that touches now (ns) did not touch shortly before."""
        last = self._last.get(pair)
        self._last[pair] = now
        return last is None or now - last >= self._gap


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
        self._episodes = Episodes()

    def observe(self, now: int, pairs: Iterable[tuple[str, str]]) -> None:
        """Look at one tick's touching pairs of names, of which at least one is a robot's."""
        for first, second in pairs:
            pair = (first, second) if first <= second else (second, first)
            if not self._episodes.begins(pair, now):
                continue
            if self._robots.issuperset(pair):
                self.robot_contacts += 1
            else:
                self.collisions += 1
            if self.first is None:
                self.first = (now, pair)

    def observe_truth(self, now: int, truth: Truth) -> None:
        """Look at one tick's truth (ns)."""
        for name, sample in truth.items():
            if sample.contacts:
                self.observe(now, ((name, other) for other in sorted(sample.contacts)))

    def values(self) -> dict[str, Value]:
        """Return the numbers of episodes as values of a trial."""
        return {"collisions": self.collisions, "robot_contacts": self.robot_contacts}


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


class SignChaseObserver:
    """Compares what a chase believes of its target's column with where the target is.

    A tick of chase is one whose record holds a tracking in the given state. Errors are in half
    images. The truth is the camera's noise-free projection at the true poses of this very tick, so
    that latency counts as error. Ticks in which the target is not in front of the camera have no
    true column; they are counted apart.

    Args:
        chasing: states of :class:`~arena_trees.robot.percepts.Tracking` that are a chase

    Attributes:
        ticks: ticks of chase with a true column
        hidden_ticks: ticks of chase without
        filtered_sum: sum of the errors of the column that is steered by
        raw_sum: sum of the errors of the newest measured column
        outside_ticks: those of the ticks in which the true column lies outside the image
        deadband_ticks: ticks of chase in which the aim was within the deadband
        lost: chases that ended because the target was lost, as the chase's cue LOST reports
    """

    def __init__(self, chasing: Iterable[str] = ("chase",)) -> None:
        self.ticks = 0
        self.hidden_ticks = 0
        self.filtered_sum = 0.0
        self.raw_sum = 0.0
        self.outside_ticks = 0
        self.deadband_ticks = 0
        self.lost = 0
        self._chasing = frozenset(chasing)

    def observe(self, record: TickRecord, column: Callable[[], float | None] | None) -> None:
        """Look at one tick of the robot that chases.

        Args:
            record: of the tick
            column: returns the target's true column (px) now, or None if it is not in front of the camera; None where
                nobody knows where the two are, and the tick says nothing of the chase
        """
        self.lost += record.cues.count("LOST")
        tracking = record.tracking
        if column is not None and tracking is not None and tracking.state in self._chasing:
            self._measure(tracking, column())

    def _measure(self, tracking: Tracking, column: float | None) -> None:
        self.deadband_ticks += tracking.in_deadband
        if column is None or not math.isfinite(column):
            self.hidden_ticks += 1
            return
        half = tracking.image_width / 2.0
        self.ticks += 1
        self.outside_ticks += not 0.0 <= column <= tracking.image_width
        self.filtered_sum += abs(tracking.predicted_px - column) / half
        self.raw_sum += abs(tracking.raw_px - column) / half

    def values(self) -> dict[str, Value]:
        """Return the quality of the chase as values of a trial; None where nothing was measured."""
        ticks, every = self.ticks, self.ticks + self.hidden_ticks
        return {
            "chase_ticks": ticks,
            "all_chase_ticks": every,
            "tracking_error_filtered": self.filtered_sum / ticks if ticks else None,
            "tracking_error_raw": self.raw_sum / ticks if ticks else None,
            "deadband_share": self.deadband_ticks / every if every else None,
            "outside_image_share": self.outside_ticks / ticks if ticks else None,
            "hidden_share": self.hidden_ticks / every if every else None,
            "lost_events": self.lost,
        }
