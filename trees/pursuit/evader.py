"""The evader: keeps away from the chaser, in one of four manners, and stands once its ball was hit.

.. code-block:: text

    /_/ Evader
        [-] Sense
            --> Percepts
            --> Reckon
        [o] Decide
            [-] Out
                --> Hit or over?
                --> Stand
            {-} Back off
                --> Bumped?
                --> Back off from it
                --> Turn from the bump
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
from py_trees.composites import Selector

from arena_trees.behaviours.pursuit.dead_reckoning import DeadReckoning
from arena_trees.behaviours.pursuit.evader.dodge import Dodge
from arena_trees.behaviours.pursuit.evader.explore import MoveForward, Rotate
from arena_trees.behaviours.pursuit.evader.hide import InPlainView, TakeCover
from arena_trees.behaviours.pursuit.evader.parameters import EvaderParameters
from arena_trees.behaviours.pursuit.evader.threat import AimedAt, ChaserNear, EvasionModeIs, IsHit, ThreatKnown
from arena_trees.behaviours.sense import Sense
from arena_trees.behaviours.stand import StandStill
from arena_trees.games.game import RobotContext
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.idioms import back_off, committed, guarded, robot_root
from arena_trees.world.body import TURTLEBOT4

__all__ = ["create_root"]


def create_root(
    robot: str, live: Live[EvaderParameters], streams: RandomStreams, context: RobotContext | None = None
) -> Behaviour:
    """Return the evader's tree, for every manner.

    Args:
        robot: name of the robot; its blackboard namespace
        live: parameters; whether ``manner`` is ``hide_and_dodge`` is read here, once, all others in each tick
        streams: random numbers of this robot
        context: its body; that of a TurtleBot 4 where None
    """
    hull = (TURTLEBOT4 if context is None else context.body).radius
    in_plain_view: list[Behaviour] = []
    if live.value.manner == "hide_and_dodge":
        in_plain_view = [_dodge_in_plain_view(robot, live, streams, hull)]
    return robot_root(
        "Evader",
        [Sense("Percepts", robot), DeadReckoning("Reckon", robot)],
        [
            guarded("Out", IsHit("Hit or over?", robot), StandStill("Stand", robot, event="HIT")),
            back_off(robot, Rotate("Turn from the bump", robot, live, streams.generator("bump turn"), hull)),
            *in_plain_view,
            guarded(
                "Hide",
                EvasionModeIs("Does it hide?", robot, live, "hide", "hide_and_dodge"),
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


def _dodge_in_plain_view(robot: str, live: Live[EvaderParameters], streams: RandomStreams, hull: float) -> Behaviour:
    """Return what one that hides and dodges tries before it hides.

    .. code-block:: text

        [-] Dodge in plain view
            --> In plain view?
            [o] In danger
                --> Chaser near?
                --> Barrel on it?
            --> Dodge on the spot
    """
    return guarded(
        "Dodge in plain view",
        InPlainView("In plain view?", robot, live, hull),
        Selector(
            name="In danger",
            memory=False,
            children=[ChaserNear("Chaser near?", robot, live), AimedAt("Barrel on it?", robot, live)],
        ),
        Dodge("Dodge on the spot", robot, live, streams.generator("dodge in plain view"), hull),
    )
