"""How long those who wait at a crossing will have to, and whom it would hold up to let one go past them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from arena_trees.games.crossroads.layout.plan import CrossingPlan
from arena_trees.games.crossroads.layout.words import Key
from arena_trees.games.crossroads.messages import Stage
from arena_trees.games.crossroads.scheduling.protocol import ProtocolParameters
from arena_trees.games.crossroads.scheduling.robot_table import RequestRecord
from arena_trees.robot.clock import from_seconds, to_seconds

__all__ = ["Forecast", "follows_from"]

_START = 0.3
"""Lost by a robot that is let in: its answer's way, and gathering speed, s."""


def follows_from(plan: CrossingPlan, one: Key, other: Key) -> float:
    """Return the progress (m) of one inside from which on the other may come behind it.

    From the same side or into the same exit it need not be out of the way for good: the other one sees and follows it.
    """
    clear = plan.clear_from(one, other)
    ahead = plan.movements[one]
    if ahead.lane == plan.movements[other].lane:
        clear = min(clear, plan.parameters.follow_gap)
    if ahead.exit_lane == plan.movements[other].exit_lane:
        clear = min(clear, ahead.outside)
    return clear


@dataclass(slots=True)
class _Waiting:
    """One who waits: whether nobody may go past it, and in how many seconds nobody would be in its way."""

    entry: RequestRecord
    strict: bool
    free_in: float


class Forecast:
    """Goes through the queue of one instant, in order.

    Foreseen is what happens if nothing holds anybody up: those who hold the crossing drive at ``pace``, one that has
    fallen silent stays where it is, and those who wait go in order. It decides who goes past whom, nothing else: an
    error in it costs somebody time.

    Args:
        now: ns
        plan: of the crossing
        parameters: of the protocol
        holders: who hold the crossing
    """

    def __init__(
        self, now: int, plan: CrossingPlan, parameters: ProtocolParameters, holders: Iterable[RequestRecord]
    ) -> None:
        self._now = now
        self._plan = plan
        self._parameters = parameters
        self._holders = list(holders)
        self._waiting: list[_Waiting] = []

    def may_pass(self, entry: RequestRecord) -> bool:
        """Return whether one that can go may go past all who wait before it.

        It may where it is not in their way, or where it holds none of them up by more than is left of the
        ``courtesy`` and none of them is older than ``patience``.
        """
        return all(
            not waiting.strict and waiting.entry.held_up + self._delay(entry, waiting) <= self._parameters.courtesy
            for waiting in self._waiting
            if self._meet(entry, waiting.entry)
        )

    def go(self, entry: RequestRecord) -> None:
        """Note that one is let in, and by how much that holds up those whom it goes past."""
        for waiting in self._waiting:
            if self._meet(entry, waiting.entry):
                waiting.entry.held_up += self._delay(entry, waiting)
                waiting.free_in = max(waiting.free_in, self._time_until_clear(entry, waiting.entry.key))
        self._holders.append(entry)

    def wait(self, entry: RequestRecord, place: int) -> None:
        """Note that one has to wait; its place is an instant, ns."""
        key = entry.key
        free_in = max((self._time_until_clear(holder, key) for holder in self._holders), default=0.0)
        for waiting in self._waiting:
            if self._meet(waiting.entry, entry):
                free_in = max(free_in, waiting.free_in + self._time_until_clear(waiting.entry, key))
        # Whoever waits for one that will not move is held up by nobody else.
        old = self._now - place >= from_seconds(self._parameters.patience)
        self._waiting.append(_Waiting(entry, old and math.isfinite(free_in), free_in))

    def _meet(self, one: RequestRecord, other: RequestRecord) -> bool:
        return not self._plan.together(one.key, other.key)

    def _delay(self, entry: RequestRecord, waiting: _Waiting) -> float:
        """Return how much longer (s) somebody waits if the entry goes first."""
        until = self._time_until_clear(entry, waiting.entry.key)
        return max(0.0, until - waiting.free_in)

    def _time_until_clear(self, holder: RequestRecord, key: Key) -> float:
        """Return in how many seconds one is out of a movement's way, or ahead of it; inf where it does not move."""
        clear = follows_from(self._plan, holder.key, key)
        if holder.progress >= clear:
            return 0.0
        silent = self._now - holder.heard
        if silent > from_seconds(self._parameters.lease):
            return math.inf
        start = 0.0 if holder.claim.stage is Stage.PASSING else _START
        return max(0.0, (clear - holder.progress) / self._parameters.pace + start - to_seconds(silent))
