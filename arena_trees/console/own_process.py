"""Processes of the console, which end with it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection, Pipe
from typing import Any

__all__ = ["start_process"]


def start_process(play: Callable[[int], None], *given: Any) -> tuple[subprocess.Popen[bytes], Connection]:
    """Start a process that calls a function; return it and our end of a connection with it.

    Args:
        play: function of a module, called with the file descriptor of its end of the connection
        given: what it receives first, as one tuple
    """
    ours, theirs = Pipe()
    with theirs:
        number = theirs.fileno()
        code = f"from {play.__module__} import {play.__name__}; {play.__name__}({number})"
        process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.DEVNULL, pass_fds=[number])
    ours.send(given)
    return process, ours
