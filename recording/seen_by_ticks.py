"""When a tree first had each message of a sensor: by its ticks, which count the messages that it had."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from arena_trees.recording.traces.tick import Tick
from arena_trees.robot.clock import SECOND
from arena_trees.robot.percepts import sequence_names

__all__ = ["seen_by_ticks"]

_FARTHEST = SECOND // 5
"""A message that was recorded so long (ns) before or after a tick is as good as any that is still farther."""
_NEAR = SECOND // 20
"""Or so far (ns), of a sensor that sends more often than that: what it costs is counted in the sensor's period."""
_LOST = 6.0
"""What it costs to suppose that a message was lost on one of the two ways, in messages that are one period off."""
_OFFSETS = 30
"""Messages more or fewer that the recorder may have lost than the tree."""


def seen_by_ticks(sensor: str, arrivals: Sequence[int], ticks: Sequence[Tick]) -> list[int]:
    """Return when a tree first had each message that somebody else has recorded (ns).

    A recorder receives a message a little earlier or later than the tree, so that a tick may seem to have had a message
    that came too late for it. A tick has the number of the newest message that the tree had of each sensor. By how much
    these numbers are ahead of the recorder's is the same for all messages, but where one was lost on one of the two
    ways: of all such series of offsets the one is taken by which messages were recorded nearest to the ticks that first
    had them (A. Viterbi's algorithm, 1967). Messages that belong to no tick keep their arrivals.

    Args:
        sensor: its name among :func:`~arena_trees.robot.percepts.sequence_names`
        arrivals: of its messages at the recorder, in their order, ns, by the ticks' clock
        ticks: of the tree, in their order
    """
    seen = list(arrivals)
    grown = _grown(sequence_names().index(sensor), ticks)
    if len(grown) < 2 or len(arrivals) < 2:
        return seen
    instants, numbers, before = (np.array(column, dtype=np.int64) for column in zip(*grown, strict=True))
    places = _places(np.asarray(arrivals, dtype=np.int64), instants, numbers)
    # What the tree had before the first of these ticks, it had before its own first tick.
    first = int(places[0] - numbers[0] + before[0]) + 1
    if before[0] == 0:
        # The tree had received none: what the recorder had already never reached it.
        first = max(first, 0)
        seen[:first] = [max(arrival, int(instants[0])) for arrival in seen[:first]]
    for place, instant in zip(places.tolist(), instants.tolist(), strict=True):
        for number in range(max(first, 0), min(place + 1, len(seen))):
            if abs(arrivals[number] - instant) <= _FARTHEST:
                seen[number] = instant
        first = max(first, place + 1)
    return seen


def _grown(place: int, ticks: Sequence[Tick]) -> list[tuple[int, int, int]]:
    """Return the instant (ns) of each tick that had a new message, that message's number, and the one before."""
    return [
        (after.now, after.sequences[place], before.sequences[place])
        for before, after in pairwise(ticks)
        if after.number == before.number + 1
        and len(before.sequences) == len(after.sequences) > place
        and after.sequences[place] > before.sequences[place]
    ]


def _places(arrivals: NDArray[np.int64], instants: NDArray[np.int64], numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the place among the arrivals of the message that each tick had last; it may lie outside."""
    nearest = np.clip(np.searchsorted(arrivals, instants, side="right") - 1, 0, len(arrivals) - 1)
    middle = int(np.median(numbers - nearest))
    offsets = middle + np.arange(-_OFFSETS, _OFFSETS + 1)
    places = numbers[:, None] - offsets
    inside = (places >= 0) & (places < len(arrivals))
    away = np.abs(arrivals[np.clip(places, 0, len(arrivals) - 1)] - instants[:, None])
    period = max(_NEAR, float(np.median(np.diff(arrivals))))
    costs = np.where(inside, np.minimum(away / period, 1.0), 1.0)
    total = costs[0]
    came_from = np.zeros(costs.shape, dtype=np.int64)
    own = np.arange(len(offsets))
    for step in range(1, len(costs)):
        best = int(np.argmin(total))
        changes = total[best] + _LOST < total
        came_from[step] = np.where(changes, best, own)
        total = np.where(changes, total[best] + _LOST, total) + costs[step]
    chosen = np.empty(len(costs), dtype=np.int64)
    chosen[-1] = int(np.argmin(total))
    for step in range(len(costs) - 1, 0, -1):
        chosen[step - 1] = came_from[step][chosen[step]]
    return np.asarray(numbers - offsets[chosen], dtype=np.int64)
