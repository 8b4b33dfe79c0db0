"""What commands share: the console that tables are printed on, the display of progress, and options of several."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.progress import Progress

from arena_trees.robot.configuration.output_files import FORCE_HELP

__all__ = [
    "Camera", "Changes", "Force", "Jobs", "MapFile", "Params", "Profile", "Quiet", "Strategy", "Trees", "fits",
    "plain_console", "progress_bar",
]  # fmt: skip

Force = Annotated[bool, typer.Option("--force", help=FORCE_HELP)]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")]
Jobs = Annotated[str | None, typer.Option(metavar="NUMBER", help="Processes that play at a time.")]
Changes = Annotated[
    list[str] | None, typer.Option("--set", help="Change, as in red.chase_speed=0.2 or duration_s=60; repeatable.")
]
Params = Annotated[
    list[str] | None,
    typer.Option(
        "--param", metavar="KEY=SPACE", help="Search a key of --set: low:high, low:high:log or a,b,c; repeatable."
    ),
]
Strategy = Annotated[str | None, typer.Option(help="arena (ours) or source (the document's rules).")]
Camera = Annotated[str | None, typer.Option(help="Camera of every robot: pinhole or rendered.")]
MapFile = Annotated[
    str | None, typer.Option("--map", metavar="FILE", help="Map of the arena: a map_server YAML file, or a name.")
]
Trees = Annotated[
    list[str] | None,
    typer.Option("--tree", metavar="ROLE=FILE", help="Play a role by create_root of this .py file; repeatable."),
]
Profile = Annotated[
    str | None,
    typer.Option("--profile", metavar="NAME|FILE", help="How hard the world is: clean, field, or a file of your own."),
]

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
