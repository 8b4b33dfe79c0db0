"""The laws along a way: they come back to it, keep to bends, and heed the wheels."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.control.lane_law import PathError, along_path, lane_error, speed_in_turn
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.lane import SliceColumns

GAINS = (6.0, 5.0)


@given(
    aside=st.floats(-0.2, 0.2),
    turned=st.floats(-0.4, 0.4),
    bend=st.sampled_from([0.0, 1.0, -2.5, 3.3]),
    speed=st.floats(0.05, 0.3),
)
def test_it_comes_back_to_the_way(aside, turned, bend, speed):
    # A circle (or line) whose place at arc length s is known; the robot is moved exactly.
    pose, s, step = Pose2D(0.0, aside, turned), 0.0, 0.02
    for _ in range(math.ceil(4.0 / (speed * step))):
        for _ in range(3):
            beside = _place(bend, s).relative(pose)
            s += beside.x / max(0.3, 1.0 - bend * beside.y)
        twist = along_path(PathError(beside.y, beside.yaw), bend, speed, *GAINS)
        assert twist.linear == speed
        angle = twist.angular * step
        pose = pose.compose(Pose2D(speed * step * math.cos(angle / 2), speed * step * math.sin(angle / 2), angle))
    final = _place(bend, s).relative(pose)
    assert abs(final.y) < 0.01
    assert abs(final.yaw) < 0.03


def _place(bend: float, s: float) -> Pose2D:
    if bend == 0.0:
        return Pose2D(s)
    return Pose2D(math.sin(bend * s) / bend, (1.0 - math.cos(bend * s)) / bend, bend * s)


@given(bend=st.floats(-6.0, 6.0))
def test_no_wheel_is_faster_than_its_limit(bend):
    speed = speed_in_turn(bend, 0.295, 0.1165)
    assert speed * (1.0 + 0.1165 * abs(bend)) == pytest.approx(0.295)


def test_the_documents_error_is_positive_where_the_lane_is_to_the_left():
    assert lane_error(SliceColumns(0.3, -0.3, 0.3)) == pytest.approx(0.0)
    # Hundreds of pixels of its own camera, 340 px of focal length.
    assert lane_error(SliceColumns(0.4, -0.2, 0.3)) == pytest.approx(0.34, abs=0.001)
    # By one line alone the middle is half a lane beside it.
    assert lane_error(SliceColumns(0.4, None, 0.3)) == pytest.approx(0.34, abs=0.001)
    assert lane_error(SliceColumns(None, -0.2, 0.3)) == pytest.approx(0.34, abs=0.001)
    assert lane_error(SliceColumns(0.4, -0.4, 0.3), red_alone=True) == pytest.approx(0.34, abs=0.001)
    assert lane_error(SliceColumns(None, -0.3, 0.3), red_alone=True) is None
    assert lane_error(SliceColumns(None, None, 0.3)) is None
