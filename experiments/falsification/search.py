"""The search for a run that breaks a promise: its robustness is minimised by CMA-ES, over keys of the scenario.

As in S-TaLiRo (Y. Annpureddy, C. Liu, G. Fainekos and S. Sankaranarayanan, TACAS 2011): a run that breaks the promise
has a negative robustness, and the smallest one that was found says how near it was where none does.
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import optuna

from arena_trees.experiments.sweeps.records import Record, Records, read_records
from arena_trees.experiments.sweeps.sweep import MakePlan, SweepJob, attempt, try_plan
from arena_trees.experiments.tuning.space import Dimension
from arena_trees.experiments.workers import Workers, spread
from arena_trees.robot.errors import ConfigError

__all__ = ["Falsifier", "Try"]

_BATCH = 4
"""Points that are drawn at a time, whatever the number of processes: the next ones know what became of them."""
_MORE = 12
"""Points that are played after the first that breaks the promise."""
_REFUSED = math.inf
"""Robustness of a point that the scenario refuses."""
_RAISED = -1e6
"""Robustness of a trial in which something raised."""


@dataclass(frozen=True, slots=True)
class Try:
    """What became of a promise with some values, in the trial that came nearest to breaking it.

    Attributes:
        values: of the keys that were varied
        index: number of the trial; its seed is that of the scenario plus this
        robustness: of the promise; negative where it was broken, infinite where the values were refused
        reason: how it was broken, or why the values were refused
    """

    values: Mapping[str, Any]
    index: int
    robustness: float
    reason: str = ""

    @property
    def broken(self) -> bool:
        """Whether the promise was broken."""
        return self.robustness < 0.0


class Falsifier:
    """Plays points of a space and keeps the one that comes nearest to breaking a promise.

    Args:
        make: the plan of a point
        space: that is searched
        promise: its key in results: its name, with the robot's after a dot where it is of each of several
        trials: of each point; all points meet the same worlds
        seed: of the search
        workers: who plays
        on_try: called with each point that was played
        records: where trials are kept as soon as they are finished, and taken from; None for nowhere

    Attributes:
        tries: all points, in the order in which they were drawn
    """

    def __init__(
        self,
        make: MakePlan,
        space: Sequence[Dimension],
        promise: str,
        trials: int,
        seed: int,
        workers: Workers,
        on_try: Callable[[Try], object] = lambda one: None,
        records: Records | None = None,
    ) -> None:
        self.tries: list[Try] = []
        self._make = make
        self._space = space
        self._promise = promise
        self._trials = trials
        self._workers = workers
        self._on_try = on_try
        self._records = records
        self._known: dict[tuple[int, int], Record] = {}
        if records is not None:
            self._known = {(one["point"], one["trial"]): one for one in read_records(records.folder)}
        self._asked = 0
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        others = optuna.samplers.TPESampler(seed=seed)
        with warnings.catch_warnings():
            # That it is experimental to draw what is no number by another sampler.
            warnings.simplefilter("ignore")
            sampler = optuna.samplers.CmaEsSampler(
                seed=seed, independent_sampler=others, warn_independent_sampling=False
            )
        self._study = optuna.create_study(direction="minimize", sampler=sampler)

    @property
    def nearest(self) -> Try:
        """The point that came nearest to breaking the promise, or broke it most."""
        return min(self.tries, key=lambda one: one.robustness)

    def search(self, points: int, start: Mapping[str, Any] | None) -> Try | None:
        """Return the point that breaks the promise most, None where none of so many does.

        After the first that breaks it some more are played: what breaks it clearly can be shrunk further.

        Args:
            points: most that are played
            start: values of the first one; None where the scenario's own lie outside of the space
        """
        if start is not None:
            self._study.enqueue_trial({one.key: one.drawn(start[one.key]) for one in self._space})
        end = points
        while len(self.tries) < end:
            # The first one alone: it may do.
            size = min(_BATCH if self.tries else 1, end - len(self.tries))
            asked = [self._study.ask({one.key: one.distribution() for one in self._space}) for _ in range(size)]
            drawn = [{one.key: one.value(trial.params[one.key]) for one in self._space} for trial in asked]
            for trial, found in zip(asked, self.play(drawn), strict=True):
                if math.isinf(found.robustness):
                    self._study.tell(trial, state=optuna.trial.TrialState.FAIL)
                else:
                    self._study.tell(trial, found.robustness)
                self.tries.append(found)
                self._on_try(found)
            if end == points and self.nearest.broken:
                end = min(points, len(self.tries) + _MORE)
        return self.nearest if self.nearest.broken else None

    def play(self, points: Sequence[Mapping[str, Any]]) -> list[Try]:
        """Return what became of the promise at points, each in the trial that came nearest to breaking it.

        What is asked for depends on what became of it before, and on nothing else: a search that goes on asks for the
        same points in the same order, and of those that were played takes the records.

        Args:
            points: values of keys

        Raises:
            ConfigError: the records are of another search, or one cannot be written
            ArenaTreesError: a process that played was killed
        """
        first, self._asked = self._asked, self._asked + len(points)
        jobs: list[SweepJob] = []
        found: dict[int, list[Try]] = {number: [] for number in range(first, self._asked)}
        for number, values in enumerate(points, first):
            plan, refused = try_plan(self._make, values)
            if plan is None:
                found[number].append(Try(values, 0, _REFUSED, refused))
                continue
            self._note(number, values)
            jobs += [SweepJob(number, trial, plan.scenario.seed + trial, plan) for trial in range(self._trials)]
        self._play([job for job in jobs if (job.point, job.index) not in self._known])
        for job in jobs:
            robustness, reason = self._judged(self._known[job.point, job.index])
            found[job.point].append(Try(points[job.point - first], job.index, robustness, reason))
        return [min(tries, key=lambda one: (one.robustness, one.index)) for tries in found.values()]

    def _note(self, number: int, values: Mapping[str, Any]) -> None:
        """Keep the values of a point, or look whether those that are kept are the same."""
        if self._records is None:
            return
        kept = self._records.values(number)
        if kept is None:
            self._records.write_values(number, values)
        elif kept != values:
            reason = f"holds another point {number}, as of another version of Optuna; choose another folder"
            raise ConfigError(reason, key="--out", value=str(self._records.folder))

    def _play(self, jobs: Sequence[SweepJob]) -> None:
        if not jobs:
            return
        with spread(attempt, jobs, self._workers.at_most(len(jobs))) as results:
            for number, trial, text in results:
                if self._records is not None:
                    self._records.write(number, trial, text)
                self._known[number, trial] = json.loads(text)

    def _judged(self, record: Mapping[str, Any]) -> tuple[float, str]:
        if record["status"] != "played":
            return _RAISED, f"raised: {record['reason']}"
        kept = record["promises"][self._promise]
        # A promise may be broken by exactly nothing.
        broken = kept.get("broken", "")
        return (min(kept["robustness"], -1e-9) if broken else max(kept["robustness"], 0.0)), broken
