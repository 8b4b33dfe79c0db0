"""Promises: what a scenario says that its robots always do, judged in every trial."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import field_validator

from arena_trees.experiments.promises.statement_text import parse_statement
from arena_trees.experiments.promises.statements import Monitor, Statement
from arena_trees.experiments.promises.trace_tick import TraceTick
from arena_trees.robot.configuration.parameters import Parameters, parameter

__all__ = ["Kept", "Promise", "PromiseWatch", "promises_of_robots"]

_MOST = 1e6
"""Largest robustness that is written down."""


class Promise(Parameters):
    """A statement about one robot, or about each."""

    robot: str | None = parameter(None, "name of the robot; each of them where not given")
    statement: str = parameter(
        ..., "what is true of its ticks, in the words of Python: never(faster_than(0.306))", min_length=1
    )

    @field_validator("statement")
    @classmethod
    def _can_be_read(cls, statement: str) -> str:
        parse_statement(statement)
        return statement


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
    """Yield the key in results, the robot and the statement of each promise of each robot that it is about.

    The key is the promise's name, with the robot's after a dot where it is about each of several.

    Args:
        promises: by name
        robots: names of all robots
    """
    for name, promise in promises.items():
        statement = parse_statement(promise.statement)
        several = promise.robot is None and len(robots) > 1
        for robot in robots if promise.robot is None else (promise.robot,):
            yield f"{name}.{robot}" if several else name, robot, statement


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
