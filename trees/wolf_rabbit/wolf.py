"""The wolf: patrols, chases the rabbit's sign, claims the catch, and stays inside its fence.

.. code-block:: text

    /_/ Wolf
        [-] Sense
            --> Percepts
            --> Leave out the caught
            --> Track the rabbit
            --> Remember bumps
            --> Watch the arena
        [o] Decide
            [-] Round over
                --> Round over?
                --> Stand still
            {-} Catch
                --> Within reach?
                --> Claim and pause
            {-} Back inside
                --> Outside the fence?
                --> Align with the way in
                --> Drive inside
            {-} Shy away
                --> Bumped?
                --> Turn from the bump
                --> Go elsewhere
            [o] Hunt
                [-] Chase ...
                [o] Search ...
            [o] Patrol
                {-} Mind the obstacle ...
                {-} Walk ...
            --> Idle
"""

from __future__ import annotations

from py_trees.behaviour import Behaviour
from py_trees.composites import Selector

from arena_trees.behaviours.bumps import RememberBumps
from arena_trees.behaviours.conditions import FenceIs, ObstacleAhead, TargetInSight
from arena_trees.behaviours.roam import ObstacleTurn
from arena_trees.behaviours.sense import Sense
from arena_trees.behaviours.stand import StandStill
from arena_trees.behaviours.wolf_rabbit.catch import CatchConfirmed, ClaimCatch, near_enough, wide_enough
from arena_trees.behaviours.wolf_rabbit.chase import ChaseBySource, ChaseSign
from arena_trees.behaviours.wolf_rabbit.pack import CutsOff, HuntInPack
from arena_trees.behaviours.wolf_rabbit.parameters import WolfParameters
from arena_trees.behaviours.wolf_rabbit.return_turn import ReturnTurn
from arena_trees.behaviours.wolf_rabbit.round_over import RoundOver
from arena_trees.behaviours.wolf_rabbit.search import GoAndLook, LookAround
from arena_trees.behaviours.wolf_rabbit.track_rabbit import LeaveOutCaught, TrackRabbit, TrackRabbitBySource
from arena_trees.behaviours.wolf_rabbit.watch_arena import WatchArena
from arena_trees.games.game import RobotContext
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.percepts import FenceStatus
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.idioms import back_inside, committed, guarded, near_fence, recover_from_bump, roam, robot_root
from arena_trees.world.body import TURTLEBOT4

__all__ = ["create_root"]


def create_root(
    robot: str, live: Live[WolfParameters], streams: RandomStreams, context: RobotContext | None = None
) -> Behaviour:
    """Return the wolf's tree.

    Args:
        robot: name of the robot; its blackboard namespace
        live: parameters; ``strategy``, ``cone_check`` and ``pack`` are read here, once, all others in each tick
        streams: random numbers of this robot
        context: its fence, inside which it searches, and its body; no fence, and a TurtleBot 4, where None
    """
    source = live.value.strategy == "source"
    sensing: list[Behaviour] = [
        Sense("Percepts", robot, ("detections",)),
        LeaveOutCaught("Leave out the caught", robot, live),
        (TrackRabbitBySource if source else TrackRabbit)("Track the rabbit", robot, live),
    ]
    if not source:
        fence, radius = ((), TURTLEBOT4.radius) if context is None else (context.fence, context.body.radius)
        sensing.append(RememberBumps("Remember bumps", robot, radius))
        if live.value.pack:
            sensing.append(HuntInPack("Hunt in a pack", robot, live, fence))
        sensing.append(WatchArena("Watch the arena", robot, live, fence, pack=live.value.pack))
    reached = CatchConfirmed("Within reach?", robot, live, wide_enough if source else near_enough)
    over = guarded("Round over", RoundOver("Round over?", robot), StandStill("Stand still", robot))
    catch = committed("Catch", reached, ClaimCatch("Claim and pause", robot, live))
    idle = StandStill("Idle", robot)
    make = _source_tasks if source else _arena_tasks
    return robot_root("Wolf", sensing, [over, catch, *make(robot, live, streams), idle])


def _arena_tasks(robot: str, live: Live[WolfParameters], streams: RandomStreams) -> list[Behaviour]:
    """Our rules: the fence before the chase, a search while it is out of sight, LiDAR obeyed everywhere.

    It patrols only where it does not know where it is, and cannot search.
    """
    chase = guarded("Chase", TargetInSight("Rabbit in sight?", robot), ChaseSign("Chase the rabbit", robot, live))
    search = Selector(
        name="Search",
        memory=False,
        children=[
            GoAndLook("Go and look", robot, live),
            near_fence(robot, live, blind=False),
            LookAround("Look round", robot, live),
        ],
    )
    hunt = Selector(name="Hunt", memory=False, children=[chase, search])
    if live.value.pack:
        ahead = guarded("Cut off", CutsOff("Another drives it?", robot), GoAndLook("Go ahead of it", robot, live))
        hunt.insert_child(ahead, 0)
    return [
        back_inside(robot, live, to_centroid=False),
        recover_from_bump(robot, live, streams),
        hunt,
        roam("Patrol", robot, live, streams, blind=False, whole_looks=True, fenced=False),
    ]


def _source_tasks(robot: str, live: Live[WolfParameters], streams: RandomStreams) -> list[Behaviour]:
    """The report's rules as written: a breach or an obstacle breaks a chase off with a turn; patrol recovers."""
    blind = live.value.cone_check == "patrol"
    broken_off = committed(
        "Broken off",
        TargetInSight("Rabbit in sight?", robot),
        FenceIs("Outside the fence?", robot, FenceStatus.BREACH),
        ReturnTurn("Return turn", robot, live, streams.generator("return turn")),
    )
    chase = guarded("Chase", TargetInSight("Rabbit in sight?", robot), ChaseBySource("Chase the rabbit", robot, live))
    patrol = Selector(
        name="Patrol",
        memory=False,
        children=[
            back_inside(robot, live, to_centroid=True),
            roam("Walk about", robot, live, streams, blind=blind, forward_first=True),
        ],
    )
    return [broken_off, chase, patrol] if blind else [broken_off, _interrupted(robot, live, streams), chase, patrol]


def _interrupted(robot: str, live: Live[WolfParameters], streams: RandomStreams) -> Behaviour:
    """The report's safety statement: what is near ahead interrupts the motion and triggers a randomised turn."""
    return committed(
        "Interrupted",
        TargetInSight("Rabbit in sight?", robot),
        ObstacleAhead(
            "Something in the way?", robot, live, cooldown=False, distance=lambda: live.value.chase_obstacle_distance
        ),
        ObstacleTurn("Turn from it", robot, live, streams.generator("chase turn")),
    )
