"""Every name that a table, a heading or an outcome prints can be explained."""

import ast
from pathlib import Path
from types import MappingProxyType

import pytest
from helpers.commands import call
from rich.table import Table

from arena_trees import commands
from arena_trees.commands import glossary, tables
from arena_trees.commands.glossary import Glossary
from arena_trees.experiments.comparison import compare
from arena_trees.experiments.intervals import Estimate
from arena_trees.experiments.metrics import COMMON, summarise
from arena_trees.experiments.results import FAULT
from arena_trees.games.game import Game
from arena_trees.games.registry import load_games
from arena_trees.robot.configuration.resources import resource_path
from arena_trees.robot.configuration.yaml_files import load_yaml
from arena_trees.safety import guard, turret
from arena_trees.safety.gate import NOT_FINITE
from arena_trees.safety.reasons import GateReason

GAMES = load_games()
METRICS = [*COMMON, *(metric for game in GAMES.values() for metric in game.metrics)]


def _metrics() -> set[str]:
    return {f"wolf_{metric.name}" if metric.each_robot else metric.name for metric in METRICS}


def _metric_headings() -> set[str]:
    return {f"wolf {m.heading}" if m.each_robot else m.heading for m in METRICS if m.heading}


def _outcomes() -> set[str]:
    return {FAULT, *(outcome for game in GAMES.values() for outcome in (*game.outcomes, *game.endings))}


def _reasons() -> set[str]:
    own = (guard.DIED, guard.SLEPT, guard.HUNG, guard.RIVALS, guard.RESTING, guard.UNRELEASED)
    return {*map(str, GateReason), *own, NOT_FINITE, turret.AIM_NOT_FINITE}


def _literals(node: ast.AST) -> list[str]:
    """Return the plain strings in a tuple, or the first of each row where it is a tuple of tuples."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    first = [part.elts[0] if isinstance(part, ast.Tuple) and part.elts else part for part in parts]
    return [part.value for part in first if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def _adds_to_a_table(loop: ast.AST) -> bool:
    calls = [node.func.attr for node in ast.walk(loop) if isinstance(node, ast.Call) and hasattr(node.func, "attr")]
    return "add_column" in calls or "add_row" in calls


def _headings() -> set[str]:
    """Return the words that the commands write into their tables as they stand in the code."""
    found: set[str] = set()
    for path in Path(commands.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "add_column" and node.args:
                found |= set(_literals(node.args[0]))
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Table", "_table"):
                found |= {word for argument in node.args for word in _literals(argument)}
            if isinstance(node, ast.For) and _adds_to_a_table(node):
                found |= set(_literals(node.iter))
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("rows", "columns"):
                found |= set(_literals(node.value))
    return found - {""}


def _comparison() -> set[str]:
    """Return headings and verdicts of a comparison, by printing one of every verdict."""
    shown: list[Table] = []
    fields = {metric.name: metric for game in GAMES.values() for metric in game.metrics}
    metric = fields["time_to_catch_s"]
    sides = {
        "better": ([1.0] * 12, [2.0 + n for n in range(12)]),
        "worse": ([2.0 + n for n in range(12)], [1.0] * 12),
        "unclear": ([1.0, 2.0] * 6, [2.0, 1.0] * 6),
        "same": ([1.0] * 8, [1.0] * 8),
        "too few": ([1.0] * 3, [2.0] * 3),
    }
    words = set()
    for first, second in sides.values():
        trials = [[{metric.value: value} for value in side] for side in (first, second)]
        comparisons = compare(*trials, [metric])
        words |= {one.verdict for one in comparisons.values()}
        both = [tables.Side(name, summarise(side, [metric])) for name, side in zip(("a", "b"), trials, strict=True)]
        assert all(isinstance(one, Estimate) for side in both for one in side.summary.values())
        shown.append(tables._two("", tuple(both), comparisons, " "))
    assert words == set(sides)
    return words | {str(column.header) for table in shown for column in table.columns}


KINDS = {
    "metrics": _metrics,
    "headings of metrics": _metric_headings,
    "outcomes": _outcomes,
    "reasons": _reasons,
    "headings": _headings,
    "comparison": _comparison,
    "findings": lambda: set(load_yaml(resource_path("config", "doctor.yaml"))),
    "ends of points": lambda: {"played", "raised", "refused", "given up", "failed", "start", "default", "tuned"},
}


@pytest.fixture(scope="module")
def known() -> Glossary:
    return Glossary()


@pytest.mark.parametrize("kind", KINDS)
def test_every_name_that_is_printed_can_be_explained(known: Glossary, kind: str):
    names = KINDS[kind]()
    assert len(names) > 6
    assert not sorted(name for name in names if not known.find(name))


def test_each_metric_says_its_unit(known: Glossary):
    for metric in METRICS:
        told = [list(one.lines()) for one in known.find(metric.name) if one.kind.startswith("metric")]
        assert told, metric.name
        assert all(any(line.startswith("Unit: ") and len(line) > 7 for line in lines) for lines in told), metric.name
        assert "the same" not in metric.text, f"{metric.name} is explained by another metric's text"


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_each_outcome_says_by_which_rule(known: Glossary, game: Game):
    for outcome in {*game.outcomes, *game.endings}:
        (entry,) = (one for one in known.find(outcome) if one.kind == f"outcome of {game.name}")
        told = " ".join(entry.lines())
        assert "does not say" not in told, f"{game.name} gives no ending of {outcome}"
        assert any(word in told for word in ("rules.", "duration_s", "unreached_s", "stopped from outside"))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("caught", ("A wolf claimed a catch", "rules.catch_distance: A claim is accepted", "unit: m", "default: 0.6")),
        ("home", ("A shot hit the evader's ball", "rules.reach", "default: 3", "rules.half_angle_deg", "unit: deg")),
        ("complete", ("rules.pickup_radius", "default: 0.25")),
        ("lap", ("three quarters", "rules.finish_radius", "0.56")),
        ("least to most", ("smallest and the greatest",)),
        ("arena is", ("ARM is", "better, worse")),
        ("source (n)", ("number of trials",)),
        ("wolf_breaches", ("breaches_per_trial: metric of every game", "Unit: a number a trial")),
        ("wolf out", ("ROBOT out",)),
        ("range, %", ("range_mae_pct", "Unit: %")),
        ("throughput_per_min", ("Unit: a number a minute",)),
        ("false_detections_per_10_min", ("Unit: a number in 10 min",)),
        ("tree died while moving", ("latch", "tree_timeout")),
        ("wheels_off", ("finding of arena-trees doctor", "<robot>/e_stop")),
    ],
)
def test_what_is_said(capsys, name: str, words: tuple[str, ...]):
    said = call(capsys, "explain", name)
    for word in words:
        assert word in said


def test_a_game_that_states_no_endings_is_explained_by_what_is_usual(monkeypatch):
    class Plain(Game):
        name = "plain"
        roles = ()
        outcomes = MappingProxyType({"over": "#777777", "won": "#3c7a2b"})

        def make_judge(self, context):
            raise NotImplementedError

    monkeypatch.setattr(glossary, "load_games", lambda: {"plain": Plain()})
    known = Glossary()
    told = {name: " ".join(known.find(name)[0].lines()) for name in ("over", "won")}
    assert "duration_s" in told["over"]
    assert told["won"] == "The game plain does not say by which rule a trial ends so."
