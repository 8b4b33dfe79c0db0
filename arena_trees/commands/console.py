"""The console that tables are printed on."""

from __future__ import annotations

import sys

from rich.console import Console

__all__ = ["plain_console"]

_WIDTH = 160
"""Letters a line where the output is a file or a pipe, and no terminal says how wide it is."""


def plain_console() -> Console:
    """Return a console as wide as the terminal, or wide enough for every table where there is none."""
    return Console(width=None if sys.stdout.isatty() else _WIDTH)
