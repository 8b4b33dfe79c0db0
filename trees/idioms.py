"""Subtrees and shapes that every role shares."""

from __future__ import annotations

from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import ParallelPolicy
from py_trees.composites import Parallel, Selector, Sequence

from arena_trees.behaviours.bumps import BackOff
from arena_trees.behaviours.conditions import Bumped, FenceIs, ObstacleAhead
from arena_trees.behaviours.parameters import RoamParameters
from arena_trees.behaviours.recover import AlignInward, DriveInward
from arena_trees.behaviours.roam import ForceForward, ForwardLeg, HeadForCentroid, LookRound, ObstacleTurn, ScanSpin
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.percepts import FenceStatus
from arena_trees.robot.random_streams import RandomStreams

__all__ = ["back_inside", "back_off", "committed", "guarded", "near_fence", "recover_from_bump", "roam", "robot_root"]


def robot_root(name: str, sensing: list[Behaviour], tasks: list[Behaviour]) -> Behaviour:
    """Return the root that every role has: in each tick all sensing leaves run, and then one of the tasks.

    The sequence ``Sense`` and the selector ``Decide`` are the children of a parallel. Tasks are tried in order in every
    tick, so that an earlier one interrupts a later one: emergencies come first, idling last.
    """
    deciding = Selector(name="Decide", memory=False, children=tasks)
    watching = Sequence(name="Sense", memory=False, children=sensing)
    return Parallel(name=name, policy=ParallelPolicy.SuccessOnAll(synchronise=False), children=[watching, deciding])


def guarded(name: str, condition: Behaviour, *then: Behaviour) -> Behaviour:
    """Do something for as long as a condition holds, looked at in every tick."""
    return Sequence(name=name, memory=False, children=[condition, *then])


def committed(name: str, trigger: Behaviour, *then: Behaviour) -> Behaviour:
    """Do something to its end once a trigger fired."""
    return Sequence(name=name, memory=True, children=[trigger, *then])


def back_inside(robot: str, live: Live[Any], *, to_centroid: bool) -> Behaviour:
    """Return inside the fence after a breach: align, then drive, as the source system does."""
    return committed(
        "Back inside",
        FenceIs("Outside the fence?", robot, FenceStatus.BREACH),
        AlignInward("Align with the way in", robot, live, to_centroid=to_centroid),
        DriveInward("Drive inside", robot, live, to_centroid=to_centroid),
    )


def back_off(robot: str, *then: Behaviour) -> Behaviour:
    """Drive a little backwards from what was bumped into, so that there is room to turn and to drive past; go on."""
    back = BackOff("Back off from it", robot, stands=not then)
    return committed("Back off", Bumped("Bumped?", robot), back, *then)


def recover_from_bump(robot: str, live: Live[Any], streams: RandomStreams) -> Behaviour:
    """Turn away from what was bumped into, and go elsewhere: the LiDAR does not see it."""
    return committed(
        "Shy away",
        Bumped("Bumped?", robot),
        ObstacleTurn("Turn from the bump", robot, live, streams.generator("bump turn")),
        ForceForward("Go elsewhere", robot, live, blind=False),
    )


def near_fence(robot: str, live: Live[Any], *, blind: bool) -> Behaviour:
    """Leave the warning band of the fence for its middle; with ``blind`` without a look at the LiDAR."""
    return guarded(
        "Near the fence",
        FenceIs("In the warning band?", robot, FenceStatus.WARNING),
        HeadForCentroid("Head for the centroid", robot, live, blind=blind),
    )


def roam(
    name: str,
    robot: str,
    live: Live[Any],
    streams: RandomStreams,
    *,
    blind: bool,
    whole_looks: bool = False,
    forward_first: bool = False,
    fenced: bool = True,
) -> Behaviour:
    """Straight legs and scan spins, with obstacle turns and the warning band, as in the source system.

    With ``blind`` it is as in the source system's code: forced forward and the way out of the warning band
    do not look at the LiDAR, and obstacles are ignored during the cooldown. With ``whole_looks`` a scan
    spin goes all the way round, instead of to a random yaw. It goes before the straight leg, but with
    ``forward_first``. Without ``fenced`` there is no warning band: for a robot that does not know where it is.
    """
    parameters: Live[RoamParameters] = live
    warning = [near_fence(robot, live, blind=blind)] if fenced else []
    obstacle = committed(
        "Mind the obstacle",
        ObstacleAhead("Obstacle ahead?", robot, parameters, cooldown=blind),
        ObstacleTurn("Turn away", robot, parameters, streams.generator("obstacle turn")),
        ForceForward("Force forward", robot, parameters, blind=blind),
    )
    forward = ForwardLeg("Forward", robot, parameters, streams.generator("leg"))
    spin = (LookRound if whole_looks else ScanSpin)("Scan", robot, parameters, streams.generator("scan spin"))
    walk = Sequence(name="Walk", memory=True, children=[forward, spin] if forward_first else [spin, forward])
    return Selector(name=name, memory=False, children=[*warning, obstacle, walk])
