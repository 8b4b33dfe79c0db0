"""A robot's own calibration: its file, and what is suggested from its pictures."""

import cv2
import numpy as np
import pytest
from helpers.road_pictures import CAMERA, Road, as_image, disturb

from arena_trees.perception.lanes.birds_eye import look_down
from arena_trees.perception.lanes.calibration import BlackInk, ColouredInk, LaneCalibration, load_calibration
from arena_trees.perception.lanes.lines import LaneDetector
from arena_trees.perception.lanes.suggestion import suggest
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D

ROAD = Road()
POSE = Pose2D(0.3, -2.0, 1.5708)


def view(pixels):
    return look_down(pixels, CAMERA, LaneDetector().grid(250, 250))


def turned_hue(pixels, degrees):
    """Return the picture as a camera gives it whose colours are off."""
    hsv = cv2.cvtColor(np.ascontiguousarray(pixels), cv2.COLOR_RGB2HSV)
    hsv[..., 0] = (hsv[..., 0].astype(int) + degrees // 2) % 180
    return cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)


def test_a_robot_has_its_own_and_the_shipped_file_is_the_defaults(tmp_path):
    path = tmp_path / "lanes.yaml"
    path.write_text("robots:\n  robot_2:\n    red: {hue_deg: 20.0}\n    camera: {z: 0.3}\n")
    assert load_calibration("robot_1", path) == LaneCalibration()
    own = load_calibration("robot_2", path)
    assert (own.red.hue_deg, own.camera.z) == (20.0, 0.3)
    assert load_calibration("robot_1") == LaneCalibration()


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("default: {red: {hue_deg: .nan}}", "default.red.hue_deg"),
        ("default: {red: {hue_deg: 400.0}}", "default.red.hue_deg"),
        ("default: {black: {value_full: 0.9, value_to: 0.5}}", "default.black"),
        ("default: {green: {hue_deg: 140.0, saturation_from: 0.5, saturation_full: 0.5}}", "default.green"),
        ("default: {blue: {}}", "default.blue"),
        ("robots: {robot_1: {camera: {z: 0.0}}}", "robots.robot_1.camera.z"),
    ],
)
def test_bad_files_are_refused_in_one_line(tmp_path, text, key):
    path = tmp_path / "lanes.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as refused:
        load_calibration("robot_1", path)
    assert str(path) in str(refused.value)
    assert key in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_is_suggested_finds_lines_whose_colours_are_off():
    pictures = [
        turned_hue(disturb(ROAD.photograph(POSE), np.random.default_rng(seed)), 44) for seed in range(1000, 1006)
    ]
    plain = LaneDetector()
    found = suggest([view(pixels) for pixels in pictures], LaneCalibration())
    assert found.calibration.red.hue_deg == pytest.approx(50.0, abs=8.0)
    assert min(found.cells.values()) > 0
    assert found.calibration.camera == LaneCalibration().camera
    own = LaneDetector(found.calibration)
    clean = as_image(turned_hue(ROAD.photograph(POSE), 44))
    assert plain.detect(clean).red is None
    assert own.detect(clean).offset == pytest.approx(0.0, abs=0.01)
    assert own.detect(clean).red is not None


def test_nothing_is_suggested_from_nothing():
    for views in ([], [view(np.full((250, 250, 3), 200, np.uint8))]):
        found = suggest(views, LaneCalibration())
        assert found.calibration == LaneCalibration()
        assert set(found.cells.values()) == {0}


def test_limits_must_be_in_order():
    with pytest.raises(ValueError, match="below"):
        ColouredInk(hue_deg=0.0, saturation_from=0.6, saturation_full=0.5)
    with pytest.raises(ValueError, match="below"):
        BlackInk(value_full=0.8, value_to=0.8)
