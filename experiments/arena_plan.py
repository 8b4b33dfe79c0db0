"""The arena of a scenario, as its file, its map or its game has it, with what the scenario changes in it."""

from __future__ import annotations

import math
from pathlib import Path

from arena_trees.experiments.plan_files import changed, find_file
from arena_trees.experiments.robot_plans import place_of
from arena_trees.experiments.scenario import Scenario
from arena_trees.games.game import Game
from arena_trees.robot.configuration.resources import config_files
from arena_trees.robot.configuration.yaml_files import flatten
from arena_trees.robot.errors import ConfigError
from arena_trees.world.arena_file import ArenaFile, load_arena
from arena_trees.world.body import Body
from arena_trees.world.maps.map_arena import map_arena

__all__ = ["plan_arena"]


def plan_arena(
    game: Game, scenario: Scenario, source: str | Path, folder: Path | None, area: Path | None, made: ArenaFile | None
) -> ArenaFile:
    """Return the arena, as its file or its map or the game has it, made ready for the scenario's robots.

    Args:
        game: of the scenario
        scenario: whose robots start in it
        source: named in errors: the scenario's file, or where its newest change came from
        folder: of the scenario's file, in which other files are looked for first
        area: file of the scenario's map, or None
        made: what the game makes from its rules, or None

    Raises:
        ConfigError: there is none, or too much, or it cannot be used
    """
    names = list(scenario.entries)
    if made is not None:
        if scenario.arena is not None or area is not None:
            key, value = ("arena", scenario.arena) if area is None else ("map", scenario.map)
            raise ConfigError("this game makes its arena from its rules", file=source, key=key, value=value)
        arena = made
    elif area is not None:
        _check_map(game, scenario, source)
        arena = map_arena(area, names)
    elif scenario.arena is not None:
        path = find_file(scenario.arena, ("arenas",), folder, source, "arena")
        arena = load_arena(path)
    else:
        raise ConfigError("is required, or a map", file=source, key="arena")
    return _with_starts(arena, scenario, source)


def _with_starts(arena: ArenaFile, scenario: Scenario, source: str | Path) -> ArenaFile:
    """Return the arena with a start for every robot, and with what the scenario changes in it."""
    if arena.starts or arena.slots:
        entries = scenario.entries
        placed = {name for name, one in entries.items() if one.start is not None and one.start.outside is None}
        try:
            arena = arena.for_robots({name: entry.role for name, entry in entries.items()}, placed)
        except ConfigError as error:
            raise error.within(source) from error
    changes = dict(flatten(scenario.arena_set))
    for key, value in changes.items():
        if key.split(".")[0] == "bodies":
            raise ConfigError(
                "is said of a robot: robots.<name>.body", file=source, key=f"arena_set.{key}", value=value
            )
    for name, entry in scenario.entries.items():
        if entry.start is not None and entry.start.outside is None:
            x, y, yaw = entry.start.x, entry.start.y, math.radians(entry.start.yaw_deg or 0.0)
            changes[f"starts.{name}"] = {"position": [x, y], "yaw": yaw}
    if arena.bodies or any(entry.body for entry in scenario.entries.values()):
        changes["bodies"] = {name: _body(arena, scenario, name, source).model_dump() for name in scenario.entries}
    if not changes:
        return arena
    try:
        altered: ArenaFile = arena.with_changes(changes, source)
    except ConfigError as error:
        raise _renamed(error, source, scenario) from error
    return altered


def _check_map(game: Game, scenario: Scenario, source: str | Path) -> None:
    """Refuse a map for a game that needs fences, which a map has not, and for several robots that all start there."""
    if game.fenced:
        shipped = " or ".join(path.name for path in config_files("arenas").values() if load_arena(path).fences)
        reason = f"{game.title} needs an arena with fences (key arena, such as {shipped}), and a map has none"
        raise ConfigError(reason, file=source, key="map", value=scenario.map)
    lacking = [name for name, entry in scenario.entries.items() if entry.start is None]
    if len(lacking) > 1:
        raise ConfigError("is required: a map has one start alone", file=source, key=f"robots.{lacking[1]}.start")


def _renamed(error: ConfigError, source: str | Path, scenario: Scenario) -> ConfigError:
    """Return the error of a changed arena file with the scenario's own key."""
    key = error.key or ""
    parts = [*key.split("."), ""]
    entry = scenario.entries.get(parts[1]) if parts[0] == "starts" else None
    if entry is not None and entry.start is not None:
        key = f"robots.{parts[1]}.start"
    elif parts[1] in scenario.entries and not any(one.startswith(parts[0]) for one in scenario.arena_set):
        # The arena file's start fits the file's own bodies, and not this one.
        key = f"{place_of(scenario, parts[1])}.body.radius"
    else:
        key = f"arena_set.{key}"
    return ConfigError(error.reason, file=source, key=key, value=error.value)


def _body(arena: ArenaFile, scenario: Scenario, name: str, source: str | Path) -> Body:
    """Return a robot's body: the arena file's, with the scenario's changes."""
    entry = scenario.entries[name]
    body: Body = changed(arena.body(name, entry.role), entry.body, source, f"{place_of(scenario, name)}.body")
    return body
