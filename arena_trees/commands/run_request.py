"""What `run`, `sweep` and their like are asked to play: a scenario with the changes of the command line, checked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena_trees.commands.arms import changed_by, strategy_key
from arena_trees.experiments.scenario import Scenario, find_scenario, load_scenario
from arena_trees.robot.configuration.assignments import parse_assignments
from arena_trees.robot.errors import ConfigError

__all__ = ["RunRequest", "number_of_processes", "read_request", "settings_of", "whole_number"]

_MOST_JOBS = 8
"""Processes used where --jobs is not given; more seldom pay for a few trials."""
_MOST_PROCESSES = 1024


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What to play.

    Attributes:
        name: of the scenario as results say it
        path: of its file
        scenario: with all changes
        source: where its newest change came from, for errors
        settings: options and changes that were given, by name
    """

    name: str
    path: Path
    scenario: Scenario
    source: str
    settings: dict[str, Any]


def read_request(name_or_file: str, options: dict[str, Any], assignments: list[str]) -> RunRequest:
    """Return what to play, after a look at the scenario as it is and with each change.

    Args:
        name_or_file: of the scenario
        options: that change the scenario's entries of the same names, None where not given
        assignments: ``key=value``, of ``--set``

    Raises:
        ConfigError: the scenario or a change cannot be used
    """
    path = find_scenario(name_or_file)
    from arena_trees.experiments.plan import make_plan

    scenario = load_scenario(path)
    make_plan(scenario, path, path.parent)
    source = "--set"
    for key, value in options.items():
        if value is not None:
            source = f"--{key}"
            wanted = {strategy_key(scenario) if key == "strategy" else key: value}
            # A map stands in place of the arena.
            scenario = changed_by(scenario, {"arena": None, **wanted} if key == "map" else wanted, source, "")
    changes = parse_assignments(assignments)
    if changes:
        scenario, source = changed_by(scenario, changes, "--set"), "--set"
    name = path.stem if path.suffix == ".yaml" and name_or_file == path.stem else name_or_file
    given = {key: value for key, value in options.items() if value is not None}
    return RunRequest(name, path, scenario, source, given | changes)


def settings_of(seed: str | None, changes: list[str] | None) -> dict[str, Any]:
    """Return what ``--seed`` and ``--set`` change of a scenario, key to value.

    Raises:
        ConfigError: a change is no ``key=value``
    """
    settings = parse_assignments(changes or [])
    if seed is not None:
        settings["seed"] = whole_number(seed)
    return settings


def whole_number(text: str | None) -> int | str | None:
    """Return a text as the whole number that it is, or else as it is, to be refused with what it is for."""
    try:
        return text if text is None else int(text)
    except ValueError:
        return text


def number_of_processes(jobs: str | None) -> int:
    """Return how many processes play at a time.

    Args:
        jobs: as ``--jobs`` was given; None where it was not

    Raises:
        ConfigError: that is no such number
    """
    processes = whole_number(jobs)
    if processes is not None and not (isinstance(processes, int) and 1 <= processes <= _MOST_PROCESSES):
        raise ConfigError(f"must be a number from 1 to {_MOST_PROCESSES}", key="--jobs", value=processes)
    from joblib import cpu_count

    return processes or min(int(cpu_count()), _MOST_JOBS)
