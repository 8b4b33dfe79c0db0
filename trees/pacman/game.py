"""PacMan: a robot collects pellets on a map and keeps away from ghosts that nobody can touch (the PacMan report)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from py_trees.behaviour import Behaviour

from arena_trees.behaviours.pacman.parameters import PacmanParameters
from arena_trees.games.game import Game, GameContext, Judge, Role, Rules
from arena_trees.games.pacman.book import CHAPTER
from arena_trees.games.pacman.cues import SHOWS
from arena_trees.games.pacman.messages import PacmanGame, PacmanStatus, PacmanUnreached
from arena_trees.games.pacman.metrics import ENDINGS, METRICS
from arena_trees.games.pacman.rules import PacmanRules, PelletRules
from arena_trees.games.pacman.shapes import game_shapes
from arena_trees.robot.background import BackgroundRunner
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.robot.ports import Navigator
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.world.shapes import Shape

if TYPE_CHECKING:
    from arena_trees.games.pacman.game_controller import GameController

__all__ = ["GAME", "Pacman"]


def _create_root(
    robot: str,
    live: Live[Any],
    streams: RandomStreams,
    navigator: Navigator | None = None,
    background: BackgroundRunner | None = None,
) -> Behaviour:
    """Return the tree; what plans is imported by whoever has one, and not by every robot's velocity gate."""
    from arena_trees.trees.pacman.pacman import create_root

    return create_root(robot, live, streams, navigator, background)


class Pacman(Game):
    """The game of the PacMan report."""

    name = "pacman"
    title = "PacMan"
    rules = PacmanRules
    roles = (
        Role(
            "pacman",
            PacmanParameters,
            _create_root,
            publishes=(PacmanStatus, PacmanUnreached),
            subscribes=(PacmanGame,),
            navigates=True,
            background=True,
        ),
    )
    messages = (PacmanGame, PacmanStatus, PacmanUnreached)
    state = PacmanGame
    speaker = "game_controller"
    metrics = METRICS
    outcomes = {"complete": "#3c7a2b", "died": "#c8401f", "out_of_reach": "#7a4a9c", "over": "#777777"}
    endings = ENDINGS
    shows = SHOWS
    ros_node = "arena_trees.nodes.pacman.board:PacmanBoard"
    chapter = CHAPTER

    def make_rules(self, context: GameContext) -> Rules | None:
        """Return the game controller."""
        return _controller(context)

    def make_judge(self, context: GameContext) -> Judge:
        """Return the judge."""
        from arena_trees.games.pacman.evaluation.judge import PacmanJudge

        return PacmanJudge(context)

    def check(self, context: GameContext) -> None:
        """Refuse what is no game for one robot on a map with room for it, for pellets and for ghosts.

        Raises:
            ConfigError: the game cannot be played so
        """
        robot = context.with_role("pacman")
        if robot is None:
            raise ConfigError("exactly one robot must have the role pacman", key="robots")
        if context.map is None:
            raise ConfigError("is required: this game is played on a map", key="map")
        if context.isolated:
            raise ConfigError("this game cannot be played without messages", key="isolated", value=True)
        player = context.players[robot]
        start = player.start
        if start is not None and context.map.clearance_at(start.x, start.y) < player.body.radius:
            place = [start.x, start.y]
            raise ConfigError("the map has no free room there", key=f"robots.{robot}.start", value=place)
        try:
            _controller(context)
        except ConfigError as error:
            # The map has no room for pellets or ghosts.
            key = f"rules.pellets.{error.key}" if error.key in PelletRules.model_fields else error.key
            raise ConfigError(error.reason, file=context.map_name, key=key, value=error.value) from error

    def shapes(self, state: GameMessage) -> Sequence[Shape]:
        """Return pellets, ghosts and the score."""
        return game_shapes(state) if isinstance(state, PacmanGame) else ()


def _controller(context: GameContext) -> GameController:
    """Return the game controller of a context that was checked.

    Raises:
        ConfigError: the map has no room for pellets or ghosts, or nobody knows where the robot starts
    """
    from arena_trees.games.pacman.game_controller import GameController

    robot, rules = context.with_role("pacman"), context.rules
    assert robot is not None and context.map is not None and isinstance(rules, PacmanRules)
    player = context.players[robot]
    home = player.start
    if home is None:
        raise ConfigError("is required: the robot is sent home to it", key=f"robots.{robot}.start")
    assert isinstance(player.parameters, PacmanParameters)
    clearance = player.parameters.wall_clearance
    return GameController(context.map, home, context.streams.child("world"), rules, robot, clearance)


GAME = Pacman()
