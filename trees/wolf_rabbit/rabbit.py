"""The rabbit: wanders about its home, flees there from the wolf's sign, hides, rests, and is dead when caught.

.. code-block:: text

    /_/ Rabbit
        [-] Sense
            --> Percepts
            --> Home
        [o] Decide
            [-] Dead
                --> Caught or over?
                --> Play dead
            {-} Back inside
                --> Outside the fence?
                --> Align with the way in
                --> Drive inside
            {-} Shy away
                --> Bumped?
                --> Turn from the bump
                --> Go elsewhere
            {-} Rest
                --> Exhausted?
                --> Resting
            [-] Flee
                --> Wolf in sight?
                [o] Shelter ...
            [-] Wander
                --> Spend energy
                [o] Keep near home ...
            --> Idle
"""

from __future__ import annotations

import math
from collections.abc import Sequence as Points

from py_trees.behaviour import Behaviour
from py_trees.composites import Selector, Sequence

from arena_trees.behaviours.conditions import SignInSight
from arena_trees.behaviours.sense import Sense
from arena_trees.behaviours.stand import StandStill
from arena_trees.behaviours.wolf_rabbit.energy import Exhausted, Rest, SpendEnergy
from arena_trees.behaviours.wolf_rabbit.evade import Evade, SenseThreats, ThreatNear
from arena_trees.behaviours.wolf_rabbit.forage import CarrotWanted, EatCarrot, GoToCarrot, SpotCarrots
from arena_trees.behaviours.wolf_rabbit.home import DriveHome, LockHome, NearHome
from arena_trees.behaviours.wolf_rabbit.parameters import RabbitParameters
from arena_trees.behaviours.wolf_rabbit.round_over import RoundOver
from arena_trees.control.sign_range import Camera
from arena_trees.games.game import RobotContext
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.idioms import back_inside, committed, guarded, recover_from_bump, roam, robot_root
from arena_trees.world.camera_optics import OAK_D

__all__ = ["create_root"]


def create_root(
    robot: str, live: Live[RabbitParameters], streams: RandomStreams, context: RobotContext | None = None
) -> Behaviour:
    """Return the rabbit's tree.

    Args:
        robot: name of the robot; its blackboard namespace
        live: parameters; ``manner`` and ``forages`` are read here, once, all others in each tick
        streams: random numbers of this robot
        context: its fence, which it keeps away from, and its camera; no fence, and a TurtleBot 4's, where None
    """
    sensing: list[Behaviour] = [Sense("Percepts", robot, ("detections",)), LockHome("Home", robot)]
    evading: list[Behaviour] = []
    if live.value.manner != "source":
        sensing.append(SenseThreats("Robots that move", robot, live))
        evading.append(_evade(robot, live, () if context is None else context.fence))
    foraging: list[Behaviour] = []
    if live.value.forages:
        optics = OAK_D if context is None else context.camera
        camera = Camera(math.radians(optics.hfov_deg), optics.mount_x, optics.mount_z)
        sensing.append(SpotCarrots("Carrots", robot, live, camera))
        foraging.append(_forage(robot, live))
    return robot_root(
        "Rabbit",
        sensing,
        [
            guarded("Dead", RoundOver("Caught or over?", robot), StandStill("Play dead", robot, event="DEAD")),
            back_inside(robot, live, to_centroid=False),
            recover_from_bump(robot, live, streams),
            committed("Rest", Exhausted("Exhausted?", robot), Rest("Resting", robot, live)),
            *evading,
            _flee(robot, live),
            *foraging,
            _wander(robot, live, streams),
            StandStill("Idle", robot),
        ],
    )


def _evade(robot: str, live: Live[RabbitParameters], fence: Points[tuple[float, float]]) -> Behaviour:
    """Keep away from robots that are near."""
    return guarded(
        "Evade",
        ThreatNear("Robot near?", robot, live),
        SpendEnergy("Spend energy", robot, live, lambda: live.value.evade_energy_drain_per_sec),
        Evade("Keep away", robot, live, fence),
    )


def _forage(robot: str, live: Live[RabbitParameters]) -> Behaviour:
    """Go to a carrot and eat it, while it is hungry and knows of one."""
    meal = Sequence(
        name="Meal",
        memory=True,
        children=[GoToCarrot("Go to the carrot", robot, live), EatCarrot("Eat it", robot, live)],
    )
    spend = SpendEnergy("Spend energy", robot, live, lambda: live.value.wander_energy_drain_per_sec)
    return guarded("Forage", CarrotWanted("Carrot wanted?", robot, live), spend, meal)


def _flee(robot: str, live: Live[RabbitParameters]) -> Behaviour:
    """Hide at home without spending energy, or return home; no home gives immunity."""
    hide = guarded(
        "Hide",
        NearHome("At home?", robot, lambda: live.value.home_safe_radius),
        StandStill("Hide at home", robot),
    )
    run = guarded(
        "Return home",
        SpendEnergy("Spend energy", robot, live, lambda: live.value.return_energy_drain_per_sec),
        DriveHome("Run home", robot, live, lambda: live.value.return_linear_speed),
    )
    shelter = Selector(name="Shelter", memory=False, children=[hide, run])
    wolf = SignInSight("Wolf in sight?", robot, live, lambda: live.value.threat_label)
    return guarded("Flee", wolf, shelter)


def _wander(robot: str, live: Live[RabbitParameters], streams: RandomStreams) -> Behaviour:
    """Roam within the wander radius; beyond it, drive back towards home."""
    stray = guarded(
        "Stray",
        NearHome(
            "Near enough?",
            robot,
            radius=lambda: live.value.wander_radius / 2.0,
            outer=lambda: live.value.wander_radius,
        ),
        roam("Roam", robot, live, streams, blind=False),
    )
    back = DriveHome("Back towards home", robot, live, lambda: live.value.roam_linear_speed)
    return guarded(
        "Wander",
        SpendEnergy("Spend energy", robot, live, lambda: live.value.wander_energy_drain_per_sec),
        Selector(name="Keep near home", memory=False, children=[stray, back]),
    )
