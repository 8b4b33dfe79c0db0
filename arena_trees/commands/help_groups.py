"""The commands of ``arena-trees`` under headings: each is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from arena_trees.command_table import COMMANDS
from arena_trees.commands.game_commands import commands_of_games, game_group

__all__ = ["GroupedCommands"]

_OF_GAMES = "Games' own commands (arena-trees GAME --help)"


class GroupedCommands(TyperGroup):
    """The commands of the table and those that games bring, under the headings of the help."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the table's commands, in its order."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command of the table, or the commands of a game; None if there are none of this name.

        Raises:
            ConfigError: the game cannot be loaded
        """
        if cmd_name not in self.commands:
            made = _table_command(cmd_name) if cmd_name in COMMANDS else game_group(cmd_name)
            if made is None:
                return None
            self.commands[cmd_name] = made
        return self.commands[cmd_name]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, a section for each heading; none is imported."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, entry in COMMANDS.items():
            sections.setdefault(entry.heading, []).append((name, entry.help))
        sections[_OF_GAMES] = [(game, ", ".join(sorted(own))) for game, own in commands_of_games().items()]
        for heading, rows in sections.items():
            with formatter.section(heading):
                formatter.write_dl(rows)


def _table_command(name: str) -> Any:
    module, _, function = COMMANDS[name].target.partition(":")
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name)(getattr(import_module(f"arena_trees.{module}"), function))
    return typer.main.get_command(alone)
