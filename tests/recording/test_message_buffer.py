"""A game whose messages are kept in memory is written as the bag that it would have been."""

from dataclasses import fields

import numpy as np
import pytest

import arena_trees as at
from arena_trees.console.game_process import plan_of
from arena_trees.experiments.trial import Trial
from arena_trees.recording.bags import cdr
from arena_trees.recording.bags.message_buffer import MessageBuffer
from arena_trees.recording.bags.reader import read_bag
from arena_trees.recording.bags.writer import RecordingError, Topic
from arena_trees.recording.loading import load_recording
from arena_trees.recording.recording import RobotRecording
from arena_trees.recording.trial_recorder import TrialRecorder, trial_info_of
from arena_trees.robot.clock import SECOND

CHANGES = {"seed": 3, "duration_s": 3.0}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("bags")


@pytest.fixture(scope="module")
def buffer():
    """The messages of a game, taken part by part."""
    trial = Trial(plan_of("wolf_rabbit", {**CHANGES, "trials": 1}), 0)
    kept = None
    try:
        trial.observer = recorder = TrialRecorder(MessageBuffer, trial, trial_info_of(trial, "wolf_rabbit"))
        kept = MessageBuffer(recorder.bag.topics)
        trial.begin()
        while not trial.judge.over:
            trial.step()
            if trial.loops["wolf"].ticks % 7 == 0:
                kept.extend(recorder.bag.take())
        recorder.flush(trial)
        kept.extend(recorder.bag.take())
    finally:
        trial.close()
    return kept


def test_what_is_saved_is_what_would_have_been_recorded(folder, buffer):
    at.play("wolf_rabbit", trials=1, changes=CHANGES, record=folder / "bag")
    buffer.save(folder / "saved")
    recorded, saved = load_recording(folder / "bag" / "trial_000"), load_recording(folder / "saved")
    assert saved.info == recorded.info
    assert (saved.end, saved.messages, saved.skipped) == (recorded.end, recorded.messages, {})
    assert saved.info["end"]["over"]
    for name, robot in recorded.robots.items():
        assert len(robot.ticks) >= 150
        for field in fields(RobotRecording):
            one, other = getattr(saved.robots[name], field.name), getattr(robot, field.name)
            assert repr(one) == repr(other) if field.name in ("seen", "body") else _plain(one) == _plain(other)


def _plain(value):
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (tuple, list)):
        return [_plain(part) for part in value]
    if hasattr(value, "__dataclass_fields__"):
        return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
    return value


def test_what_is_saved_overwrites_nothing(folder, buffer):
    (folder / "taken").mkdir()
    with pytest.raises(RecordingError, match="taken: exists already"):
        buffer.save(folder / "taken")


def test_old_messages_are_dropped_but_for_what_players_need():
    topics = (Topic("/tf_static", "tf2_msgs/msg/TFMessage", latched=True), Topic("/scan", "sensor_msgs/msg/LaserScan"))
    buffer = MessageBuffer(topics, kept=10 * SECOND)
    buffer.write(0, 0, b"mount")
    for second in range(30):
        buffer.write(1, second * SECOND, b"%d" % second)
    copied = buffer.copy()
    taken = buffer.take()
    assert taken[0] == (0, 0, b"mount")
    assert [message.instant // SECOND for message in taken[1:]] == list(range(19, 30))
    assert buffer.take() == [] and copied.take() == taken


def test_a_game_can_be_saved_from_the_middle_on(folder, buffer):
    newest = MessageBuffer(buffer.topics, kept=SECOND)
    newest.extend(buffer.copy().take())
    newest.save(folder / "newest")
    recording = load_recording(folder / "newest")
    for robot in recording.robots.values():
        assert robot.tree and 40 <= len(robot.ticks) <= 80
        assert robot.ticks[-1].now == pytest.approx(recording.end, abs=0.05 * SECOND)


def test_where_the_clock_goes_back_the_bag_begins_anew(tmp_path):
    text = "std_msgs/msg/String"
    topics = (Topic("/robot/recording", text, latched=True), Topic("/robot/cues", text))
    buffer = MessageBuffer(topics, kept=600 * SECOND)
    buffer.write(0, 1_700_000_000 * SECOND, cdr.string("{}"))
    buffer.write(1, 1_700_000_001 * SECOND, cdr.string("by the wall clock"))
    buffer.write(1, 5 * SECOND, cdr.string("by a simulated one"))
    buffer.write(1, 5 * SECOND - SECOND // 10, cdr.string("a little late"))
    buffer.save(tmp_path / "bag")
    messages = read_bag(tmp_path / "bag", (text,)).messages()
    assert [(message.topic.name, message.time) for message in messages] == [
        ("/robot/cues", 5 * SECOND - SECOND // 10),
        ("/robot/recording", 5 * SECOND),
        ("/robot/cues", 5 * SECOND),
    ]
