"""What a recording holds of itself on ``/recording``, and a robot of itself on ``<robot>/recording``: JSON texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from arena_trees import __version__
from arena_trees.robot.configuration.parameters import Parameters
from arena_trees.world.body import Body
from arena_trees.world.camera_optics import CameraOptics

if TYPE_CHECKING:
    from arena_trees.experiments.plan import TrialPlan
    from arena_trees.games.game import Judge

__all__ = ["INFO", "end_info", "game_info", "robot_info"]

INFO = "recording"
"""Name of the topic; published once, transient local."""


def game_info(plan: TrialPlan, index: int, scenario: str, arm: str, arena: str) -> dict[str, Any]:
    """Return what replay and report need to know of what is played, as plain values; its robots apart.

    Args:
        plan: of the trial
        index: of the trial
        scenario: its name or file, as it was asked for
        arm: of a comparison; empty where nothing is compared
        arena: name of the arena
    """
    played = plan.scenario
    return {
        "scenario": scenario,
        "arm": arm,
        "recorder": "arena_trees",
        "version": __version__,
        "seed": played.seed + index,
        "trial": index,
        "game": played.game,
        "strategy": played.strategy,
        "isolated": played.isolated,
        "arena": arena,
        "scenario_values": played.model_dump(mode="json", exclude_unset=True),
    }


def end_info(judge: Judge) -> dict[str, Any]:
    """Return how a trial ended by its judge, as plain values."""
    return {
        "outcome": judge.outcome,
        "reason": judge.reason,
        "over": judge.over,
        "ended_s": judge.ended_s,
        "marks": [[mark.now_s, mark.x, mark.y, mark.label, mark.colour] for mark in judge.marks()],
    }


def robot_info(
    role: str,
    parameters: Parameters,
    gate: Parameters | None,
    fence_parameters: Parameters,
    fence: Sequence[tuple[float, float]] | None,
    seed: int,
    body: Body,
    camera: CameraOptics,
    own_tree: bool = False,
    rules: Parameters | None = None,
    isolated: bool | None = None,
) -> dict[str, Any]:
    """Return what replay needs to know of a robot, as plain values.

    Args:
        role: of the robot
        parameters: of its role
        gate: limits of its velocity gate; None where that is another process, and the ticks know nothing of it
        fence_parameters: when its geofence warns
        fence: (x, y) of each corner, m, map frame; None where it has none
        seed: of its tree's random choices
        body: what it is made of
        camera: that its tree is given
        own_tree: whether its tree is another one than its role's
        rules: of its game; None where the recording itself has them
        isolated: whether it receives from nobody; None where the recording itself has it
    """
    by_itself = {
        "rules": None if rules is None else rules.model_dump(mode="json"),
        "isolated": isolated,
    }
    return {
        "role": role,
        "version": __version__,
        "own_tree": own_tree,
        "parameters": parameters.model_dump(mode="json"),
        "gate": None if gate is None else gate.model_dump(mode="json"),
        "fence_parameters": fence_parameters.model_dump(mode="json"),
        "fence": None if fence is None else [list(point) for point in fence],
        "seed": seed,
        "body": body.model_dump(mode="json"),
        "camera": camera.model_dump(mode="json", include=set(CameraOptics.model_fields)),
        **{key: value for key, value in by_itself.items() if value is not None},
    }
