"""What a bag may cost its reader, whoever made it."""

from __future__ import annotations

from pathlib import Path

from arena_trees.robot.errors import ArenaTreesError

__all__ = ["MAXIMUM_MESSAGE", "BagError", "Budget"]

MAXIMUM_MESSAGE = 64 << 20
"""Bytes; a longer message, or chunk of messages, is refused before anything is allocated. Pictures have some."""

_FREE_BYTES = 64 << 20
_BYTES_FOR_ONE = 100
"""A bag may unpack to so much, and to so many times its size: real ones reach ten times."""

_FREE_MESSAGES = 500_000
_BYTES_A_MESSAGE = 16
"""A bag may have so many messages, and one for so many of its bytes on disk: real ones have one for fifty."""


class BagError(ArenaTreesError):
    """A bag cannot be read; the text is one line that names it.

    Args:
        path: of the bag or of one of its files
        reason: a short phrase
    """

    def __init__(self, path: str | Path, reason: str) -> None:
        super().__init__(f"{path}: {' '.join(reason.split())}")


class Budget:
    """Counts what a bag unpacks to, so that a small file cannot fill the memory or keep a reader for minutes.

    Args:
        path: named in errors
        size: of the bag's files on disk, bytes
    """

    def __init__(self, path: Path, size: int) -> None:
        self._path = path
        self._bytes = _FREE_BYTES + _BYTES_FOR_ONE * size
        self._messages = _FREE_MESSAGES + size // _BYTES_A_MESSAGE

    def unpack(self, count: int) -> None:
        """Note that so many bytes are about to be unpacked.

        Raises:
            BagError: it is too much
        """
        self._bytes -= count
        if count > MAXIMUM_MESSAGE or self._bytes < 0:
            raise BagError(self._path, "unpacks to far more than a recording does")

    def message(self) -> None:
        """Note a message.

        Raises:
            BagError: it is one too many
        """
        self._messages -= 1
        if self._messages < 0:
            raise BagError(self._path, "has far more messages than a recording of its size")
