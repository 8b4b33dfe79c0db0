"""Images of maps: PGM (text and binary, 8 and 16 bit) and PNG, their size checked before anything is allocated."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from arena_trees.robot.errors import ConfigError

__all__ = ["MAXIMUM_PIXELS", "read_map_image"]

MAXIMUM_PIXELS = 64_000_000
"""Larger images are refused unread: that is 400 m x 400 m at 0.05 m."""
_MAXIMUM_BYTES = 256_000_000
_MAXIMUM_TEXT_BYTES = 16_000_000
_HEADER_BYTES = 65_536
_PNG = b"\x89PNG\r\n\x1a\n"
# Netpbm's header: numbers apart by white space, in which comments run to the end of their line [netpbm.sf.net, pgm(5)].
_PGM = re.compile(rb"P([25])" + rb"(?:\s|#[^\r\n]*[\r\n])+([0-9]{1,9})" * 3 + rb"(?:#[^\r\n]*[\r\n]|\s)")


def read_map_image(path: Path) -> NDArray[np.float32]:
    """Return an image's channels on a scale from 0 (black, transparent) to 1 (white, opaque).

    Args:
        path: of a PGM or PNG file; which of them it is tells its first bytes, not its name

    Returns:
        array of shape (rows, columns, channels), the top row first, with 1 (grey), 3 (colour) or 4 channels (alpha)

    Raises:
        ConfigError: the file is missing, broken, too large or of another kind
    """
    try:
        if not path.is_file():
            raise ConfigError("no such file", file=path)
        size = path.stat().st_size
        if size > _MAXIMUM_BYTES:
            raise ConfigError(f"file has {size} bytes; at most {_MAXIMUM_BYTES} are accepted", file=path)
        with path.open("rb") as stream:
            head = stream.read(_HEADER_BYTES)
        if head.startswith(_PNG):
            return _read_png(path, head)
        found = _PGM.match(head)
        if found is None:
            raise ConfigError("is neither a PGM (P2 or P5) nor a PNG image", file=path)
        return _read_pgm(path, found, size)
    except OSError as error:
        raise ConfigError(error.strerror or "cannot be read", file=path) from error


def _check_size(path: Path, width: int, height: int) -> None:
    if width < 1 or height < 1:
        raise ConfigError("the image has no pixels", file=path, value=f"{width} x {height}")
    if width * height > MAXIMUM_PIXELS:
        raise ConfigError(f"the image has more than {MAXIMUM_PIXELS} pixels", file=path, value=f"{width} x {height}")


def _read_png(path: Path, head: bytes) -> NDArray[np.float32]:
    width, height = int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
    _check_size(path, width, height)
    try:
        decoded: Any = cv2.imdecode(np.fromfile(path, np.uint8), cv2.IMREAD_UNCHANGED)
    except cv2.error as error:
        raise ConfigError("the PNG image cannot be decoded", file=path) from error
    # OpenCV says with None that it found no image.
    if decoded is None or decoded.dtype not in (np.uint8, np.uint16) or decoded.shape[:2] != (height, width):
        raise ConfigError("the PNG image is broken", file=path)
    pixels: NDArray[np.float32] = decoded.reshape(height, width, -1).astype(np.float32)
    return pixels / np.float32(np.iinfo(decoded.dtype).max)


def _read_pgm(path: Path, found: re.Match[bytes], size: int) -> NDArray[np.float32]:
    width, height, largest = (int(number) for number in found.groups()[1:])
    _check_size(path, width, height)
    if not 1 <= largest <= 65535:
        raise ConfigError("the largest value of a PGM image is 1 to 65535", file=path, value=largest)
    count = width * height
    pixels = _text_pixels(path, found, size) if found[1] == b"2" else _binary_pixels(path, found.end(), count, largest)
    if len(pixels) < count:
        raise ConfigError(f"the image is cut off: {len(pixels)} of {count} pixels", file=path)
    pixels = pixels[:count]
    if pixels.max() > largest:
        raise ConfigError(f"a pixel is above the image's largest value {largest}", file=path, value=int(pixels.max()))
    return (pixels.reshape(height, width, 1) / np.float32(largest)).astype(np.float32)


def _binary_pixels(path: Path, offset: int, count: int, largest: int) -> NDArray[np.uint16]:
    pixels = np.fromfile(path, ">u2" if largest > 255 else "u1", count=count, offset=offset)
    return pixels.astype(np.uint16)


def _text_pixels(path: Path, found: re.Match[bytes], size: int) -> NDArray[np.uint16]:
    if size > _MAXIMUM_TEXT_BYTES:
        raise ConfigError(f"a text image has at most {_MAXIMUM_TEXT_BYTES} bytes", file=path, value=size)
    words = re.sub(rb"#[^\r\n]*", b"", path.read_bytes()[found.end() - 1 :]).split()
    if not all(len(word) <= 5 and word.isdigit() for word in words):
        raise ConfigError("a pixel of the text image is no number of 0 to 65535", file=path)
    values = np.array(words, dtype="S5").astype(np.uint32) if words else np.zeros(0, np.uint32)
    if values.size and values.max() > 65535:
        raise ConfigError("a pixel of the text image is no number of 0 to 65535", file=path, value=int(values.max()))
    return values.astype(np.uint16)
