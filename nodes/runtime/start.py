"""The beginning of a program: Ctrl-C while it is still being imported.

Imported by the Python of ``ros2 launch``, too: nothing but the standard library may be imported here.
"""

from __future__ import annotations

import itertools
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["end_quietly_while_imported", "is_program"]

_NODES = Path(__file__).resolve().parent.parent


def end_quietly_while_imported() -> None:
    """Let SIGINT end this process with code 0 and no word, where it is one of our programs.

    A program takes a second to be imported, and a traceback of where it was then would bury what people look for.
    Once it runs it has handlers of its own.
    """
    if is_program(sys.orig_argv, sys.argv):
        signal.signal(signal.SIGINT, lambda *_: os._exit(0))


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
