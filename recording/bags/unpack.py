"""Unpacking with a limit: what is longer than it says is not unpacked further."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import lz4.frame

from arena_trees.recording.bags.limits import BagError, Budget

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["unpack_file", "unpack_lz4", "unpack_zstd"]

_PIECE = 1 << 20


def unpack_zstd(packed: bytes | memoryview, limit: int) -> bytes | None:
    """Return what a zstd frame unpacks to, or None where it is none or longer than the limit (bytes)."""
    try:
        return _bounded(zstd.ZstdDecompressor(), packed, limit)
    except zstd.ZstdError:
        return None


def unpack_lz4(packed: bytes | memoryview, limit: int) -> bytes | None:
    """Return what an lz4 frame unpacks to, or None where it is none or longer than the limit (bytes)."""
    try:
        return _bounded(lz4.frame.LZ4FrameDecompressor(), packed, limit)
    except RuntimeError:
        return None


def _bounded(unpacker: Any, packed: bytes | memoryview, limit: int) -> bytes | None:
    # One byte more than the limit, so that what is too long shows.
    raw: bytes = unpacker.decompress(bytes(packed), limit + 1)
    return raw if unpacker.eof and len(raw) <= limit else None


def unpack_file(source: Path, target: Path, budget: Budget) -> int:
    """Unpack a zstd file into another one and return its size (bytes); what is broken at the end is left out.

    Raises:
        BagError: it is none, or unpacks to more than it may
        OSError: one of them cannot be read or written
    """
    size = 0
    with source.open("rb") as packed, target.open("wb") as unpacked:
        try:
            with zstd.open(packed, "rb") as file:
                while piece := file.read(_PIECE):
                    budget.unpack(len(piece))
                    size += unpacked.write(piece)
        except (zstd.ZstdError, EOFError) as error:
            if not size:
                raise BagError(source, "is no zstd file") from error
    return size
