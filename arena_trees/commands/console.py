"""The console that tables are printed on, and the display of progress."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.progress import Progress

from arena_trees.robot.configuration.output_files import FORCE_HELP, keep_existing

__all__ = ["Force", "fits", "place_files", "plain_console", "progress_bar"]

Force = Annotated[bool, typer.Option("--force", help=FORCE_HELP)]
"""The option of every command that writes files."""

_WIDTH = 160
"""Letters a line where the output is a file or a pipe, and no terminal says how wide it is."""

_WIDEST = 1000
"""Letters of a line; nothing that is shown needs as many."""


def plain_console(stderr: bool = False) -> Console:
    """Return a console as wide as the terminal, or wide enough for every table where there is none.

    Args:
        stderr: of standard error, because the standard output is for something else
    """
    stream = sys.stderr if stderr else sys.stdout
    return Console(stderr=stderr, width=None if stream.isatty() else _WIDTH)


def fits(console: Console, shown: RenderableType) -> bool:
    """Return whether something is no wider than a console."""
    return Measurement.get(console, console.options.update(max_width=_WIDEST), shown).maximum <= console.width


def progress_bar() -> Progress:
    """Return a display of progress for people; it shows nothing where standard error is no terminal."""
    return Progress(transient=True, console=Console(stderr=True), disable=not sys.stderr.isatty())


def place_files(paths: Sequence[Path], force: bool) -> tuple[Path, ...]:
    """Return where the files of a command go; where some exist that are kept, say so on standard error.

    Args:
        paths: that were asked for
        force: whether files that exist are written over
    """
    places, note = keep_existing(paths, force)
    if note:
        print(f"note: {note}", file=sys.stderr)
    return places
