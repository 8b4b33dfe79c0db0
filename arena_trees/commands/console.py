"""The console that tables are printed on, and the display of progress."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.progress import Progress

from arena_trees.robot.configuration.output_files import FORCE_HELP

__all__ = ["Force", "Profile", "fits", "plain_console", "progress_bar"]

Force = Annotated[bool, typer.Option("--force", help=FORCE_HELP)]
"""The option of every command that writes files."""
Profile = Annotated[
    str | None,
    typer.Option("--profile", metavar="NAME|FILE", help="How hard the world is: clean, field, or a file of your own."),
]
"""The option of every command that plays in the arena."""

_WIDTH = 160
"""Characters per line where the output is a file or a pipe, and no terminal gives its width."""

_WIDEST = 1000
"""Characters per line; nothing that is shown needs as many."""


class _CommandConsole(Console):
    """A console that leaves it to the command line what a closed pipe means."""

    def on_broken_pipe(self) -> None:
        """Print nothing more.

        Raises:
            BrokenPipeError: always
        """
        try:
            super().on_broken_pipe()
        except SystemExit:
            raise BrokenPipeError from None


def plain_console(stderr: bool = False) -> Console:
    """Return a console as wide as the terminal, or wide enough for every table where there is none.

    Args:
        stderr: of standard error, because the standard output is for something else
    """
    stream = sys.stderr if stderr else sys.stdout
    return _CommandConsole(stderr=stderr, width=None if stream.isatty() else _WIDTH)


def fits(console: Console, shown: RenderableType) -> bool:
    """Return whether something is no wider than a console."""
    return Measurement.get(console, console.options.update(max_width=_WIDEST), shown).maximum <= console.width


def progress_bar(shown: bool = True) -> Progress:
    """Return a display of progress for people; it shows nothing where standard error is no terminal.

    Args:
        shown: whether it shows anything at all
    """
    return Progress(transient=True, console=Console(stderr=True), disable=not (shown and sys.stderr.isatty()))
