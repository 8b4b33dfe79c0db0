"""What is played: the scenario that a node is given, read and checked as the command line does it."""

from __future__ import annotations

from typing import Any

from arena_trees.experiments.plan import TrialPlan, make_plan
from arena_trees.experiments.scenario import apply_changes, find_scenario, load_scenario
from arena_trees.robot.configuration.assignments import parse_assignments
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.errors import ConfigError

__all__ = ["PlayedParameters", "TrialParameters", "load_played"]


class TrialParameters(Parameters):
    """Which trial of a scenario is played."""

    seed: int = parameter(-1, "seed of the trial; the scenario's own where negative", read_only=True, ge=-1, lt=1 << 31)


class PlayedParameters(TrialParameters):
    """What is played."""

    scenario: str = parameter(..., "name of a shipped scenario, or a file")
    set: tuple[str, ...] = parameter((), "changes of the scenario, as arena-trees run --set has them")


def load_played(wanted: PlayedParameters) -> TrialPlan:
    """Return the checked scenario; the trial is its first.

    Raises:
        ConfigError: something in it cannot be used, or not on ROS
    """
    path = find_scenario(wanted.scenario)
    changes: dict[str, Any] = {} if wanted.seed < 0 else {"seed": wanted.seed}
    changes |= parse_assignments(list(wanted.set))
    plan = make_plan(apply_changes(load_scenario(path), changes), path, path.parent)
    try:
        plan.game.check_ros(plan.rules)
    except ConfigError as error:
        raise error.within(path) from error
    return plan
