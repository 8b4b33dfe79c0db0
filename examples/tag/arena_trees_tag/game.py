"""Tag: whoever is "it" chases the other; the roles swap when it is near enough."""

from __future__ import annotations

from collections.abc import Sequence

import arena_trees as at
from arena_trees_tag.judge import METRICS, TagJudge
from arena_trees_tag.messages import Place, TagState
from arena_trees_tag.referee import Referee, TagRules
from arena_trees_tag.tagger import TaggerParameters, create_root


class Tag(at.Game):
    """The game of tag for two robots."""

    name = "tag"
    title = "Tag"
    rules = TagRules
    roles = (at.Role("tagger", TaggerParameters, create_root, publishes=(Place,), subscribes=(Place, TagState)),)
    messages = (TagState, Place)
    state = TagState
    metrics = METRICS
    outcomes = {"over": "#1d5f8a", "aborted": "#777777"}
    endings = {"over": "Time is up, duration_s of the scenario: a tag, from at most rules.tag_distance, ends no game."}

    def check(self, context: at.GameContext) -> None:
        """Refuse any other number of robots (ConfigError)."""
        if len(context.players) != 2:
            raise at.ConfigError("tag is a game for two", key="robots", value=list(context.players))

    def make_rules(self, context: at.GameContext) -> at.Rules:
        """Return the referee."""
        return Referee(context)

    def make_judge(self, context: at.GameContext) -> at.Judge:
        """Return the judge."""
        return TagJudge(context)

    def shapes(self, state: at.GameMessage) -> Sequence[at.Shape]:
        """Return a ring round "it", and each robot's score."""
        assert isinstance(state, TagState)
        shapes: list[at.Shape] = []
        for name, (x, y) in state.places.items():
            if name == state.it:
                colour = "#b9b3a6" if state.phase == "PAUSE" else "#c8401f"
                shapes.append(at.Disc(x, y, 0.30, line=colour, width=0.05, group="it"))
            shapes.append(at.Text(x, y + 0.42, f"{state.score_s[name]:.0f} s", halo="#ffffff", group="scores"))
        return shapes


GAME = Tag()
