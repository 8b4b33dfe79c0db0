"""A record of the velocities that came on ``cmd_vel``."""

import itertools
from dataclasses import dataclass

MS = 1_000_000


@dataclass(frozen=True, slots=True)
class Sent:
    """A velocity as it came on ``cmd_vel``: stamp of its sender (ns, 0 without), m/s, rad/s, its sender's number."""

    stamp: int
    linear: float
    angular: float
    number: int

    @property
    def is_zero(self) -> bool:
        """Whether the robot shall stand."""
        return self.linear == 0.0 and self.angular == 0.0


class Record(list[Sent]):
    """Velocities in the order of their arrival."""

    def alternates(self, count: int) -> bool:
        """Return whether the last so many came from two publishers: one counts lower than the other."""
        return sum(later.number < earlier.number for earlier, later in itertools.pairwise(self[-count:])) > count // 5

    def stands(self, count: int) -> bool:
        """Return whether each of the last so many was zero."""
        return len(self) >= count and all(sent.is_zero for sent in self[-count:])

    def zeros(self, since: int) -> int:
        """Return how many zeros have been sent since a stamp (ns)."""
        return sum(sent.is_zero and sent.stamp >= since for sent in self[-200:])

    def moves(self, since: int) -> int:
        """Return how many velocities but zero have been sent since a stamp (ns)."""
        return sum(not sent.is_zero and sent.stamp >= since for sent in self)

    def time_to_zero(self, since: int) -> float:
        """Return the time (ms) from a stamp (ns) to the first of the zeros that have been sent without a break."""
        first = next(n for n in range(len(self), 0, -1) if not self[n - 1].is_zero)
        return (self[first].stamp - since) / MS
