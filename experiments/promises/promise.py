"""Promises: what a scenario says that its robots always do, and that its trials come to, judged in every trial."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import field_validator, model_validator

from arena_trees.experiments.promises.statement_text import parse_statement
from arena_trees.experiments.promises.statements import Monitor, Statement
from arena_trees.experiments.promises.trace_tick import TraceTick
from arena_trees.games.metrics import Metric
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.errors import ConfigError

__all__ = ["Kept", "Promise", "PromiseWatch", "judge_values", "promise_keys", "promises_of_robots"]

_MOST = 1e6
"""Largest robustness that is written down."""


class Promise(Parameters):
    """A statement about one robot, or about each; or bounds of a metric of the trial."""

    robot: str | None = parameter(None, "name of the robot; each of them where not given")
    statement: str | None = parameter(
        None, "what is true of its ticks, in the words of Python: never(faster_than(0.306))", min_length=1
    )
    metric: str | None = parameter(None, "instead of a statement: name of a metric, of which each trial has a value")
    at_least: float | None = parameter(None, "the metric's value is no less")
    at_most: float | None = parameter(None, "the metric's value is no more")

    @field_validator("statement")
    @classmethod
    def _can_be_read(cls, statement: str | None) -> str | None:
        if statement is not None:
            try:
                parse_statement(statement)
            except ConfigError as error:
                raise ValueError(error.reason) from error
        return statement

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Promise:
        bounds = [bound for bound in (self.at_least, self.at_most) if bound is not None]
        if (self.statement is None) == (self.metric is None):
            raise ValueError("a promise has either a statement or a metric")
        if self.metric is None and bounds:
            raise ValueError("a statement has its bounds in itself")
        if self.metric is not None and self.robot is not None:
            raise ValueError("a metric is of the trial: name that of the robot")
        if self.metric is not None and (not bounds or bounds[0] > bounds[-1]):
            raise ValueError("a metric needs at_least, at_most, or both in order")
        return self


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a promise in a trial.

    Attributes:
        robustness: by how much it was kept, in the unit of its condition; negative where it was broken
        broken: who broke it, when and how; empty where it was kept
    """

    robustness: float
    broken: str = ""

    @classmethod
    def of(cls, monitor: Monitor, robot: str, statement: Statement) -> Kept:
        """Return what a monitor has seen to its end, with a robustness of six digits and at most a million."""
        robustness = max(-_MOST, min(_MOST, monitor.robustness))
        broken = "" if monitor.failure is None else monitor.failure.text(robot, statement)
        return cls(float(f"{robustness:.6g}"), broken)

    @classmethod
    def of_value(cls, promise: Promise, value: Any) -> Kept:
        """Return what became of a promise of a metric whose value in the trial is this; no value breaks it."""
        if value is None:
            return cls(-_MOST, f"{promise.metric} has no value")
        low, high = promise.at_least, promise.at_most
        margins = [] if low is None else [value - low]
        margins += [] if high is None else [high - value]
        robustness = float(f"{max(-_MOST, min(_MOST, *margins)):.6g}")
        return cls(robustness, f"{promise.metric} is {value:.6g}" if robustness < 0.0 else "")

    def __str__(self) -> str:
        return f"broken: {self.broken}" if self.broken else f"kept by {self.robustness:.4g}"

    def to_dict(self) -> dict[str, Any]:
        """Return what results files hold of it."""
        return {"robustness": self.robustness, **({"broken": self.broken} if self.broken else {})}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Kept:
        """Return what a results file holds."""
        return cls(values["robustness"], values.get("broken", ""))


def promises_of_robots(
    promises: Mapping[str, Promise], robots: Collection[str]
) -> Iterator[tuple[str, str, Statement]]:
    """Yield the key in results, the robot and the statement of each promise of each robot that has a statement.

    The key is the promise's name, with the robot's after a dot where it is about each of several.

    Args:
        promises: by name
        robots: names of all robots
    """
    for name, promise in promises.items():
        if promise.statement is None:
            continue
        statement = parse_statement(promise.statement)
        several = promise.robot is None and len(robots) > 1
        for robot in robots if promise.robot is None else (promise.robot,):
            yield f"{name}.{robot}" if several else name, robot, statement


def promise_keys(promises: Mapping[str, Promise], robots: Collection[str]) -> list[str]:
    """Return the keys that promises have in results."""
    measured = [name for name, promise in promises.items() if promise.metric is not None]
    return [*(key for key, _, _ in promises_of_robots(promises, robots)), *measured]


def judge_values(
    promises: Mapping[str, Promise], metrics: Mapping[str, Metric], values: Mapping[str, Any]
) -> dict[str, Kept]:
    """Return what became of the promises of metrics in a trial, by name.

    Args:
        promises: by name; those with statements are left alone
        metrics: of the game, by name
        values: of the trial
    """
    return {
        name: Kept.of_value(promise, values.get(metrics[promise.metric].value))
        for name, promise in promises.items()
        if promise.metric is not None
    }


class PromiseWatch:
    """Watches whether a trial's robots keep their promises.

    Args:
        promises: by name
        robots: names of all robots
    """

    def __init__(self, promises: Mapping[str, Promise], robots: Collection[str]) -> None:
        self._watched: list[tuple[str, str, Statement, Monitor]] = [
            (key, robot, statement, statement.monitor())
            for key, robot, statement in promises_of_robots(promises, robots)
        ]
        self._robots = {robot for _, robot, _, _ in self._watched}

    def tick(self, moment_of: Callable[[str], TraceTick | None]) -> None:
        """Take a tick of each robot in.

        Args:
            moment_of: returns what a robot has just done; None where its computer did not run
        """
        moments = {robot: moment_of(robot) for robot in self._robots}
        for _, robot, _, monitor in self._watched:
            moment = moments[robot]
            if moment is not None:
                monitor.see(moment)

    def kept(self) -> dict[str, Kept]:
        """Return what became of each promise, of which no tick comes any more."""
        found = {}
        for key, robot, statement, monitor in self._watched:
            monitor.end()
            found[key] = Kept.of(monitor, robot, statement)
        return found
