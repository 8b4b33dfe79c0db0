"""Wall following made by hand: contexts, truth and ticks."""

from typing import Any

from arena_trees.behaviours.wall_following.parameters import WallFollowerParameters
from arena_trees.games.game import GameContext, Player
from arena_trees.games.truth import Observation, TruthSample
from arena_trees.games.wall_following.blackboard import NEAREST_RAY, NearestRay
from arena_trees.games.wall_following.laps import LapRules
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import sequence_names
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.record import TickRecord
from arena_trees.world.arena_file import ArenaFile

TICK = SECOND // 50
BLOCK = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
GOING = Twist2D(0.3, 0.0)


def context(*names: str, isolated: bool = False, duration_s: float = 60.0, **rules: Any) -> GameContext:
    """Return robots that follow the wall of a block of 2 x 2 m."""
    arena = ArenaFile.model_validate({"name": "block", "fenced": False, "outline": {"points": BLOCK}})
    players = {name: Player(name, "wall_follower", WallFollowerParameters()) for name in names or ("r1",)}
    return GameContext(LapRules(**rules), players, duration_s, RandomStreams(1), arena=arena, isolated=isolated)


def sample(name: str, now: int, x: float, y: float, rate: float = 0.0, *contacts: str) -> TruthSample:
    """Return what is true of a robot."""
    return TruthSample(name, now, Pose2D(x, y, 0.0), Twist2D(0.3, rate), frozenset(contacts))


def tick(
    name: str, now: int, ray: float | None = None, command: Twist2D | None = GOING, reasons: tuple[str, ...] = ()
) -> TickRecord:
    """Return a tick record, with an odometry message of its own."""
    sequences = tuple((now // TICK + 1) * (stream == "odometry") for stream in sequence_names())
    board = {NEAREST_RAY: NearestRay(ray)}
    return TickRecord(name, now // TICK, now, sequences, (), (), command, GOING, reasons, b"", "", blackboard=board)


def seen(now: int, *samples: TruthSample, ticks: tuple[TickRecord, ...] = (), end: Any = None) -> Observation:
    """Return what a judge sees."""
    truth = {one.robot: one for one in samples}
    return Observation(now, TICK, truth, {one.robot: one for one in ticks}, (), None, end, frozenset())
