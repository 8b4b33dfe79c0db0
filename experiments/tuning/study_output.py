"""What a study begins with and what it leaves: values that a plan has by key, and a scenario file that holds others."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from arena_trees.experiments.plan import TrialPlan
from arena_trees.experiments.plan_files import is_scenario
from arena_trees.experiments.scenario import Scenario, Team
from arena_trees.robot.configuration.files import write_atomically
from arena_trees.robot.configuration.yaml_files import split_key

__all__ = ["value_of", "write_scenario"]


def value_of(plan: TrialPlan, key: str) -> Any:
    """Return the value that a plan has for a key of ``--set``, None where it has none.

    Args:
        plan: with every file read
        key: dotted
    """
    first, *rest = split_key(key)
    scenario = plan.scenario
    team = isinstance(scenario.robots, Team)
    robot = next((one for name, one in plan.robots.items() if first == (one.entry.role if team else name)), None)
    if robot is not None and rest:
        parts = {"sensors": robot.sensors, "body": robot.body, "gate": robot.gate}
        found: Any = robot.parameters
        if rest[0] in parts:
            found, rest = parts[rest[0]], rest[1:]
        elif rest[0] in ("fence", "start"):
            found = robot.entry
    elif first == "robots":
        return len(plan.robots)
    else:
        found = {"rules": plan.rules, "arena_set": plan.arena}.get(first, scenario)
        rest = rest if first in ("rules", "arena_set") else [first, *rest]
    for part in rest:
        if isinstance(found, list):
            found = found[int(part)] if part.isdecimal() and int(part) < len(found) else None
        else:
            found = found.get(part) if isinstance(found, Mapping) else getattr(found, part, None)
    return found


def write_scenario(scenario: Scenario, folder: Path, path: Path) -> None:
    """Write a scenario as a file that plays the same wherever it lies.

    Args:
        scenario: with all changes
        folder: of the file that it was read from, in which other files are looked for first
        path: of the file to write

    Raises:
        ConfigError: the file cannot be written
    """
    values: dict[str, Any] = scenario.model_dump(mode="json", exclude_unset=True)
    for key in ("arena", "map"):
        if isinstance(values.get(key), str) and (folder / values[key]).is_file():
            values[key] = str((folder / values[key]).absolute())
    entries = [values["robots"]] if isinstance(scenario.robots, Team) else list(values["robots"].values())
    for entry in entries:
        file = folder / entry.get("parameters", f"{entry['role']}.yaml")
        # A scenario may have its role's name.
        if file.is_file() and ("parameters" in entry or not is_scenario(file)):
            entry["parameters"] = str(file.absolute())
    text = yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=120)
    write_atomically(path, lambda stream: stream.write(text.encode()))
