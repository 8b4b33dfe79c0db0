"""Ranges in recordings: they come back whole, and a robot that drives by them is replayed tick for tick."""

import math
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.recorded import measured, play_with, sensed
from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.recording.bags.decoding import checked, decoded, reading
from arena_trees.recording.bags.message_types import typestore
from arena_trees.recording.bags.reader import read_bag
from arena_trees.recording.bags.serialising import serialised
from arena_trees.recording.loading import load_recording
from arena_trees.recording.replaying.plan import plan_replay
from arena_trees.recording.replaying.replay import replay
from arena_trees.recording.traces.decoder import MalformedError
from arena_trees.robot.geometry import Pose2D
from arena_trees.sensors.ranges.sensor import SENSOR, RangeReading, RangeRound, Ranges
from arena_trees.world.body import Body, RangeMount

SENSORS = {"front_left": (0.12, 0.1, 0.0), "front_right": (0.12, -0.1, 0.0), "left": (0.0, 0.15, 90.0)}
MOUNTS = [{"name": name, "x": x, "y": y, "yaw_deg": yaw} for name, (x, y, yaw) in SENSORS.items()]
FRONT = RangeMount(name="front", x=0.1, y=0.0, yaw_deg=30.0)
(TOPIC,) = SENSOR.ros.topics(Body(ranges=[FRONT]))


class Cruise(ActionBehaviour):
    """Drives, and turns where a beam meets something ahead."""

    def __init__(self, robot: str) -> None:
        super().__init__("Cruise", robot, ("ranges",))

    def update(self) -> Status:
        ranges = self.percepts.ranges
        near = ranges is not None and min(ranges["front_left"].distance, ranges["front_right"].distance) < 0.5
        self.drive(0.0 if near else 0.25, 1.0 if near else 0.0)
        return Status.RUNNING


def cruising(robot: str, *_: Any) -> Cruise:
    return Cruise(robot)


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> Any:
    """Play a rabbit without LiDAR; return its records, its readings, and where it was recorded."""
    # Near the reach of the beams, so that some have an echo and some have none.
    changes = {
        "seed": 5,
        "duration_s": 4.0,
        "rabbit.body": {"lidar": False, "ranges": MOUNTS},
        "rabbit.sensors": {"ranges.range_max": 2.5},
        "faults": [{"robot": "rabbit", "sensor": "ranges", "at_s": 2.0, "for_s": 0.6}],
    }
    return play_with(tmp_path_factory.mktemp("ranges"), {"rabbit": cruising}, "rabbit", 200, changes)


def test_ranges_come_back_to_the_last_bit_and_in_their_order(played: Any) -> None:
    _, readings, path = played
    robots = load_recording(path).robots
    got = robots["rabbit"].more["ranges"]
    assert len(got) > 60
    distances = [reading.distance for one in got for reading in one.readings]
    assert math.inf in distances and min(distances) < 2.0
    # While they were silent none was recorded, so that numbers differ.
    assert measured(got) == sensed(readings, "ranges")
    assert "ranges" not in robots["wolf"].more
    assert not any("ranges" in note or "scans" in note for robot in robots.values() for note in robot.notes)


def test_a_robot_that_drives_by_ranges_is_replayed_tick_for_tick(played: Any) -> None:
    records, _, path = played
    result = replay(plan_replay(load_recording(path), "rabbit", create_root=cruising))
    assert result.first is None, result.first and result.first.differences
    assert result.compared == len(records) == 200
    assert result.reasons["ranges stale"] > 10
    assert sum(record.twist.linear > 0.05 for record in records) > 50


def test_each_sensor_has_its_topic_and_its_frame_on_the_robot(played: Any) -> None:
    content = read_bag(played[2], {"sensor_msgs/msg/Range", "tf2_msgs/msg/TFMessage"})
    frames, mounted = {}, {}
    for raw in content.messages():
        value = decoded(raw)
        if raw.topic.type == "sensor_msgs/msg/Range":
            frames[raw.topic.name] = value.header.frame_id
            assert typestore().serialize_cdr(value, raw.topic.type) == raw.data
        elif raw.topic.name == "/rabbit/tf_static":
            for link in value.transforms:
                place = link.transform.translation
                mounted[link.child_frame_id] = (place.x, place.y, link.header.frame_id)
    assert frames == {f"/rabbit/ranges/{name}": f"rabbit/range_{name}" for name in SENSORS}
    assert mounted == {f"rabbit/range_{name}": (x, y, "rabbit/base_link") for name, (x, y, _) in SENSORS.items()}


@pytest.mark.parametrize("frame", ["a", "ab", "abc", "abcd", "wolf/range_front"])
@pytest.mark.parametrize("distance", [0.0, 1.5, math.inf])
def test_a_message_is_what_rosbags_reads_whatever_the_frame_is_called(frame: str, distance: float) -> None:
    sent = Ranges(1_500_000_000, 1_500_000_000, 1, (RangeReading("front", FRONT.pose, distance, 10.0),))
    data = serialised("sensor_msgs/msg/Range", sent.stamp, frame, TOPIC.fields(sent))
    value = typestore().deserialize_cdr(data, "sensor_msgs/msg/Range")
    assert (value.header.frame_id, value.range, value.max_range) == (frame, distance, 10.0)
    assert (value.radiation_type, value.min_range, value.field_of_view, value.variance) == (1, 0.0, 0.0, 0.0)
    back = reading(value, 2, 3, TOPIC)
    assert back == Ranges(
        sent.stamp, 2, 3, (RangeReading("front", Pose2D(0.1, 0.0, math.radians(30.0)), distance, 10.0),)
    )


def test_a_recorded_range_that_is_none_is_refused() -> None:
    def told(distance: float, limit: float = 4.0) -> float:
        header = SimpleNamespace(stamp=SimpleNamespace(sec=0, nanosec=1))
        value = SimpleNamespace(header=header, range=distance, max_range=limit)
        (one,) = checked(SENSOR, reading(value, 2, 3, TOPIC)).readings
        return one.distance

    assert told(5.0) == math.inf
    assert told(-math.inf) == 0.0
    for distance, limit in ((math.nan, 4.0), (-0.5, 4.0), (1.0, 0.0), (1.0, math.nan), (1.0, math.inf)):
        with pytest.raises(MalformedError):
            told(distance, limit)


def test_a_round_is_whole_when_every_sensor_has_been_heard_anew() -> None:
    def one(name: str, stamp: int) -> Ranges:
        return Ranges(stamp, stamp + 5, stamp, (RangeReading(name, Pose2D(), float(stamp), 9.0),))

    whole = RangeRound(["a", "b"])
    assert [whole.add(one("b", 1)), whole.add(one("b", 2))] == [None, None]
    first = whole.add(one("a", 3))
    assert (first.stamp, first.arrival, first.sequence) == (2, 8, 1)
    assert [(reading.name, reading.distance) for reading in first.readings] == [("a", 3.0), ("b", 2.0)]
    assert whole.add(one("a", 4)) is None
    second = whole.add(one("b", 6))
    assert second is not None and (second.stamp, second.sequence) == (4, 2)
