"""A robot at a crossing: follows its lane, yields to the scheduler, crosses, turns round and comes again.

.. code-block:: text

    /_/ Crosser
        [-] Sense
            --> Find its place
            --> Watch the traffic
            --> Talk to the scheduler
        [o] Decide
            [-] Astray
                --> Off its way?
                --> Wait to be placed
            [-] Cross
                --> Inside?
                [o] Ways ...
            [-] Leave
                --> Has it left?
                {-} Come again ...
            [-] Enter
                --> Granted?
                --> Enter
            [-] Yield
                --> At the line?
                --> Wait for the grant
            --> Approach the line
"""

from __future__ import annotations

from py_trees.behaviour import Behaviour
from py_trees.composites import Selector, Sequence

from arena_trees.behaviours.crossroads.drive import ApproachLine, BeginRound, Cross, DriveOut, PauseAtEnd, TurnRound
from arena_trees.behaviours.crossroads.mind import CrosserMind
from arena_trees.behaviours.crossroads.parameters import CrosserParameters
from arena_trees.behaviours.crossroads.senses import Astray, FindPlace, StageIs, TalkToScheduler, TurnIs, WatchTraffic
from arena_trees.behaviours.crossroads.source import ApproachBySource, CrossBySource
from arena_trees.behaviours.crossroads.yielding import AtLine, EnterCrossing, Granted, YieldToScheduler
from arena_trees.behaviours.stand import StandStill
from arena_trees.games.crossroads.messages import Stage, Turn
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.idioms import guarded, robot_root

__all__ = ["create_root"]


def create_root(robot: str, live: Live[CrosserParameters], streams: RandomStreams) -> Behaviour:
    """Return the tree of a robot at a crossing.

    Args:
        robot: name of the robot; its blackboard namespace
        live: parameters
        streams: random numbers of this robot
    """
    mind = CrosserMind(robot, live, streams)
    source = live.value.strategy == "source"
    sensing: list[Behaviour] = [
        FindPlace("Find its place", robot, mind),
        WatchTraffic("Watch the traffic", robot, mind),
        TalkToScheduler("Talk to the scheduler", robot, mind),
    ]
    approach = ApproachBySource if source else ApproachLine
    return robot_root(
        "Crosser",
        sensing,
        [
            guarded("Astray", Astray("Off its way?", robot, mind), StandStill("Wait to be placed", robot)),
            guarded("Cross", StageIs("Inside?", robot, mind, Stage.PASSING), _paths(robot, mind, source=source)),
            guarded("Leave", StageIs("Has it left?", robot, mind, Stage.LEFT), _leave(robot, mind)),
            guarded("Enter", Granted("Granted?", robot, mind), EnterCrossing("Enter", robot, mind)),
            guarded("Yield", AtLine("At the line?", robot, mind), YieldToScheduler("Wait for the grant", robot, mind)),
            approach("Approach the line", robot, mind),
        ],
    )


def _paths(robot: str, mind: CrosserMind, *, source: bool) -> Behaviour:
    """Cross, with a leaf for each way, so that a viewer shows which one it is."""
    cross = CrossBySource if source else Cross
    paths: list[Behaviour] = [
        guarded(f"{name} way", TurnIs(f"{name}?", robot, mind, turn), cross(does, robot, mind))
        for turn, name, does in (
            (Turn.RIGHT, "Right", "Turn right"),
            (Turn.LEFT, "Left", "Turn left"),
            (Turn.STRAIGHT, "Straight", "Go straight"),
        )
    ]
    return Selector(name="Ways", memory=False, children=paths)


def _leave(robot: str, mind: CrosserMind) -> Behaviour:
    return Sequence(
        name="Come again",
        memory=True,
        children=[
            DriveOut("Drive out", robot, mind),
            PauseAtEnd("Pause", robot, mind),
            TurnRound("Turn round", robot, mind),
            BeginRound("Begin a round", robot, mind),
        ],
    )
