"""Which message of a sender counts: the one of the highest number, until that sender has been silent for a while."""

from __future__ import annotations

from arena_trees.robot.clock import from_seconds

__all__ = ["SILENT_AFTER", "counts_after", "is_silent"]

SILENT_AFTER = from_seconds(10.0)
"""A sender that has sent nothing for longer (ns) may begin anew at any number.

Numbers keep old messages out that come late, twice, or are played back. Whoever forges one message of the highest
number would keep the sender itself out, too, and for ever: so a number counts no longer than this. Messages of a sender
that sends more often than that cannot be played back at all; of one that is silent for longer, they can.
"""


def is_silent(received: int, now: int) -> bool:
    """Return whether a sender last received from at an instant (ns) is silent by now, as where the clock went back."""
    return not 0 <= now - received <= SILENT_AFTER


def counts_after(number: tuple[int, ...], last: tuple[int, ...], received: int, now: int) -> bool:
    """Return whether a message counts after another one of its sender.

    Args:
        number: epoch and sequence, or epoch alone
        last: the same, of the message that counts so far
        received: when that came, ns
        now: ns
    """
    return number > last or is_silent(received, now)
