"""Times this version of Arena Trees against another one: both play the same trials in turns."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from arena_trees.robot.errors import ArenaTreesError, ConfigError

__all__ = ["Ratios", "Versions", "compare", "other_version"]

# Not resolved: the package's folder holds links to the rooms, and it is what lies above that is imported from.
_HERE = Path(__file__).parents[3]
_PLAYER = Path(__file__).with_name("player.py")

Times = Sequence[Sequence[float]]
"""Processor time of the ticks (s), a row a round, a column a trial."""


@dataclass(frozen=True, slots=True)
class Versions:
    """What two versions took for the same trials.

    Attributes:
        this: times of this version
        other: times of the other one
        again: times of this version in another process
        differ: seeds of the trials that the two play otherwise
    """

    this: Times
    other: Times
    again: Times
    differ: tuple[int, ...]

    @property
    def ratios(self) -> tuple[Ratios, Ratios]:
        """This version over the other one, and over itself, which is 1 but for noise."""
        return _ratios(self.this, self.other), _ratios(self.again, self.this)


class Ratios(NamedTuple):
    """Of one version's times over another's.

    Attributes:
        median: of all rounds
        least: of all rounds
        most: of all rounds
        undisturbed: of the sums of each trial's least time: other work on the machine only ever adds to a time
    """

    median: float
    least: float
    most: float
    undisturbed: float


def _ratios(times: Times, others: Times) -> Ratios:
    rounds = [sum(one) / sum(other) for one, other in zip(times, others, strict=True)]
    least, least_of_others = (sum(map(min, zip(*each, strict=True))) for each in (times, others))
    return Ratios(statistics.median(rounds), min(rounds), max(rounds), least / least_of_others)


class _Player:
    """A process in which one version plays."""

    def __init__(self, folder: Path) -> None:
        # Python looks for modules first where code that it is given as a text is run.
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PLAYER.read_text("utf-8")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
        )
        self._folder = folder

    def ask(self, scenario: str, changes: Mapping[str, Any], seed: int, trace: bool) -> Any:
        """Return the hash of a trial's trace, or the processor time of its ticks (s)."""
        asked = {"scenario": scenario, "changes": {**changes, "seed": seed}, "trace": trace}
        try:
            assert self._process.stdin is not None and self._process.stdout is not None
            print(json.dumps(asked), file=self._process.stdin, flush=True)
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise ArenaTreesError(f"the version in {self._folder} cannot play {scenario}; its error stands above")
        return json.loads(answer)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


@contextmanager
def other_version(what: str) -> Iterator[Path]:
    """Give a folder with another version.

    Args:
        what: a checkout's folder, or a commit of the repository that this version is a checkout of

    Raises:
        ConfigError: it is neither
    """
    if (Path(what) / "arena_trees").is_dir():
        yield Path(what).resolve()
        return
    with TemporaryDirectory(prefix="arena-trees-") as name:
        archive, folder = Path(name, "version.tar"), Path(name, "version")
        command = ["git", "-C", str(_HERE), "archive", f"--output={archive}", "--end-of-options", what]
        try:
            made = subprocess.run(command, capture_output=True, text=True, check=False)
            trouble = made.stderr.strip().splitlines()[-1:] if made.returncode else []
        except FileNotFoundError:
            trouble = ["there is no git to ask for a commit"]
        if trouble:
            raise ConfigError(
                f"neither the folder of a checkout nor a commit ({trouble[0]})", key="--against", value=what
            )
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        yield folder


def compare(
    scenario: str,
    changes: Mapping[str, Any],
    seeds: range,
    rounds: int,
    folder: Path,
    on_progress: Callable[[str], object] = lambda what: None,
) -> Versions:
    """Play the same trials by this version, the other one, and this one again, in turns.

    Each round has processes of its own: where in memory things happen to lie makes one process some percent faster than
    another for all its life. In the first round, both versions first play each trial once for its trace.

    Args:
        scenario: that each version is to find: its name, or a file with its whole path
        changes: of the scenario, dotted path to value
        seeds: a trial of each is a round
        rounds: how many
        folder: of the other version
        on_progress: called with what is done

    Raises:
        ArenaTreesError: a version cannot play it
    """
    times: list[list[list[float]]] = [[], [], []]
    differ: tuple[int, ...] = ()
    for number in range(rounds):
        with ExitStack() as players:
            playing = [players.enter_context(closing(_Player(place))) for place in (_HERE, folder, _HERE)]
            if not number:
                traces = [[player.ask(scenario, changes, seed, True) for seed in seeds] for player in playing[:2]]
                differ = tuple(seed for seed, one, other in zip(seeds, *traces, strict=True) if one != other)
            for player, rows in zip(playing, times, strict=True):
                # What is imported by the first trial of a process is no part of a tick.
                player.ask(scenario, changes, seeds[0], False)
                rows.append([])
            for seed in seeds:
                # Who begins changes, for who plays first finds another machine than who plays last.
                for who in ((k + number) % 3 for k in range(3)):
                    times[who][-1].append(playing[who].ask(scenario, changes, seed, False))
        on_progress(f"round {number + 1} of {rounds} is done")
    this, other, again = times
    return Versions(this, other, again, differ)
