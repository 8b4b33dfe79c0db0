"""The roles of a crossing, and who has which."""

from __future__ import annotations

from collections.abc import Mapping

from arena_trees.games.game import Player

__all__ = ["CROSSER", "TRESPASSER", "crossers"]

CROSSER = "crosser"
"""Crosses as the scheduler lets it."""

TRESPASSER = "trespasser"
"""Crosses, and heeds no scheduler."""


def crossers(players: Mapping[str, Player]) -> list[str]:
    """Return the names of the robots that heed the scheduler, in their order."""
    return [name for name, player in players.items() if player.role != TRESPASSER]
