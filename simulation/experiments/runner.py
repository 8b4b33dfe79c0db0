"""The runner: plays the trials of a run, here or in several processes, with the same results."""

from __future__ import annotations

import signal
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from pathlib import Path

import joblib

from arena_trees.robot.errors import ArenaTreesError
from arena_trees.simulation.experiments.plan import TrialPlan
from arena_trees.simulation.experiments.progress import Progress, ProgressBoard
from arena_trees.simulation.experiments.results import Arm, TrialResult
from arena_trees.simulation.experiments.trial import Watch, run_trial
from arena_trees.simulation.experiments.world_trial import run_world

__all__ = ["Job", "list_jobs", "play", "sort_into_arms"]

_SIGNALS_TO_END = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

OnResult = Callable[["Job", TrialResult], None]


@dataclass(frozen=True, slots=True)
class Job:
    """One trial to play.

    Attributes:
        number: among all jobs of the run, from 0
        arm: name of the arm
        plan: what is played
        index: number of the trial within its arm, from 0
        trace: whether the tick records are hashed
        watch: makes the trial's observers; it is sent to other processes, as the plan is
    """

    number: int
    arm: str
    plan: TrialPlan
    index: int
    trace: bool = False
    watch: Watch | None = None


def list_jobs(
    plans: Mapping[str, TrialPlan], trials: int, trace: bool = False, watch: Watch | None = None
) -> list[Job]:
    """Return the jobs of a run, trial by trial, so that an interrupted run has whole pairs of arms."""
    pairs = [(index, arm) for index in range(trials) for arm in plans]
    return [Job(number, arm, plans[arm], index, trace, watch) for number, (index, arm) in enumerate(pairs)]


def play(jobs: Sequence[Job], processes: int, board: Path, on_result: OnResult | None = None) -> None:
    """Play jobs. Whatever ends them early, such as Ctrl-C, is raised: the trials before it were handed over.

    Args:
        jobs: to play
        processes: that play at a time; with one, everything happens in this process
        board: file through which the trials report their progress
        on_result: called with each finished trial, in the order in which they finish

    Raises:
        ArenaTreesError: a process that played was killed
    """
    try:
        with _results(jobs, processes, board) as results:
            for number, result in results:
                if on_result is not None:
                    on_result(jobs[number], result)
    except BrokenProcessPool as error:
        raise ArenaTreesError(
            "a process that played was killed, by somebody or for want of memory (fewer --jobs need less)"
        ) from error


def sort_into_arms(plans: Mapping[str, TrialPlan], finished: Sequence[tuple[Job, TrialResult]]) -> list[Arm]:
    """Return the arms with their trials in the order of their seeds."""
    arms = []
    for name, plan in plans.items():
        trials = sorted((result for job, result in finished if job.arm == name), key=lambda result: result.index)
        arms.append(Arm(name, tuple(trials), plan.game.metrics, plan.loosened))
    return arms


@contextmanager
def _results(jobs: Sequence[Job], processes: int, board: Path) -> Iterator[Iterator[tuple[int, TrialResult]]]:
    """Give an iterator of job numbers and results; leaving early stops what is still being played."""
    if processes == 1 or len(jobs) == 1:
        yield (_play_one(job, board) for job in jobs)
        return
    parallel = joblib.Parallel(
        n_jobs=min(processes, len(jobs)), return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs"
    )
    # Starting it lets signals through again (before Python 3.13), so it starts before they are held.
    resource_tracker.ensure_running()
    with joblib.parallel_config(backend="loky", inner_max_num_threads=1), _signals_held():
        # The processes start in here and inherit that no signal to end reaches them: this one obeys, and ends them.
        results = parallel(joblib.delayed(_play_one)(job, board) for job in jobs)
    try:
        yield results
    finally:
        with warnings.catch_warnings():
            # That what was still being played is given up is what was asked for.
            warnings.simplefilter("ignore", UserWarning)
            results.close()


@contextmanager
def _signals_held() -> Iterator[None]:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS_TO_END)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _play_one(job: Job, path: Path) -> tuple[int, TrialResult]:
    """Play one job, in whichever process."""
    board = ProgressBoard(path)
    try:
        return job.number, _play_trial(job, lambda now_s, active: board.write(Progress(job.number, now_s, active)))
    finally:
        board.close()


def _play_trial(job: Job, on_progress: Callable[[float, Mapping[str, str]], object]) -> TrialResult:
    if job.plan.has_world:
        return run_world(job.plan, job.index, on_progress, job.trace)
    return run_trial(job.plan, job.index, on_progress, job.trace, job.arm, job.watch)
