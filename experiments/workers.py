"""Workers, which play the jobs of a run or a sweep: this process, several on this machine, or those of a cluster."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing import resource_tracker
from typing import Any, TypeVar

from arena_trees.experiments.clusters import Equipment, equipment, on_cluster
from arena_trees.robot.errors import ArenaTreesError

__all__ = ["Workers", "spread"]

_WATCH_S = 0.5
"""Period at which a process checks that the one that started it is still alive."""
_TAKEN_S = 5.0
"""Longest wait for a thread to take jobs, of which there are no more than it has room for."""
_SIGNALS_TO_END = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

JobT = TypeVar("JobT")
ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class Workers:
    """Which processes do the jobs.

    Attributes:
        processes: of this machine that work at a time; with one, everything happens in this process
        cluster: kind of the cluster that works in place of them, ``dask`` or ``ray``; empty for none
        address: of the cluster
        needed: what each worker of a cluster must have
    """

    processes: int = 1
    cluster: str = ""
    address: str = ""
    needed: Equipment = field(default_factory=equipment)

    def at_most(self, jobs: int) -> Workers:
        """Return no more processes than there are jobs."""
        return replace(self, processes=min(self.processes, jobs))


@contextmanager
def spread(do: Callable[[JobT], ResultT], jobs: Iterable[JobT], workers: Workers) -> Iterator[Iterator[ResultT]]:
    """Give an iterator of what became of jobs, in the order in which they are done; leaving early stops the others.

    Jobs are taken a few ahead of those that are being done, so that there may be more of them than memory has room
    for. Whatever ends a job early, such as Ctrl-C, is raised; what was done before it was handed over.

    Args:
        do: does one job, in whichever process; sent to it by pickle, as jobs and results are
        jobs: taken in any thread of this process, one after the other; must not raise
        workers: who does them

    Raises:
        ArenaTreesError: a process that worked was killed, or the cluster cannot be used
    """
    if workers.cluster:
        with on_cluster(do, jobs, workers.cluster, workers.address, workers.needed) as results:
            yield results
        return
    try:
        with _results(do, jobs, workers.processes) as results:
            yield results
    except BrokenProcessPool as error:
        raise ArenaTreesError(
            "a process that played was killed, by somebody or for want of memory (fewer --jobs need less)"
        ) from error


@contextmanager
def _results(do: Callable[[JobT], ResultT], jobs: Iterable[JobT], processes: int) -> Iterator[Iterator[ResultT]]:
    if processes == 1:
        yield (do(job) for job in jobs)
        return
    # Here, for one process does without.
    import joblib
    from joblib.externals.loky import get_reusable_executor

    backend = _backend(os.getpid())
    parallel = joblib.Parallel(
        n_jobs=processes, backend=backend, return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs"
    )
    # Starting it lets signals through again (before Python 3.13), so it starts before they are held.
    resource_tracker.ensure_running()
    results: Generator[ResultT] | None = None
    try:
        with _signals_held():
            # The processes start in here and inherit that no signal to end reaches them: this one obeys, and ends them.
            results = parallel(joblib.delayed(do)(job) for job in jobs)
        # One that came meanwhile has been raised by now: only what is in here ends the processes.
        yield results
    finally:
        if results is not None:
            with warnings.catch_warnings():
                # That what was still being played is given up is what was asked for.
                warnings.simplefilter("ignore", UserWarning)
                _let_take(get_reusable_executor(reuse=True))
                results.close()
        # joblib would keep the processes for whoever works next.
        get_reusable_executor(reuse=True).shutdown(wait=True)


def _let_take(executor: Any) -> None:
    """Wait until loky's thread has taken the jobs that it was given.

    It looks for each of them, and would die of one that is given up before, and leave its pipes open.
    """
    waiting = getattr(executor, "_work_ids", None)
    if waiting is None:
        # Another version of loky names it otherwise: that is no reason to lose a run.
        return
    until = time.monotonic() + _TAKEN_S
    while not waiting.empty() and time.monotonic() < until:
        time.sleep(0.001)


def _backend(parent: int) -> Any:
    """Return joblib's processes, each of which looks after its parent before it waits for its first job."""
    from joblib.parallel import LokyBackend

    class Backend(LokyBackend):  # type: ignore[misc]
        def configure(self, *given: Any, **named: Any) -> int:
            # joblib hands this on to loky in every version, but takes it from its users in some alone.
            return int(super().configure(*given, initializer=_end_with, initargs=(parent,), **named))

    return Backend(inner_max_num_threads=1)


def _end_with(parent: int) -> None:
    """Let this process not outlive the one that started it, which may be killed without a word."""
    threading.Thread(target=_watch, args=(parent,), name=f"lives as long as {parent}", daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_WATCH_S)
    os._exit(1)


@contextmanager
def _signals_held() -> Iterator[None]:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS_TO_END)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
