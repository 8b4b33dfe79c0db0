"""The runner: plays the trials of a run, here or in several processes, with the same results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from arena_trees.experiments.plan import TrialPlan
from arena_trees.experiments.progress import Progress, ProgressBoard
from arena_trees.experiments.results import Arm, TrialResult
from arena_trees.experiments.trial import OnProgress, Watch, run_trial
from arena_trees.experiments.workers import Workers, spread
from arena_trees.experiments.world_trial import run_world

__all__ = ["Job", "list_jobs", "play", "play_job", "sort_into_arms"]

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


def play(jobs: Sequence[Job], processes: int, on_result: OnResult | None = None, board: Path | None = None) -> None:
    """Play jobs. Whatever ends them early, such as Ctrl-C, is raised: the trials before it were handed over.

    Args:
        jobs: to play
        processes: that play at a time; with one, everything happens in this process
        on_result: called with each finished trial, in the order in which they finish
        board: file through which the trials report their progress; None for no such reports

    Raises:
        ArenaTreesError: a process that played was killed
    """
    with spread(partial(_play_shown, board), jobs, Workers(processes).at_most(len(jobs))) as results:
        for number, result in results:
            if on_result is not None:
                on_result(jobs[number], result)


def sort_into_arms(plans: Mapping[str, TrialPlan], finished: Sequence[tuple[Job, TrialResult]]) -> list[Arm]:
    """Return the arms with their trials in the order of their seeds."""
    arms = []
    for name, plan in plans.items():
        trials = sorted((result for job, result in finished if job.arm == name), key=lambda result: result.index)
        arms.append(Arm(name, tuple(trials), plan.game.metrics, plan.loosened))
    return arms


def play_job(job: Job, on_progress: OnProgress | None = None) -> TrialResult:
    """Play one job, in whichever process.

    Args:
        job: to play
        on_progress: called now and then with the simulated time (s) and each robot's active leaf
    """
    if job.plan.has_world:
        return run_world(job.plan, job.index, on_progress, job.trace)
    return run_trial(job.plan, job.index, on_progress, job.trace, job.arm, job.watch)


def _play_shown(path: Path | None, job: Job) -> tuple[int, TrialResult]:
    """Play one job and report its progress on a board."""
    if path is None:
        return job.number, play_job(job)
    board = ProgressBoard(path)
    try:
        return job.number, play_job(job, lambda now_s, active: board.write(Progress(job.number, now_s, active)))
    finally:
        board.close()
