"""Publishing that a robot can do without: a fault in it ends it, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arena_trees.robot.errors import format_error

__all__ = ["ContainedPublishing"]


class ContainedPublishing:
    """Calls what publishes until it raises once, which is logged.

    Args:
        node: that logs
        what: is published, such as ``ticks``
    """

    def __init__(self, node: Any, what: str) -> None:
        self._logger = node.get_logger()
        self._what = what
        self._failed = False

    def call(self, publish: Callable[[], object]) -> None:
        """Call what publishes."""
        if self._failed:
            return
        try:
            publish()
        except Exception as error:
            self._failed = True
            self._logger.error(f"{self._what} are not published any more: {format_error(error)}")
