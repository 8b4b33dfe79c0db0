"""Wolf and rabbit: a wolf hunts a rabbit by camera and LiDAR, inside a fence, with a referee."""

from __future__ import annotations

from arena_trees.behaviours.wolf_rabbit.parameters import RabbitParameters, WolfParameters
from arena_trees.games.game import Game, GameContext, Judge, Role, Rules
from arena_trees.games.wolf_rabbit.book import CHAPTER
from arena_trees.games.wolf_rabbit.cues import SHOWS
from arena_trees.games.wolf_rabbit.judge import WolfRabbitJudge
from arena_trees.games.wolf_rabbit.messages import CatchClaim, GameState, Sighting
from arena_trees.games.wolf_rabbit.metrics import ENDINGS, METRICS
from arena_trees.games.wolf_rabbit.referee import Referee
from arena_trees.games.wolf_rabbit.rules import WolfRabbitRules
from arena_trees.robot.configuration.parameters import Parameters
from arena_trees.robot.errors import ConfigError
from arena_trees.trees.wolf_rabbit import rabbit, wolf

__all__ = ["GAME", "WolfRabbit"]


class WolfRabbit(Game):
    """The game of the Wolf and Rabbit report."""

    name = "wolf_rabbit"
    title = "Wolf and rabbit"
    rules = WolfRabbitRules
    roles = (
        Role(
            "wolf",
            WolfParameters,
            wolf.create_root,
            takes_context=True,
            sign="wolf_sign",
            publishes=(CatchClaim, Sighting),
            subscribes=(GameState, Sighting),
            sensors=("detections",),
        ),
        Role(
            "rabbit",
            RabbitParameters,
            rabbit.create_root,
            takes_context=True,
            sign="rabbit_sign",
            subscribes=(GameState,),
            sensors=("detections",),
        ),
    )
    messages = (GameState, CatchClaim, Sighting)
    state = GameState
    speaker = "referee"
    metrics = METRICS
    outcomes = {
        "caught": "#c8401f",
        "survived": "#1d5f8a",
        "recovered": "#3c7a2b",
        "failed": "#a11d33",
        "aborted": "#777777",
        "over": "#777777",
    }
    endings = ENDINGS
    shows = SHOWS
    fenced = True
    chapter = CHAPTER

    def make_rules(self, context: GameContext) -> Rules | None:
        """Return a referee; None where there is no wolf, or no rabbit."""
        hunters, hunted = context.all_with_role("wolf"), context.all_with_role("rabbit")
        if not hunters or not hunted:
            return None
        fences = {name: player.fence.points for name, player in context.players.items() if player.fence is not None}
        return Referee(hunters, hunted, fences, context.duration_s, context.rules_as(WolfRabbitRules))

    def make_judge(self, context: GameContext) -> Judge:
        """Return the judge."""
        return WolfRabbitJudge(context)

    def check(self, context: GameContext) -> None:
        """Refuse a recovery of nobody.

        Raises:
            ConfigError: the game cannot be played so
        """
        recovery = context.rules_as(WolfRabbitRules).recovery
        if recovery is not None and recovery.robot not in context.players:
            raise ConfigError("there is no such robot", key="rules.recovery.robot", value=recovery.robot)

    def check_ros(self, rules: Parameters) -> None:
        """Refuse a recovery, which nobody judges on ROS.

        Raises:
            ConfigError: there is one
        """
        assert isinstance(rules, WolfRabbitRules)
        if rules.recovery is not None:
            raise ConfigError("a trial that ends with a recovery is played without ROS only", key="rules.recovery")


GAME = WolfRabbit()
