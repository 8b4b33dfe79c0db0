"""Sight: whether what a limit sees by is fresh enough to move by, and what it showed last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from arena_trees.robot.clock import from_seconds
from arena_trees.robot.quick_init import quick_init

__all__ = ["Sight", "fresh_since"]

ShownT = TypeVar("ShownT")


@quick_init
@dataclass(frozen=True, slots=True, eq=False)
class Sight(Generic[ShownT]):
    """What a limit remembers of the sensor that it sees by.

    Attributes:
        since: since when (ns) the sensor's messages have been fresh, or None
        blind: why the robot must stand, or None
        shown: what the newest message showed; None before the first
    """

    since: int | None
    blind: str | None
    shown: ShownT | None


def fresh_since(since: int | None, age: int, now: int, timeout: float, recovery: float) -> tuple[int | None, bool]:
    """Return since when (ns) messages have been fresh, or None, and whether that is long enough to move.

    Args:
        since: of the step before
        age: of the newest message, ns; one from the future has none
        now: ns
        timeout: age above which a message is stale, s
        recovery: how long messages must have been fresh, s
    """
    if not 0 <= age <= from_seconds(timeout):
        return None, False
    if since is None or since > now:
        since = now
    return since, now - since >= from_seconds(recovery)
