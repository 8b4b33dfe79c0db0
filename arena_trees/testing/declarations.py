"""What a game declares must be complete: metrics, outcomes, configuration, pictures of its trees."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any

from arena_trees.commands.render import draw
from arena_trees.experiments.plan import TrialPlan, make_plan
from arena_trees.experiments.scenario import apply_changes, load_scenario
from arena_trees.games.endings import rules_named
from arena_trees.games.game import Game
from arena_trees.games.metrics import Metric
from arena_trees.games.units import PLAIN, UNITS, unit_of
from arena_trees.robot.configuration.parameter_table import parameter_rows
from arena_trees.robot.configuration.parameters import load_parameters
from arena_trees.robot.configuration.resources import config_files, config_path
from arena_trees.robot.configuration.yaml_files import load_yaml
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.world.arena_file import load_arena
from arena_trees.world.layout import generate_layout

__all__ = ["check_configuration", "check_metrics", "check_outcomes", "check_trees", "check_values", "game_scenarios"]

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\Z")


def game_scenarios(game: Game) -> dict[str, Path]:
    """Return the scenarios of a game that ship with it, by name."""
    found = {}
    for name, path in config_files("scenarios").items():
        values = load_yaml(path)
        if isinstance(values, dict) and values.get("game") == game.name:
            found[name] = path
    return found


def check_metrics(game: Game) -> None:
    """Check that each metric has a name of its own, a sentence, and a unit.

    Raises:
        AssertionError: one has not
    """
    names = [metric.name for metric in game.metrics]
    assert len(set(names)) == len(names), f"two metrics of {game.name} have one name: {names}"
    for metric in game.metrics:
        who = f"metric {metric.name} of {game.name}"
        assert metric.text.strip(), f"{who} has no text that says what it is"
        assert metric.better in ("more", "less", None), f"{who}: better is {metric.better!r}"
        assert unit_of(metric), (
            f"{who} has no unit: end its name in one of {' '.join(UNITS)}, or where it has none in one of"
            f" {' '.join(PLAIN)}, or end its text in a comma and the unit"
        )
        if metric.kind == "weighted":
            assert metric.weight, f"{who} is weighted, and has no weight"


def check_outcomes(game: Game) -> None:
    """Check the colours of outcomes, and the sentences on how trials end.

    Raises:
        AssertionError: a colour is no ``#rrggbb``, or an ending is empty or names a rule that there is not
    """
    for outcome, colour in game.outcomes.items():
        assert _COLOUR.match(colour), f"outcome {outcome} of {game.name} has no colour #rrggbb, but {colour!r}"
    keys = {row[0] for row in parameter_rows(game.rules, "rules.")}
    for outcome, text in game.endings.items():
        assert text.strip(), f"ending {outcome} of {game.name} has no sentence that says by which rule"
        unknown = sorted(set(rules_named(text)) - keys)
        assert not unknown, f"ending {outcome} of {game.name} names what is no rule: {', '.join(unknown)}"


def check_configuration(game: Game) -> dict[str, TrialPlan]:
    """Read all configuration of a game, and return the plans of its scenarios and their variants, by name.

    Raises:
        ConfigError: a file cannot be used
        AssertionError: there is no scenario
    """
    folders = set()
    for role in game.roles:
        path = config_path(f"{role.name}.yaml")
        load_parameters(role.parameters, path)
        folders.add(path.parent)
    for path in (arena for folder in folders for arena in sorted(folder.glob("arenas/*.yaml"))):
        generate_layout(load_arena(path).filled(), RandomStreams(0))
    plans = {}
    for name, path in game_scenarios(game).items():
        scenario = load_scenario(path)
        plans[name] = make_plan(scenario, path, path.parent)
        for variant, changes in scenario.variants.items():
            plans[f"{name}: {variant}"] = make_plan(apply_changes(scenario, changes), path, path.parent)
    assert plans, f"{game.name} has no scenario: put one into config/{game.name}/scenarios"
    return plans


def check_trees(game: Game) -> None:
    """Draw the tree of each role, by each strategy, as text and as a graph.

    Raises:
        AssertionError: a picture is empty
    """
    for role in game.roles:
        field = role.parameters.model_fields.get("strategy")
        for strategy in ("arena",) if field is None else ("arena", "source"):
            for form in ("text", "dot"):
                assert draw(role.name, form, strategy).strip(), f"the tree of {role.name} has no picture as {form}"


def check_values(game: Game, values: Iterable[Mapping[str, Any]], rare: Container[str] = ()) -> None:
    """Check that judges give each metric's value, and nothing but plain numbers.

    Args:
        game: whose metrics
        values: of trials
        rare: names of metrics that need no value

    Raises:
        AssertionError: a metric has no value in any trial
    """
    known: set[str] = set()
    for one in values:
        known |= set(one)
        for name, value in one.items():
            plain = value is None or isinstance(value, (bool, int, float))
            assert plain, f"value {name} of {game.name} is no number, yes, no or None: {value!r}"
    for metric in (metric for metric in game.metrics if metric.name not in rare):
        assert _has(metric, metric.value, known), f"metric {metric.name} of {game.name}: no judge gives {metric.value}"
        if metric.weight:
            assert metric.weight in known, f"metric {metric.name} of {game.name}: no judge gives {metric.weight}"


def _has(metric: Metric, value: str, known: set[str]) -> bool:
    return any(name.endswith(f"_{value}") for name in known) if metric.each_robot else value in known
