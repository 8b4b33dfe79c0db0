"""Studies as they are played: points that Optuna asks for, a batch at a time, each given up once it is clearly worse.

Optuna's state is a function of the records in the folder: every point is drawn by a sampler of its own seed from what
became of the batches before it, so that a study goes on where it was killed, and draws the same points with any number
of processes.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import optuna

from arena_trees.experiments.comparison import LEVEL, paired_p
from arena_trees.experiments.metrics import number, summarise
from arena_trees.experiments.plan import TrialPlan
from arena_trees.experiments.sweeps.records import Record, Records, read_records
from arena_trees.experiments.sweeps.sweep import MakePlan, SweepJob, play_jobs, try_plan
from arena_trees.experiments.tuning.objective import Objective, with_missing
from arena_trees.experiments.tuning.space import Dimension
from arena_trees.experiments.tuning.study_plan import StudyPlan
from arena_trees.experiments.workers import Workers
from arena_trees.robot.random_streams import RandomStreams

__all__ = ["Point", "Study"]

_BATCH = 4
"""Points that are drawn at a time, whatever the number of processes: the next ones know what became of them."""

Outcome = Literal["open", "played", "given up", "failed"]


@dataclass(slots=True)
class Point:
    """One point of a study.

    Attributes:
        number: of the point, from 0
        values: of its keys
        plan: what is played; None where the values are refused
        refused: why, where they are
        trials: records of its trials so far, by their seeds
        outcome: played to the end, given up before it because another point is clearly better, or failed: a trial was
            refused, raised an error, or had no value
        objectives: value of each objective; of a point that was given up, an estimate
        reason: of its failure
    """

    number: int
    values: dict[str, Any]
    plan: TrialPlan | None
    refused: str
    trials: list[Record] = field(default_factory=list)
    outcome: Outcome = "open"
    objectives: tuple[float, ...] = ()
    reason: str = ""


class Study:
    """A study as it is played.

    Args:
        plan: of the study
        space: that is searched
        objectives: one or more
        start: values of the keys as the scenario has them; the first point where they lie within the space
        records: where records are, and go
        make: the plan of a point
        workers: who plays
        on_record: called with each new record once it is on the disk
        on_less: called with the number of trials that need not be played

    Attributes:
        points: that were tried, by their numbers
        optuna: the study as Optuna knows it
        on_record: as given; may be changed between what is played
        started: whether the first point is the start
    """

    def __init__(
        self,
        plan: StudyPlan,
        space: Sequence[Dimension],
        objectives: Sequence[Objective],
        start: Mapping[str, Any],
        records: Records,
        make: MakePlan,
        workers: Workers,
        on_record: Callable[[Record], object] | None = None,
        on_less: Callable[[int], object] | None = None,
    ) -> None:
        self.points: list[Point] = []
        self._plan = plan
        self._space = space
        self._objectives = objectives
        self._records = records
        self._make = make
        self._workers = workers
        self.on_record = on_record or (lambda record: None)
        self._on_less = on_less or (lambda trials: None)
        drawn = {one.key: one.drawn(start.get(one.key)) for one in space}
        self._start = None if None in drawn.values() else drawn
        self.started = self._start is not None
        self._known: dict[tuple[int, int], Record] = {}
        for record in read_records(records.folder):
            self._keep(record)
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self.optuna = optuna.create_study(directions=["maximize" if one.maximise else "minimize" for one in objectives])

    @property
    def best(self) -> list[Point]:
        """The best point that was played to the end; with several objectives, all that no other one beats in all."""
        numbers = {trial.number for trial in self.optuna.best_trials}
        front = [point for point in self.points if point.number in numbers and point.outcome == "played"]
        return front if len(self._objectives) > 1 else front[:1]

    def play(self) -> None:
        """Play the study to its end. Whatever ends it early is raised; records that were written are kept.

        Raises:
            ArenaTreesError: a process that played was killed, or a record cannot be written
        """
        # The start alone goes first, so that every other point can be compared with it.
        first = 0
        while first < self._plan.points:
            size = 1 if first == 0 else min(_BATCH, self._plan.points - first)
            self._play_batch([self._draw(first + place) for place in range(size)])
            first += size

    def play_arm(self, number: int, plan: TrialPlan) -> list[Record]:
        """Return the records of a report's arm, after playing those that are missing.

        Args:
            number: under which its records are kept, after those of all points
            plan: with the seed of the report
        """
        seed = plan.scenario.seed
        trials = range(self._plan.report_trials)
        self._play([SweepJob(number, index, seed + index, plan) for index in trials])
        return [self._known[number, index] for index in trials]

    def importances(self) -> dict[str, dict[str, float]]:
        """Return, of each objective, how much each key mattered: shares by Optuna's PED-ANOVA, 1 in all.

        It asks how much less a key's values vary among the best points than among all (S. Watanabe, A. Bansal and
        F. Hutter, IJCAI 2023). Points that were given up count with their estimates. An objective that is the same at
        all points has no shares.
        """
        shares = {}
        with warnings.catch_warnings():
            # That it looks for small values, and that there are few points, is known.
            warnings.simplefilter("ignore")
            for place, objective in enumerate(self._objectives):
                if len({point.objectives[place] for point in self.points if point.objectives}) < 2:
                    continue
                shares[objective.metric.name] = optuna.importance.get_param_importances(
                    self.optuna,
                    evaluator=optuna.importance.PedAnovaImportanceEvaluator(),
                    target=partial(_signed, objective.sign, place),
                )
        return {name: {one.key: own.get(one.key, 0.0) for one in self._space} for name, own in shares.items()}

    def _draw(self, number: int) -> tuple[Point, optuna.Trial]:
        """Return the next point, as the folder has it or as Optuna draws it."""
        kept = self._records.values(number)
        if kept is not None:
            drawn: dict[str, Any] | None = {one.key: one.drawn(kept[one.key]) for one in self._space}
        else:
            drawn = self._start if number == 0 else None
        if drawn is not None:
            self.optuna.enqueue_trial(drawn)
        seed = int(RandomStreams(self._plan.seed).generator(f"tune.{number}").integers(1 << 31))
        self.optuna.sampler = optuna.samplers.TPESampler(seed=seed)
        trial = self.optuna.ask({one.key: one.distribution() for one in self._space})
        values = {one.key: one.value(trial.params[one.key]) for one in self._space}
        if kept is None:
            self._records.write_values(number, values)
        point = Point(number, values, *try_plan(self._make, values))
        self.points.append(point)
        return point, trial

    def _play_batch(self, batch: Sequence[tuple[Point, optuna.Trial]]) -> None:
        """Play points together, a few trials at a time, and report the results to Optuna."""
        look = self._plan.look or self._plan.trials
        for done in range(0, self._plan.trials, look):
            most = min(done + look, self._plan.trials)
            playing = [point for point, _ in batch if point.outcome == "open"]
            self._play([job for point in playing for job in self._jobs(point, range(done, most))])
            for point in playing:
                point.trials += [self._known[point.number, index] for index in range(done, most)]
                self._judge(point)
                if point.outcome in ("given up", "failed"):
                    self._on_less(self._plan.trials - most)
        for point, trial in batch:
            if point.outcome == "failed":
                self.optuna.tell(trial, state=optuna.trial.TrialState.FAIL)
            else:
                self.optuna.tell(trial, point.objectives)

    def _jobs(self, point: Point, trials: range) -> Iterator[SweepJob]:
        for index in trials:
            yield SweepJob(point.number, index, self._plan.seed + index, point.plan, point.refused)

    def _play(self, jobs: Sequence[SweepJob]) -> None:
        missing = [job for job in jobs if (job.point, job.index) not in self._known]
        if missing:
            play_jobs(missing, self._workers.at_most(len(missing)), self._records, self._on_new)

    def _on_new(self, record: Record) -> None:
        self._keep(record)
        self.on_record(record)

    def _keep(self, record: Record) -> None:
        self._known[record["point"], record["trial"]] = record

    def _judge(self, point: Point) -> None:
        """Set the outcome of a point, after some of its trials or all."""
        point.reason = next(filter(None, (_fault(one, self._objectives) for one in point.trials)), "")
        if not point.reason and len(point.trials) == self._plan.trials:
            self._measure(point)
        if point.reason:
            point.outcome = "failed"
        elif point.objectives:
            point.outcome = "played"
        elif len(self._objectives) == 1:
            self._compare(point, self._objectives[0])

    def _measure(self, point: Point) -> None:
        """Give a point its objectives, or the reason why it has none."""
        trials = with_missing(point.trials, self._objectives)
        summary = summarise(trials, [one.metric for one in self._objectives])
        values = {one.metric.name: summary[one.metric.name].value for one in self._objectives}
        point.reason = next((f"no value of {name} in any trial" for name, one in values.items() if one is None), "")
        point.objectives = tuple(one for one in values.values() if one is not None)

    def _compare(self, point: Point, objective: Objective) -> None:
        """Give a point up that is worse than the best one, in the worlds that both have played.

        Its estimate is then the best one's value and the mean difference of the pairs: seeds differ more than points.
        """
        best = next(iter(self.best), None)
        if best is None:
            return
        sides = [
            [number(one[objective.metric.value]) for one in with_missing(trials, [objective])]
            for trials in (point.trials, best.trials)
        ]
        pairs = [own - other for own, other in zip(*sides, strict=False) if own is not None and other is not None]
        p = paired_p(pairs)
        if p is None or p > LEVEL:
            return
        difference = sum(pairs) / len(pairs)
        if difference * objective.sign > 0.0:
            point.outcome, point.objectives = "given up", (best.objectives[0] + difference,)


def _signed(sign: float, place: int, trial: optuna.trial.FrozenTrial) -> float:
    """Return an objective of one of Optuna's trials, less being better."""
    return sign * float(trial.values[place])


def _fault(record: Record, objectives: Sequence[Objective]) -> str:
    """Return why a trial makes its point fail; empty where it does not."""
    if record["status"] != "played":
        return str(record["reason"])
    for one in objectives:
        # A mean over a part of a trial is of no weight where there was no such part.
        if one.metric.kind != "weighted" and one.missing is None and record.get(one.metric.value) is None:
            return f"no value of {one.metric.name} in the trial of seed {record['seed']}"
    return ""
