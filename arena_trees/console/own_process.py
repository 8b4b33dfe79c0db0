"""Processes of the console, which end with it."""

from __future__ import annotations

import subprocess
import sys
from multiprocessing.connection import Connection, Pipe
from typing import Any

__all__ = ["start_process"]


def start_process(play: str, *given: Any) -> tuple[subprocess.Popen[bytes], Connection]:
    """Start a process that calls a function; return it and our end of a connection with it.

    Args:
        play: module and name of the function, with a dot between, which is imported there alone; it is called with the
            file descriptor of its end of the connection
        given: what it receives first, as one tuple
    """
    ours, theirs = Pipe()
    with theirs:
        number = theirs.fileno()
        module, _, name = play.rpartition(".")
        code = f"from {module} import {name}; {name}({number})"
        process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.DEVNULL, pass_fds=[number])
    ours.send(given)
    return process, ours
