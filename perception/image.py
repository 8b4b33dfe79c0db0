"""Raw images as cameras send them: checked before a byte of them is touched, then seen as RGB."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.percepts import Stamped

__all__ = ["MAX_BYTES", "MAX_SIDE", "MIN_SIDE", "Image", "ImageError", "Rgb"]

Rgb = NDArray[np.uint8]
"""Red, green and blue of each pixel, shape (height, width, 3), rows from the top."""

MIN_SIDE, MAX_SIDE = 8, 4096
"""Smallest and largest width and height that are looked at, px."""

MAX_BYTES = 64 * 1024 * 1024
"""Largest image that is looked at."""

_ORDERS: dict[str, tuple[int, Sequence[int]]] = {
    "rgb8": (3, (0, 1, 2)),
    "bgr8": (3, (2, 1, 0)),
    "rgba8": (4, (0, 1, 2)),
    "bgra8": (4, (2, 1, 0)),
    "mono8": (1, (0, 0, 0)),
}
"""Encoding to its bytes a pixel, and where in a pixel red, green and blue are."""


class ImageError(ArenaTreesError, ValueError):
    """An image contradicts itself, or is of a kind or size that is not looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class Image(Stamped):
    """An image as ``sensor_msgs/Image`` has it.

    Attributes:
        width: px
        height: px
        encoding: ``rgb8``, ``bgr8``, ``rgba8``, ``bgra8`` or ``mono8``
        step: bytes a row
        data: ``height`` rows of ``step`` bytes, from the top; anything with the buffer interface
    """

    width: int
    height: int
    encoding: str
    step: int
    data: Any

    def __str__(self) -> str:
        return f"{self.width}x{self.height} {self.encoding}"

    def check(self) -> None:
        """Refuse an image that contradicts itself; neither reads nor allocates pixels.

        Raises:
            ImageError: the size is out of bounds, the encoding unknown, or step or data do not fit
        """
        for name, side in (("width", self.width), ("height", self.height)):
            if type(side) is not int or not MIN_SIDE <= side <= MAX_SIDE:
                raise ImageError(f"the image's {name} must be {MIN_SIDE} to {MAX_SIDE} px, got {side!r:.20}")
        if self.encoding not in _ORDERS:
            known = ", ".join(_ORDERS)
            raise ImageError(f"the image's encoding must be one of {known}, got {self.encoding!r:.40}")
        row = self.width * _ORDERS[self.encoding][0]
        if type(self.step) is not int or self.step < row:
            raise ImageError(f"a row of the image has at least {row} bytes, but its step is {self.step!r:.20}")
        size = self.step * self.height
        if size > MAX_BYTES:
            raise ImageError(f"the image has {size} bytes, more than {MAX_BYTES}")
        try:
            view = memoryview(self.data)
        except TypeError:
            raise ImageError("the image's data is no buffer of bytes") from None
        held = view.nbytes if view.c_contiguous else 0
        if held != size:
            raise ImageError(f"the image should have {size} bytes, but has {held}")

    def rgb(self) -> Rgb:
        """Return the pixels; a view of the data where its order allows.

        Raises:
            ImageError: as :meth:`check`
        """
        self.check()
        channels, order = _ORDERS[self.encoding]
        rows = np.frombuffer(self.data, dtype=np.uint8).reshape(self.height, self.step)
        pixels = rows[:, : self.width * channels].reshape(self.height, self.width, channels)
        if channels == 1:
            return np.repeat(pixels, 3, axis=2)
        step = order[1] - order[0]
        return pixels[..., :3] if step == 1 else pixels[..., 2::-1]
