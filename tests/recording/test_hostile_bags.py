"""Broken and hostile bags: a typed error in one line, or a counted skip; no traceback, no hang, no flood of memory.

A few run each time. ``ARENA_TREES_SICK_BAGS=400`` has the tests read as many as were promised.
"""

import json
import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from helpers.foreign_bags import DATA
from helpers.patience import Patience
from helpers.sick_bags import SICKNESSES, make_sick

from arena_trees.recording.bags.reader import BagError
from arena_trees.recording.loading import load_recording

TESTS = Path(__file__).resolve().parents[1]
COUNT = int(os.environ.get("ARENA_TREES_SICK_BAGS", "57"))
BATCHES = max(1, COUNT // 19)
FEW = (0, 5, 12, 13, 14)
"""Seeds of the bags that the fast tests read."""
LONGEST_S = 5.0
"""Seconds of a processor for one bag, reading and replaying; the clock may run longer where others compute, too."""


class Prober:
    """Reads bags in a process with little memory."""

    def __init__(self) -> None:
        command = [sys.executable, str(TESTS / "helpers" / "bag_prober.py")]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=TESTS)

    def probe(self, bag: Path) -> dict[str, Any]:
        """Return what came of reading a bag."""
        self._process.stdin.write(f"{bag}\n")
        self._process.stdin.flush()
        patience = Patience(f"what comes of {bag}")
        while not select.select([self._process.stdout], [], [], 1.0)[0]:
            patience.check()
        line = self._process.stdout.readline()
        verdict: dict[str, Any] = json.loads(line) if line else {"sort": "crash", "text": ""}
        return verdict

    def close(self) -> None:
        with self._process as process:
            process.kill()


@pytest.fixture(scope="module")
def prober() -> Iterator[Prober]:
    prober = Prober()
    yield prober
    prober.close()


@pytest.fixture(scope="module")
def sources(recorded: Path) -> list[Path]:
    """Return sound bags: our own, and where there are any real robots' and rosbag2's own."""
    real = sorted(DATA.glob("danpark_*"))
    others = sorted(path.parent for path in (DATA / "rosbag2_conformance").rglob("metadata.yaml"))
    return [recorded, *real[:1], recorded, *real[1:], *others]


@pytest.mark.parametrize(
    "seeds",
    [FEW, *(pytest.param(range(one, COUNT, BATCHES), marks=pytest.mark.slow) for one in range(BATCHES))],
    ids=str,
)
def test_sick_bags_do_no_harm(tmp_path, prober: Prober, sources: list[Path], seeds: Sequence[int]):
    ends = []
    for seed in seeds:
        bag, what = make_sick(sources, tmp_path, seed)
        verdict = prober.probe(bag)
        assert verdict["sort"] in ("read", "BagError", "ConfigError"), f"{what}: {verdict['sort']} {verdict['text']}"
        assert "\n" not in verdict["text"], what
        assert verdict["seconds"] < LONGEST_S, f"{what}: {verdict['seconds']:.1f} s"
        ends.append(verdict["sort"])
        for path in tmp_path.glob(f"bag_{seed}*"):
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    assert {"read", "BagError"} <= set(ends), "some can be read in part, and some cannot"


def test_sound_bags_are_read(prober: Prober, sources: list[Path]):
    assert prober.probe(sources[0])["text"] == "read, 0 skipped"


@pytest.mark.parametrize("name", SICKNESSES)
def test_every_sickness_changes_something(tmp_path, recorded: Path, name: str):
    seed = list(SICKNESSES).index(name)
    bag, what = make_sick([recorded], tmp_path, seed)
    assert what.startswith(f"{name} of ")

    def contents(folder: Path) -> dict[str, object]:
        return {path.name: path.read_bytes() if path.is_file() else "none" for path in sorted(folder.iterdir())}

    if not any(path.is_symlink() for path in bag.iterdir()):
        assert contents(bag) != contents(recorded)


OUTSIDE = """rosbag2_bagfile_information:
  version: 9
  storage_identifier: mcap
  relative_file_paths: ["{path}"]
  topics_with_message_count: []
  message_count: 0
  duration: {{nanoseconds: 0}}
  starting_time: {{nanoseconds_since_epoch: 0}}
"""


@pytest.mark.parametrize(
    "path", ["../secret.mcap", "../../secret.mcap", "/etc/passwd", "..", "inside/../../secret.mcap"]
)
def test_no_path_leads_out_of_the_bag(tmp_path, recorded: Path, path: str):
    shutil.copyfile(next(recorded.glob("*.mcap")), tmp_path / "secret.mcap")
    bag = tmp_path / "bag"
    bag.mkdir()
    (bag / "metadata.yaml").write_text(OUTSIDE.format(path=path))
    with pytest.raises(BagError, match=r"are missing|Is a directory"):
        load_recording(bag)


def test_serialisations_other_than_cdr_are_refused():
    bags = [path for path in DATA.rglob("wrong_rmw_test") if path.is_dir()]
    if not bags:
        pytest.skip(f"there are no recordings in {DATA}")
    for bag in bags:
        with pytest.raises(BagError, match=r"wrong_format.* is not supported"):
            load_recording(bag)
