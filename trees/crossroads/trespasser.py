"""A robot that crosses and heeds no scheduler: an opponent of those that do.

.. code-block:: text

    /_/ Trespasser
        [-] Sense
            --> Find its place
            --> Watch the traffic
            --> Watch the box
        [o] Decide
            [-] Astray
                --> Off its way?
                --> Wait to be placed
            [-] Cross
                --> In the box?
                [o] Through the box ...
            [-] Leave
                --> Has it left?
                {-} Come again ...
            [-] Enter
                --> Its moment?
                --> Enter
            --> Approach the line
"""

from __future__ import annotations

from py_trees.behaviour import Behaviour
from py_trees.composites import Selector

from arena_trees.behaviours.crossroads.conditions import Astray, HasLeft
from arena_trees.behaviours.crossroads.drive import ApproachLine
from arena_trees.behaviours.crossroads.parameters import TrespasserParameters
from arena_trees.behaviours.crossroads.routes import RouteChooser
from arena_trees.behaviours.crossroads.senses import FindPlace, WatchBox, WatchTraffic
from arena_trees.behaviours.crossroads.trespassing import (
    Dodge,
    GoesIn,
    InBox,
    StopInBox,
    StrayAlongLane,
    TrespassAcross,
)
from arena_trees.behaviours.crossroads.yielding import EnterCrossing
from arena_trees.behaviours.stand import StandStill
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.crossroads.crosser import come_again
from arena_trees.trees.idioms import guarded, robot_root

__all__ = ["create_root"]


def create_root(robot: str, live: Live[TrespasserParameters], streams: RandomStreams) -> Behaviour:
    """Return the tree of a robot that heeds no scheduler.

    Args:
        robot: name of the robot; its blackboard namespace
        live: parameters; ``manner`` is read here, once, all others in each tick
        streams: random numbers of this robot
    """
    chooser = RouteChooser(live, streams)
    approach = StrayAlongLane if live.value.manner == "strays" else ApproachLine
    stops = [StopInBox("Stop in the box", robot, live)] if live.value.manner == "stops_in_box" else []
    through = Selector(
        name="Through the box",
        memory=False,
        children=[
            *stops,
            Dodge("Dodge", robot, live, streams),
            TrespassAcross("Drive through", robot, live),
        ],
    )
    sensing: list[Behaviour] = [
        FindPlace("Find its place", robot, live, chooser),
        WatchTraffic("Watch the traffic", robot, live),
        WatchBox("Watch the box", robot, live),
    ]
    return robot_root(
        "Trespasser",
        sensing,
        [
            guarded("Astray", Astray("Off its way?", robot, live), StandStill("Wait to be placed", robot)),
            guarded("Cross", InBox("In the box?", robot), through),
            guarded("Leave", HasLeft("Has it left?", robot), come_again(robot, live, streams, chooser)),
            guarded("Enter", GoesIn("Its moment?", robot, live), EnterCrossing("Enter", robot, live)),
            approach("Approach the line", robot, live),
        ],
    )
