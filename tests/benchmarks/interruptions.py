"""Interrupts commands at random moments, and counts what is lost, played twice, or left running.

    python tests/benchmarks/interruptions.py --count 40
    python tests/benchmarks/interruptions.py --count 20 --command sweep --command run-ros

Each command is played to its end alone first. Then it is interrupted so often at moments of a seed, by SIGKILL, SIGHUP,
SIGTERM or SIGINT to itself, or by SIGKILL to one of its processes, as when memory runs out; and begun again each time.
What is there after an interruption must be there, as it was, after the next; no process may outlive its command; and
the end must be that of the command that was left alone.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

MARK = "ARENA_TREES_INTERRUPTED"
SIGNALS = (signal.SIGKILL, signal.SIGHUP, signal.SIGTERM, signal.SIGINT)
GONE_S = 15.0
"""Longest time for processes to end after their command; those of ROS stop their robots first."""
LONGEST_S = 600.0
SHORT = ("--set", "duration_s=1.5", "--quiet")
GRID = ("--grid", "wolf.roam_linear_speed=0.1:0.3:6", "--trials", "4", "--seed", "300", "--jobs", "2", "--out", "out")
TUNED = ("--param", "wolf.roam_linear_speed=0.1:0.3", "--points", "8", "--trials", "3", "--jobs", "2", "--out", "out")
PROMISE = "promises={clear: {robot: wolf, statement: never(closer_than(0.01))}}"


@dataclass(frozen=True)
class Command:
    """A command that is interrupted.

    Attributes:
        words: of it
        records: pattern of the files that are there for good once they are there
        ends: pattern of the files of its end, which are those of a command that was left alone
        code: with which it ends
    """

    words: tuple[str, ...]
    records: str = ""
    ends: str = ""
    code: int = 0


COMMANDS = {
    "sweep": Command(("sweep", "wolf_rabbit", *GRID, *SHORT), "out/jobs/*/[0-9]*.json", "out/*.csv"),
    "tune": Command(
        ("tune", "wolf_rabbit", "--minimise", "game_time_s", "--report-trials", "4", *TUNED, *SHORT),
        "out/jobs/*/[0-9]*.json",
        "out/*.yaml",
    ),
    "falsify": Command(
        ("falsify", "wolf_rabbit", "--violates", "clear", "--set", PROMISE, *TUNED, *SHORT), "out/tries/**/[0-9]*.json"
    ),
    "faults": Command(
        ("faults", "wolf_rabbit", "--row", "scan_silent", "--row", "slips_and_lost", "--trials", "6", "--jobs", "2",
         "--out", "out", "--quiet"),
        "out/jobs/*/[0-9]*.json",
        "out/*.csv",
    ),
    "book": Command(
        ("book", "wall_following", "--quick", "--jobs", "2", "--quiet", "--runs", "runs", "--out", "out"), "runs/*.json"
    ),
    "run": Command(("run", "wolf_rabbit", "--trials", "12", "--jobs", "2", "--seed", "300", *SHORT)),
    "bench": Command(("bench", "wolf_rabbit", "--seconds", "2", "--rounds", "2")),
    "run-ros": Command(("run-ros", "wolf_rabbit", "--trials", "1", "--set", "duration_s=5", "--quiet")),
}  # fmt: skip


@dataclass
class Outcome:
    """What interruptions did to a command.

    Attributes:
        interruptions: by what was done
        lost: records that were there and are not
        again: records that were there and were written again
        orphans: processes that outlived their command
        records: that there are in the end
        faults: what went wrong otherwise, a sentence each
    """

    interruptions: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    again: int = 0
    orphans: int = 0
    records: int = 0
    faults: list[str] = field(default_factory=list)


class Process:
    """A command at work in a folder; its processes are known by a mark in their environment."""

    def __init__(self, command: Command, folder: Path) -> None:
        self.mark = uuid.uuid4().hex
        self._log = (folder / "log.txt").open("ab")
        self._leader = subprocess.Popen(
            [sys.executable, "-m", "arena_trees", *command.words],
            cwd=folder, env={**os.environ, MARK: self.mark}, stdout=self._log, stderr=self._log, start_new_session=True,
        )  # fmt: skip

    def processes(self) -> Iterator[int]:
        """Yield the numbers of the processes of the command that still run."""
        mark = f"{MARK}={self.mark}".encode()
        for path in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (path / "environ").read_bytes().split(b"\0") and "Z" not in _state(path):
                    yield int(path.name)
            except OSError:
                continue

    def wait(self, seconds: float) -> int | None:
        """Return the exit code once it has ended, or None after so long (s)."""
        try:
            return self._leader.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def interrupt(self, rng: random.Random) -> str:
        """Interrupt it in one of the ways, and return that in a word or two."""
        others = [number for number in self.processes() if number != self._leader.pid]
        if others and rng.random() < 0.2:
            _kill(rng.choice(others), signal.SIGKILL)
            return "a process is killed"
        number = rng.choice(SIGNALS)
        _kill(self._leader.pid, number)
        return number.name

    def end(self) -> list[int]:
        """Wait for the end, end what is left, and return the numbers of what was left."""
        if self.wait(LONGEST_S) is None:
            _kill(self._leader.pid, signal.SIGKILL)
            self.wait(GONE_S)
        until = time.monotonic() + GONE_S
        while (left := list(self.processes())) and time.monotonic() < until:
            time.sleep(0.05)
        for number in left:
            _kill(number, signal.SIGKILL)
        self._log.close()
        return left


def _state(process: Path) -> str:
    return (process / "stat").read_text().rpartition(")")[2].split()[0]


def _kill(number: int, what: signal.Signals) -> None:
    try:
        os.kill(number, what)
    except ProcessLookupError:
        return


def records_of(command: Command, folder: Path) -> dict[Path, tuple[bytes, int]]:
    """Return each record of a command with the time when it was written."""
    found = sorted(folder.glob(command.records)) if command.records else []
    return {path.relative_to(folder): (path.read_bytes(), path.stat().st_mtime_ns) for path in found}


def ends_of(command: Command, folder: Path) -> dict[str, bytes]:
    """Return the files of a command's end."""
    found = sorted(folder.glob(command.ends)) if command.ends else []
    return {path.name: re.sub(rb"[^\n]*seconds[^\n]*\n", b"", path.read_bytes()) for path in found}


def interrupted(command: Command, count: int, seed: int, folder: Path) -> Outcome:
    """Interrupt a command so often, and return what that did.

    Args:
        command: to be interrupted
        count: of interruptions
        seed: of their moments
        folder: for what it writes
    """
    rng, outcome = random.Random(f"{seed} {command.words}"), Outcome()
    alone = folder / "alone"
    alone.mkdir(parents=True)
    begun = time.monotonic()
    first = Process(command, alone)
    code, left = first.wait(LONGEST_S), first.end()
    taken = time.monotonic() - begun
    if code != command.code or left:
        outcome.faults.append(f"left alone it ends with {code}, and {len(left)} processes")
        return outcome
    run = 0
    while outcome.interruptions.total() < count:
        run += 1
        place = folder / f"run_{run}"
        place.mkdir()
        _interrupt_until_it_ends(command, place, taken, count, rng, outcome)
        if command.ends and ends_of(command, place) != ends_of(command, alone):
            outcome.faults.append(f"{place.name} ends differently")
        if set(records_of(command, place)) != set(records_of(command, alone)):
            outcome.faults.append(f"{place.name} has other records")
        outcome.records += len(records_of(command, place))
    return outcome


def _interrupt_until_it_ends(
    command: Command, place: Path, taken: float, count: int, rng: random.Random, outcome: Outcome
) -> None:
    before: dict[Path, tuple[bytes, int]] = {}
    while True:
        process = Process(command, place)
        code = process.wait(rng.uniform(0.0, taken))
        if code is None and outcome.interruptions.total() < count:
            outcome.interruptions[process.interrupt(rng)] += 1
        code = process.wait(LONGEST_S)
        outcome.orphans += len(process.end())
        after = records_of(command, place)
        outcome.lost += sum(name not in after for name in before)
        outcome.again += sum(name in after and after[name] != value for name, value in before.items())
        before = after
        if code == command.code:
            return


def main() -> None:
    """Interrupt commands, and print what that did."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", action="append", choices=COMMANDS, help="those alone; repeatable")
    parser.add_argument("--count", type=int, default=20, help="interruptions of each command")
    parser.add_argument("--seed", type=int, default=0, help="of their moments")
    wanted = parser.parse_args()
    table = Table("command", "interruptions", "records", "lost", "again", "orphans", "otherwise")
    with TemporaryDirectory() as folder:
        for name in wanted.command or COMMANDS:
            outcome = interrupted(COMMANDS[name], wanted.count, wanted.seed, Path(folder) / name)
            done = ", ".join(f"{number} {what}" for what, number in sorted(outcome.interruptions.items()))
            numbers = (outcome.records, outcome.lost, outcome.again, outcome.orphans)
            table.add_row(name, done, *map(str, numbers), "; ".join(outcome.faults) or "nothing")
            print(f"{name}: {done}; {numbers}; {outcome.faults}", flush=True)
    Console().print(table)


if __name__ == "__main__":
    main()
