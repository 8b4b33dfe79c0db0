"""PacMan: returns home, shows its start, collects pellets without meeting a ghost, shows death and win.

.. code-block:: text

    /_/ PacMan
        [-] Sense
            --> Locate
            --> Collect
            --> Remember bumps
        [o] Decide
            [-] Lost
                --> No pose?
                --> Wait for localisation
            [-] Die
                --> DYING?
                --> Death shake
            [-] Win
                --> COMPLETE?
                --> Show the win
            {-} Back off
                --> Bumped?
                --> Back off from it
            [-] Home
                --> RETURNING_HOME?
                --> Return home
            [-] Start
                --> STARTING?
                --> Start theatrics
            [-] Play
                --> RUNNING?
                --> Choose a pellet
                [o] Act ...
            --> Await the start
"""

from __future__ import annotations

from py_trees.behaviour import Behaviour
from py_trees.composites import Selector

from arena_trees.behaviours.bumps import RememberBumps
from arena_trees.behaviours.pacman.choose import ChoosePellet, PlanIs
from arena_trees.behaviours.pacman.drive import FollowPlan, ReturnHome
from arena_trees.behaviours.pacman.parameters import PacmanParameters
from arena_trees.behaviours.pacman.senses import AvoidGhosts, GamePhaseIs, LocateInMap, NoticeScore, PoseLost
from arena_trees.behaviours.pacman.show import AwaitStart, DeathShake, WinShow
from arena_trees.behaviours.pacman.start import StartSpin
from arena_trees.behaviours.stand import StandStill
from arena_trees.games.pacman.messages import PacmanPhase
from arena_trees.games.pacman.planning.pellet_planner import Intent
from arena_trees.robot.background import BackgroundRunner
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.ports import Navigator
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.idioms import back_off, guarded, robot_root
from arena_trees.trees.pacman.services import make_services
from arena_trees.world.body import TURTLEBOT4

__all__ = ["create_root"]


def create_root(
    robot: str,
    live: Live[PacmanParameters],
    streams: RandomStreams,
    navigator: Navigator | None = None,
    background: BackgroundRunner | None = None,
) -> Behaviour:
    """Return PacMan's tree. The map is read when the tree is set up.

    Args:
        robot: name of the robot; its blackboard namespace
        live: parameters
        streams: random numbers of this robot
        navigator: drives to goals, such as a client of Nav2; the embedded one where not given
        background: has plans made in the background; they are made in the tick where not given
    """
    source = live.value.strategy == "source"
    driver, plans = make_services(robot, live, streams, navigator, background, source=source)

    def during(phase: PacmanPhase, name: str, *then: Behaviour) -> Behaviour:
        return guarded(name, GamePhaseIs(f"{phase.value}?", robot, live, phase), *then)

    sensing: list[Behaviour] = [LocateInMap("Locate", robot), NoticeScore("Collect", robot)]
    wait = guarded(
        "Wait it out",
        PlanIs("Better wait?", robot, Intent.WAIT),
        StandStill("Wait for the ghost to go", robot),
    )
    go = FollowPlan("Go to the pellet", robot, driver)
    if source:
        # The document's strategy never flees: its route goes round the ghost at most.
        sensing.append(AvoidGhosts("Go round ghosts", robot, live))
        acts = [wait, go]
        bumped: list[Behaviour] = []
    else:
        # The document's robot does nothing about what it runs into; its base backs off by itself.
        sensing.append(RememberBumps("Remember bumps", robot, TURTLEBOT4.radius))
        bumped = [back_off(robot)]
        avoid = FollowPlan("Avoid the ghost", robot, driver)
        acts = [wait, guarded("Avoid", PlanIs("In danger?", robot, Intent.EVADE), avoid), go]
    act = Selector(name="Act", memory=False, children=acts)
    return robot_root(
        "PacMan",
        sensing,
        [
            guarded("Lost", PoseLost("No pose?", robot, live), StandStill("Wait for localisation", robot)),
            during(PacmanPhase.DYING, "Die", DeathShake("Death shake", robot, live)),
            during(PacmanPhase.COMPLETE, "Win", WinShow("Show the win", robot, live)),
            *bumped,
            during(PacmanPhase.RETURNING_HOME, "Home", ReturnHome("Return home", robot, live, driver, plans)),
            during(PacmanPhase.STARTING, "Start", StartSpin("Start theatrics", robot, live, plans)),
            during(PacmanPhase.RUNNING, "Play", ChoosePellet("Choose a pellet", robot, live, plans), act),
            AwaitStart("Await the start", robot),
        ],
    )
