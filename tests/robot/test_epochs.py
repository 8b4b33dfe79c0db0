"""The number of a life: higher than that of all before it on this machine."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena_trees.nodes.runtime import epochs
from arena_trees.nodes.runtime.epochs import next_epoch


def test_lives_that_follow_each_other_at_once_have_numbers_of_their_own(tmp_path: Path):
    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(lambda _: next_epoch("wolf", tmp_path), range(100)))
    assert len(set(numbers)) == 100
    assert next_epoch("wolf", tmp_path) > max(numbers)


def test_a_clock_that_was_set_back_gives_no_lower_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    first = next_epoch("wolf", tmp_path)
    monkeypatch.setattr(time, "time_ns", lambda: 1_000_000_000)
    assert next_epoch("wolf", tmp_path) == first + 1
    assert next_epoch("rabbit", tmp_path) == 1_000_000, "each has a file of its own"


@pytest.mark.parametrize("kept", [b"", b"no number", b"9" * 16, b"9" * 5000, b"-000000000000001", b"\xff" * 16])
def test_a_file_that_holds_no_number_is_written_anew(tmp_path: Path, kept: bytes):
    (tmp_path / "wolf").write_bytes(kept)
    first = next_epoch("wolf", tmp_path)
    assert abs(first - time.time_ns() // 1000) < 3600 * 1_000_000
    assert next_epoch("wolf", tmp_path) > first


def test_where_nothing_can_be_kept_the_clock_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "file").write_text("in the way")
    assert next_epoch("wolf", tmp_path / "file") > 0

    def refuse(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(epochs.os, "pwrite", refuse)
    assert next_epoch("wolf", tmp_path / "folder") > 0


def test_names_that_are_no_file_names_stay_in_their_folder_which_is_in_the_home_of_ros(tmp_path, monkeypatch):
    for name in ("../../out", "/robots/wolf", "w\u00f6lf", "x" * 300):
        assert next_epoch(name, tmp_path / "epochs") > 0
    assert os.listdir(tmp_path) == ["epochs"]
    assert {"..%2F..%2Fout", "%2Frobots%2Fwolf"} <= set(os.listdir(tmp_path / "epochs"))
    monkeypatch.setenv("ROS_HOME", str(tmp_path))
    next_epoch("wolf")
    assert (tmp_path / "arena_trees" / "epochs" / "wolf").exists()
