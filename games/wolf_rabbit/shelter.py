"""Shelter: the time for which a rabbit that came home cannot be caught there."""

from __future__ import annotations

from arena_trees.games.wolf_rabbit.rules import WolfRabbitRules
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.geometry import Pose2D

__all__ = ["Shelter"]


class Shelter:
    """Whether the rabbit is safe. Home is where it is seen first in a round; there it is safe only after it was away.

    Args:
        rules: of the game
    """

    def __init__(self, rules: WolfRabbitRules) -> None:
        self._radius = rules.home_radius
        self._safe, self._again = from_seconds(rules.home_safe_s), from_seconds(rules.home_again_s)
        self.begin()

    def begin(self) -> None:
        """Forget a round."""
        self._home: Pose2D | None = None
        self._away_since: int | None = None
        self._came: int | None = None

    def observe(self, now: int, rabbit: Pose2D) -> None:
        """Look at where the rabbit is, map frame, at an instant (ns)."""
        if self._home is None:
            self._home = rabbit
        if self._home.distance_to(rabbit.x, rabbit.y) > self._radius:
            self._away_since = now if self._away_since is None else self._away_since
            return
        if self._away_since is not None and now - self._away_since >= self._again:
            self._came = now
        self._away_since = None

    def safe(self, now: int) -> bool:
        """Return whether the rabbit is at home, and came there not longer ago (ns) than it is safe for."""
        came = self._came
        return self._away_since is None and came is not None and 0 <= now - came < self._safe
