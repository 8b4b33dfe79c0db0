"""Clusters: jobs done by the workers of an existing Dask or Ray cluster."""

from __future__ import annotations

import hashlib
import socket
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from arena_trees import __version__
from arena_trees.robot.errors import ArenaTreesError, ConfigError

__all__ = ["CLUSTERS", "Equipment", "equipment", "on_cluster"]

_AHEAD = 2
"""Jobs per processor of the cluster that are handed out before one of them is done."""
_PATIENCE_S = 20
"""Time limit to find the cluster."""
_LIBRARIES = ("mujoco", "numpy", "py_trees")
"""Libraries whose releases change what is played, besides our own."""

JobT = TypeVar("JobT")
ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class Equipment:
    """What must be alike wherever jobs are done, so that results do not depend on where.

    Attributes:
        versions: of libraries, by name; empty where one is not installed
        files: SHA-256 of files that are read when a job is done, by their absolute paths
    """

    versions: Mapping[str, str]
    files: Mapping[str, str] = field(default_factory=dict)

    def check(self) -> None:
        """Refuse to work where something is not alike.

        Raises:
            ArenaTreesError: something is not
        """
        own = equipment(map(Path, self.files))
        for what, wanted in {**self.versions, **self.files}.items():
            found = own.versions.get(what, own.files.get(what, ""))
            if found != wanted:
                kind = "version" if what in self.versions else "content"
                there = f"has {kind} {found[:12]}" if found else "is missing"
                raise ArenaTreesError(f"{what} {there} at a worker of the cluster, and {kind} {wanted[:12]} here")


def equipment(files: Iterable[Path] = ()) -> Equipment:
    """Return the versions and files of this machine.

    Args:
        files: that are read when a job is done
    """
    return Equipment(
        {"arena-trees": __version__, **{name: _version(name) for name in _LIBRARIES}},
        {str(file): hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else "" for file in files},
    )


@contextmanager
def on_cluster(
    do: Callable[[JobT], ResultT], jobs: Iterable[JobT], kind: str, address: str, needed: Equipment
) -> Iterator[Iterator[ResultT]]:
    """Give an iterator of what became of jobs, in the order in which they are done, as ``spread`` does.

    Jobs of a worker that dies are done by another one. As many are handed out at a time as the cluster has processors
    for, and as many again.

    Args:
        do: does one job
        jobs: taken in any thread of this process, one after the other; must not raise
        kind: of the cluster, one of :data:`CLUSTERS`
        address: of the cluster
        needed: what every worker must have

    Raises:
        ArenaTreesError: the cluster's library is not installed, nobody answers, or a worker is not alike
    """
    with CLUSTERS[kind](partial(_do_there, needed, do), jobs, address) as results:
        yield results


def _do_there(needed: Equipment, do: Callable[[JobT], ResultT], job: JobT) -> ResultT:
    """Do a job on a worker that has what it needs."""
    needed.check()
    return do(job)


@contextmanager
def _on_dask(do: Callable[[JobT], ResultT], jobs: Iterable[JobT], address: str) -> Iterator[Iterator[ResultT]]:
    import joblib

    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        raise ArenaTreesError("needs Dask: pip install 'arena-trees[dask]'") from error
    try:
        client = Client(address, timeout=_PATIENCE_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ConfigError("no Dask scheduler answers", key="--address", value=address) from error
    with client:
        with joblib.parallel_config(backend="dask", client=client, wait_for_workers_timeout=_PATIENCE_S):
            parallel = joblib.Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch=f"{_AHEAD}*n_jobs")
            try:
                results = parallel(joblib.delayed(do)(job) for job in jobs)
            except TimeoutError as error:
                raise ConfigError("the Dask cluster has no workers", key="--address", value=address) from error
        try:
            yield results
        finally:
            with warnings.catch_warnings():
                # That what was still being played is given up is what was asked for.
                warnings.simplefilter("ignore", UserWarning)
                results.close()


@contextmanager
def _on_ray(do: Callable[[JobT], ResultT], jobs: Iterable[JobT], address: str) -> Iterator[Iterator[ResultT]]:
    # Ray's own backend of joblib hands results over in lists, and not one by one.
    try:
        import ray
    except ModuleNotFoundError as error:
        raise ArenaTreesError("needs Ray: pip install 'arena-trees[ray]'") from error
    _check_answers(address)
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise ConfigError("no Ray cluster answers", key="--address", value=address) from error
    waiting: list[Any] = []
    try:
        # Ray takes functions alone, and not whatever can be called.
        yield _ray_results(ray, partial(ray.remote(num_cpus=1)(_call).remote, do), iter(jobs), waiting)
    finally:
        for reference in waiting:
            ray.cancel(reference)
        ray.shutdown()


def _check_answers(address: str) -> None:
    """Refuse an address at which nobody listens, which Ray would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        return
    try:
        socket.create_connection((host, int(port)), _PATIENCE_S).close()
    except (OSError, OverflowError) as error:
        raise ConfigError("no Ray cluster answers", key="--address", value=address) from error


def _call(do: Callable[[JobT], ResultT], job: JobT) -> ResultT:
    return do(job)


def _ray_results(ray: Any, submit: Callable[[JobT], Any], jobs: Iterator[JobT], waiting: list[Any]) -> Iterator[Any]:
    while True:
        # Asked again and again, for a cluster grows and shrinks.
        room = _AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1))) - len(waiting)
        waiting += [submit(job) for job in islice(jobs, max(0, room))]
        if not waiting:
            return
        done, waiting[:] = ray.wait(waiting, num_returns=1)
        try:
            yield ray.get(done[0])
        except ray.exceptions.RayTaskError as error:
            # Another kind of error would show the user Ray's internals.
            raise error.cause from error


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


CLUSTERS: Mapping[str, Callable[..., Any]] = {"dask": _on_dask, "ray": _on_ray}
"""Kinds of clusters."""
