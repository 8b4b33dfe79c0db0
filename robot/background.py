"""Work that would hold up a tick: calls of an object that are made in the background, in their order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

__all__ = ["Background", "BackgroundRunner", "InlineRunner", "Reply"]


class Reply(Protocol):
    """What a call will return."""

    def is_done(self) -> bool:
        """Return whether the call has returned or raised. Never blocks for long."""
        ...

    def value(self) -> Any:
        """Return what the call returned.

        Raises:
            Exception: what the call raised
            RuntimeError: the call is not done
        """
        ...


class Background(Protocol):
    """An object whose methods are called in the background, one after the other."""

    def call(self, method: str, *arguments: Any) -> Reply:
        """Have a method called once all calls before it are done. Never blocks."""
        ...


class BackgroundRunner(Protocol):
    """Has objects called in the background."""

    def start(self, make: Callable[[], object]) -> Background:
        """Make an object, and return the line to it. Blocks until it is made.

        Args:
            make: makes the object; can be pickled, as all arguments and values of calls

        Raises:
            Exception: what ``make`` raises
        """
        ...


class InlineRunner:
    """Makes all calls in the process and thread of the ticks, between two of them.

    It takes no time of the robot's clock, and a run with the same seed gives the same replies at the same ticks.
    """

    def __init__(self) -> None:
        self._calls: deque[_Call] = deque()

    def start(self, make: Callable[[], object]) -> Background:
        """Make an object."""
        return _Inline(make(), self)

    def add(self, call: _Call) -> None:
        """Have a call made."""
        self._calls.append(call)

    def run(self) -> None:
        """Make all calls that wait."""
        while self._calls:
            self._calls.popleft().make()


class _Inline:
    def __init__(self, target: object, runner: InlineRunner) -> None:
        self._target = target
        self._runner = runner

    def call(self, method: str, *arguments: Any) -> Reply:
        call = _Call(getattr(self._target, method), arguments, self._runner)
        self._runner.add(call)
        return call


class _Call:
    def __init__(self, method: Callable[..., Any], arguments: tuple[Any, ...], runner: InlineRunner) -> None:
        self._method = method
        self._arguments = arguments
        self._runner = runner
        self._done = False
        self._value: Any = None
        self._error: Exception | None = None

    def make(self) -> None:
        try:
            self._value = self._method(*self._arguments)
        except Exception as error:
            self._error = error
        self._done = True

    def is_done(self) -> bool:
        # Where nobody runs the calls between ticks, they are made when somebody asks.
        self._runner.run()
        return self._done

    def value(self) -> Any:
        if not self.is_done():
            raise RuntimeError("the call is not done")
        if self._error is not None:
            raise self._error
        return self._value
