"""The rules of tag."""

from __future__ import annotations

from collections.abc import Iterable

import arena_trees as at
from arena_trees_tag.messages import TagState


class TagRules(at.Parameters):
    """What a scenario may change under ``rules:``."""

    # The velocity gate keeps robots about 0.53 m apart: a shorter distance would never be reached.
    tag_distance: float = at.parameter(0.60, "tagged within this distance between the centres", "m", gt=0.34, le=5)
    pause_s: float = at.parameter(3.0, "whoever was tagged stands this long, and tags nobody", "s", ge=0, le=60)
    tell_s: float = at.parameter(0.1, "the state of the game is repeated this often", "s", ge=0.02, le=1)


class Referee(at.Rules):
    """Sees who is tagged, and counts the time that each robot is not "it". Reads no clock but ``now``."""

    def __init__(self, context: at.GameContext) -> None:
        self.rules = context.rules_as(TagRules)
        self._duration = at.from_seconds(context.duration_s)
        self._repeat = at.Repeat()
        self._free = dict.fromkeys(context.players, 0)
        self._it = str(context.streams.child("world").generator("who is it").choice(list(self._free)))
        self._tags = 0
        self._places: dict[str, tuple[float, float]] = {}
        self._begun: int | None = None
        self._counted = self._pause_until = 0

    @property
    def state(self) -> TagState:
        """How the game stands."""
        score_s = {name: at.to_seconds(free) for name, free in self._free.items()}
        return TagState(phase=self._phase(), it=self._it, tags=self._tags, score_s=score_s, places=self._places)

    def begin(self, now: int) -> None:
        """Begin the game."""
        self.end = None
        self._begun = self._counted = now
        self._pause_until = 0
        self._tags = 0
        self._free = dict.fromkeys(self._free, 0)

    def stop(self, now: int, reason: str) -> None:
        """End the game early."""
        self._finish("aborted", reason, now)

    def step(self, now: int, truth: at.Truth, inbox: at.Inbox) -> Iterable[at.GameMessage]:
        """See who is where, who is tagged, and whether time is up; say so now and then."""
        self._places |= {name: (sample.pose.x, sample.pose.y) for name, sample in truth.items()}
        if self._begun is not None and self.end is None:
            self._play(now, now - self._begun, truth)
        return (self.state,) if self._repeat.due(now, self.rules.tell_s) else ()

    def _play(self, now: int, played: int, truth: at.Truth) -> None:
        for name in self._free:
            self._free[name] += 0 if name == self._it else now - self._counted
        self._counted = now
        if played >= self._duration:
            self._finish("over", "time is up", now)
        elif now >= self._pause_until and self._distance(truth) <= self.rules.tag_distance:
            self._it = next(name for name in self._free if name != self._it)
            self._tags += 1
            self._pause_until = now + at.from_seconds(self.rules.pause_s)
            self._repeat.at_once()

    def _finish(self, outcome: str, reason: str, now: int) -> None:
        if self._begun is not None and self.end is None:
            self.end = at.End(outcome, reason, now)
            self._repeat.at_once()

    def _phase(self) -> str:
        if self.end is not None:
            return "OVER"
        if self._begun is None:
            return "WAITING"
        return "PAUSE" if self._counted < self._pause_until else "CHASE"

    def _distance(self, truth: at.Truth) -> float:
        """Return the distance between the robots, m; infinite where one is not seen."""
        one, other = (truth.get(name) for name in self._free)
        return float("inf") if one is None or other is None else one.pose.distance_to(other.pose.x, other.pose.y)
