"""Scenarios of every game: read, changed and planned alike, whatever plays them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena_trees.games.crossroads.scenario import (
    Crossroads,
    CrossroadsPlan,
    change_crossroads,
    is_crossroads,
    load_crossroads,
    plan_crossroads,
)
from arena_trees.simulation.plan import TrialPlan, make_plan
from arena_trees.simulation.scenario import Scenario, apply_changes, load_scenario

__all__ = ["AnyPlan", "AnyScenario", "change_any", "load_any", "plan_any"]

AnyScenario = Scenario | Crossroads
AnyPlan = TrialPlan | CrossroadsPlan


def load_any(path: str | Path) -> AnyScenario:
    """Return the scenario in a file, its variants checked with it.

    Raises:
        ConfigError: the file or its values cannot be used
    """
    return load_crossroads(path) if is_crossroads(path) else load_scenario(path)


def change_any(scenario: AnyScenario, changes: Mapping[str, Any]) -> AnyScenario:
    """Return a scenario with changes, dotted keys to values.

    Raises:
        ConfigError: a key is unknown or a value is refused
    """
    if isinstance(scenario, Crossroads):
        return change_crossroads(scenario, changes)
    return apply_changes(scenario, changes)


def plan_any(scenario: AnyScenario, source: str | Path, folder: Path | None = None) -> AnyPlan:
    """Read and check everything that a scenario names.

    Args:
        scenario: the scenario
        source: named in errors
        folder: of the scenario's file, in which other files are looked for first

    Raises:
        ConfigError: something cannot be used
    """
    if isinstance(scenario, Crossroads):
        return plan_crossroads(scenario, source)
    return make_plan(scenario, source, folder)
