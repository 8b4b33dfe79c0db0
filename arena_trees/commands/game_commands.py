"""Commands of games: ``arena-trees <game> <command>``, by entry points; none is imported before it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, cast

import typer

from arena_trees.robot.entry_points import loaded

__all__ = ["commands_of_games", "game_group"]

GROUP = "arena_trees.game_commands"
"""Entry points of games' commands: ``game.command = "package.module:function"``."""


@lru_cache(maxsize=1)
def commands_of_games() -> Mapping[str, Mapping[str, EntryPoint]]:
    """Return the commands of each game that has any, by the names of game and command, sorted."""
    found: dict[str, dict[str, EntryPoint]] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        game, _, command = entry.name.partition(".")
        found.setdefault(game, {})[command] = entry
    return found


def game_group(name: str) -> Any:
    """Return the commands of a game as one command; None if there is no such game.

    Raises:
        ConfigError: the game, or a command of it, cannot be loaded
    """
    # Here, for they import the games' library.
    from arena_trees.experiments.scenario import scenarios_of
    from arena_trees.games.registry import find_game, game_names

    if name not in game_names():
        return None
    about = f"{find_game(name).title or name}: commands of the game."
    scenarios = scenarios_of(name)
    if scenarios:
        about += f" Its scenarios, for arena-trees run: {', '.join(scenarios)}."
    own = typer.Typer(name=name, help=about, no_args_is_help=True, add_completion=False, rich_markup_mode=None)
    # With a callback a single command keeps its name.
    own.callback()(lambda: None)
    for command, entry in commands_of_games().get(name, {}).items():
        own.command(command)(cast("Callable[..., object]", loaded(entry, "command")))
    return typer.main.get_command(own)
