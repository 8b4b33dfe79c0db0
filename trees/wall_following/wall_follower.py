"""The wall follower: keeps its distance to a wall beside it, once round.

.. code-block:: text

    /_/ Wall follower
        [-] Sense
            --> Percepts
            --> Sense rays
            --> Fit the wall
        [o] Decide
            [-] Over
                --> Laps over?
                --> Stand
            --> Follow the wall
            --> Wait for scans
"""

from __future__ import annotations

from py_trees.behaviour import Behaviour
from py_trees.composites import Selector

from arena_trees.behaviours.sense import Sense
from arena_trees.behaviours.stand import StandStill
from arena_trees.behaviours.wall_following.follow import FollowByPid, FollowByRules, FollowCurve, LapsOver
from arena_trees.behaviours.wall_following.layers import Layer
from arena_trees.behaviours.wall_following.parameters import WallFollowerParameters
from arena_trees.behaviours.wall_following.sense import FitWall, SenseRays
from arena_trees.control.wall_layers import keep_clear, keep_distance, round_corner, wander
from arena_trees.games.game import RobotContext
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.idioms import guarded, robot_root
from arena_trees.world.body import TURTLEBOT4, Body

__all__ = ["create_root", "wall_law"]


def create_root(
    robot: str, live: Live[WallFollowerParameters], streams: RandomStreams, context: RobotContext | None = None
) -> Behaviour:
    """Return the wall follower's tree.

    Args:
        robot: name of the robot; its blackboard namespace
        live: parameters; ``strategy``, ``law`` and ``side`` are read here, once, all others in each tick
        streams: random numbers of this robot; it draws none
        context: its body; that of a TurtleBot 4 where None
    """
    body = TURTLEBOT4 if context is None else context.body
    sensing: list[Behaviour] = [Sense("Percepts", robot), SenseRays("Sense rays", robot, live)]
    if live.value.strategy == "arena":
        sensing.append(FitWall("Fit the wall", robot, live))
    return robot_root(
        "Wall follower",
        sensing,
        [
            guarded("Over", LapsOver("Laps over?", robot), StandStill("Stand", robot)),
            wall_law(robot, live, body),
            StandStill("Wait for scans", robot),
        ],
    )


def wall_law(robot: str, live: Live[WallFollowerParameters], body: Body) -> Behaviour:
    """Return what follows the wall: ours, or the law of the report that the parameters name."""
    parameters = live.value
    if parameters.strategy == "arena":
        return FollowCurve("Follow the wall", robot, live, body)
    if parameters.law == "rules":
        return FollowByRules("Follow by rules", robot, live, body)
    if parameters.law == "subsumption":
        layers = {
            "Keep clear": keep_clear,
            "Round the corner": round_corner,
            "Keep the distance": keep_distance,
            "Wander": wander,
        }
        children = [Layer(name, robot, live, body, law) for name, law in layers.items()]
        return Selector(name="Subsumption", memory=False, children=children)
    return FollowByPid(f"Follow by {parameters.law.upper()}", robot, live, body)
