"""A picture of the matrix of faults: rows down, scenarios across, each cell by how much of its bound was taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from arena_trees.experiments.faults.matrix import Cell
from arena_trees.robot.configuration.figure_file import write_figure
from arena_trees.world.palette import INK, MUTED, PAPER, ink_on

__all__ = ["draw_faults"]

_KEPT, _NEAR, _BEYOND, _FREE, _NONE = "#b7d8b0", "#f2d38b", "#d1495b", "#e8e6e1", PAPER
_LEGEND = {
    _KEPT: "within its bounds",
    _NEAR: "within a tenth of a bound",
    _BEYOND: "beyond a bound, or something raised",
    _FREE: "nothing bounds it",
    _NONE: "no robot has this part",
}
_LIMIT = 0.9
"""Share of a bound from which a cell is near it."""
_ROW, _COLUMN, _LABEL = 0.19, 1.35, 3.6
"""Height of a row, width of a column and of the labels, inches."""


def draw_faults(cells: Sequence[Cell], words: Mapping[str, str], title: str, path: Path) -> None:
    """Draw a matrix.

    Args:
        cells: of every row in every scenario
        words: row to what is the matter
        title: of the picture
        path: of the picture

    Raises:
        ConfigError: the file cannot be written
    """
    rows = list(dict.fromkeys(cell.row for cell in cells))
    scenarios = list(dict.fromkeys(cell.scenario for cell in cells))
    size = (_LABEL + _COLUMN * len(scenarios) + 0.2, _ROW * len(rows) + 1.3)
    with matplotlib.rc_context({"font.size": 7, "text.color": INK}):
        figure = Figure(figsize=size, facecolor="white")
        FigureCanvasAgg(figure)
        axes = figure.add_axes(
            (_LABEL / size[0], 0.7 / size[1], _COLUMN * len(scenarios) / size[0], _ROW * len(rows) / size[1])
        )
        axes.set(xlim=(0, len(scenarios)), ylim=(len(rows), 0))
        for cell in cells:
            x, y = scenarios.index(cell.scenario), rows.index(cell.row)
            colour = _colour(cell)
            axes.add_patch(Rectangle((x, y), 1, 1, facecolor=colour, edgecolor="white", linewidth=0.8))
            axes.text(x + 0.5, y + 0.5, cell_words(cell), ha="center", va="center", color=ink_on(colour))
        axes.set_yticks([number + 0.5 for number in range(len(rows))], [words.get(row, row) for row in rows])
        axes.set_xticks([number + 0.5 for number in range(len(scenarios))], scenarios)
        axes.tick_params(length=0)
        axes.xaxis.tick_top()
        for spine in axes.spines.values():
            spine.set_visible(False)
        figure.text(0.1 / size[0], 1 - 0.25 / size[1], title, ha="left", va="center", fontsize=9, fontweight="bold")
        handles = [
            Patch(facecolor=colour, edgecolor=MUTED, linewidth=0.5, label=text) for colour, text in _LEGEND.items()
        ]
        figure.legend(handles=handles, loc="lower center", ncols=3 if len(scenarios) > 1 else 2, frameon=False)
        write_figure(figure, path)


def cell_words(cell: Cell) -> str:
    """Return what a cell shows: what its worst trial measured where it came nearest to a bound."""
    text = f"raised {cell.raised}" if cell.raised else cell.nearest
    return f"{text}, {cell.beyond} beyond" if cell.beyond else text


def _colour(cell: Cell) -> str:
    if not cell.trials and not cell.raised:
        return _NONE
    if not cell.kept:
        return _BEYOND
    if not cell.bounds:
        return _FREE
    return _NEAR if cell.share > _LIMIT else _KEPT
