"""What the operator of an experiment types, a line at a time, while the experiment goes on."""

from __future__ import annotations

import os
import select
import sys
from typing import IO, Any

__all__ = ["OperatorLine"]

_BYTES = 4096


class OperatorLine:
    """Reads what was typed by now, and never waits. Where the input has ended, the operator quits.

    Args:
        stream: the input, of which nobody else reads; the standard input where not given
    """

    def __init__(self, stream: IO[Any] | None = None) -> None:
        self._file = (sys.stdin if stream is None else stream).fileno()
        self._typed = b""
        self._ended = False

    def take(self) -> tuple[str, str]:
        """Return the next line's first word, in small letters, and the rest; both empty where there is no line."""
        while not self._ended and select.select([self._file], [], [], 0.0)[0]:
            typed = os.read(self._file, _BYTES)
            self._typed += typed or b"\nquit\n"
            self._ended = not typed
        line, end, rest = self._typed.partition(b"\n")
        if not end:
            return "", ""
        self._typed = rest
        word, _, words = line.decode(errors="replace").strip().partition(" ")
        return word.lower(), words.strip()
