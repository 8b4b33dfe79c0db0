"""Trace assertions: statements about how a robot's ticks follow each other, for recordings and for live trials.

    check(trace, never(faster_than(0.306)))
    check(trace, eventually(cue("CATCH")).within(60.0))
    check(trace, whenever(breach).within(0.5).holds(~moving_outward).until(safe))
    check(trace, whenever(leaf("Chase")).within(2.0).comes(driving))

Where a statement is not true, the error names the robot, the time, the tick, and what was seen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from arena_trees.recording.traces.conditions import Condition
from arena_trees.recording.traces.trace import Trace, TraceTick

__all__ = ["Failure", "Statement", "TraceError", "always", "check", "eventually", "failure", "never", "whenever"]


@dataclass(frozen=True, slots=True)
class Failure:
    """Where and why a statement is not true.

    Attributes:
        moment: at which that shows; None where the trace has none, or the whole of it is meant
        reason: a phrase
    """

    moment: TraceTick | None
    reason: str


class Statement(Protocol):
    """What can be true of a trace."""

    def failure(self, trace: Trace) -> Failure | None:
        """Return the first failure, or None where the statement is true."""
        ...


class TraceError(AssertionError):
    """A statement is not true of a trace."""


def check(trace: Trace, *statements: Statement) -> None:
    """Check statements about a trace.

    Raises:
        TraceError: one is not true
    """
    for statement in statements:
        text = failure(trace, statement)
        if text is not None:
            raise TraceError(text)


def failure(trace: Trace, statement: Statement) -> str | None:
    """Return in words why a statement is not true of a trace, or None where it is."""
    found = statement.failure(trace)
    if found is None:
        return None
    if found.moment is None:
        return f"{trace.robot}: {statement}: {found.reason}"
    tick = trace.moments.index(found.moment)
    where = f"{trace.robot} at {found.moment.seconds:.2f} s (tick {tick})"
    return f"{where}: {statement}: {found.reason} [{found.moment}]"


@dataclass(frozen=True, slots=True)
class _Always:
    condition: Condition

    def failure(self, trace: Trace) -> Failure | None:
        """Return the first moment at which the condition is not true."""
        if not trace.moments:
            return Failure(None, "the trace is empty")
        wrong = next((moment for moment in trace.moments if not self.condition(moment)), None)
        return None if wrong is None else Failure(wrong, f"not {self.condition}")

    def __str__(self) -> str:
        return f"always {self.condition}"


@dataclass(frozen=True, slots=True)
class _Never:
    condition: Condition

    def failure(self, trace: Trace) -> Failure | None:
        """Return the first moment at which the condition is true."""
        if not trace.moments:
            return Failure(None, "the trace is empty")
        wrong = next((moment for moment in trace.moments if self.condition(moment)), None)
        return None if wrong is None else Failure(wrong, str(self.condition))

    def __str__(self) -> str:
        return f"never {self.condition}"


@dataclass(frozen=True, slots=True)
class _Eventually:
    condition: Condition
    seconds: float | None = None

    def within(self, seconds: float) -> _Eventually:
        """Return the statement with a time, from the beginning of the trace, by which it must have come true."""
        return replace(self, seconds=seconds)

    def failure(self, trace: Trace) -> Failure | None:
        """Return the moment at which the time is up."""
        last = None
        for moment in trace.moments:
            if self.seconds is not None and moment.seconds > self.seconds:
                return Failure(moment, "has not come true by now")
            if self.condition(moment):
                return None
            last = moment
        return Failure(last, "has not come true to the end")

    def __str__(self) -> str:
        return f"eventually {self.condition}" + ("" if self.seconds is None else f" within {self.seconds:g} s")


@dataclass(frozen=True, slots=True)
class _Holds:
    """Whenever something begins, after a grace, something holds: as long as that lasts, or until something, or so long.

    What is still owed when the trace ends counts as kept.
    """

    cause: Condition
    at_least: int
    grace: float
    effect: Condition
    end: Condition | None = None
    seconds: float | None = None

    def until(self, end: Condition) -> _Holds:
        """Return the statement with another end: it must hold until this is true, whatever becomes of its cause."""
        return replace(self, end=end, seconds=None)

    def lasts(self, seconds: float) -> _Holds:
        """Return the statement with another end: it must hold for this time, whatever becomes of its cause."""
        return replace(self, end=None, seconds=seconds)

    def failure(self, trace: Trace) -> Failure | None:
        """Return the first moment at which it does not hold though it should."""
        count, since = 0, None
        for moment in trace.moments:
            caused = self.cause(moment)
            if since is not None and self._is_over(moment, since, caused):
                since = None
            elif since is None and caused and not (self.end is not None and self.end(moment)):
                count, since = count + 1, moment.seconds
            if since is not None and moment.seconds >= since + self.grace and not self.effect(moment):
                return Failure(moment, f"{self.cause} since {since:.2f} s, and not {self.effect}")
        return _too_few(count, self.at_least, self.cause)

    def _is_over(self, moment: TraceTick, since: float, caused: bool) -> bool:
        if self.end is not None:
            return self.end(moment)
        if self.seconds is not None:
            return moment.seconds > since + self.grace + self.seconds
        return not caused

    def __str__(self) -> str:
        end = f" until {self.end}" if self.end is not None else ""
        lasting = "" if self.seconds is None else f" for {self.seconds:g} s"
        return f"whenever {self.cause}, within {self.grace:g} s {self.effect}{end}{lasting}"


@dataclass(frozen=True, slots=True)
class _Comes:
    """Whenever something begins, something comes true soon; what the trace ends before is let off."""

    cause: Condition
    at_least: int
    grace: float
    effect: Condition

    def failure(self, trace: Trace) -> Failure | None:
        """Return the first moment at which the time is up."""
        count, since, before = 0, None, False
        for moment in trace.moments:
            caused = self.cause(moment)
            if caused and not before and since is None:
                count, since = count + 1, moment.seconds
            before = caused
            if since is not None and self.effect(moment):
                since = None
            if since is not None and moment.seconds > since + self.grace:
                return Failure(moment, f"{self.cause} at {since:.2f} s, and not {self.effect} since")
        return _too_few(count, self.at_least, self.cause)

    def __str__(self) -> str:
        return f"whenever {self.cause}, within {self.grace:g} s comes {self.effect}"


def _too_few(count: int, at_least: int, cause: Condition) -> Failure | None:
    if count >= at_least:
        return None
    return Failure(None, f"it was {cause} {count} times, fewer than {at_least}: nothing was shown")


@dataclass(frozen=True, slots=True)
class _Whenever:
    """The beginning of a statement about what follows from something."""

    cause: Condition
    at_least: int
    grace: float = 0.0

    def within(self, seconds: float) -> _Whenever:
        """Give the effect this time to come about."""
        return replace(self, grace=seconds)

    def holds(self, effect: Condition) -> _Holds:
        """Say what holds as long as the cause does; ``until`` and ``lasts`` give it another end."""
        return _Holds(self.cause, self.at_least, self.grace, effect)

    def comes(self, effect: Condition) -> _Comes:
        """Say what must come true once."""
        return _Comes(self.cause, self.at_least, self.grace, effect)


def always(condition: Condition) -> _Always:
    """State that a condition is true at every tick."""
    return _Always(condition)


def never(condition: Condition) -> _Never:
    """State that a condition is true at no tick."""
    return _Never(condition)


def eventually(condition: Condition) -> _Eventually:
    """State that a condition becomes true; ``within`` gives the time limit."""
    return _Eventually(condition)


def whenever(condition: Condition, at_least: int = 1) -> _Whenever:
    """Begin a statement about what follows from a condition.

    Args:
        condition: the cause
        at_least: how often it must begin for the statement to be true; with 0, also where it never does
    """
    return _Whenever(condition, at_least)
