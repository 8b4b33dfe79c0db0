"""The robot follower: keeps a gap behind another robot that it sees, and follows the wall otherwise.

.. code-block:: text

    /_/ Robot follower
        [-] Sense
            --> Percepts
            --> See the leader
            --> Sense rays
            --> Fit the wall
        [o] Decide
            [-] Over
                --> Laps over?
                --> Stand
            [-] Chase
                --> Leader seen?
                --> Follow the leader
            --> Follow the wall
            --> Wait for scans
"""

from __future__ import annotations

from py_trees.behaviour import Behaviour

from arena_trees.behaviours.sense import Sense
from arena_trees.behaviours.stand import StandStill
from arena_trees.behaviours.wall_following.follow import LapsOver
from arena_trees.behaviours.wall_following.lead import (
    FitWallPastLeader,
    FollowLeader,
    FollowLeaderDirectly,
    LeaderSeen,
    SenseLeader,
    SenseLeaderRay,
    SenseRaysPastLeader,
)
from arena_trees.behaviours.wall_following.parameters import RobotFollowerParameters
from arena_trees.games.game import RobotContext
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.idioms import guarded, robot_root
from arena_trees.trees.wall_following.wall_follower import wall_law
from arena_trees.world.body import TURTLEBOT4

__all__ = ["create_root"]


def create_root(
    robot: str, live: Live[RobotFollowerParameters], streams: RandomStreams, context: RobotContext | None = None
) -> Behaviour:
    """Return the robot follower's tree.

    Args:
        robot: name of the robot; its blackboard namespace
        live: parameters; ``strategy``, ``law``, ``side`` and ``sight`` are read here, once, all others in each tick
        streams: random numbers of this robot; it draws none
        context: its body; that of a TurtleBot 4 where None
    """
    body = TURTLEBOT4 if context is None else context.body
    ours = live.value.strategy == "arena"
    # The report's robot has no track to tell a hull by: it needs the second LiDAR.
    by_ray = not ours and live.value.sight == "robot_scan"
    sensing: list[Behaviour] = [
        Sense("Percepts", robot),
        (SenseLeaderRay if by_ray else SenseLeader)("See the leader", robot, live),
        SenseRaysPastLeader("Sense rays", robot, live),
    ]
    if ours:
        sensing.append(FitWallPastLeader("Fit the wall", robot, live))
    follow = (FollowLeader if ours else FollowLeaderDirectly)("Follow the leader", robot, live, body)
    return robot_root(
        "Robot follower",
        sensing,
        [
            guarded("Over", LapsOver("Laps over?", robot), StandStill("Stand", robot)),
            guarded("Chase", LeaderSeen("Leader seen?", robot), follow),
            wall_law(robot, live, body),
            StandStill("Wait for scans", robot),
        ],
    )
