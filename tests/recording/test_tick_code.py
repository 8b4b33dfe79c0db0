"""The texts of trees and ticks: small, whole again when read, and refused when they are not ours."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.behaviours.wolf_rabbit.parameters import WolfParameters
from arena_trees.recording.traces.decoder import MalformedError, TickDecoder, decode_tree
from arena_trees.recording.traces.encoder import NUMBERS_EVERY, PERIOD, WHOLE_EVERY, TickEncoder, encode_tree
from arena_trees.recording.traces.tick import Tick
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.messaging.inbox import Received
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.percepts import FenceStatus, PoseEstimate, Tracking, sequence_names
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.record import TickRecord
from arena_trees.robot.turret import STEADY, TurretRates
from arena_trees.trees.wolf_rabbit.wolf import create_root

FIRST = TickRecord(
    robot="wolf",
    tick=0,
    now=40 * PERIOD,
    sequences=(1, 2, 0, 0, 1, 0, 0, 0),
    received=(Message("game", "referee", 3, 7, 5),),
    sent=(),
    command=Twist2D(0.1, -0.25),
    twist=Twist2D(0.1, 0.0),
    reasons=("speed cap",),
    statuses=bytes((0, 1, 2)),
    active="Go",
)


def ticks(count: int) -> Iterator[tuple[TickRecord, list[str]]]:
    """Give ticks in which now this changes and now that."""
    record, feedback = FIRST, ["", "looking", ""]
    for number in range(count):
        yield record, feedback
        record = replace(record, tick=number + 1, now=record.now + PERIOD, received=(), cues=())
        if number % 3 == 0:
            record = replace(record, sequences=tuple(value + number % 2 for value in record.sequences))
        if number % 4 == 0:
            record = replace(record, command=None, twist=Twist2D(0.123456789, 1.0 / 3.0), cues=("CHASE", "LOST"))
        if number % 5 == 0:
            record = replace(record, statuses=bytes((number % 4, 1, 3)), active=f"Leaf {number}", reasons=())
        record = armed(record, number)
        if number % 7 == 0:
            tracking = Tracking("chase", 10.0, 11.5, -3.25, 12.0, 250, 0.1, None if number % 2 else 1.5)
            record, feedback = replace(record, tracking=tracking), ["", "", f"seen {number}"]
        if number % 11 == 0:
            record = replace(record, tracking=None, fault="Go raised", now=record.now + 12345)
        if number % 13 == 0:
            record = replace(record, sequences=(100 * number,) * 8)
        if number % 17 == 0:
            # A robot that hears of a game of PacMan has a number more.
            record = replace(record, sequences=(*record.sequences[:8], number))


def armed(record: TickRecord, number: int) -> TickRecord:
    """Return a record with what turret and weapon do after a tick."""
    record = replace(record, trigger=number % 6 == 0, fired=number % 12 == 0)
    if number % 6 == 0:
        rates = TurretRates(0.1 * number, -1.0 / 3.0)
        return replace(record, aim=rates, turret=STEADY if number % 4 else rates)
    return replace(record, aim=None, turret=STEADY) if number % 10 == 9 else record


def expected(record: TickRecord) -> Tick:
    """Return the tick of a record, with velocities as they are rounded."""

    def rounded(twist: Twist2D) -> Twist2D:
        return Twist2D(float(f"{twist.linear:.9g}"), float(f"{twist.angular:.9g}"))

    def turned(rates: TurretRates) -> TurretRates:
        return TurretRates(float(f"{rates.yaw:.9g}"), float(f"{rates.pitch:.9g}"))

    return Tick(
        now=record.now,
        statuses=record.statuses,
        active=record.active,
        command=None if record.command is None else rounded(record.command),
        twist=rounded(record.twist),
        reasons=record.reasons,
        fault=record.fault,
        cues=record.cues,
        tracking=record.tracking,
        sequences=record.sequences,
        number=record.tick,
        received=tuple((message.sender, message.epoch, message.sequence) for message in record.received),
        aim=None if record.aim is None else turned(record.aim),
        turret=turned(record.turret),
        trigger=record.trigger,
        fired=record.fired,
    )


def test_ticks_come_back():
    encoder, decoder = TickEncoder(), TickDecoder(3)
    messages = ["", "", ""]
    for record, feedback in ticks(300):
        tick = decoder.decode(encoder.encode(record, feedback))
        assert replace(tick, feedback={}) == expected(record)
        for index, text in tick.feedback.items():
            assert messages[index] != text, "only what changed is told"
            messages[index] = text
        assert messages == feedback


def test_a_reader_may_begin_anywhere_and_loses_little():
    encoder = TickEncoder()
    lines = [encoder.encode(record, feedback) for record, feedback in ticks(200)]
    whole = [number for number, line in enumerate(lines) if '"whole":true' in line]
    assert whole == list(range(0, 200, WHOLE_EVERY))
    decoder, read, lost = TickDecoder(3), [], 0
    for line in lines[10:120] + lines[125:]:
        try:
            read.append(decoder.decode(line).number)
        except MalformedError as error:
            assert str(error) == "follows a tick that is missing"
            lost += 1
    assert read == [*range(50, 120), *range(150, 200)]
    assert lost == 40 + 25


def test_ticks_of_a_robot_without_a_turret_say_nothing_of_one():
    line = TickEncoder().encode(FIRST, [""] * 3)
    assert not {"aim", "turret", "trigger", "fired"} & json.loads(line).keys()
    assert TickDecoder(3).decode(line) == replace(expected(FIRST), feedback={})


def test_poses_come_back_where_they_are_asked_for():
    here = PoseEstimate(39 * PERIOD, 39 * PERIOD + 1234, 2, Pose2D(1.25, -0.5, 3.0))
    there = replace(here, stamp=41 * PERIOD, arrival=41 * PERIOD + 55, sequence=4, pose=Pose2D(1.26, -0.5, 3.01))
    place = sequence_names().index("pose")
    numbers = [tuple(number if at == place else 0 for at in range(8)) for number in (0, 2, 2, 4)]
    known = zip((None, here, here, there), numbers, strict=True)
    records = [
        replace(FIRST, tick=tick, now=(40 + tick) * PERIOD, pose=pose, sequences=sequences)
        for tick, (pose, sequences) in enumerate(known)
    ]
    encoder, decoder = TickEncoder(poses=True), TickDecoder(3)
    lines = [encoder.encode(record, [""] * 3) for record in records]
    assert ['"pose"' in line for line in lines] == [True, True, False, True]
    assert [decoder.decode(line).pose for line in lines] == [None, here, here, there]
    assert '"pose"' not in TickEncoder().encode(records[1], [""] * 3)


def test_a_pose_that_is_not_finite_is_none():
    lost = PoseEstimate(0, 0, 1, Pose2D(float("nan"), 0.0, 0.0))
    line = TickEncoder(poses=True).encode(replace(FIRST, pose=lost), [""] * 3)
    assert TickDecoder(3).decode(line).pose is None


def test_a_quiet_tick_is_short():
    encoder = TickEncoder()
    encoder.encode(FIRST, [""] * 3)
    quiet = replace(FIRST, tick=1, now=FIRST.now + PERIOD, received=())
    assert encoder.encode(quiet, [""] * 3) == '{"tick":1}'


def kept(*values: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Return what is read of the blackboard in ticks that end with these values on it."""
    encoder, decoder = TickEncoder(), TickDecoder(3)
    records = [replace(FIRST, tick=k, now=k * PERIOD, blackboard=value) for k, value in enumerate(values)]
    return [decoder.decode(encoder.encode(record, [""] * 3)).blackboard for record in records]


def test_a_value_of_the_blackboard_is_written_when_it_changes_as_a_plain_one():
    goal = Received(FenceStatus.SAFE, "b", 1, 2, 3, 4)
    reported = kept(
        {"goal": None, "n": "1"}, {"goal": None, "n": "2"}, {"goal": goal, "n": "2"}, {"goal": goal, "n": "2"}
    )
    plain = {"message": "SAFE", "sender": "b", "epoch": 1, "sequence": 2, "stamp": 3, "arrival": 4}
    assert reported == [{"goal": None, "n": "1"}, {"n": "2"}, {"goal": plain}, {}]


def test_a_number_that_grows_in_each_tick_is_written_now_and_then_and_what_else_changes_at_once():
    poses = [{"pose": Pose2D(1.0 + k / 3.0, 2.0, 0.0)} for k in range(25)]
    reported = kept(*poses, {"pose": None})
    assert [k for k, one in enumerate(reported) if one] == [0, NUMBERS_EVERY, 2 * NUMBERS_EVERY, 25]
    assert reported[NUMBERS_EVERY] == {"pose": [4.33333, 2.0, 0.0]}
    assert reported[25] == {"pose": None}


def test_a_number_that_changes_seldom_is_written_at_once():
    reported = kept(*[{"lease": 1}] * NUMBERS_EVERY, {"lease": 2}, {"lease": 3})
    assert reported[NUMBERS_EVERY - 1 :] == [{}, {"lease": 2}, {}]


def test_a_whole_tick_tells_the_whole_blackboard():
    reported = kept(*[{"lease": "a", "home": Pose2D()}] * (WHOLE_EVERY + 1))
    assert [k for k, one in enumerate(reported) if one] == [0, WHOLE_EVERY]
    assert reported[0] == reported[WHOLE_EVERY] == {"lease": "a", "home": [0.0, 0.0, 0.0]}


def test_a_tree_comes_back():
    root = create_root("wolf", Live(WolfParameters()), RandomStreams(1))
    nodes = decode_tree(encode_tree(root))
    real = list(root.iterate())
    assert [node.name for node in nodes] == [node.name for node in real]
    assert [node.kind for node in nodes] == [type(node).__name__ for node in real]
    assert [node.parent for node in nodes] == [-1 if n.parent is None else real.index(n.parent) for n in real]


WHOLE = json.loads(TickEncoder().encode(FIRST, [""] * 3))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("tick", -1), ("tick", True), ("tick", 1.5), ("now", -5), ("now", 1 << 63), ("now", "0"),
        ("statuses", "0001"), ("statuses", "000109"), ("statuses", "00 102"), ("statuses", 7),
        ("active", None), ("active", "x" * 20_000), ("command", [1.0]), ("command", [1.0, "2"]),
        ("twist", [1e400, 0.0]), ("reasons", "scan"), ("reasons", [1]), ("fault", 3), ("sequences", [1.5]),
        ("sequences", "01"), ("tracking", [1, 2]), ("tracking", ["chase", 0, 0, 0, 0, 0, 0, None]),
        ("feedback", {"3": "x"}), ("feedback", {"x": "x"}), ("feedback", {"0": 1}), ("feedback", []),
        ("cues", {}), ("received", [["a", 1]]), ("received", [["a", 1.0, 2]]),
        ("blackboard", []), ("blackboard", {str(k): 0 for k in range(500)}),
        ("blackboard", {"deep": json.loads("[" * 50 + "]" * 50)}),
    ],
)  # fmt: skip
def test_what_is_no_tick_is_refused(key: str, value: object):
    TickDecoder(3).decode(json.dumps(WHOLE))
    with pytest.raises(MalformedError):
        TickDecoder(3).decode(json.dumps({**WHOLE, key: value}))


@pytest.mark.parametrize("key", [key for key in WHOLE if key not in ("received", "cues")])
def test_a_whole_tick_lacks_nothing(key: str):
    with pytest.raises(MalformedError):
        TickDecoder(3).decode(json.dumps({name: value for name, value in WHOLE.items() if name != key}))


@pytest.mark.parametrize(
    "text", ["", "[]", "null", "{", "[" * 100_000, '{"tick":NaN}', '{"nodes":[]}', '{"nodes":[["a","b",0]]}',
             '{"nodes":[["a","b",-1],["c","d",-1]]}', '{"nodes":[["a",1,-1]]}', '{"nodes":[["a\\n","b",-1]]}'],
)  # fmt: skip
def test_what_is_no_tree_is_refused(text: str):
    with pytest.raises(MalformedError):
        decode_tree(text)
    with pytest.raises(MalformedError):
        TickDecoder(1).decode(text)


@given(st.text(max_size=60) | st.recursive(st.none() | st.floats() | st.text(), st.lists).map(json.dumps))
def test_no_text_does_harm(text: str):
    for read in (decode_tree, TickDecoder(2).decode):
        with pytest.raises(MalformedError):
            read(text)
