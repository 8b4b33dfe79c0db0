import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.geometry import ZERO, Twist2D
from arena_trees.safety.command_stream import CommandStream
from arena_trees.safety.parameters import GuardParameters

GO = Twist2D(0.2, 0.1)
START = from_seconds(100.0)
MS = 1_000_000
HOUR = from_seconds(3600.0)


class Line:
    """A sender and a receiver whose clocks may differ."""

    def __init__(self):
        self.stream = CommandStream(GuardParameters(), ZERO)
        self.now = START
        self.sender_ahead = from_seconds(1e9)

    def send(self, command=GO, age=0, label=None):
        label = self.now + self.sender_ahead - age if label is None else label
        self.stream.take(command, label, self.now - age, self.now)

    def run(self, milliseconds, command=GO):
        for _ in range(milliseconds // 20):
            self.now += 20 * MS
            self.send(command)


def test_a_command_is_obeyed_for_80_ms_and_no_longer():
    line = Line()
    assert line.stream.command(line.now) is None
    line.send()
    assert line.stream.command(line.now + 80 * MS) == GO
    assert line.stream.command(line.now + 81 * MS) is None
    assert line.stream.command(line.now - 1) is None


@pytest.mark.parametrize(
    ("age", "reason"),
    [(99, None), (101, "stamp too old"), (-99, None), (-101, "stamp in the future"), (3_600_000, "stamp too old")],
)
def test_a_stamp_must_lie_near_its_arrival(age, reason):
    line = Line()
    line.send(age=age * MS)
    assert line.stream.refused == reason
    assert (line.stream.command(line.now) is None) == (reason is not None)


@pytest.mark.parametrize("label", [1, 0, -5])
def test_a_stamp_that_stands_or_is_missing_does_not_count(label):
    line = Line()
    line.send(label=label)
    counted = line.stream.command(line.now)
    assert counted == (GO if label == 1 else None)
    for _ in range(10):
        line.now += 20 * MS
        line.send(label=label)
    assert line.stream.command(line.now) is None
    assert line.stream.refused == "stamp does not advance"
    # It is the clock that stands, not the tree that died.
    assert not line.stream.died(line.now)


def test_a_clock_that_jumps_costs_one_message_at_most():
    line = Line()
    line.run(100)
    for jump in (-HOUR, HOUR, -5 * MS):
        line.sender_ahead += jump
        line.run(20)
        assert line.stream.command(line.now) == GO
        line.run(20)
        assert line.stream.refused is None
        line.run(400)
        assert line.stream.command(line.now) == GO


def test_a_zero_stops_whatever_its_stamp():
    line = Line()
    line.run(100)
    line.send(ZERO, age=HOUR)
    assert line.stream.command(line.now) == ZERO
    assert not line.stream.died(line.now + HOUR)
    line.run(20)
    assert line.stream.command(line.now) == GO


def test_who_falls_silent_while_driving_has_died_and_who_stood_has_not():
    driving, standing = Line(), Line()
    driving.run(100)
    standing.run(100)
    standing.run(20, ZERO)
    assert not driving.stream.died(driving.now + 500 * MS)
    assert driving.stream.died(driving.now + 501 * MS)
    assert not standing.stream.died(standing.now + HOUR)
    driving.stream.reset()
    assert not driving.stream.died(driving.now + HOUR)


def test_a_sender_rests_after_five_zeros_or_a_long_silence():
    line = Line()
    assert line.stream.at_rest(line.now)
    line.run(100)
    assert not line.stream.at_rest(line.now)
    line.run(80, ZERO)
    assert not line.stream.at_rest(line.now)
    line.run(20, ZERO)
    assert line.stream.at_rest(line.now)
    line.run(20)
    assert not line.stream.at_rest(line.now)
    assert line.stream.at_rest(line.now + 501 * MS)


def test_nothing_from_before_is_obeyed_after_it_was_forgotten():
    line = Line()
    line.run(100)
    line.stream.reset()
    assert line.stream.command(line.now) is None
    line.run(20)
    assert line.stream.command(line.now) == GO


@pytest.mark.parametrize("ahead", [0, 1, 500])
def test_two_senders_that_count_apart_are_rivals(ahead):
    line = Line()
    for number in range(1, 9):
        for own in (number + ahead, number):
            line.now += 10 * MS
            line.stream.take(GO, line.now, line.now, line.now, own)
    assert line.stream.rivals(line.now)
    assert not line.stream.rivals(line.now + SECOND)


def test_a_sender_that_starts_anew_or_loses_messages_is_no_rival():
    line = Line()
    for number in (1, 2, 5, 9, 10, 1, 2, 3, 7, 1, 2, None, 3, 4, None, 1):
        line.now += 20 * MS
        line.stream.take(GO, line.now, line.now, line.now, number)
        assert not line.stream.rivals(line.now)


times = st.integers(0, 200 * MS) | st.integers(-(2**63), 2**63)
numbers = st.sampled_from([0.0, 0.3, math.nan, math.inf])
messages = st.tuples(st.builds(Twist2D, numbers, numbers), times, times, times)


@given(st.lists(messages, max_size=8), times)
def test_motion_is_only_obeyed_while_its_message_is_fresh_and_was_well_stamped(sequence, now):
    stream = CommandStream(GuardParameters(), ZERO)
    good = []
    before = None
    for command, label, stamp, arrival in sequence:
        stream.take(command, label, stamp, arrival)
        if label > 0 and (before is None or label > before) and abs(stamp - arrival) <= 100 * MS:
            good.append((command, arrival))
        before = label
    obeyed = stream.command(now)
    if obeyed is not None and obeyed != ZERO:
        assert any(obeyed is command and 0 <= now - arrival <= 80 * MS for command, arrival in good)
