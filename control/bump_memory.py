"""Bump memory: what a robot has run into and does not see, from its bumper and its odometry."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from arena_trees.robot.clock import from_seconds
from arena_trees.robot.geometry import Disc, Pose2D
from arena_trees.robot.percepts import BUMPER_ZONES

__all__ = ["BumpMemory"]

_DIRECTIONS = {zone: math.radians(36.0 * number - 72.0) for number, zone in enumerate(BUMPER_ZONES)}
"""Directions of the middles of the bumper's zones, rad, base_link."""
_SAME_PLACE = 0.35
"""Bumps so near to each other are into the same thing, m."""
_AGAIN_NS = from_seconds(1.0)
"""A bumper that stays pressed for so long has met the thing once more."""


@dataclass(frozen=True, slots=True)
class _Bump:
    at: int
    x: float
    y: float
    count: int


class BumpMemory:
    """Remembers where the bumper was pressed; a place where it was pressed twice has an obstacle on it.

    Args:
        hull: radius of the robot, m
        radius: of what it runs into, m
        keep: time after the newest bump into it for which an obstacle is believed, s
    """

    def __init__(self, hull: float, radius: float, keep: float) -> None:
        self.hull = hull
        self.radius = radius
        self._keep = from_seconds(keep)
        self._bumps: list[_Bump] = []
        self._since: int | None = None

    def feel(self, now: int, pressed: Iterable[str], pose: Pose2D) -> bool:
        """Take in the bumper's zones, and return whether they tell of a new bump.

        Args:
            now: ns
            pressed: zones, as :class:`~arena_trees.robot.percepts.Bumpers` has them
            pose: of base_link in a frame that does not jump, such as odom
        """
        self._bumps = [bump for bump in self._bumps if 0 <= now - bump.at <= self._keep]
        zones = tuple(pressed)
        if not zones:
            self._since = None
            return False
        if self._since is not None and 0 <= now - self._since < _AGAIN_NS:
            return False
        self._since = now
        # Zones that are not of a Create 3 are ahead.
        angles = [_DIRECTIONS.get(zone, 0.0) for zone in zones]
        towards = pose.yaw + sum(angles) / len(angles)
        away = self.hull + self.radius
        x, y = pose.x + away * math.cos(towards), pose.y + away * math.sin(towards)
        near = [bump for bump in self._bumps if math.hypot(bump.x - x, bump.y - y) <= _SAME_PLACE]
        self._bumps = [bump for bump in self._bumps if bump not in near]
        self._bumps.append(_Bump(now, x, y, 1 + max((bump.count for bump in near), default=0)))
        return True

    def obstacles(self, pose: Pose2D) -> tuple[Disc, ...]:
        """Return what was run into at least twice, in base_link of a robot at a pose."""
        met = ((bump.x, bump.y, self.radius) for bump in self._bumps if bump.count >= 2)
        return tuple(map(pose.relative_disc, met))
