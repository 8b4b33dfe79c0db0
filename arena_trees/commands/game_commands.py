"""Commands of games: ``arena-trees <game> <command>``, by entry points; none is imported before it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, cast

import typer

from arena_trees.robot.entry_points import loaded
from arena_trees.robot.errors import ConfigError

__all__ = ["commands_of_games", "game_group"]

GROUP = "arena_trees.game_commands"
"""Entry points of games' commands: ``game.command = "package.module:function"``."""


@lru_cache(maxsize=1)
def commands_of_games() -> Mapping[str, Mapping[str, Sequence[EntryPoint]]]:
    """Return the commands of each game that has any, by the names of game and command, sorted: who brings each."""
    found: dict[str, dict[str, list[EntryPoint]]] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        game, _, command = entry.name.partition(".")
        found.setdefault(game, {}).setdefault(command, []).append(entry)
    return found


def game_group(name: str) -> Any:
    """Return the commands of a game as one command; None if there is no such game.

    Raises:
        ConfigError: the game, or a command of it, cannot be loaded, or several packages bring one command
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
    for command, (entry, *others) in commands_of_games().get(name, {}).items():
        # A package that is found twice, as a checkout in its own folder is, brings the same.
        rivals = sorted({entry.value, *(other.value for other in others)})
        if len(rivals) > 1:
            raise ConfigError(f"several packages bring it: {', '.join(rivals)}", key="command", value=entry.name)
        own.command(command)(cast("Callable[..., object]", loaded(entry, "command")))
    return typer.main.get_command(own)
