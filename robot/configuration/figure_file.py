"""Figures of matplotlib as files, in the format that the file's ending names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena_trees.robot.configuration.files import write_atomically
from arena_trees.robot.configuration.output_files import check_ending

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FIGURE_ENDINGS", "write_figure"]

FIGURE_ENDINGS = (".png", ".svg", ".pdf")
"""Endings of the files that a figure can be written into."""

# Equal figures are equal files: without the version of the library, and without a date.
_METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}


def write_figure(figure: Figure, path: Path) -> None:
    """Write a figure; the ending of the file's name chooses PNG, SVG or PDF.

    Args:
        figure: to be written
        path: of the file

    Raises:
        ConfigError: the name has another ending, or the file cannot be written
    """
    import matplotlib

    ending = check_ending(path, FIGURE_ENDINGS)
    # Marks in an SVG file are named by this in place of a random number.
    with matplotlib.rc_context({"svg.hashsalt": "arena-trees"}):
        write_atomically(path, lambda stream: figure.savefig(stream, format=ending[1:], metadata=_METADATA[ending]))
