"""Timelines: on which clock percepts are stamped and judged."""

from __future__ import annotations

import time
from typing import Any, Protocol

from builtin_interfaces.msg import Time

from arena_trees.robot.clock import SECOND
from arena_trees.robot.ros_messages.layout import nanoseconds

__all__ = ["MonotonicTimeline", "RosTimeline", "Timeline", "nanoseconds", "stamp_message"]


def stamp_message(instant: int) -> Any:
    """Return an instant (ns, zero or more) as a ``builtin_interfaces/Time``."""
    seconds, rest = divmod(instant, SECOND)
    return Time(sec=seconds, nanosec=rest)


class Timeline(Protocol):
    """A clock, and where a message's stamp lies on it."""

    def now(self) -> int:
        """Return the instant of now, ns."""
        ...

    def received(self, stamp: int) -> tuple[int, int]:
        """Return stamp and arrival (ns, this timeline) of a message that has just come.

        Args:
            stamp: of its header, ns of the ROS clock
        """
        ...


class RosTimeline:
    """The ROS clock of a node: system time, or simulated time.

    Args:
        node: whose clock it is
    """

    def __init__(self, node: Any) -> None:
        self._clock = node.get_clock()

    def now(self) -> int:
        """Return the instant of now, ns."""
        return int(self._clock.now().nanoseconds)

    def received(self, stamp: int) -> tuple[int, int]:
        """Return stamp and arrival of a message that has just come."""
        return stamp, self.now()


class MonotonicTimeline:
    """The machine's monotonic clock, which no clock step, no pause and no ``/clock`` can disturb.

    A header's stamp is moved onto it by its age on the ROS clock when it comes: what lay in the
    future still does.

    Args:
        node: whose ROS clock the headers are stamped by
    """

    def __init__(self, node: Any) -> None:
        self._clock = node.get_clock()

    def now(self) -> int:
        """Return the instant of now, ns."""
        return time.monotonic_ns()

    def received(self, stamp: int) -> tuple[int, int]:
        """Return stamp and arrival of a message that has just come."""
        arrival = time.monotonic_ns()
        return arrival - (int(self._clock.now().nanoseconds) - stamp), arrival
