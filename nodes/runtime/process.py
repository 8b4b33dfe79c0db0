"""The process around a node: start, spin, signals, the end."""

from __future__ import annotations

import gc
import signal
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

import rclpy
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.signals import SignalHandlerOptions

from arena_trees.nodes.runtime.executor import make_executor
from arena_trees.nodes.runtime.exit_watchdog import end_within
from arena_trees.nodes.runtime.parent import end_with_parent
from arena_trees.robot.configuration.extras import missing_library
from arena_trees.robot.errors import ArenaTreesError, ConfigError

__all__ = ["run"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What a person, a launch, and a terminal or connection that is closed end a node with."""

_END_S = 2.0
"""Longest time from a signal to the end of the process."""

_REFUSED = 2
"""Exit code for what a user gave that cannot be used."""


def run(
    make_node: Callable[[], Any],
    args: Sequence[str] | None = None,
    outcome: Callable[[Any], str | None] = lambda node: None,
) -> int:
    """Run a node until SIGINT, SIGTERM or SIGHUP, and return the exit code of the process.

    SIGHUP that is ignored, as ``nohup`` has it, stays so. A node that a launch has started ends with it.

    rclpy's own handlers would close the context before a last zero could be sent, so they are not
    installed. The node's ``halt()`` is called with the context still open.

    Args:
        make_node: makes the node, after ROS has been initialised; has a method ``halt()``
        args: command line after the program's name, with ROS arguments; that of the process where None
        outcome: of a node whose work ends, asked after each turn: None as long as it goes on, then what went wrong, or
            nothing

    Returns:
        0 after a signal and where all went well; 2 where something a user gave cannot be used or the node's work went
        wrong, which is reported in one line on stderr
    """
    stop = _Stop()
    end_with_parent()
    try:
        rclpy.init(args=None if args is None else ["", *args], signal_handler_options=SignalHandlerOptions.NO)
    except (rclpy_implementation.RCLError, rclpy_implementation.UnknownROSArgsError) as error:
        return _refuse(error)
    try:
        try:
            node = make_node()
        except (ArenaTreesError, InvalidParameterTypeException, InvalidParameterValueException) as error:
            return _refuse(error)
        except ModuleNotFoundError as error:
            missing = missing_library(error)
            if missing is None:
                raise
            return _refuse(ArenaTreesError(missing))
        failure = _spin(node, stop, outcome)
    finally:
        rclpy.try_shutdown()
        # On its way out Python puts its own handlers back, by which a second signal would still end it badly.
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)
    return _refuse(ArenaTreesError(failure)) if failure else 0


def _spin(node: Any, stop: _Stop, outcome: Callable[[Any], str | None]) -> str:
    """Let a node work until a signal, or its end; return what went wrong."""
    executor = make_executor()
    executor.add_node(node)
    stop.wakes(executor)
    # What has been made by now stays. To look through all of it would take the collector longer than a tick.
    gc.collect()
    gc.freeze()
    try:
        # Not spin_until_future_complete(), which in Jazzy adds a callback to the future in every turn.
        while not stop.asked and outcome(node) is None:
            executor.spin_once()
        failure = outcome(node) or ""
        if not failure:
            end_within(_END_S)
        return failure
    finally:
        stop.wakes(None)
        node.halt()
        executor.shutdown()
        node.destroy_node()


class _Stop:
    """Receives signals in its own thread, at once.

    Python's handlers run only when the main thread gets out of waiting for DDS, which may be never.
    But whichever thread of the process is interrupted, the number of the signal is written to a
    socket first, and a thread that reads there wakes the executor.
    """

    def __init__(self) -> None:
        self.asked = False
        self._executor: Any = None
        self._lock = threading.Lock()
        self._signals, writer = socket.socketpair()
        writer.setblocking(False)
        signal.set_wakeup_fd(writer.detach(), warn_on_full_buffer=False)
        for number in _SIGNALS:
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, _nothing)
        # They may have been waiting for this since before the program was imported.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        threading.Thread(target=self._wait, name="signals", daemon=True).start()

    def wakes(self, executor: Any) -> None:
        """Wake this executor when a signal comes; none, where there is none any more."""
        with self._lock:
            self._executor = executor

    def _wait(self) -> None:
        self._signals.recv(1)
        self.asked = True
        with self._lock:
            if self._executor is not None:
                # A mere wake() would let spin_once() go back to waiting.
                self._executor.create_task(_nothing)


def _nothing(*_: object) -> None:
    pass


def _refuse(error: Exception) -> int:
    text = str(error) if isinstance(error, ConfigError) else " ".join(str(error).split())
    print(f"error: {text}", file=sys.stderr)
    return _REFUSED
