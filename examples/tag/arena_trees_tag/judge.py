"""What a game of tag is measured by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import arena_trees as at
from arena_trees_tag.messages import TagState

METRICS = (
    at.count("swaps", "times that the roles were swapped, a trial", heading="swaps"),
    at.per_robot(at.count("tags_per_trial", "times that it tagged the other", value="tags", better="more")),
    at.per_robot(at.mean("it_share", "share of the time that it was it", better="less", heading="it")),
    at.per_robot(at.mean("score_s", "time that it was not it", better="more", heading="score, s")),
)


class TagJudge(at.CommonJudge):
    """Watches a trial: who was "it" for how long, and where tags happened."""

    def __init__(self, context: at.GameContext) -> None:
        super().__init__(context)
        self._state: TagState | None = None
        self._tags: Counter[str] = Counter()
        self._marks: list[at.Mark] = []

    def observe(self, seen: at.Observation) -> None:
        """Look at an instant."""
        super().observe(seen)
        before, state = self._state, seen.state
        if not isinstance(state, TagState):
            return
        if before is not None and state.tags > before.tags:
            self._tags[before.it] += 1
            text = f"{before.it} tags {state.it}"
            self._marks.append(at.Mark(at.to_seconds(seen.now), *state.places[state.it], text))
        self._state = state

    def values(self) -> dict[str, at.Value]:
        """Return what the trial is judged by."""
        values = super().values()
        if self._state is not None:
            values["swaps"] = self._state.tags
            played_s = sum(self._state.score_s.values())  # one of the two is always free
            for name, score_s in self._state.score_s.items():
                values[f"{name}_tags"] = self._tags[name]
                values[f"{name}_it_share"] = round(1.0 - score_s / played_s, 4) if played_s else None
                values[f"{name}_score_s"] = score_s
        return values

    def marks(self) -> Sequence[at.Mark]:
        """Return the tags."""
        return self._marks
