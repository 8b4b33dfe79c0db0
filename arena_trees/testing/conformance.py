"""Checks that a game keeps the contract of games."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from arena_trees.experiments.plan import TrialPlan, make_plan
from arena_trees.experiments.scenario import Scenario, apply_changes, find_scenario, load_scenario
from arena_trees.games.game import Game
from arena_trees.games.metrics import Value
from arena_trees.games.registry import find_game
from arena_trees.robot.errors import ConfigError
from arena_trees.testing.declarations import (
    check_configuration,
    check_metrics,
    check_outcomes,
    check_trees,
    check_values,
)
from arena_trees.testing.leaves import check_leaves
from arena_trees.testing.messages import check_messages
from arena_trees.testing.purity import check_judge, check_rules
from arena_trees.testing.trials import Watched, check_determinism, check_end, check_replay, check_shapes, watch_trial

__all__ = ["Checked", "check_game"]

_NO_ROBOTS = "the scenario's world is the game's own: it has no trees, sensors and messages"


@dataclass(frozen=True)
class Checked:
    """What came of a check that found no fault.

    Attributes:
        game: name of the game
        scenario: that was played
        checked: what was looked at, a phrase each
        skipped: what was not, and why
    """

    game: str
    scenario: str
    checked: tuple[str, ...]
    skipped: Mapping[str, str]


def check_game(
    game: Game,
    *,
    scenario: str | Path | None = None,
    duration_s: float = 4.0,
    rare: Mapping[str, str] = MappingProxyType({}),
) -> Checked:
    """Play a game shortly, again and again, and look whether it keeps the contract of games.

    A test of a game calls it, and nothing else is needed::

        def test_conformance():
            check_game(GAME)

    Args:
        game: to be checked; it must be installed, since other processes play it, too
        scenario: name or file; where not given, the shortest of the game's own that has robots and simple cameras
        duration_s: longest time of a trial, s
        rare: name of a metric to why no short trial has a value for it

    Raises:
        AssertionError: the game does not keep the contract; the text states in what
        ConfigError: a file of the game, or the scenario, cannot be used
    """
    assert type(find_game(game.name)) is type(game), f"the game installed as {game.name} is another one"
    check_metrics(game)
    check_outcomes(game)
    check_trees(game)
    check_leaves(game)
    plans = check_configuration(game)
    name, path = _chosen(plans, scenario)
    short = _short(path, duration_s)
    plan = make_plan(short, path, path.parent)
    checked = [
        "metrics have unit and text",
        "outcomes have colours",
        "trees are drawn",
        "leaves list their keys",
        "configuration is good",
    ]
    skipped: dict[str, str] = {}
    values = [_first_values(other) for other in plans.values()]
    if plan.has_world:
        skipped = dict.fromkeys(("messages", "purity", "blackboard", "replay", "isolated play"), _NO_ROBOTS)
    else:
        watched = watch_trial(plan)
        values.append(watched.values)
        _check_watched(game, watched, checked, skipped)
        _check_isolated(short, path, checked, skipped)
    check_values(game, values, rare)
    checked.append("every metric has its value")
    skipped |= {f"the value of {name}": reason for name, reason in rare.items()}
    with tempfile.TemporaryDirectory(prefix="arena-trees-") as folder:
        check_determinism(plan, Path(folder))
        checked.append("equal seeds give equal traces with 1 and 2 jobs")
        if not plan.has_world:
            check_replay(game, Path(folder) / "trial_000")
            checked.append("replay is identical")
    return Checked(game.name, name, tuple(checked), skipped)


def _check_watched(game: Game, watched: Watched, checked: list[str], skipped: dict[str, str]) -> None:
    assert not watched.undeclared, f"in {game.name} " + "; ".join(watched.undeclared)
    checked.append("leaves read and write what they declare and list")
    check_messages(game, watched.sent)
    checked.append("messages refuse garbage")
    check_judge(game, watched.context, watched.judge)
    checked.append("the judge is pure")
    check_shapes(game, watched.judge)
    checked.append("shapes are drawn")
    if watched.rules is None:
        skipped["pure rules"] = "nobody rules"
    else:
        check_rules(game, watched.context, watched.rules)
        checked.append("the rules are pure")


def _check_isolated(scenario: Scenario, path: Path, checked: list[str], skipped: dict[str, str]) -> None:
    try:
        plan = make_plan(apply_changes(scenario, {"isolated": True}), path, path.parent)
    except ConfigError as error:
        skipped["isolated play"] = f"the game refuses it: {error}"
        return
    check_end(plan)
    checked.append("isolated play ends")


def _chosen(plans: Mapping[str, TrialPlan], scenario: str | Path | None) -> tuple[str, Path]:
    """Return name and file of the scenario that is played."""
    if scenario is not None:
        return str(scenario), find_scenario(str(scenario))
    own = {name: plan for name, plan in plans.items() if ": " not in name}
    name = min(own, key=lambda name: (_oddity(own[name]), own[name].scenario.duration_s, name))
    return name, find_scenario(name)


def _oddity(plan: TrialPlan) -> int:
    """Return how little of a game there is in a scenario, or how much more than that."""
    if plan.has_world:
        return 3
    sensors = [robot.sensors for robot in plan.robots.values()]
    if any("rendered" in (one.camera.kind, one.lanes.kind) for one in sensors):
        return 2
    return int(plan.scenario.isolated or plan.game.make_rules(plan.first_context()) is None)


def _short(path: Path, duration_s: float) -> Scenario:
    scenario = load_scenario(path)
    return apply_changes(scenario, {"duration_s": min(duration_s, scenario.duration_s), "variants": {}})


def _first_values(plan: TrialPlan) -> Mapping[str, Value]:
    """Return a judge's values before it has seen anything: all values that it will give are there."""
    if plan.has_world:
        world = plan.game.make_world(plan.context(0, {}), plan.scenario.seed)
        assert world is not None
        return world.judge.values()
    return plan.game.make_judge(plan.first_context()).values()
