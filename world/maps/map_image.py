"""Images of maps: PNG and Netpbm's PGM and PPM, read by Pillow, their size checked before they are decoded."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from arena_trees.robot.errors import ConfigError

__all__ = ["MAXIMUM_PIXELS", "read_map_image"]

MAXIMUM_PIXELS = 64_000_000
"""Larger images are refused unread: that is 400 m x 400 m at 0.05 m."""
_MAXIMUM_BYTES = 256_000_000
_TOO_LARGE = f"the image has more than {MAXIMUM_PIXELS} pixels"


def read_map_image(path: Path) -> NDArray[np.float32]:
    """Return an image's channels on a scale from 0 (black, transparent) to 1 (white, opaque).

    Args:
        path: of a PGM, PPM or PNG file; which of them it is tells its first bytes, not its name

    Returns:
        in steps of 1 / 255, and of 1 / 65535 where a grey image has 16 bits:
        array of shape (rows, columns, channels), the top row first, with 1 (grey), 3 (colour) or 4 channels (alpha)

    Raises:
        ConfigError: the file is missing, broken, too large or of another kind
    """
    try:
        if not os.path.isfile(path):
            raise ConfigError("no such file", file=path)
        size = path.stat().st_size
        if size > _MAXIMUM_BYTES:
            raise ConfigError(f"file has {size} bytes; at most {_MAXIMUM_BYTES} are accepted", file=path)
        with warnings.catch_warnings():
            # Pillow warns of images above a limit of its own, which is larger than the one here.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path, formats=("PNG", "PPM")) as image:
                return _channels(path, image)
    except UnidentifiedImageError as error:
        raise ConfigError("is neither a PGM, PPM nor PNG image that can be read", file=path) from error
    except Image.DecompressionBombError as error:
        raise ConfigError(_TOO_LARGE, file=path) from error
    except OSError as error:
        raise ConfigError(error.strerror or f"the image is broken: {error}", file=path) from error
    # What Pillow lets through from the parts of a broken image.
    except (SyntaxError, ValueError) as error:
        raise ConfigError(f"the image is broken: {error}", file=path) from error


def _channels(path: Path, image: Image.Image) -> NDArray[np.float32]:
    width, height = image.size
    if width < 1 or height < 1:
        raise ConfigError("the image has no pixels", file=path, value=f"{width} x {height}")
    if width * height > MAXIMUM_PIXELS:
        raise ConfigError(_TOO_LARGE, file=path, value=f"{width} x {height}")
    mode = {"1": "L", "P": "RGB", "LA": "RGBA", "PA": "RGBA"}.get(image.mode, image.mode)
    if mode == "RGB" and "transparency" in image.info:
        mode = "RGBA"
    # 16 bits of grey are I, or I;16.
    if mode not in ("L", "RGB", "RGBA") and not mode.startswith("I"):
        raise ConfigError("the image has other channels than grey, colour and alpha", file=path, value=mode)
    pixels = np.asarray(image if mode == image.mode else image.convert(mode), np.float32)
    return pixels.reshape(height, width, -1) / np.float32(65535 if mode.startswith("I") else 255)
