"""Which message of a sender counts: the one of the highest number, until that sender has been silent for a while."""

from __future__ import annotations

from arena_trees.robot.clock import from_seconds

__all__ = ["SILENT_AFTER", "counts_after", "is_silent"]

SILENT_AFTER = from_seconds(10.0)
"""A sender that has said nothing for longer (ns) may begin anew at any number.

Numbers keep old messages out that come late, twice, or are played back. Whoever forges one message of the highest
number would keep the sender itself out, too, and for ever: so a number counts no longer than this. Messages of a sender
that speaks more often than that cannot be played back at all; of one that is silent for longer, they can.
"""


def is_silent(heard: int, now: int) -> bool:
    """Return whether one who was heard last at an instant (ns) is silent by now; so it is where the clock went back."""
    return not 0 <= now - heard <= SILENT_AFTER


def counts_after(number: tuple[int, ...], last: tuple[int, ...], heard: int, now: int) -> bool:
    """Return whether a message counts after another one of its sender.

    Args:
        number: epoch and sequence, or epoch alone
        last: the same, of the message that counts so far
        heard: when that came, ns
        now: ns
    """
    return number > last or is_silent(heard, now)
