"""Writes the signs' drawings: SVG for people, PNG for the arena's textures, and a PDF to print.

python scripts/make_signs.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
from matplotlib.axes import Axes
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from arena_trees.models.training.drawings import DRAWINGS, MARGIN, Drawing, raster

WIDTH, HEIGHT = 210.0, 297.0
"""Of a sheet of A4, mm; a printed sign is as wide and as high as the sheet is wide."""


def svg(drawing: Drawing) -> str:
    """Return a drawing as an SVG document, 210 units wide: one is a millimetre of the sign."""
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="210mm" height="210mm" viewBox="0 0 210 210">',
        f"  <title>{drawing.label}</title>",
    ]
    for shape in drawing.shapes:
        points = " ".join(f"{210 * x:.2f},{210 * y:.2f}" for x, y in shape.points)
        lines.append(f'  <polygon fill="{shape.colour}" points="{points}"/>')
    return "\n".join([*lines, "</svg>", ""])


def write_drawings(folder: Path) -> None:
    """Write ``<label>.svg`` and ``<label>.png`` of each sign, and ``signs.pdf`` with a page for each."""
    folder.mkdir(parents=True, exist_ok=True)
    # The same bytes each time, as no date is in them.
    with PdfPages(folder / "signs.pdf", metadata={"Title": "Signs of Arena Trees", "CreationDate": None}) as pages:
        for drawing in DRAWINGS:
            (folder / f"{drawing.label}.svg").write_text(svg(drawing), encoding="utf-8")
            cv2.imwrite(str(folder / f"{drawing.label}.png"), raster(drawing, 512), [cv2.IMWRITE_PNG_COMPRESSION, 9])
            figure = Figure(figsize=(WIDTH / 25.4, HEIGHT / 25.4))
            axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0.0, WIDTH), ylim=(HEIGHT, 0.0))
            draw_page(axes, drawing)
            pages.savefig(figure)


def draw_page(axes: Axes, drawing: Drawing) -> None:
    """Draw a sign across the upper part of a sheet, the line to cut along, and a ruler to check the print with."""
    axes.axis("off")
    for shape in drawing.shapes:
        corners = [(x * WIDTH, y * WIDTH) for x, y in shape.points]
        axes.add_patch(Polygon(corners, closed=True, facecolor=shape.colour, edgecolor="none", antialiased=False))
    left, right, middle, y = MARGIN * WIDTH, WIDTH - MARGIN * WIDTH, WIDTH / 2.0, WIDTH + 22.0
    axes.plot([left, right], [WIDTH] * 2, color="#808080", linewidth=0.6, linestyle=(0, (6, 4)))
    axes.text(middle, WIDTH + 5.0, "cut here", ha="center", va="center", fontsize=8, color="#808080")
    axes.plot([left, right], [y, y], color="black", linewidth=0.8)
    for number in range(round((right - left) / 10.0) + 1):
        x = left + 10.0 * number
        axes.plot([x, x], [y, y - (4.0 if number % 5 == 0 else 2.0)], color="black", linewidth=0.8)
    axes.text(middle, y + 6.0, f"{right - left:.0f} mm", ha="center", va="center", fontsize=10)
    lines = (
        f"Arena Trees: {drawing.label}",
        "Print on A4 at 100 % (no scaling to fit). The coloured frame, and the ruler, must then be 190 mm wide.",
        "Cut along the dashed line only: the sign is the whole width of the sheet, 0.21 m, with its white rim.",
    )
    for number, line in enumerate(lines):
        axes.text(middle, WIDTH + 40.0 + 9.0 * number, line, ha="center", fontsize=12 if number == 0 else 9)


if __name__ == "__main__":
    write_drawings(Path(*sys.argv[1:] or ["models/signs"]))
