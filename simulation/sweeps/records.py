"""Records: the folder of a sweep, with one file a job that is there whole or not at all."""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from arena_trees.robot.configuration.files import check_writable, write_atomically
from arena_trees.robot.errors import ArenaTreesError, ConfigError
from arena_trees.simulation.sweeps.sweep_plan import SweepPlan

__all__ = ["PLAN", "Record", "Records", "read_plan", "read_records"]

PLAN = "plan.json"
_JOBS = "jobs"
_NAMED = re.compile(r"(\d{6,})\Z")

Record = dict[str, Any]
"""What became of one job: ``point``, ``trial``, ``seed``, its ``status`` (``played``, ``raised`` or ``refused``), the
``reason``; of a trial that was played, what results files hold of it."""


class Records:
    """The folder of a sweep, held by one process at a time.

    Args:
        folder: that is made where it is missing
        plan: of the sweep

    Attributes:
        folder: of the sweep
        done: point and trial of each job that has its record

    Raises:
        ConfigError: the folder holds another sweep or something else, or cannot be written
        ArenaTreesError: another process is at it
    """

    def __init__(self, folder: Path, plan: SweepPlan) -> None:
        self.folder = folder
        self.done: set[tuple[int, int]] = set()
        _check(folder, plan)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            raise ConfigError(f"cannot be written: {error.strerror}", key="--out", value=str(folder)) from error
        try:
            self._begin(plan)
        except BaseException:
            os.close(self._lock)
            raise

    def _begin(self, plan: SweepPlan) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ArenaTreesError(f"{self.folder}: another process is at this sweep") from error
        # Whoever held the folder until now may have begun another sweep.
        _check(self.folder, plan)
        if not (self.folder / PLAN).exists():
            write_atomically(self.folder / PLAN, lambda stream: stream.write(plan.to_json()), durable=True)
        # What a process that was killed did not finish.
        for path in (*self.folder.glob(".*"), *(self.folder / _JOBS).glob("*/.*")):
            path.unlink(missing_ok=True)
        self.done.update(place for place, _ in _places(self.folder))

    def __enter__(self) -> Records:
        """Return the records."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let others have the folder."""
        os.close(self._lock)

    def write(self, point: int, trial: int, text: bytes) -> None:
        """Write the record of a job; it is on the disk when this returns.

        Args:
            point: of the job
            trial: of the job
            text: of the record, JSON

        Raises:
            ConfigError: it cannot be written
        """
        path = self.folder / _JOBS / f"{point:06}" / f"{trial:06}.json"
        write_atomically(path, lambda stream: stream.write(text), durable=True)
        self.done.add((point, trial))


def read_plan(folder: Path) -> SweepPlan:
    """Return the plan of a sweep's folder.

    Raises:
        ConfigError: the folder holds no sweep
    """
    file = folder / PLAN
    try:
        text = file.read_bytes()
    except OSError as error:
        raise ConfigError(f"holds no sweep: {error.strerror}", file=file) from error
    return SweepPlan.from_json(text, file)


def read_records(folder: Path) -> Iterator[Record]:
    """Yield the records of a folder, by points and trials.

    Raises:
        ConfigError: a record is none
    """
    for (point, trial), path in _places(folder):
        try:
            record: Record = json.loads(path.read_bytes())
            if (record["point"], record["trial"]) != (point, trial) or "status" not in record:
                raise ValueError
        except OSError as error:
            raise ConfigError(error.strerror or "cannot be read", file=path) from error
        except (ValueError, TypeError, KeyError) as error:
            raise ConfigError("is no record; without it, the sweep plays its trial again", file=path) from error
        yield record


def _check(folder: Path, plan: SweepPlan) -> None:
    """Refuse a folder that holds something else."""
    check_writable(folder / PLAN, "--out")
    if not os.path.lexists(folder):
        return
    if (folder / PLAN).exists():
        difference = plan.difference(read_plan(folder))
        if difference is not None:
            raise ConfigError(f"holds {difference}; choose another folder", key="--out", value=str(folder))
    elif any(not path.name.startswith(f".{PLAN}.") for path in folder.iterdir()):
        raise ConfigError("is not empty, and holds no sweep", key="--out", value=str(folder))


def _places(folder: Path) -> Iterator[tuple[tuple[int, int], Path]]:
    """Yield point, trial and file of each record, in their order."""
    points = folder / _JOBS
    for below in sorted(points.iterdir()) if points.is_dir() else ():
        if _NAMED.match(below.name) and below.is_dir():
            for path in sorted(below.glob("*.json")):
                if _NAMED.match(path.stem):
                    yield (int(below.name), int(path.stem)), path
