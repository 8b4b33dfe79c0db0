"""Statements about how a robot's ticks follow each other, for recordings and for trials as they are played.

    check(trace, never(faster_than(0.306)))
    check(trace, eventually(cue("CATCH")).within(60.0))
    check(trace, whenever(breach).within(0.5).holds(~moving_outward).until(safe))
    check(trace, whenever(leaf("Chase")).within(2.0).comes(driving))

Where a statement is not true, the error names the robot, the time, the tick, and what was seen. A statement has a
robustness, too: by how much it is true, or not true where that is negative, as in signal temporal logic (A. Donzé and
O. Maler, Robust satisfaction of temporal logic over real-valued signals, FORMATS 2010).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from arena_trees.experiments.promises.conditions import Condition
from arena_trees.experiments.promises.trace_tick import TraceTick

__all__ = [
    "Failure",
    "Monitor",
    "Statement",
    "Trace",
    "TraceError",
    "always",
    "check",
    "eventually",
    "failure",
    "judge",
    "never",
    "robustness",
    "whenever",
]


@dataclass(frozen=True, slots=True)
class Failure:
    """Where and why a statement is not true.

    Attributes:
        moment: at which that shows; None where the trace has none, or the whole of it is meant
        tick: number of the moment in its trace, or None
        reason: a phrase
    """

    moment: TraceTick | None
    tick: int | None
    reason: str

    def text(self, robot: str, statement: Statement) -> str:
        """Return in words who, when, what and why."""
        if self.moment is None:
            return f"{robot}: {statement}: {self.reason}"
        where = f"{robot} at {self.moment.seconds:.2f} s (tick {self.tick})"
        return f"{where}: {statement}: {self.reason} [{self.moment}]"


class Trace(Protocol):
    """The moments of one robot, in their order."""

    @property
    def robot(self) -> str:
        """Name of the robot."""

    @property
    def moments(self) -> Sequence[TraceTick]:
        """One a tick."""


class Monitor:
    """Looks whether a statement is true, tick by tick, and keeps nothing of what it has seen.

    Attributes:
        failure: the first one, or None
        robustness: by how much the statement is true so far
    """

    def __init__(self) -> None:
        self.failure: Failure | None = None
        self.robustness = math.inf
        self._seen = 0

    def see(self, moment: TraceTick) -> None:
        """Take the next tick in."""
        self._look(moment)
        self._seen += 1

    def end(self) -> None:
        """Take in that there are no more ticks."""

    def _look(self, moment: TraceTick) -> None:
        raise NotImplementedError

    def _fail(self, moment: TraceTick | None, reason: str) -> None:
        if self.failure is None:
            self.failure = Failure(moment, None if moment is None else self._seen, reason)

    def _bounded(self, margin: float) -> None:
        self.robustness = min(self.robustness, margin)


class Statement(Protocol):
    """What can be true of a trace."""

    def monitor(self) -> Monitor:
        """Return what looks whether it is true."""
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
    found = judge(trace, statement).failure
    return None if found is None else found.text(trace.robot, statement)


def robustness(trace: Trace, statement: Statement) -> float:
    """Return by how much a statement is true of a trace, in the unit of its condition; negative where it is not."""
    return judge(trace, statement).robustness


def judge(trace: Trace, statement: Statement) -> Monitor:
    """Return what has looked at a whole trace whether a statement is true of it."""
    monitor = statement.monitor()
    for moment in trace.moments:
        monitor.see(moment)
    monitor.end()
    return monitor


@dataclass(frozen=True, slots=True)
class _Throughout:
    """At each tick a condition is true, or at none."""

    condition: Condition
    wanted: bool

    def monitor(self) -> Monitor:
        """Return what looks for a tick at which that is not so."""
        return _ThroughoutMonitor(self)

    def __str__(self) -> str:
        return f"{'always' if self.wanted else 'never'} {self.condition}"


class _ThroughoutMonitor(Monitor):
    def __init__(self, statement: _Throughout) -> None:
        super().__init__()
        self._condition = statement.condition if statement.wanted else ~statement.condition
        self._reason = f"not {statement.condition}" if statement.wanted else str(statement.condition)

    def _look(self, moment: TraceTick) -> None:
        self._bounded(self._condition.margin(moment))
        if not self._condition(moment):
            self._fail(moment, self._reason)

    def end(self) -> None:
        """Refuse a trace without ticks: nothing was shown."""
        if not self._seen:
            self._fail(None, "the trace is empty")
            self._bounded(-1.0)


@dataclass(frozen=True, slots=True)
class _Eventually:
    condition: Condition
    seconds: float | None = None

    def within(self, seconds: float) -> _Eventually:
        """Return the statement with a time, from the beginning of the trace, by which it must have come true."""
        return replace(self, seconds=seconds)

    def monitor(self) -> Monitor:
        """Return what looks for a tick at which it is true."""
        return _EventuallyMonitor(self)

    def __str__(self) -> str:
        return f"eventually {self.condition}" + ("" if self.seconds is None else f" within {self.seconds:g} s")


class _EventuallyMonitor(Monitor):
    def __init__(self, statement: _Eventually) -> None:
        super().__init__()
        self._condition, self._seconds = statement.condition, statement.seconds
        self._best = -math.inf
        self._came = False
        self._last: TraceTick | None = None

    def _look(self, moment: TraceTick) -> None:
        if self._seconds is not None and moment.seconds > self._seconds:
            if not self._came:
                self._fail(moment, "has not come true by now")
        else:
            self._best = max(self._best, self._condition.margin(moment))
            self._came = self._came or self._condition(moment)
        self._last = moment

    def end(self) -> None:
        """Refuse a trace that has ended without it."""
        if not self._came:
            self._seen -= self._last is not None
            self._fail(self._last, "has not come true to the end")
        self._bounded(max(self._best, -1e9))


@dataclass(frozen=True, slots=True)
class _Holds:
    """Whenever something begins, after a grace, something holds: as long as that lasts, or until something, or so long.

    What is still owed when the trace ends counts as kept.
    """

    cause: Condition
    at_least: int
    grace: float
    effect: Condition
    stop: Condition | None = None
    seconds: float | None = None

    def until(self, stop: Condition) -> _Holds:
        """Return the statement with another end: it must hold until this is true, whatever becomes of its cause."""
        return replace(self, stop=stop, seconds=None)

    def lasts(self, seconds: float) -> _Holds:
        """Return the statement with another end: it must hold for this time, whatever becomes of its cause."""
        return replace(self, stop=None, seconds=seconds)

    def monitor(self) -> Monitor:
        """Return what looks for a tick at which it does not hold though it should."""
        return _HoldsMonitor(self)

    def __str__(self) -> str:
        end = f" until {self.stop}" if self.stop is not None else ""
        lasting = "" if self.seconds is None else f" for {self.seconds:g} s"
        return f"whenever {self.cause}, within {self.grace:g} s {self.effect}{end}{lasting}"


class _CausedMonitor(Monitor):
    """Counts how often a cause begins."""

    def __init__(self, cause: Condition, at_least: int) -> None:
        super().__init__()
        self._cause, self._at_least = cause, at_least
        self._count = 0
        self._nearest = -math.inf

    def _caused(self, moment: TraceTick) -> bool:
        self._nearest = max(self._nearest, self._cause.margin(moment))
        return self._cause(moment)

    def end(self) -> None:
        """Refuse a trace in which too little happened."""
        if self._count < self._at_least:
            times = f"{self._count} times, fewer than {self._at_least}"
            self._fail(None, f"it was {self._cause} {times}: nothing was shown")
            self._bounded(min(self._nearest, -1e-9))


class _HoldsMonitor(_CausedMonitor):
    def __init__(self, statement: _Holds) -> None:
        super().__init__(statement.cause, statement.at_least)
        self._statement = statement
        self._since: float | None = None

    def _look(self, moment: TraceTick) -> None:
        said, caused = self._statement, self._caused(moment)
        if self._since is not None and self._is_over(moment, self._since, caused):
            self._since = None
        elif self._since is None and caused and not (said.stop is not None and said.stop(moment)):
            self._count, self._since = self._count + 1, moment.seconds
        if self._since is None:
            # As far as it is from being owed, or as well as it would be kept.
            self._bounded(max(abs(said.cause.margin(moment)), said.effect.margin(moment)))
        elif moment.seconds >= self._since + said.grace:
            self._bounded(said.effect.margin(moment))
            if not said.effect(moment):
                self._fail(moment, f"{said.cause} since {self._since:.2f} s, and not {said.effect}")

    def _is_over(self, moment: TraceTick, since: float, caused: bool) -> bool:
        said = self._statement
        if said.stop is not None:
            return said.stop(moment)
        if said.seconds is not None:
            return moment.seconds > since + said.grace + said.seconds
        return not caused


@dataclass(frozen=True, slots=True)
class _Comes:
    """Whenever something begins, something comes true soon; what the trace ends before is let off."""

    cause: Condition
    at_least: int
    grace: float
    effect: Condition

    def monitor(self) -> Monitor:
        """Return what looks for a time that is up."""
        return _ComesMonitor(self)

    def __str__(self) -> str:
        return f"whenever {self.cause}, within {self.grace:g} s comes {self.effect}"


class _ComesMonitor(_CausedMonitor):
    def __init__(self, statement: _Comes) -> None:
        super().__init__(statement.cause, statement.at_least)
        self._statement = statement
        self._since: float | None = None
        self._best = -math.inf
        self._before = False

    def _look(self, moment: TraceTick) -> None:
        said, caused = self._statement, self._caused(moment)
        if caused and not self._before and self._since is None:
            self._count, self._since, self._best = self._count + 1, moment.seconds, -math.inf
        self._before = caused
        if self._since is None:
            self._bounded(abs(said.cause.margin(moment)) if not caused else math.inf)
            return
        overdue = moment.seconds > self._since + said.grace
        if not overdue or said.effect(moment):
            self._best = max(self._best, said.effect.margin(moment))
        if said.effect(moment):
            self._bounded(self._best)
            self._since = None
        elif overdue:
            self._bounded(self._best)
            self._fail(moment, f"{said.cause} at {self._since:.2f} s, and not {said.effect} since")


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


def always(condition: Condition) -> _Throughout:
    """State that a condition is true at every tick."""
    return _Throughout(condition, True)


def never(condition: Condition) -> _Throughout:
    """State that a condition is true at no tick."""
    return _Throughout(condition, False)


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
