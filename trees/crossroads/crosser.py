"""A robot at a crossing: follows its lane, yields to the scheduler, crosses, turns round and comes again.

.. code-block:: text

    /_/ Crosser
        [-] Sense
            --> Find its place
            --> Watch the traffic
            --> Talk to the scheduler
            --> Watch the box
        [o] Decide
            [-] Astray
                --> Off its way?
                --> Wait to be placed
            {-} Back off
                --> Bumped?
                --> Back off from it
            [-] Cross
                --> Inside?
                --> Drive through
            [-] Leave
                --> Has it left?
                {-} Come again ...
            [-] Enter
                --> Granted?
                --> Nobody without a lease?
                --> Enter
            [-] Yield
                --> At the line?
                --> Wait for the grant
            --> Approach the line
"""

from __future__ import annotations

from py_trees.behaviour import Behaviour
from py_trees.composites import Sequence

from arena_trees.behaviours.crossroads.conditions import Astray, AtLine, BoxIsClear, Granted, HasLeft, StageIs
from arena_trees.behaviours.crossroads.drive import ApproachLine, BeginRound, Cross, DriveOut, PauseAtEnd, TurnRound
from arena_trees.behaviours.crossroads.parameters import CrosserParameters
from arena_trees.behaviours.crossroads.routes import RouteChooser
from arena_trees.behaviours.crossroads.scheduling import TalkToScheduler
from arena_trees.behaviours.crossroads.senses import FindPlace, WatchBox, WatchTraffic
from arena_trees.behaviours.crossroads.source import ApproachBySource, CrossBySource
from arena_trees.behaviours.crossroads.yielding import EnterCrossing, YieldToScheduler
from arena_trees.behaviours.stand import StandStill
from arena_trees.games.crossroads.messages import Stage
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.idioms import back_off, guarded, robot_root

__all__ = ["come_again", "create_root"]


def create_root(robot: str, live: Live[CrosserParameters], streams: RandomStreams) -> Behaviour:
    """Return the tree of a robot at a crossing.

    Args:
        robot: name of the robot; its blackboard namespace
        live: parameters; ``strategy`` is read here, once, all others in each tick
        streams: random numbers of this robot
    """
    chooser = RouteChooser(live, streams)
    source = live.value.strategy == "source"
    cross, approach = (CrossBySource, ApproachBySource) if source else (Cross, ApproachLine)
    sensing: list[Behaviour] = [
        FindPlace("Find its place", robot, live, chooser),
        WatchTraffic("Watch the traffic", robot, live),
        TalkToScheduler("Talk to the scheduler", robot, live, asks_early=not source),
    ]
    look: list[Behaviour] = []
    bumped: list[Behaviour] = []
    if not source:
        bumped.append(back_off(robot))
        sensing.append(WatchBox("Watch the box", robot, live))
        look.append(BoxIsClear("Nobody without a lease?", robot))
    return robot_root(
        "Crosser",
        sensing,
        [
            guarded("Astray", Astray("Off its way?", robot, live), StandStill("Wait to be placed", robot)),
            *bumped,
            guarded("Cross", StageIs("Inside?", robot, Stage.PASSING), cross("Drive through", robot, live)),
            guarded("Leave", HasLeft("Has it left?", robot), come_again(robot, live, streams, chooser)),
            guarded("Enter", Granted("Granted?", robot, live), *look, EnterCrossing("Enter", robot, live)),
            guarded("Yield", AtLine("At the line?", robot), YieldToScheduler("Wait for the grant", robot)),
            approach("Approach the line", robot, live),
        ],
    )


def come_again(robot: str, live: Live[CrosserParameters], streams: RandomStreams, chooser: RouteChooser) -> Behaviour:
    """Return the subtree of a robot that has left: it drives out, turns round and begins the next round."""
    return Sequence(
        name="Come again",
        memory=True,
        children=[
            DriveOut("Drive out", robot, live),
            PauseAtEnd("Pause", robot, live, streams),
            TurnRound("Turn round", robot, live),
            BeginRound("Begin a round", robot, live, chooser),
        ],
    )
