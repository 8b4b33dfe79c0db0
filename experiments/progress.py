"""Progress of trials in other processes, shared through a file of fixed slots."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Progress", "ProgressBoard"]

_SLOT = 2048
"""Bytes a slot; one write is one system call, so that a reader sees whole slots."""
_LONGEST = 60
"""Most characters of a leaf's name."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one trial is.

    Attributes:
        job: number of the trial among all jobs of the run
        simulated_s: simulated time, s
        active: robot name to the name of its active leaf
    """

    job: int
    simulated_s: float
    active: Mapping[str, str]


class ProgressBoard:
    """A file with one slot a job, written by the processes that play and read by the one that shows.

    Args:
        path: of the file; it is made where it is missing
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)

    def write(self, progress: Progress) -> None:
        """Fill the job's slot, with as many robots as it holds; where the disk is full, it stays as it was."""
        active = {name: leaf[:_LONGEST] for name, leaf in progress.active.items()}
        while len(text := json.dumps([round(progress.simulated_s, 2), active]).encode()) > _SLOT:
            # Of robots that there is no room for, nobody could see all.
            active = dict(list(active.items())[: len(active) // 2])
        # A trial is worth more than what is shown of it.
        with suppress(OSError):
            os.pwrite(self._handle, text.ljust(_SLOT), progress.job * _SLOT)

    def read(self, job: int) -> Progress | None:
        """Return how far a job is, or None while it has not begun."""
        text = os.pread(self._handle, _SLOT, job * _SLOT).strip(b"\0 ")
        try:
            simulated_s, active = json.loads(text)
        except ValueError:  # Nothing is there yet, or a full disk took a part.
            return None
        return Progress(job, simulated_s, active)

    def close(self) -> None:
        """Close the file."""
        os.close(self._handle)
