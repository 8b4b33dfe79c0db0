"""Legends next to the axes that they explain, as wide as there is room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import ScaledTranslation, Transform

__all__ = ["legend_above", "legend_below", "legend_columns", "legend_in"]

_SIZE = 8.0
"""Size of the text, points."""
_LETTER = 0.6
"""Width of a letter, as a share of its size."""
_SHARE = 0.94
"""Share of a figure's width that a legend may take."""
_BELOW = 32.0
"""Points from axes to a legend below the label of their x axis."""
_HANDLE = 9.0
"""Width of a handle and the room about it, in letters."""


def legend_columns(labels: Sequence[str], width: float) -> int:
    """Return with how many columns a legend of these labels is at most so wide (points), one at least."""
    letters = width / (_SIZE * _LETTER)
    for columns in range(len(labels), 1, -1):
        # As matplotlib deals them out: the first columns hold one more.
        widest = [max(map(len, column)) for column in np.array_split(np.asarray(labels, dtype=object), columns)]
        if sum(widest) + _HANDLE * len(widest) <= letters:
            return columns
    return 1


def legend_above(axes: Axes, handles: Sequence[Any], lift: float = 0.0) -> None:
    """Put a legend above the right end of axes, whose title is above the left; below where the two would meet.

    Args:
        axes: with a title at the left, if any
        handles: with labels
        lift: points that it lies higher
    """
    title = len(axes.get_title(loc="left")) * _LETTER * float(axes.title.get_fontsize())
    if _columns(axes, handles, title) < len(handles):
        legend_below(axes, handles)
        return
    axes.legend(
        handles=handles,
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        bbox_transform=_moved(axes, lift),
        ncol=len(handles),
        frameon=False,
        fontsize=_SIZE,
        borderaxespad=0.1,
        handletextpad=0.5,
        columnspacing=1.2,
    )


def legend_below(axes: Axes, handles: Sequence[Any]) -> None:
    """Put a legend below axes and the label of their x axis, as wide as the figure at most."""
    axes.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        bbox_transform=_moved(axes, -_BELOW),
        ncol=_columns(axes, handles),
        frameon=False,
        fontsize=_SIZE,
        handlelength=2.6,
    )


def legend_in(axes: Axes, handles: Sequence[Any]) -> None:
    """Put a legend into axes that hold nothing else, as wide as the figure at most."""
    axes.axis("off")
    if handles:
        axes.legend(
            handles=handles,
            loc="upper center",
            ncol=_columns(axes, handles),
            frameon=False,
            fontsize=_SIZE,
            columnspacing=1.0,
            borderaxespad=0.0,
        )


def _columns(axes: Axes, handles: Sequence[Any], taken: float = 0.0) -> int:
    """Return how many columns fit beside each other where so much (points) of the figure's width is taken."""
    width = axes.figure.bbox.width * 72.0 / axes.figure.dpi
    return legend_columns([handle.get_label() for handle in handles], _SHARE * width - taken)


def _moved(axes: Axes, points: float) -> Transform:
    return axes.transAxes + ScaledTranslation(0.0, points / 72.0, axes.figure.dpi_scale_trans)
