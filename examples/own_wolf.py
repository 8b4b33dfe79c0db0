"""A wolf of your own: the shipped wolf's parts, with a patrol in place of its search for the rabbit.

Play it, or compare it with the shipped one in the same worlds::

    arena-trees run wolf_rabbit --tree wolf=examples/own_wolf.py
    arena-trees run wolf_rabbit --compare wolf=examples/own_wolf.py --trials 30
"""

from __future__ import annotations

import arena_trees as at
from arena_trees.behaviours.conditions import TargetInSight
from arena_trees.behaviours.track_sign import TrackSign
from arena_trees.behaviours.wolf_rabbit.catch import CatchConfirmed, ClaimCatch, near_enough
from arena_trees.behaviours.wolf_rabbit.chase import ChaseSign
from arena_trees.behaviours.wolf_rabbit.parameters import WolfParameters
from arena_trees.behaviours.wolf_rabbit.round_over import RoundOver
from arena_trees.trees.idioms import committed, recover_from_bump, roam


def create_root(robot: str, live: at.Live[WolfParameters], streams: at.RandomStreams) -> at.Behaviour:
    """Return the tree: sensing beside deciding, emergencies first."""
    reached = CatchConfirmed("Within reach?", robot, live, near_enough)
    tasks = [
        at.guarded("Round over", RoundOver("Round over?", robot), at.StandStill("Stand still", robot)),
        committed("Catch", reached, ClaimCatch("Claim and pause", robot, live)),
        at.back_inside(robot, live, to_centroid=False),
        recover_from_bump(robot, live, streams),
        at.guarded("Chase", TargetInSight("Rabbit in sight?", robot), ChaseSign("Chase the rabbit", robot, live)),
        roam("Patrol", robot, live, streams, blind=False, whole_looks=True),
        at.StandStill("Idle", robot),
    ]
    return at.robot_root(
        "Own wolf", [at.Sense("Percepts", robot, ("detections",)), TrackSign("Track the rabbit", robot, live)], tasks
    )
