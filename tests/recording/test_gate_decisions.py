"""What a gate decided that is a process of its own: written where it is news, and put into the tree's ticks."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.recording.traces.decided_ticks import with_decisions
from arena_trees.recording.traces.tick import Tick
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import ZERO, Twist2D
from arena_trees.robot.messaging.json_text import JsonError
from arena_trees.robot.ports import GateDecision
from arena_trees.robot.ros_messages.gate_decisions import DecisionEncoder, RecordedDecision, decode_decision
from arena_trees.robot.timing import TICK
from arena_trees.robot.turret import STEADY, TurretRates
from arena_trees.safety.reasons import GateReason

DRIVE = GateDecision(Twist2D(0.2, -0.5), (GateReason.SPEED_CAP,), None)
STOP = GateDecision(ZERO, ("scan stale", "too near"), "operator stop: service")

numbers = st.floats(-10.0, 10.0).map(lambda number: round(number, 6) + 0.0)
decisions = st.builds(
    GateDecision,
    st.builds(Twist2D, numbers, numbers),
    st.lists(st.text(max_size=20), max_size=3).map(tuple),
    st.none() | st.text(max_size=20),
    st.builds(TurretRates, numbers, numbers),
)


@given(st.integers(0, (1 << 63) - 1), decisions)
def test_what_is_written_is_read(now, decision):
    made = RecordedDecision(now, decision)
    assert decode_decision(DecisionEncoder().encode(made)) == made


def test_a_decision_that_is_no_news_is_written_once_a_second():
    encoder = DecisionEncoder()
    made = [RecordedDecision(number * TICK, DRIVE if number < 120 else STOP) for number in range(140)]
    written = [decode_decision(line) for line in map(encoder.encode, made) if line is not None]
    assert [decision.now // TICK for decision in written] == [0, 50, 100, 120]
    assert written[-1].decision == STOP
    assert encoder.encode(RecordedDecision(0, STOP)) is not None, "a clock that went back is news"


def test_a_steady_turret_takes_no_room():
    assert "turret" not in DecisionEncoder().encode(RecordedDecision(0, DRIVE))
    turning = replace(DRIVE, turret=TurretRates(0.1, 0.0))
    assert decode_decision(DecisionEncoder().encode(RecordedDecision(0, turning))).decision.turret.yaw == 0.1
    assert decode_decision(DecisionEncoder().encode(RecordedDecision(0, DRIVE))).decision.turret == STEADY


@pytest.mark.parametrize(
    "spoilt",
    [{"twist": [0.1]}, {"twist": None}, {"now": -1}, {"reasons": "too near"}, {"latched": 3}, {"twist": [1e999, 0.0]}],
)
def test_a_line_that_is_no_decision_is_refused(spoilt):
    sound = json.loads(DecisionEncoder().encode(RecordedDecision(5, DRIVE)))
    assert sound == {"now": 5, "twist": [0.2, -0.5], "reasons": ["speed cap"], "latched": None}
    line = sound | spoilt
    with pytest.raises(JsonError):
        decode_decision(json.dumps(line))


def test_a_tick_has_what_the_gate_made_of_it_before_the_next_one():
    ticks = [Tick(SECOND + number * TICK, b"", twist=Twist2D(0.3, 0.0), number=number) for number in range(110)]
    late = TICK // 2
    made = [
        RecordedDecision(ticks[10].now + late, DRIVE),
        RecordedDecision(ticks[12].now + late, STOP),
    ]
    put = with_decisions(ticks, made)
    assert put[9] == ticks[9], "of the time before the first decision nothing is known"
    assert [tick.reasons for tick in put[10:13]] == [("speed cap",), ("speed cap",), ("scan stale", "too near")]
    assert (put[11].twist, put[11].fault) == (DRIVE.twist, None)
    assert (put[12].twist, put[12].fault) == (ZERO, "operator stop: service")
    assert put[85].reasons and put[109] == ticks[109], "a gate that says nothing for more than 1.5 s is not known"
    assert with_decisions([replace(ticks[12], fault="Go raised")], made)[0].fault == "Go raised"
