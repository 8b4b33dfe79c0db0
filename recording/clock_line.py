"""How the instants of one clock become those of another: an offset, and a rate where they do not run alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arena_trees.robot.clock import SECOND

__all__ = ["FOREIGN", "SAME", "ClockLine", "drift_of", "instant_of"]

_PARTS = 20
"""Of a recording, with as many messages each; of each part, the quickest message counts."""

FOREIGN = 2 * SECOND
"""A stamp that is farther (ns) from its arrival is another clock's."""

_CONFIDENCE = 0.99
_NOTICED = 0.05
"""Seconds by which clocks drift apart in a recording, at the least, where that is reported; stale is ten times that."""

_RATES = 0.1, 10.0
"""How many times as fast a clock may run; where it stands or goes back, no rate describes it."""


@dataclass(frozen=True, slots=True)
class ClockLine:
    """A straight line from the instants of one clock to those of another.

    Attributes:
        since: instant of the first clock, ns
        ahead: by how much the second clock is ahead of the first then, ns
        drift: by how much it goes ahead further, s in a second of the first clock
    """

    since: int = 0
    ahead: int = 0
    drift: float = 0.0

    def moved(self, instant: int) -> int:
        """Return an instant of the first clock (ns) on the second one (ns)."""
        return instant + self.ahead + round(self.drift * (instant - self.since))

    def back(self, instant: int) -> int:
        """Return an instant of the second clock (ns) on the first one (ns)."""
        return self.since + round((instant - self.ahead - self.since) / self.rate)

    @property
    def rate(self) -> float:
        """Seconds of the second clock in a second of the first."""
        return 1.0 + self.drift


SAME = ClockLine()
"""From a clock to itself."""


def instant_of(stamp: int, arrival: int) -> int:
    """Return when something was, on the clock of its arrival (ns): by its stamp, unless that is another clock's."""
    return stamp if abs(arrival - stamp) <= FOREIGN else arrival


def drift_of(instants: Sequence[int], delays: Sequence[int]) -> float:
    """Return by how much the delays of messages grow, s in a second; 0 where they can be taken for those of one clock.

    A message is late by any time, and never early: of each part of the recording only the quickest message is looked
    at. The slope through these is Theil's and Sen's, the median of the slopes of all pairs (P. K. Sen, Estimates of the
    Regression Coefficient Based on Kendall's Tau, 1968), which some wrong ones among them do not move far. It counts
    where the nearest bound of its interval (99 %) makes 0.05 s in the whole recording.

    Args:
        instants: of the messages by their sender's clock, ns, in the order in which they were received
        delays: what the receiver's clock showed then, less that, ns
    """
    if len(instants) < _PARTS:
        return 0.0
    # Less their first, for a float does not hold the nanoseconds since 1970.
    time, delay = (np.array([one - some[0] for one in some]) / SECOND for some in (instants, delays))
    parts = np.array_split(np.arange(len(time)), _PARTS)
    quickest = [part[np.argmin(delay[part])] for part in parts]
    early, late = np.percentile(time, (25, 75))
    # Half of the messages give the length, for some may have a stamp that is none.
    length = 2.0 * float(late - early)
    if length <= 0.0 or float(np.ptp(delay[quickest])) <= _NOTICED:
        return 0.0
    from scipy.stats import theilslopes

    slope, _, low, high = theilslopes(delay[quickest], time[quickest], _CONFIDENCE)
    surely = max(low, -high) * length > _NOTICED
    return float(slope) if surely and _RATES[0] <= 1.0 + slope <= _RATES[1] else 0.0
