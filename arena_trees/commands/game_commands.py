"""Commands of games: ``arena-trees <game> <command>``; a game is imported when one of its commands is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

import typer

from arena_trees.experiments.scenario import scenarios_of
from arena_trees.games.registry import find_game, game_names

__all__ = ["add_game_commands"]


def add_game_commands(app: typer.Typer, arguments: Sequence[str]) -> None:
    """Add the commands of the game that the arguments begin with, if they do.

    Raises:
        ConfigError: the game cannot be loaded
    """
    name = arguments[0] if arguments else ""
    if name not in game_names() or any(group.name == name for group in app.registered_groups):
        return
    game = find_game(name)
    about = f"{game.title or name}: commands of the game."
    scenarios = scenarios_of(name)
    if scenarios:
        about += f" Its scenarios, for arena-trees run: {', '.join(scenarios)}."
    own = typer.Typer(help=about, no_args_is_help=True)
    # With a callback a single command keeps its name.
    own.callback()(lambda: None)
    for command, target in game.commands.items():
        module, _, function = target.partition(":")
        own.command(command)(getattr(import_module(module), function))
    app.add_typer(own, name=name)
