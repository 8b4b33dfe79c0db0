"""The rules of tag."""

from __future__ import annotations

import arena_trees as at
from arena_trees_tag.messages import Phase, TagState


class TagRules(at.Parameters):
    """What a scenario may change under ``rules:``."""

    # The velocity gate keeps robots about 0.53 m apart: a shorter distance would never be reached.
    tag_distance: float = at.parameter(0.60, "tagged within this distance between the centres", "m", gt=0.34, le=5)
    pause_s: float = at.parameter(3.0, "whoever was tagged stands this long, and tags nobody", "s", ge=0, le=60)


class Referee(at.TimedRules):
    """Sees who is tagged, and counts the time that each robot is not "it". It knows no clock but ``now``."""

    def __init__(self, context: at.GameContext) -> None:
        super().__init__(context)
        self.rules = context.rules_as(TagRules)
        self.robots = list(context.players)
        self.random = context.streams.child("world").generator("who is it")
        self.it, self.tags, self.seen, self.pause_until = self.robots[0], 0, 0, 0
        self.free = dict.fromkeys(self.robots, 0)
        self.places: dict[str, tuple[float, float]] = {}

    def begin(self, now: int) -> None:
        """Begin the game (ns); chance says who is "it"."""
        super().begin(now)
        self.it = str(self.random.choice(self.robots))
        self.tags, self.seen, self.pause_until = 0, now, now
        self.free = dict.fromkeys(self.robots, 0)

    def play(self, now: int, truth: at.Truth, inbox: at.Inbox) -> None:
        """Look who is where at an instant (ns), and whether that is a tag."""
        chased = next(name for name in self.robots if name != self.it)
        self.free[chased] += now - self.seen
        self.seen = now
        self.places |= {name: (sample.pose.x, sample.pose.y) for name, sample in truth.items()}
        if now < self.pause_until or self.it not in truth or chased not in truth:
            return
        if truth[self.it].pose.distance_to(*self.places[chased]) <= self.rules.tag_distance:
            self.it = chased
            self.tags += 1
            self.pause_until = now + at.from_seconds(self.rules.pause_s)
            self.publish()

    @property
    def state(self) -> TagState:
        """How the game stands."""
        phase: Phase = "CHASE" if self.seen >= self.pause_until else "PAUSE"
        if not self.playing:
            phase = "WAITING" if self.end is None else "OVER"
        score_s = {name: at.to_seconds(free) for name, free in self.free.items()}
        return TagState(phase=phase, it=self.it, tags=self.tags, score_s=score_s, places=self.places)
