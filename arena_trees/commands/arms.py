"""The arms of a run: the scenario as it is, its variants, another strategy, or a file of the user's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from arena_trees.experiments.plan import TrialPlan, make_plan
from arena_trees.experiments.scenario import Scenario, Team, apply_changes
from arena_trees.experiments.tree_file import TreeFile, with_tree_files
from arena_trees.games.registry import find_game
from arena_trees.robot.configuration.hints import did_you_mean, no_such_file
from arena_trees.robot.configuration.parameters import load_parameters
from arena_trees.robot.configuration.yaml_files import flatten
from arena_trees.robot.errors import ConfigError

__all__ = ["ArmPlan", "changed_by", "list_arms", "strategy_key"]

STOCK = "stock"
"""Name of the arm that a file of the user's is compared with, where no strategy or tree was asked for."""


@dataclass(frozen=True, slots=True)
class ArmPlan:
    """What one arm plays.

    Attributes:
        scenario: with all changes
        source: where its newest change came from, for errors
        trees: robot name to the file of its tree, for robots that are not driven by their role's own
    """

    scenario: Scenario
    source: str
    trees: Mapping[str, TreeFile] = field(default_factory=dict)

    def plan(self, folder: Path) -> TrialPlan:
        """Return the plan, every file read.

        Args:
            folder: of the scenario's file

        Raises:
            ConfigError: something cannot be used
        """
        plan = make_plan(self.scenario, self.source, folder)
        if self.trees and plan.has_world:
            file = next(iter(self.trees.values())).path
            raise ConfigError("the robots of this scenario have no trees", file=file)
        return with_tree_files(plan, self.trees)


def list_arms(
    scenario: Scenario,
    path: Path,
    strategy: str | None,
    compare: str | None,
    trees: Iterable[str] = (),
    source: str = "--set",
) -> dict[str, ArmPlan]:
    """Return the arms of a run by name, the first being the one that others are compared with.

    Args:
        scenario: with the changes of the command line
        path: of its file
        strategy: that the command line asked for, if any
        compare: a strategy, or ``ROLE=FILE`` with a tree (.py) or parameters (.yaml); None where nothing is compared
        trees: ``ROLE=FILE`` of trees that every arm has
        source: where the newest change of the scenario came from, for errors

    Raises:
        ConfigError: something cannot be played or compared
    """
    own: dict[str, TreeFile] = {}
    for text in trees:
        own |= _tree_files(scenario, text, "--tree")
    first = ArmPlan(scenario, source, own)
    if compare is None:
        arms = {"as it is" if scenario.variants else "": first}
        for name, changes in scenario.variants.items():
            arms[name] = ArmPlan(apply_changes(scenario, changes), f"{path}: variants.{name}", own)
        return arms
    if scenario.variants:
        raise ConfigError("a scenario with variants cannot be compared", key="--compare", value=compare)
    choice = strategy_key(scenario)
    chosen = strategy or _chosen(scenario, choice)
    if "=" in compare:
        names = [file.path.name for file in dict.fromkeys(own.values())]
        return {" and ".join(names) or chosen or STOCK: first, **_by_file(first, compare, names)}
    if compare == (chosen or "arena"):
        raise ConfigError("is the strategy that is played anyway", key="--compare", value=compare)
    chosen = chosen or "arena"
    return {
        chosen: replace(first, scenario=changed_by(scenario, {choice: chosen}, "--strategy", "")),
        compare: ArmPlan(changed_by(scenario, {choice: compare}, "--compare", ""), "--compare", own),
    }


def strategy_key(scenario: Scenario) -> str:
    """Return the key of what ``--strategy`` changes: the robots' strategy, or what the game says."""
    return find_game(scenario.game).strategy_key


def changed_by(scenario: Scenario, changes: Mapping[str, Any], source: str, key: str | None = None) -> Scenario:
    """Return the scenario with changes; errors name their source, and ``key`` in place of their own where it is given.

    Raises:
        ConfigError: a change cannot be made
    """
    try:
        return apply_changes(scenario, changes)
    except ConfigError as error:
        raise ConfigError(
            error.reason, file=source, key=error.key if key is None else key, value=error.value
        ) from error


def _by_file(first: ArmPlan, text: str, names: list[str]) -> dict[str, ArmPlan]:
    """Return the arm that differs by a file, by the file's name."""
    subject, path = _split(text, "--compare")
    if path.name in names:
        raise ConfigError("is the tree that is played anyway", key="--compare", value=text)
    if path.suffix == ".py":
        trees = {**first.trees, **_tree_files(first.scenario, text, "--compare")}
        return {path.name: ArmPlan(first.scenario, "--compare", trees)}
    if path.suffix not in (".yaml", ".yml"):
        raise ConfigError("must be a tree (.py) or parameters (.yaml)", key="--compare", value=text)
    changes: dict[str, Any] = {}
    for robot in _robots(first.scenario, subject, "--compare"):
        entry = first.scenario.entries[robot]
        role = find_game(first.scenario.game).role(entry.role)
        # The scenario was planned, and so its roles are known.
        assert role is not None
        said = role.name if isinstance(first.scenario.robots, Team) else robot
        values = load_parameters(role.parameters, path).model_dump(exclude_unset=True)
        changes |= {f"{said}.{key}": value for key, value in flatten(values)}
    source = f"--compare: {path}"
    return {path.name: ArmPlan(changed_by(first.scenario, changes, source), source, first.trees)}


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
    """Return what the scenario itself says of a dotted key, or None."""
    value: Any = scenario.model_dump(exclude_unset=True)
    for part in choice.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return None if value is None else str(value)
