"""The evader: keeps away from the chaser, in one of three manners, and stands once its ball was hit.

.. code-block:: text

    /_/ Evader
        [-] Sense
            --> Percepts
            --> Reckon
        [o] Decide
            [-] Out
                --> Hit or over?
                --> Stand
            [-] Hide
                --> Does it hide?
                --> Chaser known?
                --> Take cover
            [-] Dodge aside
                --> Does it dodge?
                --> Aimed at?
                --> Dodge
            {-} Explore
                --> Move forward
                --> Rotate
"""

from __future__ import annotations

from py_trees.behaviour import Behaviour

from arena_trees.behaviours.pursuit.dead_reckoning import DeadReckoning
from arena_trees.behaviours.pursuit.evader.dodge import Dodge
from arena_trees.behaviours.pursuit.evader.explore import MoveForward, Rotate
from arena_trees.behaviours.pursuit.evader.hide import TakeCover
from arena_trees.behaviours.pursuit.evader.parameters import EvaderParameters
from arena_trees.behaviours.pursuit.evader.threat import AimedAt, EvasionModeIs, IsHit, ThreatKnown
from arena_trees.behaviours.sense import Sense
from arena_trees.behaviours.stand import StandStill
from arena_trees.games.game import RobotContext
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.idioms import committed, guarded, robot_root
from arena_trees.world.body import TURTLEBOT4

__all__ = ["create_root"]


def create_root(
    robot: str, live: Live[EvaderParameters], streams: RandomStreams, context: RobotContext | None = None
) -> Behaviour:
    """Return the evader's tree, for every manner.

    Args:
        robot: name of the robot; its blackboard namespace
        live: parameters
        streams: random numbers of this robot
        context: its body; that of a TurtleBot 4 where None
    """
    hull = (TURTLEBOT4 if context is None else context.body).radius
    return robot_root(
        "Evader",
        [Sense("Percepts", robot), DeadReckoning("Reckon", robot)],
        [
            guarded("Out", IsHit("Hit or over?", robot), StandStill("Stand", robot, event="HIT")),
            guarded(
                "Hide",
                EvasionModeIs("Does it hide?", robot, live, "hide"),
                ThreatKnown("Chaser known?", robot, live),
                TakeCover("Take cover", robot, live, hull),
            ),
            guarded(
                "Dodge aside",
                EvasionModeIs("Does it dodge?", robot, live, "dodge"),
                AimedAt("Aimed at?", robot, live),
                Dodge("Dodge", robot, live, streams.generator("dodge"), hull),
            ),
            committed(
                "Explore",
                MoveForward("Move forward", robot, live, streams.generator("move"), hull),
                Rotate("Rotate", robot, live, streams.generator("rotate"), hull),
            ),
        ],
    )
