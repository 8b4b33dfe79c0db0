"""PacMan: returns home, shows its start, collects pellets without meeting a ghost, shows death and win.

.. code-block:: text

    /_/ PacMan
        [-] Sense
            --> Locate
            --> Collect
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

from arena_trees.behaviours.pacman.drive import ChoosePellet, FollowPlan, PlanIs, ReturnHome
from arena_trees.behaviours.pacman.mind import PacmanMind
from arena_trees.behaviours.pacman.parameters import PacmanParameters
from arena_trees.behaviours.pacman.senses import Localised, Locate, NoticeScore, PhaseIs
from arena_trees.behaviours.pacman.show import AwaitStart, DeathShake, WinShow
from arena_trees.behaviours.pacman.start import StartSpin
from arena_trees.behaviours.stand import StandStill
from arena_trees.games.pacman.messages import PacmanPhase
from arena_trees.games.pacman.planning.pellet_planner import Intent
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.ports import Navigator
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.idioms import guarded, robot_root

__all__ = ["create_root"]


def create_root(
    robot: str, live: Live[PacmanParameters], streams: RandomStreams, navigator: Navigator | None = None
) -> Behaviour:
    """Return PacMan's tree. The map is read when the tree is set up.

    Args:
        robot: name of the robot; its blackboard namespace
        live: parameters
        streams: random numbers of this robot
        navigator: drives to goals, such as a client of Nav2; the embedded one where not given
    """
    mind = PacmanMind(live, streams, navigator)
    sensing: list[Behaviour] = [Locate("Locate", robot, mind), NoticeScore("Collect", robot)]

    def during(name: str, phase: PacmanPhase, *then: Behaviour) -> Behaviour:
        return guarded(name, PhaseIs(f"{phase.value}?", robot, live, phase), *then)

    return robot_root(
        "PacMan",
        sensing,
        [
            guarded("Lost", Localised("No pose?", robot, mind), StandStill("Wait for localisation", robot)),
            during("Die", PacmanPhase.DYING, DeathShake("Death shake", robot, live)),
            during("Win", PacmanPhase.COMPLETE, WinShow("Show the win", robot, live)),
            during("Home", PacmanPhase.RETURNING_HOME, ReturnHome("Return home", robot, mind)),
            during("Start", PacmanPhase.STARTING, StartSpin("Start theatrics", robot, mind)),
            during("Play", PacmanPhase.RUNNING, ChoosePellet("Choose a pellet", robot, mind), _act(robot, mind)),
            AwaitStart("Await the start", robot),
        ],
    )


def _act(robot: str, mind: PacmanMind) -> Behaviour:
    """Do what the plan is for; the document's strategy never flees, its route goes round the ghost at most."""
    tasks: list[Behaviour] = [
        guarded(
            "Wait it out",
            PlanIs("Better wait?", robot, mind, Intent.WAIT),
            StandStill("Wait for the ghost to go", robot),
        )
    ]
    if mind.live.value.strategy == "arena":
        avoid = FollowPlan("Avoid the ghost", robot, mind)
        tasks.append(guarded("Avoid", PlanIs("In danger?", robot, mind, Intent.EVADE), avoid))
    return Selector(name="Act", memory=False, children=[*tasks, FollowPlan("Go to the pellet", robot, mind)])
