"""A base for judges: counts what every game is judged by, and ends with the rules or with the time."""

from __future__ import annotations

from arena_trees.games.game import GameContext, Judge
from arena_trees.games.metrics import Value
from arena_trees.games.observers import BreachObserver, ContactObserver
from arena_trees.games.truth import Observation
from arena_trees.robot.clock import from_seconds, to_seconds

__all__ = ["CommonJudge"]


class CommonJudge(Judge):
    """Counts contacts and breaches of fences. A game's judge adds what it looks at to ``observe`` and ``values``.

    Attributes:
        context: what is played
        contacts: contacts so far
        breaches: breaches so far of each robot that has a fence, by name

    Args:
        context: what is played
    """

    def __init__(self, context: GameContext) -> None:
        self.context = context
        self.contacts = ContactObserver(context.players)
        fences = {name: player.fence for name, player in context.players.items() if player.fence is not None}
        self.breaches = {name: BreachObserver(fence.points) for name, fence in fences.items()}

    def observe(self, seen: Observation) -> None:
        """Count, and see whether the game has ended."""
        self.count(seen)
        self.follow_end(seen)

    def values(self) -> dict[str, Value]:
        """Return what was counted: values that need no metric of the game's own."""
        values: dict[str, Value] = {}
        for name, breaches in self.breaches.items():
            values[f"{name}_breaches"] = breaches.breaches
            values[f"{name}_outside_s"] = round(breaches.outside_s, 3)
        return {**values, **self.contacts.values()}

    def count(self, seen: Observation) -> None:
        """Count contacts and breaches at an instant."""
        for name, breaches in self.breaches.items():
            if name in seen.truth:
                breaches.observe(seen.truth[name].pose, to_seconds(seen.step))
        self.contacts.observe_truth(seen.now, seen.truth)

    def follow_end(self, seen: Observation, after_s: float = 0.0) -> None:
        """End as the rules end, or when time is up.

        Args:
            seen: the instant
            after_s: how long the trial goes on after the rules' end, s
        """
        if seen.end is not None:
            self.outcome, self.reason = seen.end.outcome, seen.end.reason
            self.ended_s = to_seconds(seen.end.now)
            self.over = self.over or seen.now - seen.end.now >= from_seconds(after_s)
        elif to_seconds(seen.now + seen.step) >= self.context.duration_s:
            self.over = True
