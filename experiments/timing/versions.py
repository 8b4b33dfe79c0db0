"""Times this version of Arena Trees against another one: both play the same trials in turns."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from arena_trees.robot.errors import ArenaTreesError, ConfigError

__all__ = ["Versions", "compare", "other_version"]

_HERE = Path(__file__).parents[3]
_PLAYER = Path(__file__).with_name("player.py")


@dataclass(frozen=True, slots=True)
class Versions:
    """What two versions took for the same trials.

    Attributes:
        ratios: processor time of the ticks of this version over that of the other, a round each
        noise: the same of this version over itself, a round each
        differ: seeds of the trials that the two play otherwise
        seeds: that were played
    """

    ratios: tuple[float, ...]
    noise: tuple[float, ...]
    differ: tuple[int, ...]
    seeds: tuple[int, ...]

    @property
    def ratio(self) -> float:
        """Median of the ratios."""
        return statistics.median(self.ratios)


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

    def ask(self, scenario: str, changes: Mapping[str, Any], trace: bool) -> Any:
        """Return the hash of a trial's trace, or the processor time of its ticks (s)."""
        asked = {"scenario": scenario, "changes": dict(changes), "trace": trace}
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

    Each version first plays each seed once with a trace, which warms it up and tells whether the two play alike.

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
    with ExitStack() as players:
        this, other, again = (_Player(place) for place in (_HERE, folder, _HERE))
        for player in (this, other, again):
            players.callback(player.close)
        differ = []
        for seed in seeds:
            played = [player.ask(scenario, {**changes, "seed": seed}, True) for player in (this, other, again)]
            if played[0] != played[1]:
                differ.append(seed)
            on_progress(f"seed {seed} was played for its trace")
        ratios, noise = [], []
        for number in range(rounds):
            taken = [0.0, 0.0, 0.0]
            for seed in seeds:
                # Who begins changes, for who plays first finds another machine than who plays last.
                for who in ((k + number) % 3 for k in range(3)):
                    taken[who] += (this, other, again)[who].ask(scenario, {**changes, "seed": seed}, False)
            ratios.append(taken[0] / taken[1])
            noise.append(taken[2] / taken[0])
            on_progress(f"round {number + 1} of {rounds} is done")
    return Versions(tuple(ratios), tuple(noise), tuple(differ), tuple(seeds))
