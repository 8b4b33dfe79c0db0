"""The help of ``arena-trees``: its commands under headings, and the commands that games bring."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

from arena_trees.games.registry import find_game, game_names
from arena_trees.robot.errors import ConfigError

__all__ = ["GroupedCommands"]


class GroupedCommands(TyperGroup):
    """A group of commands whose help lists each command under the heading in its ``rich_help_panel``."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, a section for each heading, in the order in which they were added."""
        # Space for the columns' margins, as in click.
        limit = formatter.width - 6 - max(map(len, self.commands))
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            heading = getattr(command, "rich_help_panel", None)
            if isinstance(heading, str):
                sections.setdefault(heading, []).append((name, command.get_short_help_str(limit)))
        sections["Games' own commands (arena-trees GAME --help)"] = _commands_of_games()
        for heading, rows in sections.items():
            with formatter.section(heading):
                formatter.write_dl(rows)


def _commands_of_games() -> list[tuple[str, str]]:
    """Return each game that has commands of its own with their names; a game that cannot be loaded is named as such."""
    rows = []
    for name in game_names():
        try:
            own = ", ".join(sorted(find_game(name).commands))
        except ConfigError:
            own = "cannot be loaded: arena-trees run says why"
        if own:
            rows.append((name, own))
    return rows
