"""The lane's lines in pictures of a crossing, in good light and bad; what is no line is none."""

import math
from dataclasses import replace

import numpy as np
import pytest
from helpers.road_pictures import CAMERA, Road, add_glare, add_noise, add_shadow, as_image, brighten, disturb

from arena_trees.games.crossroads.layout.plan import Movement
from arena_trees.games.crossroads.layout.words import Approach, Turn
from arena_trees.perception.image import Image, ImageError
from arena_trees.perception.lanes.calibration import LaneCalibration
from arena_trees.perception.lanes.floor_camera import CameraPlace
from arena_trees.perception.lanes.lines import LaneDetector, LaneParameters
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.lane import LaneLine, LaneLines

ROAD = Road()
DETECTOR = LaneDetector()
LANE, LINE = 0.6, 0.7

LIGHTS = {
    "plain": lambda image, rng: image,
    "40 % brighter": lambda image, rng: brighten(image, 1.4),
    "40 % darker": lambda image, rng: brighten(image, 0.6),
    "glare": lambda image, rng: add_glare(image, (125.0, 225.0), 25.0),
    "glare on the black line": lambda image, rng: add_glare(image, (240.0, 225.0), 10.0),
    "shadow along the lane": lambda image, rng: add_shadow(image, (125.0, 200.0), 0.2, 0.4),
    "shadow across the lane": lambda image, rng: add_shadow(image, (125.0, 190.0), math.pi / 2, 0.4, 1.0),
    "noise": lambda image, rng: add_noise(image, rng, 8.0),
}


def arm(back: float, aside: float = 0.0, turned: float = 0.0) -> Pose2D:
    """Return a pose so far (m) from the centre on the southern arm, aside (m, left) of the middle of its lane."""
    return Pose2D(0.0, 0.0, math.pi / 2).compose(Pose2D(-back, aside - LANE / 2, turned))


def look(pixels, beyond=False, heading=None, detector=DETECTOR) -> LaneLines:
    return detector.detect(as_image(pixels), beyond, heading)


@pytest.mark.parametrize("light", list(LIGHTS))
@pytest.mark.parametrize(("aside", "turned"), [(0.0, 0.0), (0.06, -0.05), (-0.05, 0.06)])
def test_lines_are_where_they_are_whatever_the_light(light, aside, turned):
    pixels = LIGHTS[light](ROAD.photograph(arm(2.0, aside, turned)), np.random.default_rng(1000))
    seen = look(pixels)
    assert seen.offset == pytest.approx(-aside, abs=0.01)
    assert seen.heading == pytest.approx(-turned, abs=math.radians(0.6))
    assert seen.red.offset == pytest.approx(LANE / 2 - aside, abs=0.012)
    assert seen.black.offset == pytest.approx(-LANE / 2 - aside, abs=0.012)
    assert seen.stop_distance == pytest.approx(2.0 - LINE, abs=0.02)
    assert seen.confidence > 0.5


@pytest.mark.parametrize(("column", "lost"), [(45.0, "red"), (205.0, "black")])
def test_where_glare_hides_a_line_the_other_one_serves(column, lost):
    seen = look(add_glare(ROAD.photograph(arm(2.3)), (column, 190.0), 28.0))
    assert (seen.red is None, seen.black is None) == (lost == "red", lost == "black")
    assert seen.offset == pytest.approx(0.0, abs=0.015)


def test_errors_in_changing_light_are_small():
    errors, stops, lost = [], [], 0
    for seed in range(1200, 1240):
        rng = np.random.default_rng(seed)
        back, aside, turned = rng.uniform(1.5, 2.6), rng.uniform(-0.1, 0.1), rng.uniform(-0.15, 0.15)
        walls = tuple(int(value) for value in rng.integers(20, 250, 3))
        seen = look(disturb(ROAD.photograph(arm(back, aside, turned), walls), rng))
        if seen.offset is None:
            lost += 1
        else:
            errors.append(seen.offset + aside)
        if seen.stop_distance is not None:
            stops.append(seen.stop_distance - (back - LINE))
    assert lost <= 2
    assert np.sqrt(np.mean(np.square(errors))) < 0.01
    assert np.abs(errors).max() < 0.04
    assert len(stops) >= 36
    assert np.abs(stops).max() < 0.03


@pytest.mark.parametrize("turn", list(Turn))
def test_inside_the_crossing_only_the_lane_that_is_expected_is_taken(turn):
    movement = Movement(Approach.SOUTH, turn, ROAD.floor.crossing)
    found = 0
    for index, progress in enumerate(np.linspace(0.0, movement.length, 10)):
        rng = np.random.default_rng(1300 + index)
        pose = movement.path.pose(float(progress)).compose(Pose2D(0.0, rng.uniform(-0.03, 0.03)))
        beside = movement.path.end.relative(pose)
        seen = look(disturb(ROAD.photograph(pose), rng), True, wrap(-beside.yaw))
        assert seen.stop_distance is None
        if seen.offset is not None:
            found += 1
            assert seen.offset == pytest.approx(-beside.y, abs=0.04)
            assert seen.heading == pytest.approx(-beside.yaw, abs=math.radians(3.0))
    assert found >= (9 if turn is Turn.STRAIGHT else 5)


def test_without_an_expected_heading_lines_of_the_crossing_road_are_none():
    # In mid crossing, looking north: both red lines of the other road lie across.
    seen = look(ROAD.photograph(arm(0.9)), beyond=True)
    assert seen.offset == pytest.approx(0.0, abs=0.01)
    assert seen.heading == pytest.approx(0.0, abs=0.02)


def test_a_line_that_is_out_of_sight_is_lost_and_the_other_one_serves():
    seen = look(ROAD.photograph(arm(1.9, -0.05, -0.22)), detector=LaneDetector(None, LaneParameters(reach=1.4)))
    assert seen.red is None
    assert seen.black is not None
    assert seen.offset == pytest.approx(0.05, abs=0.025)


def test_an_expected_heading_makes_up_for_a_short_line():
    detector = LaneDetector(None, LaneParameters(reach=1.3))
    pixels = ROAD.photograph(arm(1.6))
    assert look(pixels, detector=detector).offset is None
    helped = look(pixels, heading=0.0, detector=detector)
    assert helped.offset == pytest.approx(0.0, abs=0.015)


@pytest.mark.parametrize("shade", [0, 128, 255])
def test_plain_pictures_show_nothing(shade):
    seen = look(np.full((250, 250, 3), shade, np.uint8))
    assert seen.red is None
    assert seen.black is None
    assert seen.offset is None
    assert seen.heading is None
    assert seen.stop_distance is None
    assert seen.confidence == 0.0


def test_noise_shows_nothing():
    for seed in range(1000, 1010):
        seen = look(np.random.default_rng(seed).integers(0, 256, (250, 250, 3), np.uint8))
        assert seen.confidence == 0.0


@pytest.mark.parametrize("walls", [(205, 44, 26), (20, 20, 20), (18, 150, 62), (250, 250, 250)])
def test_walls_of_the_lines_own_colours_are_no_lines(walls):
    for back, turned in ((1.5, -0.11), (1.8, 0.0), (2.3, 0.1)):
        seen = look(ROAD.photograph(arm(back, 0.03, turned), walls))
        if seen.offset is not None:
            assert seen.offset == pytest.approx(-0.03, abs=0.03)


def test_another_size_another_camera_and_one_that_sees_no_floor_finds_nothing():
    road = Road(camera=replace(CAMERA, place=CameraPlace(hfov_deg=69.0, z=0.3, pitch_deg=15.0), width=640, height=480))
    detector = LaneDetector(LaneCalibration(camera=road.camera.place))
    seen = look(road.photograph(arm(1.5, 0.05, 0.1)), detector=detector)
    assert seen.offset == pytest.approx(-0.05, abs=0.01)
    assert seen.stop_distance == pytest.approx(1.5 - LINE, abs=0.01)
    detector = LaneDetector(LaneCalibration(camera=CameraPlace(pitch_deg=-30.0)))
    assert look(ROAD.photograph(arm(2.0)), detector=detector).confidence == 0.0


@pytest.mark.parametrize(("width", "height"), [(8, 8), (8, 4096), (4096, 8)])
def test_odd_shapes_are_looked_at(width, height):
    seen = look(np.full((height, width, 3), 200, np.uint8))
    assert seen.confidence == 0.0


@pytest.mark.parametrize(
    "changes", [{"width": 251}, {"encoding": "yuv"}, {"step": 10}, {"data": b"short"}, {"height": 10**6}, {"data": 3}]
)
def test_images_that_contradict_themselves_are_refused(changes):
    image = replace(as_image(ROAD.photograph(arm(2.0))), **changes)
    with pytest.raises(ImageError):
        DETECTOR.detect(image)


@pytest.mark.parametrize("heading", [math.nan, math.inf])
def test_a_heading_that_is_no_number_is_refused(heading):
    with pytest.raises(ValueError, match="finite"):
        look(ROAD.photograph(arm(2.0)), heading=heading)


def test_the_same_picture_gives_the_same_lines_and_keeps_its_stamps():
    image = as_image(disturb(ROAD.photograph(arm(2.0)), np.random.default_rng(1000)))
    first = DETECTOR.detect(image)
    assert first == LaneDetector().detect(image)
    assert (first.stamp, first.arrival, first.sequence) == (image.stamp, image.arrival, image.sequence)
    grey = Image(1, 2, 3, 250, 250, "mono8", 250, np.ascontiguousarray(ROAD.photograph(arm(2.0))[..., 0]))
    assert DETECTOR.detect(grey).red is None


def test_a_line_says_where_it_is_ahead():
    line = LaneLine(0.3, 0.1, 0.9)
    assert line.left_at(-0.3 * math.sin(0.1)) == pytest.approx(0.3 * math.cos(0.1))
    lanes = LaneLines(0, 0, 1, line, None, None, 0.6)
    assert lanes.offset == pytest.approx(0.0)
    assert LaneLines(0, 0, 1, None, LaneLine(-0.3, 0.1, 0.9), None, 0.6).offset == pytest.approx(0.0)
