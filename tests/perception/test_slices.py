"""The Crossroads report's masks: where red and black are in a slice of a picture, in good light and bad."""

import math

import numpy as np
import pytest
from helpers.road_pictures import CAMERA, Road, as_image, brighten

from arena_trees.control.lane_law import lane_error
from arena_trees.perception.image import Rgb
from arena_trees.perception.lanes.floor_camera import CameraPlace, FloorCamera
from arena_trees.perception.lanes.lines import LaneDetector
from arena_trees.perception.lanes.slices import FAR_SLICE, NEAR_SLICE, read_slice
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.lane import SliceColumns

ROAD = Road()
LANE = 0.6


def photograph(back: float, aside: float = 0.0, turned: float = 0.0) -> Rgb:
    """Return a picture from so far (m) before the centre on the southern arm, aside (m, left) of the lane's middle."""
    return ROAD.photograph(Pose2D(0.0, 0.0, math.pi / 2).compose(Pose2D(-back, aside - LANE / 2, turned)))


def read(pixels: Rgb, begin: float = NEAR_SLICE) -> SliceColumns:
    seen = read_slice(pixels, CAMERA, begin, LANE)
    return seen


@pytest.mark.parametrize("begin", [NEAR_SLICE, FAR_SLICE])
def test_lines_stand_half_a_lane_beside_the_middle_and_both_are_inside_the_picture(begin: float) -> None:
    seen = read(photograph(2.4), begin)
    assert seen.red == pytest.approx(seen.half_lane, abs=0.01)
    assert seen.black == pytest.approx(-seen.half_lane, abs=0.01)
    assert seen.half_lane < math.tan(math.radians(CAMERA.place.hfov_deg / 2.0))
    assert lane_error(seen) == pytest.approx(0.0, abs=0.02)


@pytest.mark.parametrize(("aside", "turned", "sign"), [(0.05, 0.0, -1), (-0.05, 0.0, 1), (0.0, 0.05, -1)])
def test_a_robot_to_the_left_is_turned_right(aside: float, turned: float, sign: int) -> None:
    error = lane_error(read(photograph(2.4, aside, turned)))
    assert 0.1 < sign * error < 0.3


def test_the_middle_slice_sees_the_red_line_behind_the_crossing_where_the_lower_one_sees_nothing() -> None:
    waiting = photograph(0.92)
    assert (read(waiting).red, read(waiting).black) == (None, None)
    entered = photograph(0.7)
    assert read(entered, FAR_SLICE).red is not None
    assert lane_error(read(entered, FAR_SLICE), red_alone=True) == pytest.approx(0.0, abs=0.05)


def test_light_moves_colours_out_of_the_masks() -> None:
    dark = read(brighten(photograph(2.4), 0.3))
    assert dark.red is None
    # White paper is black by then.
    assert read(brighten(photograph(2.4), 0.2)).black == pytest.approx(0.0, abs=0.05)
    bright = np.maximum(photograph(2.4), 60)
    assert read(bright).black is None
    assert read(bright).red is not None


def test_a_slice_above_the_horizon_shows_no_floor() -> None:
    assert read_slice(photograph(2.4), CAMERA, 0.3, LANE) is None
    up = FloorCamera(CameraPlace(pitch_deg=-25.0), 250, 250)
    assert read_slice(photograph(2.4), up, NEAR_SLICE, LANE) is None


def test_the_detector_tells_what_the_masks_see() -> None:
    pixels = photograph(2.2, 0.03)
    lane = LaneDetector().detect(as_image(pixels))
    assert lane.near_slice == read(pixels)
    assert lane.far_slice == read(pixels, FAR_SLICE)
