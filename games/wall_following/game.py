"""Wall following: a robot drives once round a wall beside it, at a distance that is to be kept."""

from __future__ import annotations

from collections.abc import Sequence

from arena_trees.behaviours.wall_following.parameters import WallFollowerParameters
from arena_trees.games.game import Game, GameContext, Judge, Player, RobotSettings, Role, Rules
from arena_trees.games.wall_following.blackboard import NEAREST_RAY, NearestRay
from arena_trees.games.wall_following.judge import WallFollowingJudge
from arena_trees.games.wall_following.laps import LapRules
from arena_trees.games.wall_following.messages import MESSAGES, LapState
from arena_trees.games.wall_following.metrics import METRICS
from arena_trees.games.wall_following.observers import DistanceBand
from arena_trees.games.wall_following.rules import LapTimer
from arena_trees.games.wall_following.shapes import lap_shapes
from arena_trees.robot.configuration.parameters import Parameters
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.trees.wall_following import wall_follower
from arena_trees.world.shapes import Shape

__all__ = ["GAME", "WallFollowing"]


class WallFollowing(Game):
    """The game of the Wall Following report."""

    name = "wall_following"
    title = "Wall following"
    rules = LapRules
    roles = (
        Role(
            "wall_follower",
            WallFollowerParameters,
            wall_follower.create_root,
            subscribes=(LapState,),
            takes_context=True,
            estimates={NEAREST_RAY: NearestRay},
        ),
    )
    messages = MESSAGES
    state = LapState
    metrics = METRICS
    outcomes = {"lap": "#3c7a2b", "collided": "#c8401f", "over": "#d99a1c", "aborted": "#777777"}

    def make_rules(self, context: GameContext) -> Rules:
        """Return the rules."""
        return LapTimer(context)

    def make_judge(self, context: GameContext) -> Judge:
        """Return the judge."""
        return WallFollowingJudge(context, {name: _band(player) for name, player in context.players.items()})

    def check(self, context: GameContext) -> None:
        """Refuse robots without a LiDAR.

        Raises:
            ConfigError: there is one
        """
        for player in context.players.values():
            if not player.body.lidar:
                raise ConfigError("follows walls by LiDAR", key=f"robots.{player.name}.body.lidar", value=False)

    def robot_settings(self, rules: Parameters, robots: Sequence[str], strategy: str | None) -> RobotSettings:
        """Return a gate without sight for the report's robots.

        They drive without any guard; one that held them back would keep the distance in place of their law.
        """
        gates = {role.name: {"obstacles": False} for role in self.roles} if strategy == "source" else {}
        return RobotSettings(gates=gates)

    def shapes(self, state: GameMessage) -> Sequence[Shape]:
        """Return where each lap ends."""
        assert isinstance(state, LapState)
        return lap_shapes(state)


def _band(player: Player) -> DistanceBand:
    p = player.parameters
    assert isinstance(p, WallFollowerParameters)
    return DistanceBand(p.ideal_distance, p.tolerance, p.speed)


GAME = WallFollowing()
