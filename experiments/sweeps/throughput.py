"""How many trials a minute several processes play, and what it costs to hand a trial to another process."""

from __future__ import annotations

import pickle
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from arena_trees.experiments.plan import TrialPlan
from arena_trees.experiments.sweeps.sweep import SweepJob, attempt
from arena_trees.experiments.workers import Workers, spread
from arena_trees.robot.configuration.files import write_atomically

__all__ = ["Throughput", "measure_throughput"]

_WARM = 2
"""Trials a process before those that are timed: the first one imports everything."""


@dataclass(frozen=True, slots=True)
class Throughput:
    """Measured times of the same trials, played by one process and by several that had been started before.

    Attributes:
        processes: number of them
        trials: played by one, and again by several
        trial_s: median time of a trial, played by one process
        alone_s: time that all took, played by one process
        together_s: time that all took, played by several
        dispatch_s: median time for pickling and unpickling a job, which is all that the process that hands jobs out
            does with it, apart from its record
        record_s: median time for writing a record and waiting for the disk
        job_bytes: size of a job that is handed to another process
    """

    processes: int
    trials: int
    trial_s: float
    alone_s: float
    together_s: float
    dispatch_s: float
    record_s: float
    job_bytes: int

    @property
    def ratio(self) -> float:
        """Trials a minute of several processes over those of one."""
        return self.alone_s / self.together_s


def measure_throughput(plan: TrialPlan, trials: int, processes: int) -> Throughput:
    """Play trials by one process and by several, and time what else a sweep does with each.

    Args:
        plan: what is played
        trials: how many are timed
        processes: that play at a time

    Raises:
        ArenaTreesError: a process that played was killed
    """
    jobs = [SweepJob(0, index, plan.scenario.seed + index, plan) for index in range(trials)]
    _play(jobs[:1], 1)
    alone = time.perf_counter()
    times = _play(jobs, 1)
    alone = time.perf_counter() - alone
    _play(jobs[:1] * (_WARM * processes), processes)
    together = time.perf_counter()
    _play(jobs, processes)
    together = time.perf_counter() - together
    text = pickle.dumps(jobs[0], pickle.HIGHEST_PROTOCOL)
    return Throughput(
        processes=processes,
        trials=trials,
        trial_s=statistics.median(times),
        alone_s=alone,
        together_s=together,
        dispatch_s=statistics.median(_time_dispatch(job) for job in jobs),
        record_s=_time_record(jobs[0]),
        job_bytes=len(text),
    )


def _play(jobs: Sequence[SweepJob], processes: int) -> list[float]:
    """Play jobs; return the time of each, s."""
    with spread(_timed, jobs, Workers(processes)) as results:
        return list(results)


def _timed(job: SweepJob) -> float:
    begun = time.perf_counter()
    attempt(job)
    return time.perf_counter() - begun


def _time_dispatch(job: SweepJob) -> float:
    begun = time.perf_counter()
    pickle.loads(pickle.dumps(job, pickle.HIGHEST_PROTOCOL))
    return time.perf_counter() - begun


def _time_record(job: SweepJob) -> float:
    """Return the median time for writing a record as a sweep does, s."""
    _, _, text = attempt(job)
    times = []
    with tempfile.TemporaryDirectory(prefix="arena-trees-", dir=Path.cwd()) as folder:
        for number in range(20):
            begun = time.perf_counter()
            write_atomically(Path(folder) / f"{number}.json", lambda stream: stream.write(text), durable=True)
            times.append(time.perf_counter() - begun)
    return statistics.median(times)
