"""Calls next to the tick in processes of their own, which take no time of the one that ticks."""

from __future__ import annotations

import contextlib
import multiprocessing
import pickle
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from arena_trees.robot.background import Background, Reply

__all__ = ["ProcessRunner"]

_END_S = 1.0
"""Longest time that a process is given to end."""


class ProcessRunner:
    """Makes each object in a process of its own, and has it called there.

    A process ends with the one that started it, whatever ends that.
    """

    def __init__(self) -> None:
        self._lines: list[_Line] = []

    def start(self, make: Callable[[], object]) -> Background:
        """Make an object in a process of its own, and wait until it is made.

        Raises:
            Exception: what ``make`` raises
            RuntimeError: the process ended
        """
        line = _Line(make)
        self._lines.append(line)
        line.wait()
        return line

    def close(self) -> None:
        """End all processes."""
        while self._lines:
            self._lines.pop().close()


class _Line:
    """The line to one process: calls go in, replies come back in the same order."""

    def __init__(self, make: Callable[[], object]) -> None:
        # A fork would share the middleware's threads and sockets, and multiprocessing's spawn would import the node.
        self._end, other = multiprocessing.Pipe()
        command = [sys.executable, "-m", __name__, str(other.fileno())]
        self._process = subprocess.Popen(command, pass_fds=[other.fileno()], stdin=subprocess.DEVNULL)
        other.close()
        self._waiting: deque[_Reply] = deque()
        self._made = _Reply(self)
        self._waiting.append(self._made)
        self._send(make)

    def wait(self) -> None:
        while not self._made.is_done():
            self._end.poll(None)
        self._made.value()

    def call(self, method: str, *arguments: Any) -> Reply:
        reply = _Reply(self)
        self._waiting.append(reply)
        self._send((method, arguments))
        return reply

    def hear(self) -> None:
        """Take in the replies that have come."""
        try:
            while self._waiting and self._end.poll():
                value, error = self._end.recv()
                self._waiting.popleft().settle(value, error)
        except (EOFError, OSError):
            self._lost()

    def close(self) -> None:
        self._end.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _send(self, what: Any) -> None:
        try:
            self._end.send(what)
        except OSError:
            self._lost()

    def _lost(self) -> None:
        error = RuntimeError("the process that makes plans beside the tick has ended")
        while self._waiting:
            self._waiting.popleft().settle(None, error)


class _Reply:
    def __init__(self, line: _Line) -> None:
        self._line = line
        self._done = False
        self._value: Any = None
        self._error: Exception | None = None

    def settle(self, value: Any, error: Exception | None) -> None:
        self._done, self._value, self._error = True, value, error

    def is_done(self) -> bool:
        if not self._done:
            self._line.hear()
        return self._done

    def value(self) -> Any:
        if not self.is_done():
            raise RuntimeError("the call is not done")
        if self._error is not None:
            raise self._error
        return self._value


def _serve(line: Connection) -> None:
    """Make an object, and its calls, until the line is closed."""
    # Whoever ticks obeys the signals, and closes the line.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    # The other end is closed, or its process gone.
    with contextlib.suppress(EOFError, OSError):
        try:
            target = line.recv()()
        except Exception as error:
            line.send((None, _sendable(error)))
            return
        line.send((None, None))
        while True:
            method, arguments = line.recv()
            try:
                line.send((getattr(target, method)(*arguments), None))
            except Exception as error:
                line.send((None, _sendable(error)))


def _sendable(error: Exception) -> Exception:
    """Return an exception that can be pickled, or one with the same text."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


if __name__ == "__main__":
    _serve(Connection(int(sys.argv[1])))
