"""Simulated clocks that a test sets, or drives."""

import time
from collections.abc import Callable
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock as ClockMessage

from arena_trees.nodes.adapters.timelines import stamp_message
from arena_trees.robot.clock import SECOND


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
        self._paused = time.monotonic_ns() + self._offset

    def resume(self) -> None:
        """Let the clock go on from where it stands."""
        assert self._paused is not None
        self._offset, self._paused = self._paused - time.monotonic_ns(), None

    def _publish(self) -> None:
        self._publisher.publish(ClockMessage(clock=stamp_message(self.now())))


class DrivenClock:
    """A simulated clock on ``/clock`` that a test drives: nobody misses what happens in it, however busy the machine.

    The bench's observer goes by it as well.

    Args:
        bench: whose observer publishes, and whose node must have heard of an instant before the next one comes
        step_s: seconds from one instant to the next
        kept_up: whether everybody else has done, by the instant given (ns), what must be done before the next
    """

    def __init__(self, bench: Any, step_s: float, kept_up: Callable[[int], bool] = lambda now: True) -> None:
        bench.observer.set_parameters([Parameter("use_sim_time", value=True)])
        self.step = round(step_s * SECOND)
        self.now = self.step
        self._kept_up = kept_up
        self._clocks = [node.get_clock() for node in (bench.node, bench.observer)]
        self._publisher = bench.speaker(ClockMessage, "/clock")

    def tick(self) -> None:
        """Go on to the next instant where this one has come to all; tell it in any case."""
        if all(clock.now().nanoseconds == self.now for clock in self._clocks) and self._kept_up(self.now):
            self.now += self.step
        self._publisher.publish(ClockMessage(clock=stamp_message(self.now)))

    def restart(self) -> None:
        """Go back to the beginning, as a new arena does."""
        self.now = self.step
