"""Observer of a robot that follows another one: its gap, and whether it saw what it followed, by the truth."""

from __future__ import annotations

import math
from collections.abc import Mapping

from arena_trees.games.figures import Mark
from arena_trees.games.metrics import Value
from arena_trees.games.truth import Truth, TruthSample
from arena_trees.games.wall_following.blackboard import LeaderSighting
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.geometry import Pose2D
from arena_trees.world.line_of_sight import LineOfSight

__all__ = ["FollowObserver"]

_SETTLED = from_seconds(5.0)
"""Time from a chase's begin after which its gap counts, ns."""
_PATIENCE = from_seconds(0.5)
"""So long a chase may be interrupted, and a robot that is hidden be followed, before that counts, ns."""
_EYE = 0.19
"""Height of the LiDARs, m."""


class FollowObserver:
    """Watches one follower.

    A lock is false in which the robot that is nearest to the believed place has been hidden by a wall, all of its hull,
    for longer than half a second, or is farther from that place than its own diameter.

    Attributes:
        false_locks: so far
        occlusions: times that the nearest other robot was within reach and hidden, so far
        marks: where false locks began

    Args:
        name: of the follower
        others: radius of each other robot, m
        sight: past walls
        reach: to another robot's hull, within which the follower follows, m
    """

    def __init__(self, name: str, others: Mapping[str, float], sight: LineOfSight, reach: float) -> None:
        self.false_locks = 0
        self.occlusions = 0
        self.marks: list[Mark] = []
        self._name = name
        self._others = others
        self._sight = sight
        self._reach = reach
        self._ticks = self._chased = 0
        self._began: int | None = None
        self._chased_at = 0
        self._seen_at: dict[str, int] = {}
        self._false = False
        self._hidden = False
        self._gaps = 0.0
        self._gap_ticks = 0

    def observe(self, now: int, truth: Truth, sighting: LeaderSighting | None) -> None:
        """Look at a tick (ns), with what the follower follows in it, or None."""
        own = truth.get(self._name)
        there = {name: truth[name] for name in self._others if name in truth}
        if own is None or not there:
            return
        self._ticks += 1
        clear = {name: self._clear(own, other) for name, other in there.items()}
        for name, seen in clear.items():
            if seen or name not in self._seen_at:
                self._seen_at[name] = now
        nearest = min(there, key=lambda name: self._gap(own, there[name]))
        hidden = not clear[nearest] and self._gap(own, there[nearest]) <= self._reach
        self.occlusions += hidden and not self._hidden
        self._hidden = hidden
        if sighting is None:
            self._false = False
            return
        self._chased += 1
        if self._began is None or now - self._chased_at > _PATIENCE:
            self._began = now
        self._chased_at = now
        place = own.pose.compose(Pose2D(sighting.x, sighting.y))
        followed = min(there, key=lambda name: there[name].pose.distance_to(place.x, place.y))
        off = there[followed].pose.distance_to(place.x, place.y) > 2.0 * self._others[followed]
        false = off or now - self._seen_at[followed] > _PATIENCE
        if false and not self._false:
            self.false_locks += 1
            self.marks.append(Mark(to_seconds(now), own.pose.x, own.pose.y, f"{self._name}: false lock", "#c8401f"))
        self._false = false
        if now - self._began >= _SETTLED:
            self._gaps += self._gap(own, there[followed])
            self._gap_ticks += 1

    def values(self) -> dict[str, Value]:
        """Return what was measured."""
        return {
            "gap_m": self._gaps / self._gap_ticks if self._gap_ticks else None,
            "chase_share": self._chased / self._ticks if self._ticks else None,
            "false_locks": self.false_locks,
            "occlusions": self.occlusions,
        }

    def _gap(self, own: TruthSample, other: TruthSample) -> float:
        return own.pose.distance_to(other.pose.x, other.pose.y) - self._others[other.robot]

    def _clear(self, own: TruthSample, other: TruthSample) -> bool:
        """Return whether the middle or an edge of a hull can be seen."""
        away = own.pose.distance_to(other.pose.x, other.pose.y)
        radius = min(self._others[other.robot], 0.99 * away)
        bearing = math.atan2(other.pose.y - own.pose.y, other.pose.x - own.pose.x)
        half = math.asin(radius / away) if away > 0.0 else 0.0
        start = own.pose.x, own.pose.y, _EYE
        for off, far in ((0.0, away - radius), (half, away * math.cos(half)), (-half, away * math.cos(half))):
            end = own.pose.x + far * math.cos(bearing + off), own.pose.y + far * math.sin(bearing + off), _EYE
            if self._sight.clear(start, end):
                return True
        return False
