"""What `run`, `sweep` and their like are asked to play: a scenario with the changes of the command line, checked.

A run has arms: the scenario as it is, its variants, another strategy, or a file of the user's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from arena_trees.experiments.plan import TrialPlan, check_cameras, make_plan
from arena_trees.experiments.scenario import Scenario, Team, apply_changes, find_scenario, load_scenario
from arena_trees.experiments.tree_file import TreeFile, with_tree_files
from arena_trees.games.registry import find_game
from arena_trees.robot.configuration.assignments import parse_assignments
from arena_trees.robot.configuration.hints import did_you_mean, no_such_file
from arena_trees.robot.configuration.parameters import load_parameters
from arena_trees.robot.configuration.yaml_files import flatten
from arena_trees.robot.errors import ConfigError

__all__ = [
    "RunRequest",
    "list_arms",
    "number_of_processes",
    "number_option",
    "plans_of",
    "read_request",
    "settings_of",
    "whole_number",
]

_MOST_JOBS = 8
"""Processes used where --jobs is not given; more seldom pay for a few trials."""
_MOST_PROCESSES = 1024
_STOCK = "stock"
"""Name of the arm that a file of the user's is compared with, where no strategy or tree was asked for."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What to play, or one arm of it.

    Attributes:
        name: of the scenario in results
        path: of its file
        scenario: with all changes
        source: where its newest change came from, for errors; its file where there is none
        settings: options and changes that were given, by name
        trees: robot name to the file of its tree, for robots that are not driven by their role's own
    """

    name: str
    path: Path
    scenario: Scenario
    source: str
    settings: dict[str, Any]
    trees: Mapping[str, TreeFile] = field(default_factory=dict)

    def plan(self) -> TrialPlan:
        """Return the plan, every file read.

        Raises:
            ConfigError: something cannot be used
        """
        plan = make_plan(self.scenario, self.source, self.path.parent)
        if self.trees and plan.has_world:
            file = next(iter(self.trees.values())).path
            raise ConfigError("the robots of this scenario have no trees", file=file)
        return with_tree_files(plan, self.trees)

    def changed(self, changes: Mapping[str, Any], source: str, key: str | None = None) -> RunRequest:
        """Return it with changes; errors name their source, and ``key`` in place of their own where it is given.

        Raises:
            ConfigError: a change cannot be made
        """
        try:
            return replace(self, scenario=apply_changes(self.scenario, changes), source=source)
        except ConfigError as error:
            raise ConfigError(
                error.reason, file=source, key=error.key if key is None else key, value=error.value
            ) from error


def read_request(name_or_file: str, options: dict[str, Any], assignments: list[str]) -> RunRequest:
    """Return what to play; where it is changed, after a look at the scenario as it is and with each change.

    Args:
        name_or_file: of the scenario
        options: that change the scenario's entries of the same names, None where not given
        assignments: ``key=value``, of ``--set``

    Raises:
        ConfigError: the scenario or a change cannot be used
    """
    path = find_scenario(name_or_file)
    name = path.stem if path.suffix == ".yaml" and name_or_file == path.stem else name_or_file
    given = {key: value for key, value in options.items() if value is not None}
    changes = parse_assignments(assignments)
    request = RunRequest(name, path, load_scenario(path), str(path), given | changes)
    if request.settings:
        # What is wrong with the file itself is not blamed on a change.
        request.plan()
    for key, value in given.items():
        wanted = {_strategy_key(request) if key == "strategy" else key: value}
        # A map stands in place of the arena.
        request = request.changed({"arena": None, **wanted} if key == "map" else wanted, f"--{key}", "")
    return request.changed(changes, "--set") if changes else request


def plans_of(
    request: RunRequest, strategy: str | None, compare: str | None, trees: Iterable[str] = ()
) -> dict[str, TrialPlan]:
    """Return the plan of each arm of a run, which must be playable on this machine; arguments as :func:`list_arms`.

    Raises:
        ConfigError: something cannot be played or compared
    """
    plans = {name: arm.plan() for name, arm in list_arms(request, strategy, compare, trees).items()}
    for plan in plans.values():
        check_cameras(plan)
    return plans


def list_arms(
    request: RunRequest, strategy: str | None, compare: str | None, trees: Iterable[str] = ()
) -> dict[str, RunRequest]:
    """Return the arms of a run by name, the first being the one that others are compared with.

    Args:
        request: with the changes of the command line
        strategy: that the command line asked for, if any
        compare: a strategy, or ``ROLE=FILE`` with a tree (.py) or parameters (.yaml); None where nothing is compared
        trees: ``ROLE=FILE`` of trees that every arm has

    Raises:
        ConfigError: something cannot be played or compared
    """
    scenario = request.scenario
    own: dict[str, TreeFile] = {}
    for text in trees:
        own |= _tree_files(scenario, text, "--tree")
    first = replace(request, trees=own)
    if compare is None:
        arms = {"as it is" if scenario.variants else "": first}
        for name, changes in scenario.variants.items():
            variant = apply_changes(scenario, changes)
            arms[name] = replace(first, scenario=variant, source=f"{request.path}: variants.{name}")
        return arms
    if scenario.variants:
        raise ConfigError("a scenario with variants cannot be compared", key="--compare", value=compare)
    choice = _strategy_key(request)
    chosen = strategy or _chosen(scenario, choice)
    if "=" in compare:
        names = [file.path.name for file in dict.fromkeys(own.values())]
        return {" and ".join(names) or chosen or _STOCK: first, **_by_file(first, compare, names)}
    if compare == (chosen or "arena"):
        raise ConfigError("is the strategy that is played anyway", key="--compare", value=compare)
    chosen = chosen or "arena"
    return {
        chosen: replace(first.changed({choice: chosen}, "--strategy", ""), source=first.source),
        compare: first.changed({choice: compare}, "--compare", ""),
    }


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


def number_option(text: str | None, other: int, option: str) -> int:
    """Return the whole number of an option, or another one where it was not given.

    Raises:
        ConfigError: it is none
    """
    found = other if text is None else whole_number(text)
    if not isinstance(found, int):
        raise ConfigError("must be a whole number", key=option, value=found)
    return found


def number_of_processes(jobs: str | None, trials: int | None = None) -> int:
    """Return how many processes play at a time.

    Args:
        jobs: as ``--jobs`` was given; None where it was not
        trials: how many are to be played, where that is known

    Raises:
        ConfigError: that is no such number
    """
    processes = whole_number(jobs)
    if processes is not None and not (isinstance(processes, int) and 1 <= processes <= _MOST_PROCESSES):
        raise ConfigError(f"must be a number from 1 to {_MOST_PROCESSES}", key="--jobs", value=processes)
    if processes is None and trials == 1:
        return 1
    # Here, for importing it takes longer than a short trial.
    from joblib import cpu_count

    return processes or min(int(cpu_count()), _MOST_JOBS)


def _strategy_key(request: RunRequest) -> str:
    """Return the key of what ``--strategy`` changes: the robots' strategy, or the key that the game declares."""
    return find_game(request.scenario.game).strategy_key


def _by_file(first: RunRequest, text: str, names: list[str]) -> dict[str, RunRequest]:
    """Return the arm that differs by a file, by the file's name."""
    subject, path = _split(text, "--compare")
    if path.name in names:
        raise ConfigError("is the tree that is played anyway", key="--compare", value=text)
    if path.suffix == ".py":
        trees = {**first.trees, **_tree_files(first.scenario, text, "--compare")}
        return {path.name: replace(first, source="--compare", trees=trees)}
    if path.suffix not in (".yaml", ".yml"):
        raise ConfigError("must be a tree (.py) or parameters (.yaml)", key="--compare", value=text)
    changes: dict[str, Any] = {}
    for robot in _robots(first.scenario, subject, "--compare"):
        entry = first.scenario.entries[robot]
        role = find_game(first.scenario.game).role(entry.role)
        # The scenario was planned, and so its roles are known.
        assert role is not None
        prefix = role.name if isinstance(first.scenario.robots, Team) else robot
        values = load_parameters(role.parameters, path).model_dump(exclude_unset=True)
        changes |= {f"{prefix}.{key}": value for key, value in flatten(values)}
    return {path.name: first.changed(changes, f"--compare: {path}")}


def _tree_files(scenario: Scenario, text: str, option: str) -> dict[str, TreeFile]:
    """Return the tree of each robot that ``ROLE=FILE`` names."""
    subject, path = _split(text, option)
    if path.suffix != ".py":
        raise ConfigError("must be a Python file with create_root", key=option, value=text)
    return {robot: TreeFile(path) for robot in _robots(scenario, subject, option)}


def _split(text: str, option: str) -> tuple[str, Path]:
    """Return role and file of ``ROLE=FILE``."""
    subject, sign, name = text.partition("=")
    if not (subject and sign and name):
        raise ConfigError("must have the form ROLE=FILE", key=option, value=text)
    path = Path(name).absolute()
    if not path.is_file():
        raise ConfigError(no_such_file(path), file=name, key=option)
    return subject, path


def _robots(scenario: Scenario, subject: str, option: str) -> list[str]:
    """Return the robot of a name, or all robots of a role."""
    entries = scenario.entries
    found = [subject] if subject in entries else [name for name, one in entries.items() if one.role == subject]
    if not found:
        known = dict.fromkeys([*(entry.role for entry in entries.values()), *entries])
        hint = did_you_mean(subject, known) or f"; there are {', '.join(known)}"
        raise ConfigError(f"the scenario has no such role or robot{hint}", key=option, value=subject)
    return found


def _chosen(scenario: Scenario, choice: str) -> str | None:
    """Return the value that the scenario itself sets for a dotted key, or None."""
    value: Any = scenario.model_dump(exclude_unset=True)
    for part in choice.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return None if value is None else str(value)
