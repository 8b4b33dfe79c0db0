"""What a game of tag is measured by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import arena_trees as at
from arena_trees_tag.messages import TagState

METRICS = (
    at.count("swaps", "times that the roles were swapped, a trial", heading="swaps"),
    at.per_robot(at.count("tags_per_trial", "times it tagged the other, a trial", value="tags", better="more")),
    at.per_robot(at.mean("it_share", "share of the time that it was it", better="less", heading="it")),
    at.per_robot(at.mean("score_s", "time that it was not it", better="more", heading="score, s")),
)


class TagJudge(at.CommonJudge):
    """Watches a trial: who is "it" for how long, and where tags happened."""

    def __init__(self, context: at.GameContext) -> None:
        super().__init__(context)
        self._before: TagState | None = None
        self._played = 0
        self._it = Counter(dict.fromkeys(context.players, 0))
        self._tags = Counter(dict.fromkeys(context.players, 0))
        self._marks: list[at.Mark] = []
        self._scores: list[tuple[float, ...]] = []

    def observe(self, seen: at.Observation) -> None:
        """Look at an instant."""
        super().observe(seen)
        state, before = seen.state, self._before
        if not isinstance(state, TagState):
            return
        if before is not None and state.tags > before.tags:
            self._tags[before.it] += 1
            if state.it in seen.truth:
                pose = seen.truth[state.it].pose
                self._marks.append(at.Mark(at.to_seconds(seen.now), pose.x, pose.y, f"{before.it} tags {state.it}"))
        if state.phase in ("CHASE", "PAUSE"):
            self._played += seen.step
            self._it[state.it] += seen.step
        if before is None or state.it != before.it or self.over:
            self._scores.append((at.to_seconds(seen.now), *map(self._score_s, self.context.players)))
        self._before = state

    def values(self) -> dict[str, at.Value]:
        """Return what the trial is judged by."""
        values = super().values()
        if self._before is None:
            return values
        values["swaps"] = self._before.tags
        for name in self.context.players:
            values[f"{name}_tags"] = self._tags[name]
            values[f"{name}_it_share"] = round(self._it[name] / self._played, 4) if self._played else None
            values[f"{name}_score_s"] = self._score_s(name)
        return values

    def marks(self) -> Sequence[at.Mark]:
        """Return the tags."""
        return self._marks

    def charts(self) -> Sequence[at.Chart]:
        """Return how the scores grew."""
        times = tuple(row[0] for row in self._scores)
        curves = (
            at.Curve(name, times, tuple(row[column] for row in self._scores))
            for column, name in enumerate(self.context.players, 1)
        )
        return (at.Chart("Score, s", at.TIME, "", tuple(curves)),)

    def _score_s(self, name: str) -> float:
        return round(at.to_seconds(self._played - self._it[name]), 2)
