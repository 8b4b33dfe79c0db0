"""The files of the drawings: SVG for people, PNG for the arena's textures, and a PDF to print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2

from arena_trees.models.training.drawings import DRAWINGS, MARGIN, Drawing, raster, svg

__all__ = ["SIGN_WIDTH_MM", "write_drawings"]

SIGN_WIDTH_MM = 210.0
"""True width of a printed sign: that of a sheet of A4."""

_PAGE_MM = (210.0, 297.0)
_INCH_MM = 25.4
_RASTER_PX = 512


def write_drawings(folder: Path) -> None:
    """Write ``<label>.svg`` and ``<label>.png`` of each sign, and ``signs.pdf`` with a page for each."""
    folder.mkdir(parents=True, exist_ok=True)
    for drawing in DRAWINGS:
        (folder / f"{drawing.label}.svg").write_text(svg(drawing), encoding="utf-8")
        cv2.imwrite(str(folder / f"{drawing.label}.png"), raster(drawing, _RASTER_PX), [cv2.IMWRITE_PNG_COMPRESSION, 9])
    _write_pdf(folder / "signs.pdf")


def _write_pdf(path: Path) -> None:
    """Write the pages; the same bytes each time, as no date is in them."""
    from matplotlib.backends.backend_pdf import PdfPages
    from matplotlib.figure import Figure

    with PdfPages(path, metadata={"Title": "Signs of Arena Trees", "CreationDate": None}) as pages:
        for drawing in DRAWINGS:
            figure = Figure(figsize=(_PAGE_MM[0] / _INCH_MM, _PAGE_MM[1] / _INCH_MM))
            _draw_page(figure, drawing)
            pages.savefig(figure)


def _draw_page(figure: Any, drawing: Drawing) -> None:
    """Draw a sign across the upper part of a sheet, the line to cut along, and rulers to check the print with."""
    from matplotlib.patches import Polygon

    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0.0, _PAGE_MM[0])
    axes.set_ylim(_PAGE_MM[1], 0.0)
    axes.axis("off")
    for shape in drawing.shapes:
        corners = [(x * SIGN_WIDTH_MM, y * SIGN_WIDTH_MM) for x, y in shape.points]
        axes.add_patch(Polygon(corners, closed=True, facecolor=shape.colour, edgecolor="none", antialiased=False))
    rim = MARGIN * SIGN_WIDTH_MM
    axes.plot([rim, _PAGE_MM[0] - rim], [SIGN_WIDTH_MM] * 2, color="#808080", linewidth=0.6, linestyle=(0, (6, 4)))
    axes.text(105.0, SIGN_WIDTH_MM + 5.0, "cut here", ha="center", va="center", fontsize=8, color="#808080")
    _draw_ruler(axes, SIGN_WIDTH_MM + 22.0, rim, _PAGE_MM[0] - rim)
    lines = (
        f"Arena Trees: {drawing.label}",
        "Print on A4 at 100 % (no scaling to fit). The coloured frame, and the ruler, must then be 190 mm wide.",
        "Cut along the dashed line only: the sign is the whole width of the sheet, 0.21 m, with its white rim.",
    )
    for number, line in enumerate(lines):
        axes.text(105.0, SIGN_WIDTH_MM + 40.0 + 9.0 * number, line, ha="center", fontsize=12 if number == 0 else 9)


def _draw_ruler(axes: Any, y: float, left: float, right: float) -> None:
    """Draw a ruler with a mark each centimetre."""
    axes.plot([left, right], [y, y], color="black", linewidth=0.8)
    for number in range(round((right - left) / 10.0) + 1):
        x = left + 10.0 * number
        axes.plot([x, x], [y, y - (4.0 if number % 5 == 0 else 2.0)], color="black", linewidth=0.8)
    axes.text((left + right) / 2.0, y + 6.0, f"{right - left:.0f} mm", ha="center", va="center", fontsize=10)
