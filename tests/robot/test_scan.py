"""Scans: LaserScan in all its real forms becomes points in base_link, or is refused."""

import math
from dataclasses import replace

import numpy as np
import pytest
from helpers.scans import laser
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.robot.errors import ScanError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.scan import MAXIMUM_BEAMS, Scan

NO_RETURN = [math.inf, -0.0, 0.0, math.nan, 0.01, 12.0, 13.0, 65.5]


def test_a_turtlebots_lidar_is_yawed_and_set_back() -> None:
    """Index 0 looks along the sensor's own x, which points to the robot's left."""
    ranges = np.full(360, math.inf)
    ranges[0], ranges[270] = 1.0, 2.0
    message = laser(ranges, angle_min=0.0, angle_max=math.tau - math.tau / 360, mount=Pose2D(-0.04, 0.0, math.pi / 2))
    scan = Scan.from_laser(message)
    assert scan.x == pytest.approx([-0.04, 1.96])
    assert scan.y == pytest.approx([1.0, 0.0])
    assert scan.bearing == pytest.approx([math.atan2(1.0, -0.04), 0.0])
    assert scan.distance == pytest.approx([math.hypot(0.04, 1.0), 1.96])


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_sensor_upside_down_counts_backwards(sign: float) -> None:
    ranges = [1.0, 1.0, 1.0]
    scan = Scan.from_laser(laser(ranges, angle_min=-0.1 * sign, angle_max=0.1 * sign, angle_increment=0.1 * sign))
    assert scan.bearing == pytest.approx([-0.1 * sign, 0.0, 0.1 * sign])


@pytest.mark.parametrize("offset", [0.0, 1.0])
def test_angle_max_may_be_the_last_beam_or_one_past_it(offset: float) -> None:
    scan = Scan.from_laser(laser([1.0] * 8, angle_min=0.0, angle_max=(7 + offset) * 0.5, angle_increment=0.5))
    assert scan.beams == 8
    assert scan.bearing[1] == pytest.approx(0.5)


def test_angles_beyond_a_turn_are_wrapped() -> None:
    scan = Scan.from_laser(laser([1.0] * 4, angle_min=math.pi, angle_max=2.5 * math.pi, angle_increment=math.pi / 2))
    assert np.sin(scan.bearing) == pytest.approx([0.0, -1.0, 0.0, 1.0], abs=1e-12)
    assert np.abs(scan.bearing).max() <= math.pi


def test_a_scan_knows_where_its_lidar_has_no_beams() -> None:
    """A turtlebot's mount with half a turn of beams that looks to the robot's left; whether they return or not."""
    half = {"angle_min": -math.pi / 2, "angle_max": math.pi / 2, "angle_increment": math.pi / 180}
    view = Scan.from_laser(laser([math.inf] * 181, mount=Pose2D(-0.04, 0.0, math.pi / 2), **half)).view
    assert not view.all_round
    assert view.width == pytest.approx(math.radians(181))
    x, y = np.array([-0.04, 1.0, -1.0, -0.04]), np.array([1.0, 0.1, 0.1, -1.0])
    assert view.contains(x, y).tolist() == [True, True, True, False]


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(
    ("beams", "first_deg", "step_deg", "begin_deg", "width_deg"),
    [(360, 0.0, 1.0, -180.0, 360.0), (359, -180.0, 1.0, -180.0, 360.0), (8, 0.0, 45.0, -180.0, 360.0),
     (270, -135.0, 1.0, -135.5, 270.0), (3, 170.0, 10.0, 165.0, 30.0), (350, -180.0, 1.0, 179.5, 350.0),
     (800, -180.0, 0.5, -180.0, 360.0)],
)  # fmt: skip
def test_the_view_of_a_message(beams, first_deg, step_deg, begin_deg, width_deg, backwards):
    ends = [math.radians(first_deg), math.radians(first_deg + (beams - 1) * step_deg)]
    first, last = ends[::-1] if backwards else ends
    step = math.radians(-step_deg if backwards else step_deg)
    view = Scan.from_laser(laser([1.0] * beams, angle_min=first, angle_max=last, angle_increment=step)).view
    assert (math.degrees(view.begin), math.degrees(view.width)) == pytest.approx((begin_deg, width_deg))
    assert view.all_round == (width_deg == 360.0)


@pytest.mark.parametrize("code", NO_RETURN)
def test_no_return_is_no_point(code: float) -> None:
    scan = Scan.from_laser(laser([code, 1.0, code, 2.0]))
    assert scan.distance == pytest.approx([1.0, 2.0])
    assert scan.beams == 4


@pytest.mark.parametrize("code", NO_RETURN)
def test_a_scan_without_any_return_does_not_renew_its_age(code: float) -> None:
    first = Scan.from_laser(laser([1.0, code], now=1_000))
    blind = Scan.from_laser(laser([code, code], now=2_000), first)
    again = Scan.from_laser(laser([code, code], now=3_000), blind)
    assert (blind.newest_return, again.newest_return) == (1_000, 1_000)
    assert again.return_age(3_500) == 2_500
    assert again.distance.size == 0
    sees = Scan.from_laser(laser([code, 3.0], now=4_000), again)
    assert sees.return_age(4_000) == 0


def test_a_scan_that_never_saw_anything_has_no_return_age() -> None:
    assert Scan.from_laser(laser([math.inf] * 5)).return_age(10) is None


def test_arrays_cannot_be_changed() -> None:
    scan = Scan.from_laser(laser([1.0, 2.0]))
    for array in (scan.x, scan.y, scan.bearing, scan.distance):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9.0


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"angle_increment": 0.0}, "angle_increment"),
        ({"angle_increment": math.nan}, "not finite"),
        ({"angle_min": -math.inf}, "not finite"),
        ({"angle_max": math.nan}, "not finite"),
        ({"range_max": math.inf}, "not finite"),
        ({"range_min": -1.0}, "limits"),
        ({"range_min": 12.0}, "limits"),
        ({"angle_max": 0.0}, "beams"),
        ({"angle_max": -4.0 * math.pi}, "beams"),
    ],
)
def test_messages_that_contradict_themselves_are_refused(changes: dict[str, float], word: str) -> None:
    with pytest.raises(ScanError, match=word):
        Scan.from_laser(laser([1.0] * 8, **changes))


@pytest.mark.parametrize("count", [0, MAXIMUM_BEAMS + 1])
def test_too_few_and_too_many_beams_are_refused(count: int) -> None:
    with pytest.raises(ScanError, match=f"{count} beams"):
        Scan.from_laser(laser(np.ones(count)))


def test_bad_arrays_and_mounts_are_refused() -> None:
    good = laser([1.0] * 8)
    for bad in (
        replace(good, ranges=np.ones((8, 1), dtype=np.float32)),
        replace(good, ranges=np.asarray([1.0] * 7 + [-1.0], dtype=np.float32)),
        replace(good, ranges=np.asarray([1.0] * 7 + [-math.inf], dtype=np.float32)),
        replace(good, mount=Pose2D(math.nan)),
    ):
        with pytest.raises(ScanError):
            Scan.from_laser(bad)


@given(
    st.lists(st.floats(width=32), min_size=1, max_size=40),
    st.floats(-10.0, 10.0),
    st.floats(0.001, 1.0),
    st.booleans(),
)
def test_no_message_puts_a_number_that_is_none_into_a_percept(ranges, angle_min, increment, backwards):
    increment = -increment if backwards else increment
    last = angle_min + increment * (len(ranges) - 1)
    message = laser(ranges, angle_min=angle_min, angle_max=last, angle_increment=increment)
    try:
        scan = Scan.from_laser(message)
    except ScanError:
        assert any(value < 0.0 for value in ranges)
        return
    assert all(np.isfinite(array).all() for array in (scan.x, scan.y, scan.bearing, scan.distance))
    assert len(scan.x) == sum(0.05 <= value < 12.0 for value in np.asarray(ranges, dtype=np.float32).tolist())
