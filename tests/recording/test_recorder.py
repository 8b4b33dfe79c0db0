"""The recorder: nobody waits for it, and what it loses it counts."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from arena_trees.recording import cdr
from arena_trees.recording.bag_reader import read_bag
from arena_trees.recording.bag_writer import BagWriter, Topic
from arena_trees.recording.mcap_writer import Pending
from arena_trees.recording.recorder import Recorder

TOPICS = [Topic("/a", "std_msgs/msg/String")]


def read(path: Path) -> list[int]:
    """Return the instants of a bag's messages."""
    return [message.time for message in read_bag(path, {"std_msgs/msg/String"}).messages()]


def test_what_is_given_is_written_in_its_order(tmp_path: Path):
    recorder = Recorder(BagWriter(tmp_path / "bag", TOPICS), full=1000, most=2000)
    for number in range(1000):
        recorder.write(1, number, cdr.string(str(number)))
    recorder.close()
    assert read(tmp_path / "bag") == list(range(1000))
    assert (recorder.dropped, recorder.failed) == (0, 0)
    assert (tmp_path / "bag" / "metadata.yaml").exists()


class HangingBag(BagWriter):
    """A bag on a disk that does not answer until it is told to."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, TOPICS)
        self.hangs, self.answers = threading.Event(), threading.Event()

    def write(self, pending: Pending) -> None:
        """Hang, and write."""
        self.hangs.set()
        self.answers.wait()
        super().write(pending)


def test_a_disk_that_hangs_costs_the_newest_and_makes_nobody_wait(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    bag = HangingBag(tmp_path / "bag")
    recorder = Recorder(bag, full=1, most=3)
    recorder.write(1, 0, cdr.string("x"))
    assert bag.hangs.wait(20.0)
    for number in range(1, 10):
        recorder.write(1, number, cdr.string("x"))
    assert recorder.dropped == 7, "one is being written, two wait"
    bag.answers.set()
    recorder.close()
    assert read(tmp_path / "bag") == [0, 1, 2]
    (said,) = caplog.messages
    assert "too slow" in said


def test_a_message_that_cannot_be_made_costs_itself(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    recorder = Recorder(BagWriter(tmp_path / "bag", TOPICS))
    recorder.write(1, 1, cdr.string("x"))
    try:
        recorder.write(1, -1, cdr.string("before time began"))
    except Exception as error:
        recorder.fail(error)
    recorder.write(1, 3, cdr.string("y"))
    recorder.close()
    assert read(tmp_path / "bag") == [1, 3]
    assert recorder.failed == 1
    assert len(caplog.messages) == 1
