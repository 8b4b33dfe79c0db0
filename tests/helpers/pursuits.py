"""Pursuits made by hand: contexts, truth, ticks and observations."""

from typing import Any

from arena_trees.games.game import GameContext, Player
from arena_trees.games.pursuit.blackboard import QUARRY, RECKONED, Quarry
from arena_trees.games.pursuit.rules import PursuitRules
from arena_trees.games.truth import TruthSample
from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.parameters import Parameters
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.record import TickRecord
from arena_trees.world.arena_file import ArenaFile
from arena_trees.world.body import Barrel, Body, Sphere
from arena_trees.world.pinhole import Pinhole

TICK = SECOND // 50
CAMERA = Pinhole(width=250, height=250, hfov=0.733, mount_x=0.0, mount_z=0.244)
BALL = Sphere(diameter=0.3, height=0.345)


def context(*boxes: dict[str, Any], isolated: bool = False, duration_s: float = 60.0, **rules: Any) -> GameContext:
    """Return a pursuit of one evader by one chaser, in a room with boxes."""
    arena = ArenaFile.model_validate({"name": "room", "fenced": False, "boxes": list(boxes)})
    players = {
        "chaser": Player("chaser", "chaser", Parameters(), Pose2D(), camera=CAMERA, body=Body(barrel=Barrel())),
        "evader": Player("evader", "evader", Parameters(), Pose2D(2.0, 0.0), body=Body(height=0.19, sphere=BALL)),
    }
    return GameContext(PursuitRules(**rules), players, duration_s, RandomStreams(1), arena=arena, isolated=isolated)


def sample(name: str, now: int, x: float, y: float, yaw: float = 0.0, v: float = 0.0, **more: Any) -> TruthSample:
    """Return what is true of a robot."""
    return TruthSample(name, now, Pose2D(x, y, yaw), Twist2D(v, 0.0), **more)


def quarry(x: float, y: float, range_: float | None = None, bearing: float = 0.0, in_sight: bool = True) -> Quarry:
    """Return a belief in a ball, of a chaser at the origin."""
    away = (x * x + y * y) ** 0.5 if range_ is None else range_
    return Quarry(x, y, 0.0, 0.0, 0.1, away, 0.05, bearing, 0, in_sight)


def tick(robot: str, now: int, believed: Quarry | None = None, reckoned: Pose2D | None = None) -> TickRecord:
    """Return a tick record with what is on the blackboard."""
    board = {QUARRY: believed, RECKONED: reckoned}
    return TickRecord(robot, now // TICK, now, (), (), (), None, ZERO, (), b"", "", blackboard=board)
