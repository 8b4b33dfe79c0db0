"""The recorder's thread: nobody waits for it, and what it loses it counts."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

import pytest

from arena_trees.recording import cdr
from arena_trees.recording.bag_reader import BagReader
from arena_trees.recording.bag_writer import BagWriter, Topic
from arena_trees.recording.recorder import Recorder


def bag(path: Path) -> BagWriter:
    return BagWriter(path, [Topic("/a", "std_msgs/msg/String")])


def test_what_is_put_is_written_in_its_order(tmp_path: Path):
    writer = bag(tmp_path / "bag")
    recorder = Recorder(writer)
    for number in range(1000):
        recorder.put(partial(writer.write, 1, number, number, number, cdr.string(str(number))))
    recorder.close(partial(writer.write, 1, 1000, 1000, 1000, cdr.string("last")))
    read = [message.sequence for message in BagReader(tmp_path / "bag").messages()]
    assert read == list(range(1001))
    assert (recorder.dropped, recorder.failed) == (0, 0)


def test_a_disk_that_hangs_costs_the_newest_and_makes_nobody_wait(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    writer = bag(tmp_path / "bag")
    recorder = Recorder(writer, most=10)
    hangs, answers = threading.Event(), threading.Event()

    def hang() -> None:
        hangs.set()
        answers.wait()

    recorder.put(hang)
    assert hangs.wait(20.0)
    for number in range(25):
        recorder.put(partial(writer.write, 1, number, number, number, cdr.string("x")))
    assert recorder.dropped == 15
    answers.set()
    recorder.close()
    assert [message.sequence for message in BagReader(tmp_path / "bag").messages()] == list(range(10))
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert "too slow" in said


def test_a_message_that_cannot_be_made_costs_itself(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    writer = bag(tmp_path / "bag")
    recorder = Recorder(writer)
    recorder.put(partial(writer.write, 1, 1, 1, 1, cdr.string("x")))
    recorder.put(partial(writer.write, 1, 2, -1, -1, cdr.string("before time began")))
    recorder.put(partial(writer.write, 1, 3, 3, 3, cdr.string("y")))
    recorder.close()
    assert [message.sequence for message in BagReader(tmp_path / "bag").messages()] == [1, 3]
    assert recorder.failed == 1
    assert "warning:" in capfd.readouterr().err
