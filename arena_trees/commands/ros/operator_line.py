"""What the operator of an experiment types, a line at a time, while the experiment goes on."""

from __future__ import annotations

import queue
import sys
import threading
from typing import TextIO

__all__ = ["OperatorLine"]


class OperatorLine:
    """Reads lines in a thread of its own; the thread ends with the input, or with the process.

    Args:
        stream: the input; the standard input where not given
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stdin if stream is None else stream
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._read, name="operator", daemon=True).start()

    def take(self) -> tuple[str, str]:
        """Return the next line's first word, in small letters, and the rest; both empty where there is no line."""
        try:
            line = self._lines.get_nowait()
        except queue.Empty:
            return "", ""
        word, _, rest = line.strip().partition(" ")
        return word.lower(), rest.strip()

    def _read(self) -> None:
        for line in self._stream:
            if line.strip():
                self._lines.put(line)
