"""Records: the folder of a sweep, with one file a job that is there whole or not at all."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Protocol, TypeVar

from arena_trees.robot.configuration.files import check_writable, write_atomically
from arena_trees.robot.errors import ArenaTreesError, ConfigError

__all__ = ["PLAN", "FolderPlan", "Record", "Records", "read_plan", "read_records"]

PLAN = "plan.json"
_JOBS = "jobs"
_VALUES = "values.json"
_NAMED = re.compile(r"(\d{6,})\Z")

Record = dict[str, Any]
"""What became of one job: ``point``, ``trial``, ``seed``, its ``status`` (``played``, ``raised`` or ``refused``), the
``reason``; of a trial that was played, what results files hold of it."""


class FolderPlan(Protocol):
    """What is played into a folder; its file there keeps out what does not belong to it.

    Attributes:
        noun: what it is a plan of, in a word
    """

    noun: ClassVar[str]

    def to_json(self) -> bytes:
        """Return the text of the plan's file."""

    @classmethod
    def from_json(cls: type[PlanT], text: bytes, file: Path) -> PlanT:
        """Return the plan that a file holds; raises ConfigError where it holds none."""

    def difference(self: PlanT, other: PlanT) -> str | None:
        """Return what another plan has that this one has not, in words; None where both are one."""


PlanT = TypeVar("PlanT", bound=FolderPlan)


class Records:
    """The folder of a sweep or a study, held by one process at a time.

    Where it is left without a record, nothing is left: neither its plan, nor folders that were made for it.

    Args:
        folder: that is made where it is missing
        plan: of what is played there

    Attributes:
        folder: of the records
        done: point and trial of each job that has its record

    Raises:
        ConfigError: the folder holds another plan or something else, or cannot be written
        ArenaTreesError: another process is at it
    """

    def __init__(self, folder: Path, plan: FolderPlan) -> None:
        self.folder = folder
        self.done: set[tuple[int, int]] = set()
        _check(folder, plan)
        self._made = [path for path in (folder, *folder.parents) if not path.exists()]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            raise ConfigError(f"cannot be written: {error.strerror}", key="--out", value=str(folder)) from error
        try:
            self._begin(plan)
        except BaseException:
            os.close(self._lock)
            self._remove_made()
            raise

    def _begin(self, plan: FolderPlan) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ArenaTreesError(f"{self.folder}: another process is at this {plan.noun}") from error
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
        """Release the folder, or remove it where nothing was played."""
        if not self.done:
            (self.folder / PLAN).unlink(missing_ok=True)
            # Values that points were drawn with are drawn again.
            shutil.rmtree(self.folder / _JOBS, ignore_errors=True)
        os.close(self._lock)
        if not self.done:
            self._remove_made()

    def _remove_made(self) -> None:
        """Remove the folders that were made for the records, as far as they are empty."""
        with suppress(OSError):
            for path in self._made:
                path.rmdir()

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

    def values(self, point: int) -> dict[str, Any] | None:
        """Return what :meth:`write_values` wrote of a point, None where it wrote nothing.

        Raises:
            ConfigError: the file cannot be read
        """
        path = self._values(point)
        try:
            values: dict[str, Any] = json.loads(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise ConfigError("holds no values of a point", file=path) from error
        return values

    def write_values(self, point: int, values: Mapping[str, Any]) -> None:
        """Write the values of a point that no plan foresees, on the disk when this returns.

        Args:
            point: its number
            values: by key

        Raises:
            ConfigError: it cannot be written
        """
        text = json.dumps(values, indent=1, allow_nan=False).encode() + b"\n"
        write_atomically(self._values(point), lambda stream: stream.write(text), durable=True)

    def _values(self, point: int) -> Path:
        return self.folder / _JOBS / f"{point:06}" / _VALUES


def read_plan(folder: Path, kind: type[PlanT]) -> PlanT:
    """Return the plan of a folder.

    Args:
        folder: of a sweep or a study
        kind: of the plan

    Raises:
        ConfigError: the folder holds none
    """
    file = folder / PLAN
    try:
        text = file.read_bytes()
    except OSError as error:
        raise ConfigError(f"holds no {kind.noun}: {error.strerror}", file=file) from error
    return kind.from_json(text, file)


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
            raise ConfigError("is no record; without it, its trial is played again", file=path) from error
        yield record


def _check(folder: Path, plan: FolderPlan) -> None:
    """Refuse a folder that holds something else."""
    check_writable(folder / PLAN, "--out")
    if not os.path.lexists(folder):
        return
    if (folder / PLAN).exists():
        difference = plan.difference(read_plan(folder, type(plan)))
        if difference is not None:
            raise ConfigError(f"holds {difference}; choose another folder", key="--out", value=str(folder))
    elif any(not path.name.startswith(f".{PLAN}.") for path in folder.iterdir()):
        raise ConfigError(f"is not empty, and holds no {plan.noun}", key="--out", value=str(folder))


def _places(folder: Path) -> Iterator[tuple[tuple[int, int], Path]]:
    """Yield point, trial and file of each record, in their order."""
    points = folder / _JOBS
    for below in sorted(points.iterdir()) if points.is_dir() else ():
        if _NAMED.match(below.name) and below.is_dir():
            for path in sorted(below.glob("*.json")):
                if _NAMED.match(path.stem):
                    yield (int(below.name), int(path.stem)), path
