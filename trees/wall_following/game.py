"""Wall following: robots drive once round a wall beside them, at a distance to be kept, or behind each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena_trees.behaviours.wall_following.parameters import RobotFollowerParameters, WallFollowerParameters
from arena_trees.games.game import Game, GameContext, Judge, Player, RobotSettings, Role, Rules
from arena_trees.games.wall_following.blackboard import LEADER, NEAREST_RAY, LeaderSighting, NearestRay
from arena_trees.games.wall_following.book import CHAPTER
from arena_trees.games.wall_following.judge import WallFollowingJudge
from arena_trees.games.wall_following.laps import LapRules
from arena_trees.games.wall_following.messages import MESSAGES, LapState
from arena_trees.games.wall_following.metrics import ENDINGS, METRICS
from arena_trees.games.wall_following.observers import DistanceBand
from arena_trees.games.wall_following.rules import LapTimer
from arena_trees.games.wall_following.shapes import lap_shapes
from arena_trees.robot.configuration.parameters import Parameters
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.trees.wall_following import robot_follower, wall_follower
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
        Role(
            "robot_follower",
            RobotFollowerParameters,
            robot_follower.create_root,
            subscribes=(LapState,),
            takes_context=True,
            estimates={NEAREST_RAY: NearestRay, LEADER: LeaderSighting},
        ),
    )
    messages = MESSAGES
    state = LapState
    metrics = METRICS
    outcomes = {"lap": "#3c7a2b", "collided": "#c8401f", "over": "#d99a1c", "aborted": "#777777"}
    endings = ENDINGS
    chapter = CHAPTER

    def make_rules(self, context: GameContext) -> Rules:
        """Return the rules."""
        return LapTimer(context)

    def make_judge(self, context: GameContext) -> Judge:
        """Return the judge."""
        players = context.players
        bands = {name: _band(player, _is_seen(name, players)) for name, player in players.items()}
        return WallFollowingJudge(context, bands)

    def check(self, context: GameContext) -> None:
        """Refuse robots without a LiDAR, or without the second one that they are to see the robot ahead by.

        Raises:
            ConfigError: there is one
        """
        for player in context.players.values():
            if not player.body.lidar:
                raise ConfigError("follows walls by LiDAR", key=f"robots.{player.name}.body.lidar", value=False)
            p = player.parameters
            if isinstance(p, RobotFollowerParameters) and p.sight == "robot_scan" and not player.body.robot_lidar:
                key = f"robots.{player.name}.body.robot_lidar"
                raise ConfigError("is to see robots by a LiDAR that sees them alone", key=key, value=False)

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


def _is_seen(robot: str, players: Mapping[str, Player]) -> bool:
    """Return whether a robot is followed by another one that its own LiDAR sees, too."""
    others = (player.parameters for name, player in players.items() if name != robot)
    return any(isinstance(p, RobotFollowerParameters) and p.sight != "robot_scan" for p in others)


def _band(player: Player, seen: bool) -> DistanceBand:
    p = player.parameters
    assert isinstance(p, WallFollowerParameters)
    reach = p.follow_distance if isinstance(p, RobotFollowerParameters) else 0.0
    return DistanceBand(p.ideal_distance, p.tolerance, p.speed, reach, by_rays=not seen)


GAME = WallFollowing()
