import math

import numpy as np
import py_trees
import pytest
from helpers.scans import laser
from py_trees.common import Access

from arena_trees.perception.parameters import PerceptionParameters
from arena_trees.perception.supervisor import GeofenceSupervisor
from arena_trees.perception.writer import PerceptionBlackboardWriter
from arena_trees.robot import keys
from arena_trees.robot.circles import Circles
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.detections import Detection, Detections
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.lane import LaneLine, LaneLines, MarkerDetections
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.robot.messaging.inbox import EMPTY
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.percepts import Bumpers, FenceStatus, Odometry, PoseEstimate, Readings
from arena_trees.sensors.battery.sensor import Battery
from arena_trees.sensors.ranges.sensor import Ranges
from arena_trees.sensors.turret.sensor import TurretState
from arena_trees.world.geofence import Geofence

NOW = from_seconds(100.0)


class Note(GameMessage, topic="note"):
    text: str


@pytest.fixture
def writer():
    fence = Geofence("wolf", [(-2, -2), (2, -2), (2, 2), (-2, 2)])
    made = PerceptionBlackboardWriter("wolf", GeofenceSupervisor(fence), subscribes=(Note,))
    yield made
    made.close()


def odometry(now, sequence, x=0.0, linear=0.1):
    return Odometry(now, now, sequence, Pose2D(x, 0.0, 0.0), Twist2D(linear, 0.0))


def note(sequence=1, text="hello"):
    return Message("note", "referee", 1, sequence, 0, {"text": text})


def image(*boxes, sequence=1, width=250):
    return Detections(NOW, NOW, sequence, width, 250, boxes)


def box(x=100.0, width=20.0, y=100.0, height=30.0, confidence=0.9, label="rabbit_sign"):
    return Detection(label, confidence, x, y, width, height)


def test_every_key_is_written_and_the_snapshot_is_the_same(writer):
    readings = Readings(
        NOW,
        laser([1.0] * 360, NOW),
        odometry(NOW, 1),
        PoseEstimate(NOW, NOW, 1, Pose2D(1.8, 0.0, 0.0)),
        Bumpers(NOW, NOW, 1, frozenset({"bump_left"})),
        {
            "battery": Battery(NOW, NOW, 1, 0.5),
            "circles": Circles(NOW, NOW, 1, 250, 250, ()),
            "detections": image(box()),
            "lane": LaneLines(NOW, NOW, 1, LaneLine(0.3, 0.0, 0.9), None, 0.5, 0.6),
            "markers": MarkerDetections(NOW, NOW, 1, ()),
            "ranges": Ranges(NOW, NOW, 1, ()),
            "robot_scan": laser([math.inf, 2.0] * 180, NOW),
            "turret": TurretState(NOW, NOW, 1, 0.1, 0.2),
        },
    )
    percepts = writer.write(readings, [note()])
    reader = py_trees.blackboard.Client(name="reader", namespace="/wolf")
    for key in keys.percept_keys():
        reader.register_key(key, Access.READ)
        assert getattr(reader, key) is not None
        assert getattr(reader, key) is percepts.get(key)
    assert percepts.geofence.status is FenceStatus.WARNING
    assert percepts.scan.beams == 360
    assert not writer.refusals


def test_keys_exist_before_the_first_reading_and_go_with_the_robot(writer):
    other = PerceptionBlackboardWriter("rabbit")
    board = py_trees.blackboard.Blackboard
    assert board.get("/rabbit/inbox") is EMPTY
    assert board.get("/rabbit/scan") is None
    other.close()
    assert not [key for key in board.keys() if key.startswith("/rabbit/")]  # noqa: SIM118
    assert "/wolf/scan" in board.keys()  # noqa: SIM118


def test_absent_and_frozen_sensors_leave_a_percept_that_ages(writer):
    reading = odometry(NOW, 1)
    first = writer.write(Readings(NOW, odometry=reading), ())
    later = NOW + from_seconds(12.0)
    frozen = writer.write(Readings(later, odometry=reading), ())
    assert frozen.odometry is first.odometry
    assert frozen.odometry.age(later) == from_seconds(12.0)
    assert writer.write(Readings(later), ()).odometry is first.odometry
    assert not writer.refusals


def test_a_repeated_sequence_is_not_new_and_is_not_counted(writer):
    first = writer.write(Readings(NOW, odometry=odometry(NOW, 1)), ())
    again = writer.write(Readings(NOW, odometry=odometry(NOW, 1)), ())
    assert again.odometry is first.odometry
    assert not writer.refusals


def test_a_contact_lasts_from_its_first_message_until_the_bumper_is_released(writer):
    felt = ((), ("bump_left",), ("bump_left", "bump_right"), (), ("bump_left",), ("bump_left",))
    since = []
    for number, zones in enumerate(felt, 1):
        now = NOW + number
        since.append(writer.write(Readings(now, bumpers=Bumpers(now, now, number, frozenset(zones))), ()).bumpers.since)
    assert since == [0, NOW + 2, NOW + 2, 0, NOW + 5, NOW + 5]


def test_a_stamp_that_goes_back_is_refused_and_counted_once(writer):
    writer.write(Readings(NOW, odometry=odometry(NOW, 5)), ())
    old = odometry(NOW - 1000, 6)
    for _ in range(3):
        percepts = writer.write(Readings(NOW, odometry=old), ())
    assert percepts.odometry.sequence == 5
    assert writer.refusals == {"odometry: stamp went back": 1}


def test_stamps_in_the_future_are_refused_beyond_the_tolerance(writer):
    near, far = NOW + from_seconds(0.09), NOW + from_seconds(0.11)
    writer.write(Readings(NOW, odometry=Odometry(far, NOW, 1, Pose2D(), Twist2D())), ())
    assert writer.refusals == {"odometry: stamp in the future": 1}
    percepts = writer.write(Readings(NOW, odometry=Odometry(near, NOW, 2, Pose2D(), Twist2D())), ())
    assert percepts.odometry.sequence == 2
    ahead = PoseEstimate(NOW + from_seconds(0.9), NOW, 1, Pose2D())
    assert writer.write(Readings(NOW, pose=ahead), ()).pose is ahead
    following = PoseEstimate(NOW + 1, NOW + 1, 2, Pose2D())
    assert writer.write(Readings(NOW + 1, pose=following), ()).pose is following
    too_far = PoseEstimate(NOW + from_seconds(1.1), NOW + 1, 3, Pose2D())
    assert writer.write(Readings(NOW + 1, pose=too_far), ()).pose is following


def test_after_the_clock_went_back_readings_are_taken_again(writer):
    writer.write(Readings(NOW, laser([1.0] * 9, NOW), odometry(NOW, 5)), ())
    back = NOW - from_seconds(50.0)
    blank = laser([math.inf] * 9, back, 6)
    percepts = writer.write(Readings(back, blank, odometry(back, 6)), ())
    assert percepts.odometry.sequence == 6
    assert percepts.scan.return_age(back) is None
    assert not writer.refusals


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_readings_that_are_not_finite_are_refused(writer, bad):
    writer.write(
        Readings(
            NOW,
            odometry=odometry(NOW, 1, linear=bad),
            pose=PoseEstimate(NOW, NOW, 1, Pose2D(0.0, bad, 0.0)),
            more={"battery": Battery(NOW, NOW, 1, bad)},
        ),
        (),
    )
    writer.write(Readings(NOW, odometry=odometry(NOW, 2, x=bad)), ())
    assert writer.refusals == {"odometry: not finite": 2, "pose: not finite": 1, "battery: not finite": 1}


def test_absurd_readings_are_refused(writer):
    readings = Readings(
        NOW,
        odometry=odometry(NOW, 1, linear=99.0),
        pose=PoseEstimate(NOW, NOW, 1, Pose2D(1e300, 0.0, 0.0)),
        more={"battery": Battery(NOW, NOW, 1, 1.5)},
    )
    percepts = writer.write(readings, ())
    assert (percepts.odometry, percepts.pose, percepts.more) == (None, None, {})
    assert sum(writer.refusals.values()) == 3


def test_boxes_are_clipped_dropped_and_limited(writer):
    good, hanging_out = box(), box(x=245.0, width=20.0)
    bad = [box(x=math.nan), box(width=-1.0), box(confidence=1.2), box(x=400.0), box(height=math.inf), box(width=0.0)]
    percepts = writer.write(Readings(NOW, more={"detections": image(good, hanging_out, *bad)}), ())
    assert percepts.detections.boxes == (good, box(x=242.5, width=15.0))
    assert writer.refusals == {"detections: part dropped": 6}
    many = writer.write(Readings(NOW, more={"detections": image(*[good] * 10_000, sequence=2)}), ())
    assert len(many.detections.boxes) == 100


@pytest.mark.parametrize("width", [0, -5, 65_535])
def test_images_of_no_sensible_size_are_refused(writer, width):
    assert writer.write(Readings(NOW, more={"detections": image(box(), width=width)}), ()).detections is None
    assert writer.refusals == {"detections: image size out of range": 1}


def test_messages_go_into_the_inbox_and_what_is_none_is_counted_with_the_readings(writer):
    percepts = writer.write(Readings(NOW), [note(1), note(2, text=3), Message("other", "x", 1, 6, 0, {})])
    received = percepts.inbox.newest(Note)
    assert (received.message.text, received.arrival, received.sender) == ("hello", NOW, "referee")
    assert writer.refusals == {"note: malformed": 1, "inbox: unknown topic 'other'": 1}
    assert writer.write(Readings(NOW + 1), ()).inbox.newest(Note) is received


def test_refusals_are_of_few_kinds(writer):
    for count in range(2, 60):
        writer.write(Readings(NOW + count, laser([1.0] * count, NOW + count, count, angle_max=99.0)), ())
    assert writer.refusals == {"scan: malformed": 58}


def test_parameters_refuse_nonsense():
    with pytest.raises(ValueError, match="future_tolerance"):
        PerceptionParameters(future_tolerance=math.nan)
    assert np.isfinite(PerceptionParameters().future_tolerance)
