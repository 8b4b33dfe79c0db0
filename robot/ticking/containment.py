"""Contains faults of behaviours: names the one that failed in a tick, and stops a tree in which one is broken."""

from __future__ import annotations

import traceback
from pathlib import Path
from types import FrameType
from typing import Any

import py_trees
from py_trees.common import Status

from arena_trees.robot.errors import format_error

__all__ = ["TickWatch", "failing_behaviour", "place", "stop_every_behaviour"]

_OURS = ("arena_trees.", "py_trees.")
"""Modules whose faults are no user's."""


_INVALID = Status.INVALID
"""Looked up once: to ask an enumeration's class for a member takes long in Python 3.11, and each node is compared."""


class TickWatch(py_trees.visitors.VisitorBase):
    """Notes which behaviour returned no valid status in a tick, and which one wrote the command.

    Args:
        command: absolute name of the command's key
    """

    def __init__(self, command: str) -> None:
        super().__init__(full=False)
        self._command = command
        self._storage = py_trees.blackboard.Blackboard.storage
        self.invalid: str | None = None
        self.author: str | None = None

    def initialise(self) -> None:
        """Forget the tick before."""
        self.invalid = None
        self.author = None

    def run(self, behaviour: py_trees.behaviour.Behaviour) -> None:
        """Look at one visited node."""
        if behaviour.status is _INVALID and self.invalid is None:
            self.invalid = behaviour.name
        if self.author is None and self._storage.get(self._command) is not None:
            self.author = behaviour.name


def stop_every_behaviour(root: py_trees.behaviour.Behaviour) -> list[str]:
    """Stop each behaviour of a tree even where another one raises on the way.

    ``root.stop(INVALID)`` gives up at the first ``terminate()`` that raises and leaves the
    siblings running, so each node is stopped by itself here.

    Returns:
        the errors of the nodes that raised
    """
    failures = []
    for node in root.iterate():
        if node.status is not Status.INVALID:
            try:
                node.terminate(Status.INVALID)
            except Exception as error:
                failures.append(f"{node.name} raised {format_error(error)}")
        node.status = Status.INVALID
        node.iterator = node.tick()
        if isinstance(node, py_trees.composites.Composite):
            node.current_child = None
    return failures


def failing_behaviour(error: Exception) -> str:
    """Return the name of the innermost behaviour in the exception's traceback."""
    return next((str(_behaviour(frame).name) for frame, _ in _frames(error)), "tree")


def place(error: Exception) -> str | None:
    """Return file and line at which the innermost behaviour of a user's own code raised; None where none of it did."""
    for frame, line in _frames(error):
        if not str(frame.f_globals.get("__name__")).startswith(_OURS):
            return f"{Path(frame.f_code.co_filename).name}:{line}"
    return None


def _frames(error: Exception) -> list[tuple[FrameType, int]]:
    """Return the frames of behaviours in the exception's traceback with their lines, innermost first."""
    frames = traceback.walk_tb(error.__traceback__)
    found = [one for one in frames if isinstance(_behaviour(one[0]), py_trees.behaviour.Behaviour)]
    return found[::-1]


def _behaviour(frame: FrameType) -> Any:
    """Return whose method a frame is, or what the executor ticks in it."""
    return frame.f_locals.get("self", frame.f_locals.get("node"))
