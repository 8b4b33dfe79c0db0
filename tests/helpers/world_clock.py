"""A simulated clock that a test sets."""

from __future__ import annotations

import time
from typing import Any

from rclpy.clock import Clock, ClockType
from rosgraph_msgs.msg import Clock as ClockMessage

from arena_trees.nodes.adapters.timelines import stamp_message


class WorldClock:
    """A simulated clock on ``/clock`` at 100 Hz, which can be paused and set."""

    def __init__(self, node: Any, start: int) -> None:
        self._offset = start - time.monotonic_ns()
        self._paused: int | None = None
        self._publisher = node.create_publisher(ClockMessage, "/clock", 1)
        node.create_timer(0.01, self._publish, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def now(self) -> int:
        """Return the instant of now, ns."""
        return time.monotonic_ns() + self._offset if self._paused is None else self._paused

    def jump(self, nanoseconds: int) -> None:
        """Set the clock forward, or back."""
        self._offset += nanoseconds

    def pause(self) -> None:
        """Let the clock stand."""
        self._paused = time.monotonic_ns() + self._offset

    def resume(self) -> None:
        """Let the clock go on from where it stands."""
        assert self._paused is not None
        self._offset, self._paused = self._paused - time.monotonic_ns(), None

    def _publish(self) -> None:
        self._publisher.publish(ClockMessage(clock=stamp_message(self.now())))
