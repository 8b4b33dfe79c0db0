"""Every name that the program reads or prints, with the description in its declaration."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from arena_trees.commands.reading import readers_of
from arena_trees.commands.table_words import ARM, TABLE_WORDS
from arena_trees.experiments.metrics import COMMON
from arena_trees.experiments.promises.promise import Promise
from arena_trees.experiments.scenario import (
    RobotEntry,
    Scenario,
    Start,
    find_scenario,
    load_scenario,
    scenario_names,
)
from arena_trees.games.endings import USUAL, rules_named
from arena_trees.games.game import Game, Role
from arena_trees.games.metrics import Metric
from arena_trees.games.registry import find_game, load_games
from arena_trees.games.units import unit_of
from arena_trees.robot.configuration.parameter_table import parameter_rows
from arena_trees.robot.configuration.parameters import Parameters, load_parameters
from arena_trees.robot.configuration.resources import ResourceNotFoundError, config_path, resource_path
from arena_trees.robot.configuration.yaml_files import load_yaml
from arena_trees.safety.fence_status import FenceParameters
from arena_trees.safety.latches import LATCHES
from arena_trees.safety.motion_limit import MotionLimit
from arena_trees.safety.parameters import GateParameters
from arena_trees.safety.reasons import REASONS, Reason
from arena_trees.simulation.faults.fault import Fault
from arena_trees.simulation.physics.robot import SensorParameters
from arena_trees.world.arena_file import ArenaFile
from arena_trees.world.body import Barrel, Body, Sphere, Turret

__all__ = ["Glossary", "Term", "first_sentence", "main_metrics"]

Lines = Callable[[], Iterator[str]]


@dataclass(frozen=True, slots=True)
class Term:
    """One meaning of a name.

    Attributes:
        name: in full, such as ``red.chase_speed``
        kind: what it is, such as *parameter of the role red*
        lines: yields what is known of it, line by line
        also: further names under which it is found, such as a shorter one
        tails: what longer names end in under which it is found, too, such as ``_breaches`` of ``ROBOT_breaches``
    """

    name: str
    kind: str
    lines: Lines
    also: tuple[str, ...] = ()
    tails: tuple[str, ...] = ()


class Glossary:
    """All names of all games, found through what declares them."""

    def __init__(self) -> None:
        self._games: Mapping[str, Game] = load_games()
        self._entries = list(self._all())

    @property
    def names(self) -> list[str]:
        """Every name, qualified and short."""
        return sorted({name for entry in self._entries for name in (entry.name, *entry.also)})

    def find(self, name: str) -> list[Term]:
        """Return what a name means, in full or without what stands before it; as often as it is declared."""
        # A robot's name, or its role's, stands before what every robot has.
        first, _, rest = name.partition(".")
        roles = {role.name for game in self._games.values() for role in game.roles}
        wanted = {name.lower()} | ({rest.lower()} if first in roles | {"ROBOT"} else set())
        exact = [entry for entry in self._entries if entry.name.lower() in wanted]
        found = exact + [one for one in self._entries if one not in exact and _has(one.also, name)]
        return found or [one for one in self._entries if name.lower().endswith(tuple(map(str.lower, one.tails)))]

    def _all(self) -> Iterator[Term]:
        for game in self._games.values():
            yield from self._of_game(game)
        for model, prefix, kind in (
            (Body, "body.", "what a robot is made of (ROBOT.body.KEY)"),
            (Turret, "body.turret.", "part of a robot's turret (ROBOT.body.turret.KEY)"),
            (Barrel, "body.barrel.", "part of a robot's barrel (ROBOT.body.barrel.KEY)"),
            (Sphere, "body.sphere.", "part of the ball that a robot carries (ROBOT.body.sphere.KEY)"),
            (GateParameters, "gate.", "limit of the velocity gate (ROBOT.gate.KEY)"),
            (FenceParameters, "fence.", "setting of the geofence (ROBOT.fence.KEY)"),
            (SensorParameters, "sensors.", "setting of the simulated robot (ROBOT.sensors.KEY)"),
            (Scenario, "", "key of a scenario"),
            (RobotEntry, "robots.ROBOT.", "key of a robot of a scenario"),
            (Start, "robots.ROBOT.start.", "key of a robot's start"),
            (Fault, "faults.", "key of an entry of a scenario's faults"),
            (Promise, "promises.NAME.", "key of a promise of a scenario"),
            (ArenaFile, "arena_set.", "key of an arena file; arena_set of a scenario changes it"),
        ):
            yield from _fields(model, prefix, kind)
        for metric in COMMON:
            yield _metric(metric, "every game")
        for text, reason in (*REASONS.items(), *LATCHES.items()):
            yield Term(str(text), f"reason of the velocity gate ({reason.kind})", partial(_reason, reason))
        for limit in _kinds_of(MotionLimit):
            reason_name = getattr(limit, "reason", "")
            if reason_name and reason_name not in REASONS:
                yield Term(reason_name, "reason of the velocity gate (directional)", _docstring_lines(limit))
        for name in scenario_names():
            yield Term(name, "scenario", partial(_scenario, name))
        yield from _words()

    def _of_game(self, game: Game) -> Iterator[Term]:
        yield Term(game.name, "game", lambda: _game(game))
        for role in game.roles:
            yield Term(role.name, f"role of {game.name}", partial(_role, role))
            yield from self._of_role(game, role)
        yield from _fields(game.rules, "rules.", f"rule of {game.name}")
        for metric in game.metrics:
            yield _metric(metric, game.name)
        for outcome in dict.fromkeys((*game.outcomes, *game.endings)):
            yield Term(outcome, f"outcome of {game.name}", partial(_ending, game, outcome))
        for message in game.messages:
            yield Term(message.topic, f"message of {game.name}", _docstring_lines(message))
        for event, show in game.shows.items():
            song = f" and plays {show.song.name}" if show.song else ""
            text = f"Shows the light {show.light.name}{song}; priority {show.priority.name}."
            yield Term(event, f"event that robots of {game.name} show", partial(_plain, text))

    def _of_role(self, game: Game, role: Role) -> Iterator[Term]:
        for row in parameter_rows(role.parameters):
            key = row[0]

            def lines(row: tuple[str, ...] = row, key: str = key) -> Iterator[str]:
                yield from _row(row)
                yield f"In {_file_value(game, role, key)}"
                for name in scenario_names():
                    values = _set_by_scenario(name, role.name, key)
                    if values:
                        yield f"Scenario {name}: {values}"
                fixed = "(no live changes)" in row[4]
                yield (
                    "Live: no, it is read before the tree is built."
                    if fixed
                    else ("Live: yes, a running robot takes a new value between two ticks.")
                )
                yield from readers_of(role, key)
                yield f"Change it with --set {role.name}.{key}=VALUE (or the robot's name)."

            yield Term(f"{role.name}.{key}", f"parameter of the role {role.name}", lines, (key,))
        for leaf, kind in _behaviours(role).items():
            yield Term(leaf, f"behaviour in the tree of the {role.name}", _docstring_lines(kind))


def main_metrics(game: Game) -> list[str]:
    """Return the names of the metrics that stand in a game's tables of many arms: what it is mainly measured by."""
    return [metric.name for metric in game.metrics if metric.heading]


def first_sentence(text: str | None) -> str:
    """Return the first paragraph of a docstring, on one line."""
    return " ".join((text or "").strip().split("\n\n")[0].split()).replace("``", "")


def _docstring_lines(declared: type) -> Lines:
    return lambda: iter(
        (first_sentence(declared.__doc__), f"Declared in {declared.__module__}.{declared.__qualname__}.")
    )


def _plain(text: str) -> Iterator[str]:
    yield text


def _reason(reason: Reason) -> Iterator[str]:
    yield f"{reason.meaning[0].upper()}{reason.meaning[1:]}."
    if reason.clears:
        yield f"Clears: {reason.clears}."


def _finding(texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the texts of a finding of the doctor; what it fills in stands in angle brackets."""
    for heading, key in (("Wrong", "wrong"), ("How it shows", "shows"), ("What to do", "remedy")):
        text = re.sub(r"[$](\w+)", r"<\1>", texts[key])
        yield f"{heading}: {text}"


def _ending(game: Game, outcome: str) -> Iterator[str]:
    """Yield by which rule a trial ends so, and the value of each rule that the game names."""
    text = game.endings.get(outcome) or USUAL.get(outcome)
    yield text or f"The game {game.title or game.name} does not say by which rule a trial ends so."
    for row in parameter_rows(game.rules, "rules."):
        if row[0] in rules_named(text or ""):
            yield f"{row[0]}: {' '.join(_row(row))}"


def _has(names: tuple[str, ...], name: str) -> bool:
    return name.lower() in map(str.lower, names)


def _row(row: tuple[str, ...]) -> Iterator[str]:
    _, default, unit, bounds, meaning = row
    yield f"{meaning.replace(' (no live changes)', '')[:1].upper()}{meaning.replace(' (no live changes)', '')[1:]}."
    facts = (("unit", unit), ("range", bounds), ("default", default.replace("`", "")))
    yield "; ".join(f"{name}: {value}" for name, value in facts if value) or "no default"


def _fields(model: type[BaseModel], prefix: str, kind: str) -> Iterator[Term]:
    for row in parameter_rows(model, prefix):
        key = row[0]
        yield Term(key, kind, partial(_row, row), (key.removeprefix(prefix),))


def _words() -> Iterator[Term]:
    """Yield the words of tables and the findings of the doctor, which no game declares."""
    for kind, words in TABLE_WORDS.items():
        for word, text in words.items():
            tails = (word.removeprefix(ARM),) if word.startswith(ARM) else ()
            yield Term(word, kind, partial(_plain, text), tails=tails)
    for name, texts in load_yaml(resource_path("config", "doctor.yaml")).items():
        yield Term(name, "finding of arena-trees doctor", partial(_finding, texts))


def _metric(metric: Metric, game: str) -> Term:
    def lines() -> Iterator[str]:
        yield f"{metric.text[:1].upper()}{metric.text[1:]}."
        how = {"rate": "share of trials", "count": "mean number a trial"}
        how |= {kind: f"{kind} of trials" for kind in ("mean", "median")}
        kind = how.get(metric.kind, f"mean weighted by {metric.weight}")
        better = f"; {metric.better} is better" if metric.better else ""
        yield f"Unit: {unit_of(metric)}."
        yield f"Kind: {kind}, with a 95 % interval{better}."
        if metric.each_robot:
            yield f"One of each robot: ROBOT_{metric.name}."
        if metric.heading:
            yield f"Heading in tables of many arms or points: {'ROBOT ' if metric.each_robot else ''}{metric.heading}."
        if metric.value != metric.name:
            yield f"In a trial of the results file: {metric.value}."

    also = tuple(dict.fromkeys(name for name in (metric.value, metric.heading) if name))
    tails = (f"_{metric.name}", f"_{metric.value}", *([f" {metric.heading}"] if metric.heading else []))
    return Term(metric.name, f"metric of {game}", lines, also, tails if metric.each_robot else ())


def _game(game: Game) -> Iterator[str]:
    yield f"{game.title or game.name}: {first_sentence(type(game).__doc__)}"
    yield f"Roles: {', '.join(role.name for role in game.roles)}."
    yield f"Measured by: {', '.join(metric.name for metric in game.metrics)}."
    yield f"Scenarios: {', '.join(name for name in scenario_names() if _loaded(name).game == game.name)}."
    if game.fenced:
        yield "Needs an arena with fences."


def _role(role: Role) -> Iterator[str]:
    yield first_sentence(role.parameters.__doc__)
    yield f"Draw its tree with: arena-trees render {role.name}"
    yield f"Parameters: {', '.join(role.parameters.model_fields)}."


def _scenario(name: str) -> Iterator[str]:
    scenario = _loaded(name)
    yield f"{scenario.description[:1].upper()}{scenario.description[1:]}."
    robots = ", ".join(f"{robot} ({one.role})" for robot, one in scenario.entries.items())
    yield f"Game {scenario.game}; robots {robots}; measured by {', '.join(main_metrics(find_game(scenario.game)))}."
    yield f"File: {find_scenario(name)}"


def _loaded(name: str) -> Scenario:
    return _read_scenario(find_scenario(name))


@cache
def _read_scenario(path: Path) -> Scenario:
    return load_scenario(path)


@cache
def _read_parameters(parameters: type[Parameters], path: Path) -> Mapping[str, Any]:
    """Return the values that a role's parameter file sets."""
    return load_parameters(parameters, path).model_dump(exclude_unset=True)


def _file_value(game: Game, role: Role, key: str) -> str:
    """Return the name of a role's parameter file, and its value of a key."""
    try:
        path = config_path(f"{role.name}.yaml")
    except ResourceNotFoundError:
        return f"config/{game.name}/: there is no file of the role"
    value: Any = _read_parameters(role.parameters, path)
    for part in key.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return f"{path}: {'not there, so that the default holds' if value is None else value}"


def _set_by_scenario(name: str, role: str, key: str) -> str:
    """Return what a scenario sets a key of a role to; empty where it does not."""
    values = {str(one.set[key]) for one in _loaded(name).entries.values() if one.role == role and key in one.set}
    return " or ".join(sorted(values))


def _behaviours(role: Role) -> Mapping[str, type]:
    """Return the class of every node in a role's trees that is this project's own, by the node's name."""
    from arena_trees.commands.render import role_tree

    found: dict[str, type] = {}
    strategies = ("arena", "source") if "strategy" in role.parameters.model_fields else ("arena",)
    for strategy in strategies:
        with role_tree(role.name, strategy) as root:
            found |= {
                node.name: type(node) for node in root.iterate() if not type(node).__module__.startswith("py_trees")
            }
    return found


def _kinds_of(base: type) -> Iterator[type]:
    kinds: list[type] = type.__subclasses__(base)
    for kind in kinds:
        yield kind
        yield from _kinds_of(kind)
