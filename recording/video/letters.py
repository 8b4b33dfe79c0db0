"""Letters of a film: text in a real font, by Pillow, where OpenCV knows only strokes."""

from __future__ import annotations

from bisect import bisect_right
from math import ceil

import numpy as np
from matplotlib.font_manager import FontProperties, findfont
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

__all__ = ["Colour", "Letters"]

Colour = tuple[int, int, int]
"""Blue, green, red, 0 to 255."""

_RIM = 2
"""Width of the rim about letters with a halo, px."""


class Letters:
    """A font in one size.

    Args:
        size: of the letters, px
        bold: whether they are bold
    """

    def __init__(self, size: int, bold: bool = False) -> None:
        path = findfont(FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal"))
        self._font = ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)

    def width(self, text: str) -> int:
        """Return how wide a text is, px."""
        return ceil(self._font.getlength(text))

    def fitted(self, text: str, width: int) -> str:
        """Return the first line of a text, cut so that it is no wider than so many pixels."""
        line = text.partition("\n")[0][:200]
        if self.width(line) <= width:
            return line
        end = bisect_right(range(1, len(line)), width, key=lambda end: self.width(f"{line[:end]}…"))
        return f"{line[:end]}…"

    def write(
        self,
        image: NDArray[np.uint8],
        text: str,
        place: tuple[float, float],
        colour: Colour,
        *,
        middle: bool = False,
        halo: Colour | None = None,
    ) -> None:
        """Write a text into an image; what does not fit into it is cut off.

        Args:
            image: shape (height, width, 3), changed
            text: of one line
            place: column of the text's begin, or of its middle, and row of its base line, px
            colour: of the letters
            middle: whether the column is the middle's
            halo: colour of a rim about the letters, so that they can be read on anything
        """
        x, y = round(place[0]), round(place[1])
        anchor = "ms" if middle else "ls"
        left, top, right, bottom = (round(edge) for edge in self._font.getbbox(text, stroke_width=_RIM, anchor=anchor))
        x0, y0 = max(x + left, 0), max(y + top, 0)
        part = image[y0 : max(y + bottom, 0), x0 : max(x + right, 0)]
        if not part.size:
            return
        canvas = Image.fromarray(part)
        drawn = (x - x0, y - y0), text, colour, self._font, anchor
        draw = ImageDraw.Draw(canvas)
        draw.text(*drawn, stroke_width=_RIM if halo else 0, stroke_fill=halo)
        part[:] = np.asarray(canvas)
