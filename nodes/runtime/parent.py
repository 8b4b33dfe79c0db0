"""The end of a process with the one that started it, however that one ends.

Imported by the Python of ``ros2 launch``, too: nothing but the standard library may be imported here.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

__all__ = ["child_environment", "end_with_parent"]

_PARENT = "ARENA_TREES_PARENT"
"""Variable with the number of the process with which another one ends."""
_SET_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of prctl(2)."""


def child_environment() -> dict[str, str]:
    """Return what must stand in the environment of a process that shall end with this one."""
    return {_PARENT: str(os.getpid())}


def end_with_parent() -> None:
    """Let SIGTERM come when the process ends that started this one, if that asked for it; on Linux alone.

    A node that was started by hand, also from a terminal that is closed later, is asked for nothing.
    """
    asked = os.environ.get(_PARENT, "")
    if sys.platform != "linux" or not asked.isdigit():
        return
    ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGTERM)
    if os.getppid() != int(asked):
        # It has ended while this program was being imported, and no signal comes for that any more.
        os.kill(os.getpid(), signal.SIGTERM)
