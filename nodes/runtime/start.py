"""The beginning of a program: Ctrl-C while it is still being started and imported.

Imported by the Python of ``ros2 launch``, too: nothing but the standard library may be imported here.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

__all__ = ["end_quietly_while_imported", "is_program", "waiting_prefix"]

_NODES = Path(__file__).resolve().parent.parent
_WAITING = ("env", "--block-signal=INT")
"""Runs a program for which SIGINT waits until it asks for it (GNU coreutils 8.31 and newer)."""


@lru_cache(maxsize=1)
def waiting_prefix() -> str:
    """Return what a program of ours is started with so that SIGINT waits for its first import; empty if impossible.

    Python itself takes up to a second to begin where many programs do at once, and would say where it was then.
    """
    if shutil.which(_WAITING[0]) is None:
        return ""
    done = subprocess.run([*_WAITING, "true"], capture_output=True, check=False)
    return " ".join(_WAITING) if done.returncode == 0 else ""


def end_quietly_while_imported() -> None:
    """Let SIGINT end this process with code 0 and no word, where it is one of our programs.

    A program takes a second to be imported, and a traceback of where it was then would bury what people look for.
    Once it runs it has handlers of its own.
    """
    if is_program(sys.orig_argv, sys.argv):
        signal.signal(signal.SIGINT, lambda *_: os._exit(0))
        # What has been waiting comes now.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT,))


def is_program(command: Sequence[str], arguments: Sequence[str]) -> bool:
    """Return whether a Python has been started for one of our nodes.

    Args:
        command: ``sys.orig_argv``, where a module that is run is named
        arguments: ``sys.argv``, where an installed program is
    """
    module = next((name for flag, name in itertools.pairwise(command) if flag == "-m"), "")
    package, _, name = module.rpartition(".")
    if package != "arena_trees.nodes":
        name = Path(arguments[0]).name if arguments else ""
    return bool(name) and (_NODES / f"{name}.py").is_file()
