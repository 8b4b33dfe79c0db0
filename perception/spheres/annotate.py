"""The picture that shows what a sphere detector sees, as the source system's video does."""

from __future__ import annotations

import cv2
import numpy as np

from arena_trees.perception.image import Rgb
from arena_trees.robot.circles import Circle

__all__ = ["annotate"]

_GREEN, _RED, _YELLOW, _WHITE, _BLACK = (40, 220, 60), (235, 40, 40), (255, 220, 0), (255, 255, 255), (0, 0, 0)
_FINE = 4
"""Places are drawn to a sixteenth of a pixel: OpenCV's binary places."""

_LEAST_WIDTH = 480
"""Smaller images are drawn larger by a whole factor, so that text can be read, px."""


def annotate(
    image: Rgb,
    circle: Circle | None = None,
    barrel: tuple[float, float] | None = None,
    state: str = "",
    distance: float | None = None,
    error: float | None = None,
) -> Rgb:
    """Return an image with what was found drawn on it; the image itself stays as it is.

    The circle is green, its centre, leftmost and rightmost points are red, and a yellow cross is where the barrel
    points. The state stands at the top right, distance and its error at the bottom right.

    Args:
        image: RGB, shape (height, width, 3)
        circle: that was found, if any
        barrel: column and row of the barrel's reference pixel
        state: of the robot that looks
        distance: estimated, m
        error: of the distance, m, where the true one is known

    Returns:
        RGB; a small image is made larger by a whole factor
    """
    factor = max(1, -(-_LEAST_WIDTH // image.shape[1]))
    size = (factor * image.shape[1], factor * image.shape[0])
    drawn = np.array(cv2.resize(np.ascontiguousarray(image), size, interpolation=cv2.INTER_LINEAR), np.uint8)
    line = max(1, round(size[0] / 480))
    if circle is not None:
        centre, radius = (factor * circle.x, factor * circle.y), factor * circle.radius
        shown = _inside(centre, size, radius)
        if shown:
            cv2.circle(drawn, _fixed(centre), round(radius * 2**_FINE), _GREEN, 2 * line, cv2.LINE_AA, _FINE)
        for offset in (-radius, 0.0, radius):
            point = (centre[0] + offset, centre[1])
            if _inside(point, size, 10.0):
                cv2.circle(drawn, _fixed(point), round(2.5 * line * 2**_FINE), _RED, -1, cv2.LINE_AA, _FINE)
    if barrel is not None:
        _cross(drawn, (factor * barrel[0], factor * barrel[1]), 8.0 * line, line)
    _write(drawn, [state] if state else [], top=True)
    lines = [] if distance is None else [f"distance {distance:.2f} m"]
    if error is not None:
        lines.append(f"error {error:+.2f} m")
    _write(drawn, lines, top=False)
    return drawn


def _inside(point: tuple[float, float], size: tuple[int, int], margin: float) -> bool:
    """Return whether a point is in an image, or nearer to it than a margin that OpenCV can still draw in."""
    margin = min(margin, 4.0 * max(size))
    return all(-margin <= place <= side + margin for place, side in zip(point, size, strict=True))


def _fixed(point: tuple[float, float]) -> tuple[int, int]:
    # OpenCV counts from the middle of the first pixel.
    x, y = (round((place - 0.5) * 2**_FINE) for place in point)
    return x, y


def _cross(drawn: Rgb, centre: tuple[float, float], reach: float, line: int) -> None:
    if not _inside(centre, (drawn.shape[1], drawn.shape[0]), reach):
        return
    x, y = centre
    for colour, width in ((_BLACK, line + 2), (_YELLOW, line)):
        for begin, end in (((x - reach, y), (x + reach, y)), ((x, y - reach), (x, y + reach))):
            cv2.line(drawn, _fixed(begin), _fixed(end), colour, width, cv2.LINE_AA, _FINE)


def _write(drawn: Rgb, lines: list[str], top: bool) -> None:
    """Write lines at the right, white with a dark rim."""
    height, width = drawn.shape[:2]
    scale = max(0.5, width / 1000.0)
    gap = round(26 * scale)
    for index, text in enumerate(lines):
        (wide, high), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, 1)
        step = high + gap // 2
        below = gap // 2 + high + index * step if top else height - gap // 2 - (len(lines) - 1 - index) * step
        place = (max(0, width - wide - gap // 2), below)
        # A thicker stroke would run wider: the rim is the same text, moved.
        for right, down in ((-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)):
            moved, colour = (place[0] + right, place[1] + down), _BLACK if right else _WHITE
            cv2.putText(drawn, text, moved, cv2.FONT_HERSHEY_SIMPLEX, scale, colour, 1, cv2.LINE_AA)
