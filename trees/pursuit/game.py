"""Pursuit: a chaser finds an evader's ball by its camera, follows it, hits it with a laser, and goes home."""

from __future__ import annotations

from collections.abc import Sequence

from arena_trees.behaviours.pursuit.chaser.parameters import ChaserParameters
from arena_trees.behaviours.pursuit.evader.parameters import EvaderParameters
from arena_trees.games.game import Game, GameContext, Judge, RobotContext, RobotSettings, Role, Rules
from arena_trees.games.pursuit.blackboard import QUARRY, RECKONED, Quarry
from arena_trees.games.pursuit.book import CHAPTER
from arena_trees.games.pursuit.cues import SHOWS
from arena_trees.games.pursuit.judge import PursuitJudge
from arena_trees.games.pursuit.messages import MESSAGES, AtHome, PursuitScene, PursuitState, Threat
from arena_trees.games.pursuit.metrics import ENDINGS, METRICS
from arena_trees.games.pursuit.rules import Engagement, PursuitRules
from arena_trees.games.pursuit.shapes import scene_shapes
from arena_trees.perception.dead_reckoning import DeadReckoning
from arena_trees.perception.percept_filter import Localiser
from arena_trees.robot.configuration.parameters import Parameters
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.trees.pursuit import chaser, evader
from arena_trees.world.shapes import Shape

__all__ = ["GAME", "Pursuit"]


def _reckon(context: RobotContext) -> Localiser | None:
    """Return what knows a chaser's place by odometry alone; None for the report's chaser, which has the true pose."""
    assert isinstance(context.parameters, ChaserParameters)
    if context.parameters.strategy == "source" or context.start is None:
        return None
    return DeadReckoning(context.start)


class Pursuit(Game):
    """The game of the Pursuit and Engagement report."""

    name = "pursuit"
    title = "Pursuit"
    rules = PursuitRules
    roles = (
        Role(
            "chaser",
            ChaserParameters,
            chaser.create_root,
            publishes=(AtHome,),
            subscribes=(PursuitState,),
            sensors=("circles",),
            localiser=_reckon,
            takes_context=True,
            # The rules have one laser and one ball.
            most=1,
            estimates={QUARRY: Quarry, RECKONED: Pose2D},
        ),
        Role(
            "evader",
            EvaderParameters,
            evader.create_root,
            subscribes=(PursuitState, Threat),
            takes_context=True,
            most=1,
            estimates={RECKONED: Pose2D},
        ),
    )
    messages = MESSAGES
    state = PursuitScene
    metrics = METRICS
    outcomes = {
        "home": "#3c7a2b",
        "hit": "#1d5f8a",
        "escaped": "#c8401f",
        "aborted": "#777777",
        "over": "#777777",
    }
    endings = ENDINGS
    shows = SHOWS
    chapter = CHAPTER

    def make_rules(self, context: GameContext) -> Rules | None:
        """Return the rules; None where there is no chaser, or no evader."""
        hunter, hunted = context.with_role("chaser"), context.with_role("evader")
        if hunter is None or hunted is None:
            return None
        return Engagement(context, context.players[hunter], context.players[hunted])

    def make_judge(self, context: GameContext) -> Judge:
        """Return the judge."""
        return PursuitJudge(context)

    def check(self, context: GameContext) -> None:
        """Refuse a map, boxes at random places, a chaser without a barrel and an evader without a ball.

        Raises:
            ConfigError: the game cannot be played so
        """
        if context.arena is None:
            raise ConfigError("a pursuit needs an arena: its rules must know where walls are", key="map")
        if context.arena.random_boxes.count:
            # The laser must not go through them.
            count = context.arena.random_boxes.count
            raise ConfigError("the rules must know where boxes are", key="arena_set.random_boxes.count", value=count)
        for player in context.players.values():
            if player.role == "chaser" and player.body.barrel is None:
                raise ConfigError("a chaser needs a barrel", key=f"robots.{player.name}.body.barrel")
            if player.role == "evader" and player.body.sphere is None:
                raise ConfigError("an evader needs a ball", key=f"robots.{player.name}.body.sphere")

    def robot_settings(self, rules: Parameters, robots: Sequence[str], strategy: str | None) -> RobotSettings:
        """Return the detector of circles, that of the strategy, and a gate without sight for the report's chaser.

        That one drives without any guard; a guard that held it back would make it another chaser.
        """
        gates = {"chaser": {"obstacles": False}} if strategy == "source" else {}
        return RobotSettings(sensors={"sphere_camera.detector": strategy or "arena"}, gates=gates)

    def shapes(self, state: GameMessage) -> Sequence[Shape]:
        """Return the laser's beam, red, or green when it was fired, and the ball, green when it was hit."""
        assert isinstance(state, PursuitScene)
        return scene_shapes(state)


GAME = Pursuit()
