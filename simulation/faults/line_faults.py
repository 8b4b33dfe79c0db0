"""Faults of the lines between robots: what becomes of a message on its way."""

from __future__ import annotations

from collections.abc import Sequence

from arena_trees.robot.clock import from_seconds
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.simulation.faults.fault import Fault

__all__ = ["LineFaults"]

_HELD_S = 0.5
"""Longest time by which a message is late that others overtake, and by which a second copy comes later."""


class LineFaults:
    """Loses, doubles, delays and reorders messages to and from robots whose line is faulty.

    Args:
        faults: of all robots; those of other parts are left alone
        streams: the trial's random streams; only ``faults.line`` is used
    """

    def __init__(self, faults: Sequence[Fault], streams: RandomStreams) -> None:
        self._faults = [fault for fault in faults if fault.part == "line"]
        self._random = streams.child("faults").generator("line")

    def __bool__(self) -> bool:
        """Return whether any line is ever faulty."""
        return bool(self._faults)

    def __call__(self, message: Message, receiver: str, arrivals: Sequence[int]) -> Sequence[int]:
        """Return when copies of a message arrive (ns).

        Args:
            message: that is sent now, by the stamp in it
            receiver: of it
            arrivals: when its copies would arrive on a healthy line, ns
        """
        for fault in self._faults:
            if fault.robot in (message.sender, receiver) and fault.acts(message.stamp):
                arrivals = self._disturbed(fault, arrivals)
        return arrivals

    def _disturbed(self, fault: Fault, arrivals: Sequence[int]) -> Sequence[int]:
        if fault.kind in ("silent", "intermittent"):
            return ()
        if fault.kind == "delayed":
            return [arrival + from_seconds(fault.delay_s) for arrival in arrivals]
        if fault.kind == "flood":
            return [arrival for arrival in arrivals for _ in range(fault.times)]
        changed: list[int] = []
        for arrival in arrivals:
            # Two draws a message, always, so that the share of one kind does not shift what another one does.
            struck, held = self._random.random(2).tolist()
            later = arrival + from_seconds(held * _HELD_S)
            if struck >= fault.share:
                changed.append(arrival)
            elif fault.kind == "duplicated":
                changed += [arrival, later]
            elif fault.kind == "reordered":
                changed.append(later)
        return changed
