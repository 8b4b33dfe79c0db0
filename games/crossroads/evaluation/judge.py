"""Judges a trial of robots that drive over a crossing, by what is seen of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from arena_trees.games.common_judge import CommonJudge
from arena_trees.games.crossroads.evaluation.driven_contacts import DrivenContacts
from arena_trees.games.crossroads.evaluation.road_observer import RoadWatch
from arena_trees.games.crossroads.messages import Claim, CrossingClaim, CrossingRequest
from arena_trees.games.crossroads.parameters import CrossroadsRules
from arena_trees.games.figures import Chart
from arena_trees.games.game import GameContext
from arena_trees.games.metrics import Value
from arena_trees.games.truth import Observation
from arena_trees.robot.messaging.game_message import MessageError
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.timing import TICK

__all__ = ["CrossroadsJudge", "watch_of"]

_CLAIMS = {model.topic: model for model in (CrossingRequest, CrossingClaim)}


def watch_of(context: GameContext) -> RoadWatch:
    """Return what looks at the robots of a game that heed the scheduler, which all drive alike."""
    rules = context.rules
    assert isinstance(rules, CrossroadsRules)
    names = context.all_with_role("crosser")
    driver: Any = context.players[names[0]].parameters
    return RoadWatch(rules, names, driver, context.bus.delay_s + context.bus.jitter_s)


class CrossroadsJudge(CommonJudge):
    """Measures traffic, driving and contacts.

    Between two observations that are more than a tick apart, robots are taken to be where they were.

    Args:
        context: what is played
    """

    def __init__(self, context: GameContext) -> None:
        super().__init__(context)
        assert isinstance(context.rules, CrossroadsRules)
        self._watch = watch_of(context)
        self._driven = DrivenContacts(context.all_with_role("crosser"))
        # Where nobody can die, one without a tick is one whose tick is not seen.
        self._mortals = (
            set(context.all_with_role("crosser")) if any(one.dies == "robot" for one in context.rules.deaths) else set()
        )
        self._last: Observation | None = None

    def observe(self, seen: Observation) -> None:
        """Look at an instant."""
        for name in sorted(seen.carried):
            self._mortals.discard(name)
            self._watch.forget(seen.now, name)
        if self._last is not None:
            for tick in range(self._last.now + TICK, seen.now, TICK):
                self._watch.observe(tick, self._last.truth, {})
        for name in self._mortals.difference(seen.ticks):
            self._watch.mark_dead(name)
        self._watch.observe(seen.now, seen.truth, _claims(seen.messages))
        self._driven.observe(seen.now, seen.truth)
        self._last = seen
        self.reason = self._watch.traffic.reason
        super().observe(seen)

    def values(self) -> dict[str, Value]:
        """Return what a trial is judged by."""
        driven = {"driven_contacts": self._driven.number}
        return {**self._watch.values(self._end), **super().values(), **driven}

    def charts(self) -> Sequence[Chart]:
        """Return how many have crossed by when, and how long they were held up."""
        return self._watch.traffic.charts(self._end)

    @property
    def _end(self) -> int:
        """When the next observation is due, ns."""
        return 0 if self._last is None else self._last.now + self._last.step


def _claims(messages: Iterable[Message]) -> dict[str, list[Claim]]:
    """Return each robot's claims among messages, in their order; what is malformed or another's is left out."""
    claims: dict[str, list[Claim]] = {}
    for message in messages:
        model = _CLAIMS.get(message.topic)
        if model is None:
            continue
        try:
            claim = model.decode(message.payload)
        except MessageError:
            continue
        if claim.robot == message.sender:
            claims.setdefault(claim.robot, []).append(claim)
    return claims
