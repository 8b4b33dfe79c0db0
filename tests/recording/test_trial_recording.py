"""What is recorded of a trial is what its robots had, did and said."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers import scenario_plans
from helpers.graphics import needs_graphics
from helpers.recorded import record
from rosbags.rosbag2 import Reader

from arena_trees import __version__
from arena_trees.experiments.plan import TrialPlan, draw_world
from arena_trees.experiments.trial import Trial, run_trial
from arena_trees.recording.bags import cdr
from arena_trees.recording.bags.writer import BagWriter, Topic
from arena_trees.recording.loading import load_recording
from arena_trees.recording.recording import Recording
from arena_trees.recording.trial_recorder import RecordTrials
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.percepts import Readings

PARTS = {"scan": "scans", "odometry": "odometry", "pose": "poses", "bumpers": "bumpers", "detections": "detections"}


def planned(**changes: object) -> TrialPlan:
    return scenario_plans.planned("wolf_rabbit", **{"seed": 400, "duration_s": 5.0, **changes})


class Onlooker:
    """Records a trial, and keeps what it had."""

    def __init__(self, folder: Path, trial: Trial) -> None:
        self.recorder = RecordTrials(folder, "test")("", trial)
        self.readings: dict[str, list[Readings]] = {name: [] for name in trial.loops}
        self.records = {name: [] for name in trial.loops}
        self.feedback: dict[str, list[list[str]]] = {name: [] for name in trial.loops}
        self.said: list[Message] = []
        self.poses = {name: [] for name in trial.loops}

    def begin(self, trial: Trial) -> None:
        self.recorder.begin(trial)

    def tick(self, trial: Trial) -> None:
        self.recorder.tick(trial)
        for name, loop in trial.loops.items():
            self.readings[name].append(loop.readings)
            self.records[name].append(trial.records[name])
            self.feedback[name].append([node.feedback_message for node in loop.tree.root.iterate()])
            self.poses[name].append(trial.arena.true_pose(name))
            self.said += trial.records[name].sent
        self.said += trial.reported

    def end(self, trial: Trial) -> None:
        self.recorder.end(trial)


@pytest.fixture(scope="module")
def both(tmp_path_factory) -> tuple[Onlooker, Recording]:
    """Play a trial with a fault in it; return what it had and what was recorded."""
    folder = tmp_path_factory.mktemp("both")
    faults = [{"robot": "wolf", "sensor": "scan", "at_s": 1.01, "for_s": 0.7}]
    onlookers: list[Onlooker] = []

    def watch(arm: str, trial: Trial) -> Onlooker:
        onlookers.append(Onlooker(folder, trial))
        return onlookers[0]

    run_trial(planned(faults=faults), 0, watch=watch)
    return onlookers[0], load_recording(folder / "trial_000")


@pytest.mark.parametrize("robot", ["wolf", "rabbit"])
@pytest.mark.parametrize("sensor", PARTS)
def test_every_message_comes_back_whole_and_when_it_was_seen(both, robot: str, sensor: str):
    onlooker, recording = both
    expected, seen, last = [], [], None
    before: Readings | None = None
    for readings in onlooker.readings[robot]:
        message = getattr(readings, sensor)
        if message is not None and message is not last:
            expected.append(message)
            held_back = before is not None and before.now >= message.arrival
            seen.append(readings.now if held_back else message.arrival)
        last, before = message, readings
    loaded = recording.robots[robot]
    messages = loaded.streams()[sensor]
    assert len(expected) > 20
    assert loaded.seen[PARTS[sensor]].tolist() == seen
    if sensor != "scan":
        assert list(messages) == [replace(wanted, arrival=at) for wanted, at in zip(expected, seen, strict=True)]
        return
    for message, wanted in zip(messages, expected, strict=True):
        assert message.stamp == wanted.stamp
        assert np.array_equal(message.ranges, wanted.ranges)
        for name in ("angle_min", "angle_max", "angle_increment", "range_min", "range_max", "mount"):
            assert getattr(message, name) == getattr(wanted, name), name


@pytest.mark.parametrize("robot", ["wolf", "rabbit"])
def test_every_tick_comes_back(both, robot: str):
    onlooker, recording = both
    ticks = recording.robots[robot].ticks
    texts = [""] * len(recording.robots[robot].tree)
    for tick, wanted, feedback in zip(ticks, onlooker.records[robot], onlooker.feedback[robot], strict=True):
        for name in ("now", "statuses", "active", "reasons", "fault", "cues", "sequences"):
            assert getattr(tick, name) == getattr(wanted, name), name
        assert tick.number == wanted.tick
        assert tick.twist.linear == pytest.approx(wanted.twist.linear, abs=1e-9)
        assert (tick.command is None) == (wanted.command is None)
        for index, text in tick.feedback.items():
            texts[index] = text
        assert texts == feedback


def test_a_recording_tells_when_the_game_ended_and_not_when_the_trial_did(tmp_path):
    near = {"wolf.start": {"x": -0.5, "y": 0.0, "yaw_deg": 0.0}, "rabbit.start": {"x": 0.3, "y": 0.0, "yaw_deg": 0.0}}
    changes = {**near, "arena_set.random_boxes.count": 0, "arena_set.start_distance": 0.5}
    result = run_trial(planned(**changes), 0, watch=RecordTrials(tmp_path, "test"))
    end = load_recording(tmp_path / "trial_000").info["end"]
    assert end["outcome"] == "caught"
    assert end["ended_s"] == result.values["time_to_catch_s"] < result.simulated_s - 1.0


def test_messages_truth_commands_and_world_come_back(both):
    onlooker, recording = both
    assert [message for _, message in recording.messages] == sorted(onlooker.said, key=lambda m: m.stamp)
    wolf = recording.robots["wolf"]
    assert [pose for _, pose in wolf.truth] == onlooker.poses["wolf"][::10]
    by_time = {reported.now: reported.twist for reported in onlooker.records["wolf"]}
    assert len(wolf.commands) > 10
    assert all(by_time[instant] == twist for instant, twist in wolf.commands)
    kinds = {(outline.kind, outline.name) for outline in recording.outlines}
    assert {("fence", "wolf"), ("fence", "rabbit"), ("box", "box_1"), ("wall", "wall_north")} <= kinds


def test_walls_are_recorded_where_they_stand(tmp_path):
    plan = planned(profile="field", duration_s=0.2)
    run_trial(plan, 1, watch=RecordTrials(tmp_path, "test"))
    world = draw_world(plan, 1)
    outlines = {outline.name: outline for outline in load_recording(tmp_path / "trial_001").outlines}
    for on_map, stands in zip(world.layout.solids, world.standing.solids, strict=True):
        assert outlines[stands.name].points == pytest.approx(np.array(stands.polygon().exterior.coords[:-1]))
        assert (stands == on_map) == stands.name.startswith("box")


def test_the_recording_says_what_it_is_of(both):
    _, recording = both
    info = recording.info
    assert (info["version"], info["scenario"], info["seed"], info["trial"]) == (__version__, "test", 400, 0)
    assert info["robots"]["wolf"]["parameters"]["roam_linear_speed"] == 0.2
    assert info["robots"]["rabbit"]["role"] == "rabbit"
    assert info["end"]["over"] is True
    assert info["end"]["failed_messages"] == 0
    assert not recording.skipped


def test_while_chasing_each_tick_keeps_what_the_chase_knew(recording: Recording):
    ticks = recording.robots["wolf"].ticks
    chasing = [tick.tracking for tick in ticks if tick.active == "Chase the rabbit"]
    assert len(chasing) > 20
    for tracking in chasing:
        assert tracking.state == "chase"
        assert 0.0 <= tracking.raw_px <= tracking.image_width == 250
        assert tracking.deadband > 0.0
    assert len({tracking.filtered_px for tracking in chasing if tracking is not None}) > 10
    assert not any(tick.tracking for tick in ticks if tick.active == "Stand still")


def test_each_arm_and_trial_has_its_own_bag(tmp_path):
    trial = Trial(planned(), 3)
    try:
        observer = RecordTrials(tmp_path, "x")("10 % of images lost", trial)
        observer.begin(trial)
        observer.end(trial)
    finally:
        trial.close()
    assert load_recording(tmp_path / "10_of_images_lost" / "trial_003").info["arm"] == "10 % of images lost"


@pytest.mark.parametrize("duration_s", [8.0, pytest.param(40.0, marks=pytest.mark.slow)])
def test_a_recording_is_small(tmp_path, duration_s: float):
    path = record(tmp_path, "wolf_rabbit_isolated", seed=400, duration_s=duration_s)
    size = sum(file.stat().st_size for file in path.iterdir())
    assert size / (2 * duration_s / 60.0) < 1.5e6, "bytes a robot-minute"


@needs_graphics
@pytest.mark.parametrize("images", ["none", pytest.param("blurred", marks=pytest.mark.slow), "whole"])
def test_pictures_are_recorded_only_when_asked_for(tmp_path, images):
    plan = planned(camera="rendered", duration_s=0.6)
    run_trial(plan, 0, watch=RecordTrials(tmp_path, "x", images))
    with Reader(tmp_path / "trial_000") as reader:
        types = {connection.msgtype for connection in reader.connections if connection.msgcount}
    assert ("sensor_msgs/msg/Image" in types) == (images != "none")


def test_info_is_plain_json(both):
    _, recording = both
    assert json.loads(json.dumps(dict(recording.info))) == recording.info


def test_a_recorded_message_counts_only_on_a_topic_of_its_sender(tmp_path):
    """But on a topic of the rules, where recordings of earlier versions have all of them."""
    values = {"topic": "sighting", "sender": "grey", "epoch": 1, "sequence": 1, "stamp": 1, "payload": {}}
    text = cdr.string(json.dumps(values))
    topics = (
        "/arena/grey/sighting",
        "/arena/black/sighting",
        "/arena/sighting",
        "/hall/game/grey/sighting",
        "/grey/ticks",
    )
    bag = BagWriter(tmp_path / "bag", [Topic(topic, "std_msgs/msg/String") for topic in topics])
    for number in range(len(topics)):
        bag.write(number, 1_000 + number, text)
    bag.close()
    recording = load_recording(tmp_path / "bag")
    assert [instant for instant, _ in recording.messages] == [1_000, 1_002, 1_003]
    assert {message.sender for _, message in recording.messages} == {"grey"}
    assert recording.skipped["/arena/black/sighting: of another sender than its topic's"] == 1
