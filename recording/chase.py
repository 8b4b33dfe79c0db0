"""What a recording tells of a robot's chases: section 3.2 of document 000, and the losses of its section 3.4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena_trees.recording.tick import Tick
from arena_trees.robot.percepts import Tracking

__all__ = ["ChaseTable", "Loss", "chase_table"]

_LOST = "LOST"


@dataclass(frozen=True, slots=True)
class Loss:
    """The end of a chase because the target was lost.

    Attributes:
        now: the robot's clock, ns
        state: sub-state that the chase ended in
        leaf: what ran instead from then on
        tracking: what the chase knew last
    """

    now: int
    state: str
    leaf: str
    tracking: Tracking


@dataclass(frozen=True, slots=True)
class ChaseTable:
    """The table of section 3.2; errors in half images.

    Attributes:
        ticks: of chasing
        predicted_error: mean absolute error of the predicted column; None without a tick
        raw_error: mean absolute error of the measured column; None without a tick
        deadband_share: ticks with the predicted column within the deadband, of all; None without a tick
        losses: every one
    """

    ticks: int
    predicted_error: float | None
    raw_error: float | None
    deadband_share: float | None
    losses: tuple[Loss, ...]


def chase_table(ticks: Sequence[Tick]) -> ChaseTable:
    """Return the table of a robot's ticks."""
    chasing = [tick.tracking for tick in ticks if tick.tracking is not None]
    losses = []
    last: Tracking | None = None
    for tick in ticks:
        if _LOST in tick.cues and last is not None:
            losses.append(Loss(tick.now, last.state, tick.active, last))
        last = tick.tracking or last
    count = len(chasing)
    if not count:
        return ChaseTable(0, None, None, None, tuple(losses))
    raw = sum(abs(2.0 * tracking.raw_px / tracking.image_width - 1.0) for tracking in chasing)
    return ChaseTable(
        ticks=count,
        predicted_error=sum(abs(tracking.error) for tracking in chasing) / count,
        raw_error=raw / count,
        deadband_share=sum(tracking.in_deadband for tracking in chasing) / count,
        losses=tuple(losses),
    )
