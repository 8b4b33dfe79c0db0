"""The lines of a lane as text, and texts that tell of none."""

import json
import math

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")

from hypothesis import given
from hypothesis import strategies as st

from arena_trees.robot.lane import LaneLine, LaneLines, SliceColumns
from arena_trees.robot.ros_messages.lane_text import LaneTextError, lane_from_text, lane_to_text

NUMBERS = st.floats(-1e6, 1e6)
LINES = st.none() | st.builds(LaneLine, NUMBERS, NUMBERS, st.floats(0.0, 1.0))
SLICES = st.none() | st.builds(SliceColumns, st.none() | NUMBERS, st.none() | NUMBERS, NUMBERS)
STAMPS = st.integers(0, (1 << 63) - 1)
GOOD = {"stamp": 5, "red": [0.3, 0.0, 1.0], "black": None, "stop_distance": 1.2, "lane_width": 0.6}


@given(STAMPS, LINES, LINES, st.none() | NUMBERS, NUMBERS, SLICES, SLICES)
def test_a_lane_comes_back_as_it_was(stamp, red, black, stop, width, near, far):
    lane = LaneLines(stamp, stamp, 7, red, black, stop, width, near, far)
    assert lane_from_text(lane_to_text(lane), 7) == lane


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no JSON",
        "[]",
        "null",
        "[" * 1900,
        "x" * 3000,
        json.dumps({}),
        json.dumps({**GOOD, "more": 1}),
        json.dumps({**GOOD, "stamp": -1}),
        json.dumps({**GOOD, "stamp": True}),
        json.dumps({**GOOD, "stamp": 1 << 63}),
        json.dumps({**GOOD, "red": [0.3, 0.0]}),
        json.dumps({**GOOD, "red": 7}),
        json.dumps({**GOOD, "red": [0.3, math.nan, 1.0]}),
        json.dumps({**GOOD, "stop_distance": math.inf}),
        json.dumps({**GOOD, "stop_distance": "near"}),
        json.dumps({**GOOD, "lane_width": None}),
        json.dumps(GOOD).replace("1.2", "1e999"),
    ],
)
def test_what_tells_of_no_lane_is_refused(text):
    with pytest.raises(LaneTextError):
        lane_from_text(text, 1)


def test_what_is_not_finite_is_not_told():
    with pytest.raises(ValueError):
        lane_to_text(LaneLines(1, 1, 1, LaneLine(math.nan, 0.0, 1.0), None, None, 0.6))
