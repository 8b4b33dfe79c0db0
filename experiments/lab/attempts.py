"""The log of an experiment with robots: each attempt on disk as soon as it has ended, spoilt ones with their reason."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from arena_trees.experiments.lab.schedule import Turn
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.messaging.json_text import JsonError, JsonLimits, read_json

__all__ = ["Attempt", "AttemptLog"]

_FILE = "attempts.jsonl"
_LIMITS = JsonLimits(bytes=1 << 24, values=1 << 20, text=1 << 20)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at a trial.

    Attributes:
        index: of the trial
        arm: its name; empty where there is one
        number: of the attempt at this trial, from 1
        bag: name of its recording, in the experiment's folder
        begun: when, by the wall clock, ISO 8601
        spoilt: why it does not count; empty where it does
        remarks: of the operator, in their order
        batteries: robot to its charge at the begin and at the end, 0 to 1
        versions: robot to the version of its software
        parameters: robot to the parameters of its tree that are not as they are shipped, by dotted key
        trial: what results files hold of it; None where it is spoilt
    """

    index: int
    arm: str
    number: int
    bag: str
    begun: str
    spoilt: str = ""
    remarks: tuple[str, ...] = ()
    batteries: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    trial: Mapping[str, Any] | None = None

    @property
    def turn(self) -> Turn:
        """The trial that it is an attempt at."""
        return Turn(self.index, self.arm)


class AttemptLog:
    """A file of JSON lines in the experiment's folder: what is played, then an attempt a line.

    Every line is on the disk before the next trial begins. Of two lines of one attempt the later counts.

    Attributes:
        attempts: so far, in their order

    Args:
        folder: of the experiment
        about: what is played, as plain values
        resume: go on with an experiment of the same

    Raises:
        ConfigError: there is another experiment, or none to go on with, or the file cannot be written
    """

    def __init__(self, folder: Path, about: Mapping[str, Any], resume: bool) -> None:
        self._path = folder / _FILE
        self.attempts: list[Attempt] = []
        if self._path.exists():
            if not resume:
                reason = "holds an experiment already: --resume goes on with it"
                raise ConfigError(reason, key="--out", value=str(folder))
            self._read(about)
            return
        if resume:
            raise ConfigError("holds no experiment to go on with", key="--out", value=str(folder))
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"cannot be made: {error.strerror}", key="--out", value=str(folder)) from error
        self._append(about)

    def note(self, attempt: Attempt) -> None:
        """Write an attempt that has ended, or what became of it since.

        Raises:
            ConfigError: the file cannot be written
        """
        self._append(asdict(attempt))
        self._keep(attempt)

    def kept(self) -> list[Attempt]:
        """Return the attempts that count, in the order of their trials."""
        return sorted((one for one in self.attempts if not one.spoilt), key=lambda one: one.turn)

    def open_turns(self, turns: Sequence[Turn]) -> list[Turn]:
        """Return the turns that no attempt counts for yet, in their order."""
        done = {one.turn for one in self.kept()}
        return [turn for turn in turns if turn not in done]

    def next_number(self, turn: Turn) -> int:
        """Return the number of the next attempt at a trial."""
        return max((one.number for one in self.attempts if one.turn == turn), default=0) + 1

    def _keep(self, attempt: Attempt) -> None:
        known = [(one.turn, one.number) for one in self.attempts]
        if (attempt.turn, attempt.number) in known:
            self.attempts[known.index((attempt.turn, attempt.number))] = attempt
        else:
            self.attempts.append(attempt)

    def _read(self, about: Mapping[str, Any]) -> None:
        adapter = TypeAdapter(Attempt)
        lines = self._path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            try:
                values = read_json(line, _LIMITS)
                if number > 1:
                    self._keep(adapter.validate_json(line))
                elif values != json.loads(json.dumps(about)):
                    changed = sorted(key for key in about if values.get(key) != json.loads(json.dumps(about[key])))
                    reason = f"is another experiment: {', '.join(changed) or 'it'} was otherwise"
                    raise ConfigError(reason, file=self._path, key="--resume")
            except (JsonError, ValidationError) as error:
                if number == len(lines):
                    # The machine went down while it was written: that attempt is none.
                    self._cut(lines[:-1] or [json.dumps(about)])
                    return
                raise ConfigError("is no attempt", file=self._path, key=f"line {number}") from error

    def _cut(self, lines: Sequence[str]) -> None:
        text = "".join(f"{line}\n" for line in lines)
        self._write(text, "w")

    def _append(self, values: Mapping[str, Any]) -> None:
        self._write(json.dumps(values, allow_nan=False) + "\n", "a")

    def _write(self, text: str, mode: str) -> None:
        try:
            with open(self._path, mode, encoding="utf-8") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise ConfigError(f"cannot be written: {error.strerror}", file=self._path) from error
