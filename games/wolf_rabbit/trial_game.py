"""Wolf and rabbit in a trial: the referee on the bus, and the judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from arena_trees.games.wolf_rabbit.judge import Judge
from arena_trees.games.wolf_rabbit.referee import GAME_TOPIC, Outcome, Referee
from arena_trees.robot.message_bus import BusPort, MessageBus
from arena_trees.robot.messages import Message
from arena_trees.robot.record import TickRecord
from arena_trees.simulation.arena import Arena
from arena_trees.simulation.plan import TrialPlan
from arena_trees.simulation.results import TrialResult

__all__ = ["WolfRabbit"]

_REFEREE = "referee"


class WolfRabbit:
    """The game of document 000; implements :class:`~arena_trees.simulation.game.TrialGame`.

    Args:
        plan: what is played
        arena: where
        bus: line between the robots; None in an isolated game

    Attributes:
        judge: counts what the trial is judged by
        referee: None in an isolated game, or where wolf and rabbit are not both there
    """

    def __init__(self, plan: TrialPlan, arena: Arena, bus: MessageBus | None) -> None:
        self.judge = Judge(plan, arena)
        self.referee: Referee | None = None
        self._port: BusPort | None = None
        wolf, rabbit = plan.with_role("wolf"), plan.with_role("rabbit")
        if bus is not None and wolf is not None and rabbit is not None:
            rules = plan.scenario.referee.with_changes({"round_duration": plan.scenario.duration_s})
            self.referee, self._port = Referee(wolf, rabbit, self.judge, rules), bus.port(_REFEREE)

    @property
    def outcome(self) -> str:
        """Caught, survived, aborted, recovered, failed, or over."""
        return self.judge.outcome

    @property
    def reason(self) -> str:
        """What ended the trial; the referee's word goes before the judge's."""
        if self.referee is not None and self.judge.outcome in {outcome.value for outcome in Outcome}:
            return self.referee.reason or self.judge.reason
        return self.judge.reason

    @property
    def over(self) -> bool:
        """Whether the trial is over."""
        return self.judge.over

    def begin(self, now: int) -> None:
        """Begin the round."""
        if self.referee is not None:
            self.referee.start_round(now)

    def step(self, now: int) -> Message | None:
        """Let the referee judge; return what it said, or None."""
        if self.referee is None or self._port is None:
            return None
        payload = self.referee.step(now, self._port.receive())
        return None if payload is None else self._port.send(GAME_TOPIC, payload)

    def observe(self, now: int, records: Mapping[str, TickRecord]) -> None:
        """Look at one tick, before the arena moves on."""
        self.judge.observe(now, records, self.referee)

    def values(self) -> dict[str, float | int | bool | None]:
        """Return what the trial is judged by."""
        return self.judge.values()

    def tell(self, result: TrialResult) -> TrialResult:
        """Return the result with the catch."""
        return replace(result, catch=self.judge.catch)
