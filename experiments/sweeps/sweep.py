"""Sweeps as they are played: every job that has no record yet, by the same engine as the trials of a run."""

from __future__ import annotations

import json
import re
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from arena_trees.experiments.metrics import WALL_CLOCK
from arena_trees.experiments.plan import TrialPlan, check_cameras
from arena_trees.experiments.runner import Job, play_job
from arena_trees.experiments.sweeps.records import Record, Records
from arena_trees.experiments.sweeps.sweep_plan import SweepPlan
from arena_trees.experiments.workers import Workers, spread
from arena_trees.robot.errors import ArenaTreesError, ConfigError
from arena_trees.simulation.rendering.graphics import GraphicsError

__all__ = [
    "OF_THE_MACHINE",
    "MakePlan",
    "SweepJob",
    "attempt",
    "error_text",
    "play_jobs",
    "play_sweep",
    "text_of",
    "try_plan",
]

MakePlan = Callable[[Mapping[str, Any]], TrialPlan]
"""Makes the plan of a point from its values; raises ConfigError where one is refused."""

OF_THE_MACHINE = (GraphicsError, ImportError, MemoryError, OSError)
"""What a trial can raise on one machine and not on another: no result of the trial, and so the end of the sweep."""

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}")
_playing = threading.Lock()
"""Held while a trial is played: all trees of a process share py_trees' blackboard, whoever gives it threads."""


@dataclass(frozen=True, slots=True)
class SweepJob:
    """One job: a plan and an index.

    Attributes:
        point: number of the point, from 0
        index: number of the trial, from 0
        seed: of the trial
        plan: what is played; None where the point is refused
        refused: why, where it is
    """

    point: int
    index: int
    seed: int
    plan: TrialPlan | None
    refused: str = ""


class _Jobs:
    """The jobs that have no record, each point planned when its first job is taken.

    Args:
        plan: of the sweep
        records: that there are
        make: the plan of a point

    Attributes:
        fault: what ended the jobs early, which nobody could catch in the thread that took them
    """

    def __init__(self, plan: SweepPlan, records: Records, make: MakePlan) -> None:
        self._plan = plan
        self._make = make
        self._done = frozenset(records.done)
        self.fault: BaseException | None = None

    def __iter__(self) -> Iterator[SweepJob]:
        plan = self._plan
        for point in range(len(plan.grid)):
            missing = [index for index in range(plan.trials) if (point, index) not in self._done]
            if not missing:
                continue
            try:
                made, refused = try_plan(self._make, plan.grid.point(point))
            except Exception as error:
                self.fault = error
                return
            for index in missing:
                yield SweepJob(point, index, plan.seed + index, made, refused)


def play_sweep(
    plan: SweepPlan,
    records: Records,
    make: MakePlan,
    workers: Workers,
    on_record: Callable[[Record], object] | None = None,
) -> None:
    """Play every job that has no record, and write its record. Whatever ends this early is raised.

    Args:
        plan: of the sweep
        records: where records are, and go
        make: the plan of a point
        workers: who plays
        on_record: called with each new record once it is on the disk

    Raises:
        ArenaTreesError: a process that played was killed, a cluster cannot be used, or a record cannot be written
    """
    left = plan.jobs - len(records.done)
    if left == 0:
        return
    jobs = _Jobs(plan, records, make)
    play_jobs(jobs, workers.at_most(left), records, on_record)
    if jobs.fault is not None:
        raise jobs.fault


def play_jobs(
    jobs: Iterable[SweepJob], workers: Workers, records: Records, on_record: Callable[[Record], object] | None = None
) -> None:
    """Play jobs, and write the record of each. Whatever ends this early is raised.

    Args:
        jobs: to play; taking one must not raise
        workers: who plays
        records: where records go
        on_record: called with each new record once it is on the disk

    Raises:
        ArenaTreesError: a process that played was killed, a cluster cannot be used, or a record cannot be written
    """
    with spread(attempt, jobs, workers) as results:
        for point, index, text in results:
            records.write(point, index, text)
            if on_record is not None:
                on_record(json.loads(text))


def try_plan(make: MakePlan, values: Mapping[str, Any]) -> tuple[TrialPlan | None, str]:
    """Return the plan of a point, or None and why it is refused."""
    try:
        made = make(values)
        check_cameras(made)
    except ConfigError as error:
        return None, str(error)
    return made, ""


def attempt(job: SweepJob) -> tuple[int, int, bytes]:
    """Return the point, the trial and the text of the record of a job, in whichever process.

    The text depends on the job alone: times that this machine took are left out, and so is where its memory lies.
    """
    place: Record = {"point": job.point, "trial": job.index, "seed": job.seed}
    if job.plan is None:
        return job.point, job.index, text_of({**place, "status": "refused", "reason": job.refused})
    try:
        with _playing:
            values = play_job(Job(0, "", job.plan, job.index)).to_dict()
        values = {key: value for key, value in values.items() if key not in ("shown", WALL_CLOCK)}
        loosened = {key: str(limit) for key, limit in job.plan.loosened.items()}
        text = text_of({**place, "status": "played", **values, **({"loosened": loosened} if loosened else {})})
    except OF_THE_MACHINE:
        raise
    except Exception as error:
        text = text_of({**place, "status": "raised", "reason": error_text(error)})
    return job.point, job.index, text


def text_of(record: Record) -> bytes:
    """Return the text of a record's file."""
    return json.dumps(record, indent=1, allow_nan=False).encode() + b"\n"


def error_text(error: Exception) -> str:
    """Return what a trial raised, and where, in one line."""
    text = str(error)
    if not isinstance(error, ArenaTreesError):
        frames = traceback.extract_tb(error.__traceback__)
        where = f" ({frames[-1].name}, line {frames[-1].lineno})" if frames else ""
        text = f"{type(error).__name__}: {' '.join(text.split())}{where}"
    return _ADDRESS.sub("0x", text)
