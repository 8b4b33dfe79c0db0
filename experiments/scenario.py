"""Scenarios: one YAML file that specifies game, arena, robots, rules and faults."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from arena_trees.experiments.promises.promise import Promise
from arena_trees.games.registry import find_game, game_names
from arena_trees.robot.configuration.hints import did_you_mean, no_such, no_such_file
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.configuration.resources import config_files
from arena_trees.robot.configuration.yaml_files import load_yaml, split_key, validate
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.messaging.message_bus import BusParameters
from arena_trees.safety.fence_status import FenceParameters
from arena_trees.simulation.faults.fault import Fault

__all__ = [
    "RobotEntry",
    "Scenario",
    "Start",
    "Team",
    "apply_changes",
    "find_scenario",
    "load_scenario",
    "scenario_names",
    "scenarios_of",
]

_ROBOT_KEYS = ("role", "parameters", "set", "sensors", "body", "gate", "fence", "start")
_MOST_ROBOTS = 256


class Start(Parameters):
    """Where a robot starts: a pose in the map, or a place outside its fence."""

    x: float | None = parameter(None, "in the map", "m")
    y: float | None = parameter(None, "in the map", "m")
    yaw_deg: float | None = parameter(None, "in the map, counter-clockwise", "deg", ge=-360, le=360)
    outside: float | None = parameter(None, "start this far outside the robot's fence", "m", gt=0, le=5)
    headings: int = parameter(
        12, "with outside: trials go through this many headings, the first straight out", "", ge=1, le=360
    )

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Start:
        pose = (self.x, self.y, self.yaw_deg)
        if self.outside is None and None in pose:
            raise ValueError("a start has x, y and yaw_deg, or outside")
        if self.outside is not None and pose != (None, None, None):
            raise ValueError("a start has either x, y and yaw_deg or outside, not both")
        return self


class RobotEntry(Parameters):
    """One robot of a scenario."""

    role: str = parameter(..., "which tree drives it")
    parameters: str | None = parameter(None, "its parameter file, in config or next to the scenario; <role>.yaml")
    set: dict[str, Any] = Field(default_factory=dict, description="parameters to change, key to value")
    sensors: dict[str, Any] = Field(default_factory=dict, description="sensors' settings to change")
    body: dict[str, Any] = Field(default_factory=dict, description="what is different about its body")
    gate: dict[str, Any] = Field(default_factory=dict, description="limits of its velocity gate to change")
    fence: FenceParameters = Field(default_factory=FenceParameters, description="when its geofence warns")
    start: Start | None = parameter(None, "where it starts; the arena's own start pose where not given")


class Team(RobotEntry):
    """Robots that are all alike: ``robots: {role: ..., count: ...}``; they are named robot_1, robot_2 and so on."""

    count: int = parameter(..., "how many robots", "", ge=1, le=_MOST_ROBOTS)

    def entries(self) -> dict[str, RobotEntry]:
        """Return the robots, by name; all share one entry."""
        values = {key: getattr(self, key) for key in self.model_fields_set if key != "count"}
        entry = RobotEntry.model_construct(**values)
        return {f"robot_{number}": entry for number in range(1, self.count + 1)}


class Scenario(Parameters):
    """One scenario."""

    description: str = parameter("", "what it is for")
    game: str = parameter(..., "what is played")
    arena: str | None = parameter(None, "arena file, of a game's arenas or next to the scenario")
    map: str | None = parameter(
        None,
        "in place of an arena: a map that ships with a game, by its name, or the YAML file of any map_server map",
    )
    arena_set: dict[str, Any] = Field(default_factory=dict, description="values of the arena file to change")
    duration_s: float = parameter(180.0, "longest trial", "s", gt=0, le=86_400)
    trials: int = parameter(10, "trials that a run plays", "", ge=1, le=1_000_000)
    seed: int = parameter(1000, "seed of the first trial; the next has the next seed", "", ge=0, lt=1 << 31)
    strategy: Literal["arena", "source"] | None = parameter(None, "of every robot whose role has a choice")
    camera: Literal["pinhole", "rendered"] | None = parameter(
        None, "kind of the camera of every robot that looks for signs or balls"
    )
    profile: str = parameter(
        "clean", "how hard the world is: a profile's name, or a file with one; clean or field ship with the code"
    )
    isolated: bool = parameter(False, "no messages and no rules: each robot relies on its own eyes")
    robots: Team | dict[str, RobotEntry] = Field(description="name to robot; or role and count of robots all alike")
    rules: dict[str, Any] = Field(default_factory=dict, description="rules of the game to change, key to value")
    judged_by: Literal["truth", "localisation"] = parameter(
        "truth", "by which place of robots the rules judge: the true one, or each robot's own estimate"
    )
    bus: BusParameters = Field(default_factory=BusParameters, description="line between the robots")
    faults: list[Fault] = Field(default_factory=list, description="which parts of robots are faulty, how and when")
    promises: dict[str, Promise] = Field(
        default_factory=dict, description="name to what is true of robots' ticks, or of a metric, in every trial"
    )
    variants: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="further arms of the run, each with its changes, in the same worlds"
    )

    @field_validator("robots", mode="before")
    @classmethod
    def _is_team_or_map(cls, value: Any) -> Any:
        if not isinstance(value, dict) or not value:
            if isinstance(value, Team):
                return value
            raise ConfigError("must be a map of names to robots, or a role and a count", key="robots", value=value)
        if "count" in value and not isinstance(value["count"], dict):
            return validate(Team, value, "", "robots")
        if len(value) > _MOST_ROBOTS:
            raise ConfigError(f"there are more than {_MOST_ROBOTS}", key="robots")
        return {
            name: entry if isinstance(entry, RobotEntry) else validate(RobotEntry, entry, "", f"robots.{name}")
            for name, entry in value.items()
        }

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Scenario:
        if self.game not in game_names():
            raise ConfigError(no_such("game", self.game, game_names()), key="game", value=self.game)
        if self.map is not None and self.arena is not None:
            raise ConfigError("there is an arena already", key="map", value=self.map)
        for name in self.entries:
            if not name.isidentifier() or name in type(self).model_fields:
                raise ConfigError("a robot's name is a plain word, and no scenario key", key="robots", value=name)
        for index, fault in enumerate(self.faults):
            if fault.robot not in self.entries:
                reason = no_such("robot", fault.robot, self.entries)
                raise ConfigError(reason, key=f"faults.{index}.robot", value=fault.robot)
        for name, promise in self.promises.items():
            if promise.robot is not None and promise.robot not in self.entries:
                reason = no_such("robot", promise.robot, self.entries)
                raise ConfigError(reason, key=f"promises.{name}.robot", value=promise.robot)
        return self

    @cached_property
    def entries(self) -> Mapping[str, RobotEntry]:
        """Every robot, by name."""
        return self.robots.entries() if isinstance(self.robots, Team) else self.robots


def scenario_names() -> list[str]:
    """Return the names of the scenarios that ship with the code and with installed games, sorted."""
    return list(config_files("scenarios"))


def scenarios_of(game: str) -> list[str]:
    """Return the names of the scenarios that a game ships, sorted; no scenario is read."""
    return [name for name, path in config_files("scenarios").items() if path.parents[1].name == game]


def find_scenario(name_or_file: str) -> Path:
    """Return the file of a scenario.

    Args:
        name_or_file: name of a shipped scenario, or path of a file

    Raises:
        ConfigError: there is neither
    """
    shipped = config_files("scenarios")
    if name_or_file in shipped:
        return shipped[name_or_file]
    path = Path(name_or_file)
    if path.suffix in (".yaml", ".yml") or os.path.isfile(path):
        # Not Path.is_file, which raises for a name that is too long.
        if not os.path.isfile(path):
            raise ConfigError(no_such_file(path), file=path)
        return path
    own = scenarios_of(name_or_file)
    if own:
        raise ConfigError(f"is a game: its scenarios are {', '.join(own)}", key="scenario", value=name_or_file)
    raise ConfigError(no_such("scenario", name_or_file, shipped), key="scenario", value=name_or_file)


def load_scenario(path: str | Path) -> Scenario:
    """Return the scenario in a file, its variants checked with it.

    Raises:
        ConfigError: the file or its values cannot be used
    """
    values = load_yaml(path)
    _check_keys(values, path)
    scenario = validate(Scenario, values, path)
    for name, changes in scenario.variants.items():
        try:
            apply_changes(scenario, changes)
        except ConfigError as error:
            raise error.within(path, f"variants.{name}") from error
    return scenario


def _check_keys(values: Any, path: str | Path) -> None:
    """Refuse a key that is none of a scenario's; the error states where it belongs if it is a rule of the game."""
    game = values.get("game") if isinstance(values, dict) else None
    if game not in game_names():
        return
    rules = find_game(str(game)).rules.model_fields
    for key in values:
        if key not in Scenario.model_fields:
            known = did_you_mean(str(key), Scenario.model_fields) or f"; there are {', '.join(Scenario.model_fields)}"
            reason = "is a rule of the game: it stands under the key rules" if key in rules else f"unknown key{known}"
            raise ConfigError(reason, file=path, key=str(key))


def apply_changes(scenario: Scenario, changes: Mapping[str, Any]) -> Scenario:
    """Return the scenario with changes applied.

    A key is a scenario's, dotted (``bus.loss``), or begins with a robot's name, or with the role of robots
    that are all alike: ``blue.start``, ``blue.sensors.<sensor>.<setting>`` and any other as a parameter of its role.
    Of robots that are all alike, ``robots`` is their number.

    Raises:
        ConfigError: a key is unknown or a value is refused; parameters, sensors and rules are checked
            later, against their own models
    """
    values = scenario.model_dump(exclude_unset=True)
    for key, value in changes.items():
        first, _, rest = key.partition(".")
        robot = _entry_of(scenario, values["robots"], first)
        if robot is not None and rest:
            _put(robot, _robot_path(rest), value, key)
        elif key == "robots" and isinstance(scenario.robots, Team) and type(value) is int:
            values["robots"]["count"] = value
        elif first not in Scenario.model_fields:
            raise ConfigError(_elsewhere(scenario, key), key=key, value=value)
        else:
            _put(values, split_key(key), value, key)
    try:
        return validate(Scenario, values, "change")
    except ConfigError as error:
        raise ConfigError(error.reason, key=error.key, value=error.value) from error


def _elsewhere(scenario: Scenario, key: str) -> str:
    """Return why a scenario has no such key, and under which it stands if it is a robot's or the game's."""
    game, (first, _, rest) = find_game(scenario.game), key.partition(".")
    if first in game.rules.model_fields:
        return f"is a rule of the game: rules.{key}"
    roles = {_override_name(scenario, name, entry): game.role(entry.role) for name, entry in scenario.entries.items()}
    if first in _ROBOT_KEYS:
        owners = list(roles)
    else:
        owners = [name for name, role in roles.items() if role is not None and first in role.parameters.model_fields]
    if owners:
        return f"is of a robot: {' or '.join(f'{owner}.{key}' for owner in owners)}"
    known = [*Scenario.model_fields, *game.rules.model_fields]
    known += [f"{name}.{one}" for name, role in roles.items() if role for one in role.parameters.model_fields]
    if rest and f".{rest}" in {f".{one.partition('.')[2]}" for one in known}:
        return no_such("robot", first, roles)
    return f"unknown key{did_you_mean(key, known) or did_you_mean(first, [one.rpartition('.')[2] for one in known])}"


def _override_name(scenario: Scenario, name: str, entry: RobotEntry) -> str:
    """Return how changes name a robot: by its role where all are alike."""
    return entry.role if isinstance(scenario.robots, Team) else name


def _entry_of(scenario: Scenario, robots: dict[str, Any], name: str) -> dict[str, Any] | None:
    """Return the values of a robot's entry: by its name, or by the role of robots that are all alike."""
    if isinstance(scenario.robots, Team):
        return robots if name == scenario.robots.role else None
    return robots.get(name)


def _robot_path(rest: str) -> list[str]:
    """Return where in a robot's entry a change belongs."""
    head = rest.split(".", 1)[0]
    if head in _ROBOT_KEYS:
        return split_key(rest)
    # Not split: the key of a parameter may itself be dotted.
    return ["set", rest]


def _put(values: Any, path: list[str], value: object, key: str) -> None:
    *groups, last = path
    for group in groups:
        held = values.setdefault(group, {}) if isinstance(values, dict) else _entry(values, group)
        if not isinstance(held, dict | list):
            raise ConfigError("unknown key", key=key, value=value)
        values = held
    if not isinstance(values, dict):
        raise ConfigError("unknown key", key=key, value=value)
    values[last] = value


def _entry(values: list[Any], number: str) -> Any:
    """Return an entry of a list by its number, from 0; None where there is none."""
    return values[int(number)] if number.isdecimal() and int(number) < len(values) else None
