"""Results of a run, and how they are written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena_trees.experiments.comparison import Comparison, compare
from arena_trees.experiments.intervals import Estimate
from arena_trees.experiments.metrics import summarise
from arena_trees.experiments.promises.promise import Kept
from arena_trees.games.figures import Chart, Mark
from arena_trees.games.metrics import Metric, Values
from arena_trees.robot.configuration.files import write_atomically
from arena_trees.robot.show.show_log import Shown
from arena_trees.safety.parameters import LooseLimit
from arena_trees.world.body import TURTLEBOT4, Body
from arena_trees.world.layout import NOWHERE, Layout
from arena_trees.world.shapes import Shape

__all__ = [
    "FAULT",
    "Arm",
    "RunResult",
    "Trajectory",
    "TrialResult",
    "write_json",
]

_ABOUT = ("trial", "seed", "outcome", "reason", "simulated_s", "played_s")
_NO_VALUES = frozenset((*_ABOUT, "faults", "promises", "shown", "trace_sha256", "truth", "lab"))
"""Keys of a trial in results files other than the values that it is judged by."""

FAULT = "fault"
"""Outcome of a trial that a behaviour of a user's own has ended by an exception."""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One robot's true path, at few instants.

    Attributes:
        role: of the robot
        time: since the trial's begin, s, shape (k,)
        pose: x (m), y (m) and yaw (rad) in the map frame, shape (k, 3)
        active: name of the active leaf at each instant, empty where the robot's computer is dead
        limited: why the gate took motion away since the instant before, at each instant; empty where it was not noted
        body: of the robot
    """

    role: str
    time: NDArray[np.float64]
    pose: NDArray[np.float64]
    active: tuple[str, ...]
    limited: tuple[tuple[str, ...], ...] = ()
    body: Body = TURTLEBOT4


@dataclass(frozen=True, slots=True)
class TrialResult:
    """The result of one trial.

    Attributes:
        index: number of the trial, from 0
        seed: of the trial
        outcome: how it ended, in a word; over where no word fits, fault where a user's own behaviour raised
        reason: what ended it
        values: what it is judged by
        simulated_s: simulated time, s
        faults: robot name to why it was latched
        trace_sha256: of all tick records as JSON lines, or None where that was not asked for
        layout: the world
        trajectories: robot name to its path
        shown: what the robots showed and played
        marks: what happened where and when
        charts: of the trial
        shapes: what the game draws of the whole trial
        ended_s: when the game ended, s; None where its end is the trial's
        tracebacks: robot to the traceback of the exception that its user's own behaviour raised
        truth: of a trial that was judged from outside: by what, and within which bounds; plain values
        lab: of a trial with robots: when it was played, spoilt attempts, remarks, batteries; plain values
        promises: promise of the scenario to what became of it
    """

    index: int
    seed: int
    outcome: str
    reason: str
    values: Values
    simulated_s: float
    faults: Mapping[str, str]
    trace_sha256: str | None
    layout: Layout
    trajectories: Mapping[str, Trajectory]
    shown: tuple[Shown, ...] = ()
    marks: tuple[Mark, ...] = ()
    charts: tuple[Chart, ...] = ()
    shapes: tuple[Shape, ...] = ()
    ended_s: float | None = None
    tracebacks: Mapping[str, str] = field(default_factory=dict)
    truth: Mapping[str, Any] = field(default_factory=dict)
    lab: Mapping[str, Any] = field(default_factory=dict)
    promises: Mapping[str, Kept] = field(default_factory=dict)

    @property
    def broken_promises(self) -> Mapping[str, str]:
        """Promise to who broke it, when and how."""
        return {name: kept.broken for name, kept in self.promises.items() if kept.broken}

    @property
    def played_s(self) -> float:
        """How long the game was played, s: without what the trial watched after its end."""
        return self.simulated_s if self.ended_s is None else self.ended_s

    @property
    def ending(self) -> str:
        """How and when it ended, in words."""
        return f"{self.outcome} after {self.played_s:.2f} s"

    def to_dict(self) -> dict[str, Any]:
        """Return the trial as results files hold it."""
        values: dict[str, Any] = {
            "trial": self.index,
            "seed": self.seed,
            "outcome": self.outcome,
            "reason": self.reason,
            "simulated_s": self.simulated_s,
            "played_s": self.played_s,
            **self.values,
        }
        if self.faults:
            values["faults"] = dict(self.faults)
        if self.promises:
            values["promises"] = {name: kept.to_dict() for name, kept in self.promises.items()}
        if self.shown:
            values["shown"] = [one.to_dict() for one in self.shown]
        for name in ("truth", "lab"):
            if own := getattr(self, name):
                values[name] = dict(own)
        if self.trace_sha256 is not None:
            values["trace_sha256"] = self.trace_sha256
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TrialResult:
        """Return a trial from what results files hold of it: without its world, its ways, and what robots showed.

        Raises:
            KeyError: they hold something else
        """
        own = {name: value for name, value in values.items() if name not in _NO_VALUES}
        given = {name: values[name] for name in ("seed", "outcome", "reason", "simulated_s")}
        return cls(
            index=values["trial"],
            values=own,
            faults=values.get("faults", {}),
            promises={name: Kept.from_dict(kept) for name, kept in values.get("promises", {}).items()},
            trace_sha256=values.get("trace_sha256"),
            truth=values.get("truth", {}),
            lab=values.get("lab", {}),
            layout=NOWHERE,
            trajectories={},
            ended_s=values["played_s"],
            **given,
        )


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm of a run: the scenario as it is, a variant, or a strategy.

    Attributes:
        name: of the arm; empty for a run that has but one
        trials: in the order of their seeds; fewer than planned where the run was interrupted
        metrics: of the game that was played
        loosened: limits of the robots' gates that are looser than by default, by key
    """

    name: str
    trials: tuple[TrialResult, ...]
    metrics: tuple[Metric, ...] = ()
    loosened: Mapping[str, LooseLimit] = field(default_factory=dict)

    @property
    def summary(self) -> Mapping[str, Estimate]:
        """Every metric that the trials have values for, by name."""
        return summarise([trial.values for trial in self.trials], self.metrics)

    def to_dict(self) -> dict[str, Any]:
        """Return trials and summary as results files hold them."""
        values: dict[str, Any] = {
            "trials": [trial.to_dict() for trial in self.trials],
            "summary": {name: estimate.to_dict() for name, estimate in self.summary.items()},
        }
        if self.loosened:
            values["loosened"] = {key: limit._asdict() for key, limit in self.loosened.items()}
        return values


@dataclass(frozen=True, slots=True)
class RunResult:
    """A run: one arm or more, in the same worlds.

    Attributes:
        scenario: name or file as it was asked for
        version: of Arena Trees
        seed: of the first trial
        planned: trials asked for, an arm
        arms: the first is the one that others are compared with
        settings: changes that were asked for, key to value
        outcomes: outcome to its colour, ``#rrggbb``
    """

    scenario: str
    version: str
    seed: int
    planned: int
    arms: Sequence[Arm]
    settings: Mapping[str, Any] = field(default_factory=dict)
    outcomes: Mapping[str, str] = field(default_factory=dict)

    @property
    def trials(self) -> tuple[TrialResult, ...]:
        """Trials of the first arm."""
        return self.arms[0].trials

    @property
    def summary(self) -> Mapping[str, Estimate]:
        """Metrics of the first arm, by name."""
        return self.arms[0].summary

    @property
    def loosened(self) -> str:
        """What in the robots' gates is looser than by default, in a phrase for people; empty where nothing is."""
        found = (
            f"{arm.name and f'{arm.name}: '}{key} {limit}" for arm in self.arms for key, limit in arm.loosened.items()
        )
        return ", ".join(dict.fromkeys(found))

    @property
    def complete(self) -> bool:
        """Whether every planned trial was played."""
        return all(len(arm.trials) == self.planned for arm in self.arms)

    def differences(self, arm: Arm) -> dict[str, Comparison]:
        """Return how an arm compares with the first one in pairs of trials that both have finished, by metric."""
        common = {trial.index for trial in arm.trials} & {trial.index for trial in self.arms[0].trials}
        first, second = (
            [trial.values for trial in side.trials if trial.index in common] for side in (self.arms[0], arm)
        )
        return compare(first, second, arm.metrics)

    def to_dict(self) -> dict[str, Any]:
        """Return the run as results files hold it."""
        values: dict[str, Any] = {
            "scenario": self.scenario,
            "version": self.version,
            "seed": self.seed,
            "complete": self.complete,
            "settings": dict(self.settings),
            **self.arms[0].to_dict(),
        }
        if len(self.arms) > 1:
            values["arm"] = self.arms[0].name
            values["arms"] = {}
            for arm in self.arms[1:]:
                differences = {name: one.to_dict() for name, one in self.differences(arm).items()}
                values["arms"][arm.name] = {**arm.to_dict(), "difference": differences}
        return values


def write_json(result: RunResult, path: Path) -> None:
    """Write a run's results.

    Raises:
        ConfigError: the file cannot be written
    """
    text = json.dumps(result.to_dict(), indent=1, allow_nan=False)
    write_atomically(path, lambda stream: stream.write(text.encode() + b"\n"))
