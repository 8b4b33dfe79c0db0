"""The journal of a run: each trial on disk as soon as it is finished, until the results file holds them all."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena_trees.experiments.results import TrialResult

__all__ = ["Journal"]

_LONGEST_PREFIX = 40
"""Characters of the results file's name that the journal's begins with."""


class Journal:
    """A file of JSON lines next to the results file; it survives when the whole process is killed.

    Its first line describes what is played, each other one holds a trial as results files do, with its ``arm``. Every
    run has a file of its own, and a disk that is full ends no run.

    Args:
        results: path of the results file
        about: what is played

    Attributes:
        path: of the file; None where there is none
        fault: why it lacks trials; None where it has all
    """

    def __init__(self, results: Path, about: Mapping[str, Any]) -> None:
        self.path: Path | None = None
        self.fault: str | None = None
        self._handle = -1
        place = Path(os.path.realpath(results))
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            prefix = f"{place.stem[:_LONGEST_PREFIX]}.unfinished-"
            self._handle, name = tempfile.mkstemp(dir=place.parent, prefix=prefix, suffix=".jsonl")
            self.path = Path(name)
        except OSError as error:
            self.fault = error.strerror
        self._write(about)

    def note(self, arm: str, result: TrialResult) -> bool:
        """Write a finished trial; return whether it was written."""
        return self._write({"arm": arm, **result.to_dict()})

    def close(self, keep: bool) -> None:
        """Close the file.

        Args:
            keep: leave it where it is, because there is no results file with its trials
        """
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
        if self.path is not None and not keep:
            self.path.unlink(missing_ok=True)
            self.path = None

    def _write(self, values: Mapping[str, Any]) -> bool:
        if self.fault is not None:
            return False
        line = json.dumps(values, allow_nan=False).encode() + b"\n"
        before = os.lseek(self._handle, 0, os.SEEK_CUR)
        try:
            # A full disk takes a part of a line; the error is raised when the rest is written.
            while line:
                line = line[os.write(self._handle, line) :]
        except OSError as error:
            os.ftruncate(self._handle, before)
            self.fault = error.strerror
        return self.fault is None
