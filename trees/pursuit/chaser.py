"""The chaser: finds the evader's ball by camera, follows it, hits it with its laser and drives home.

.. code-block:: text

    /_/ Chaser
        [-] Sense
            --> Locate
            --> Reckon
            --> Remember bumps
            --> Track the ball
            --> Watch the room
        [o] Decide
            [-] Over
                --> Over?
                --> Stand still
            {-} Back off
                --> Bumped?
                --> Back off from it
            [-] Return home
                --> Hit?
                --> Go home
            [-] Hunt
                --> Ball in sight?
                --> Fire when sure
                --> Pursue
            [o] Search
                --> Look round
                --> Go and look
"""

from __future__ import annotations

from py_trees.behaviour import Behaviour
from py_trees.composites import Selector

from arena_trees.behaviours.bumps import RememberBumps
from arena_trees.behaviours.pursuit.chaser.equipment import Equipment
from arena_trees.behaviours.pursuit.chaser.go_home import GoHome, PursuitPhaseIs
from arena_trees.behaviours.pursuit.chaser.hunt import BallInSight, FireWhenSure, PursueBall
from arena_trees.behaviours.pursuit.chaser.locate import LocateChaser
from arena_trees.behaviours.pursuit.chaser.parameters import ChaserParameters
from arena_trees.behaviours.pursuit.chaser.search_room import LookAroundRoom, SearchRoom
from arena_trees.behaviours.pursuit.chaser.source_avoiding import AvoidingAligning, AvoidingStraight, WallNear
from arena_trees.behaviours.pursuit.chaser.source_states import (
    BallSeen,
    Lost,
    NotYetHome,
    Recovering,
    Returning,
    Scanning,
    Tracking,
)
from arena_trees.behaviours.pursuit.chaser.track_ball import TrackBall
from arena_trees.behaviours.pursuit.chaser.vote import VoteForBall
from arena_trees.behaviours.pursuit.chaser.watch_room import WatchRoom
from arena_trees.behaviours.pursuit.dead_reckoning import DeadReckoning
from arena_trees.behaviours.stand import StandStill
from arena_trees.games.game import RobotContext
from arena_trees.games.pursuit.messages import PursuitPhase
from arena_trees.games.pursuit.rules import PursuitRules
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.idioms import back_off, committed, guarded, robot_root
from arena_trees.world.body import TURTLEBOT4
from arena_trees.world.camera_optics import OAK_D

__all__ = ["create_root"]


def create_root(
    robot: str, live: Live[ChaserParameters], streams: RandomStreams, context: RobotContext | None = None
) -> Behaviour:
    """Return the chaser's tree.

    Args:
        robot: name of the robot; its blackboard namespace
        live: parameters; ``strategy`` is read here, once, all others in each tick
        streams: random numbers of this robot; the chaser draws none
        context: its body, its camera and the rules; those of a TurtleBot 4 in a game by default where None
    """
    if context is None:
        equipment = Equipment.of(TURTLEBOT4, OAK_D, PursuitRules())
    else:
        equipment = Equipment.of(context.body, context.camera, context.rules_as(PursuitRules))
    source = live.value.strategy == "source"
    over = guarded("Over", PursuitPhaseIs("Over?", robot, PursuitPhase.OVER), StandStill("Stand still", robot))
    sensing: list[Behaviour] = [LocateChaser("Locate", robot), DeadReckoning("Reckon", robot)]
    if source:
        sensing.append(VoteForBall("Vote for the ball", robot, live, equipment))
    else:
        sensing += [
            RememberBumps("Remember bumps", robot, equipment.radius),
            TrackBall("Track the ball", robot, live, equipment),
            WatchRoom("Watch the room", robot, live, equipment),
        ]
    tasks = _source_tasks(robot, live, equipment) if source else _arena_tasks(robot, live, equipment)
    return robot_root("Chaser", sensing, [over, *tasks])


def _arena_tasks(robot: str, live: Live[ChaserParameters], equipment: Equipment) -> list[Behaviour]:
    """Our rules: aim ahead, fire when a hit is likely, search where the evader can have gone."""
    return [
        back_off(robot),
        guarded(
            "Return home", PursuitPhaseIs("Hit?", robot, PursuitPhase.HIT), GoHome("Go home", robot, live, equipment)
        ),
        guarded(
            "Hunt",
            BallInSight("Ball in sight?", robot),
            FireWhenSure("Fire when sure", robot, live, equipment),
            PursueBall("Pursue", robot, live, equipment),
        ),
        Selector(
            name="Search",
            memory=False,
            children=[
                LookAroundRoom("Look round", robot, live, equipment),
                SearchRoom("Go and look", robot, live, equipment),
            ],
        ),
    ]


def _source_tasks(robot: str, live: Live[ChaserParameters], equipment: Equipment) -> list[Behaviour]:
    """The report's state machine: an avoidance goes on to its end, whatever is seen meanwhile.

    Its first state is Returning, yet in its second experiment the chaser tracks from where it was put: here a ball that
    is seen on the first way home is tracked.
    """

    def avoid(state: str, holds: Behaviour) -> Behaviour:
        return committed(
            f"Avoiding while {state}",
            holds,
            WallNear("Wall near?", robot, live, equipment),
            AvoidingAligning("Avoiding aligning", robot, live, equipment),
            AvoidingStraight("Avoiding straight", robot, live, equipment),
        )

    def hit(name: str) -> Behaviour:
        return PursuitPhaseIs(name, robot, PursuitPhase.HIT)

    return [
        avoid("returning", hit("Hit, on the way home?")),
        guarded("Return", hit("Hit?"), Returning("Returning", robot, live, equipment)),
        avoid("recovering", Lost("On the way there?", robot)),
        guarded("Track", BallSeen("Ball seen?", robot), Tracking("Tracking", robot, live, equipment)),
        guarded("Recover", Lost("Lost?", robot), Recovering("Recovering", robot, live, equipment)),
        avoid("beginning", NotYetHome("On the first way home?", robot, live)),
        guarded("Begin", NotYetHome("Not yet home?", robot, live), Returning("Returning", robot, live, equipment)),
        Scanning("Scanning", robot, live, equipment),
    ]
