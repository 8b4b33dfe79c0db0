"""What a leaf of PacMan has asked its planner for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arena_trees.robot.background import Reply
from arena_trees.robot.clock import from_seconds

__all__ = ["PlanRequest"]


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """A call of the planner in the background.

    Attributes:
        reply: of the planner
        asked_at: when it was asked, ns
        delay: time after which the reply takes effect, s; later where it takes longer
    """

    reply: Reply
    asked_at: int
    delay: float

    def is_ready(self, now: int) -> bool:
        """Return whether the reply takes effect at an instant, ns."""
        return now - self.asked_at >= from_seconds(self.delay) and self.reply.is_done()

    def value(self) -> Any:
        """Return what the planner replied.

        Raises:
            Exception: what it raised
        """
        return self.reply.value()
