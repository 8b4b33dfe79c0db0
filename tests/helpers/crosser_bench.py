"""A bench for single leaves of a robot that crosses: its place, lead and lease are written by hand."""

from typing import Any

from py_trees.common import Access

from arena_trees.behaviours.crossroads.following import progress_at
from arena_trees.behaviours.crossroads.parameters import CrosserParameters
from arena_trees.games.crossroads import blackboard
from arena_trees.games.crossroads.blackboard import LeaseState, Route
from arena_trees.games.crossroads.layout.plan import CrossingParameters
from arena_trees.games.crossroads.layout.round import Round, rounds_of
from arena_trees.games.crossroads.layout.words import Key
from arena_trees.games.crossroads.messages import Approach, Stage, Turn
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Pose2D
from helpers.tree_bench import TreeBench

PLAN = CrossingParameters(size=3.0)
ROUNDS = rounds_of(PLAN)
KEYS = (
    blackboard.ROUTE,
    blackboard.PROGRESS,
    blackboard.SCAN_POSE,
    blackboard.LEAD_PROGRESS,
    blackboard.LEASE,
    blackboard.NEXT_ROUTE,
    blackboard.ENTERED,
    blackboard.LEFT,
    blackboard.ASKED,
    blackboard.HALTED,
    blackboard.STRANGER,
)


class CrosserBench(TreeBench):
    """Ticks one leaf; every key of the crossing is None until it is written.

    Attributes:
        live: parameters for the leaf
    """

    def __init__(self, plan: CrossingParameters = PLAN, **values: Any) -> None:
        super().__init__()
        self.live = Live(CrosserParameters(plan=plan, **values))
        for key in KEYS:
            self.board.register_key(key, Access.WRITE)
            self.board.set(key, None)

    @property
    def parameters(self) -> CrosserParameters:
        return self.live.value

    def at(
        self, along: float, turn: Turn = Turn.STRAIGHT, *, speed: float = 0.0, aside: float = 0.0, lap: int = 3
    ) -> Round:
        """Put the robot on a route from the south, so far along it (m) and so far to its left (m); return its round."""
        return self.on(Key(Approach.SOUTH, turn), along, speed=speed, aside=aside, lap=lap)

    def on(self, key: Key, along: float, *, speed: float = 0.0, aside: float = 0.0, lap: int = 3) -> Round:
        """Put the robot on a route, so far along it (m) and so far to its left (m); return its round."""
        path = rounds_of(self.parameters.plan)[key]
        pose = path.pose(along).compose(Pose2D(0.0, aside))
        progress = progress_at(path, along, pose, speed, self.parameters)
        route = Route(lap, key.approach, key.turn, self.now, path.begin, key.crossing)
        self.put(route=route, progress=progress)
        return path

    def hold(self, stage: Stage, left_s: float = 0.0, **values: Any) -> LeaseState:
        """Put a lease that still lasts for a while (s)."""
        lease = LeaseState(stage, until=self.now + from_seconds(left_s), **values)
        self.put(lease=lease)
        return lease
