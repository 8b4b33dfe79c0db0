"""Exposure, blur and noise of a rendered camera, on plain pictures."""

import math

import numpy as np
import pytest

from arena_trees.robot.errors import ConfigError
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.simulation.sensors.camera_image import CameraImage, ImageParameters
from arena_trees.simulation.sensors.sign_camera import CameraParameters
from arena_trees.world.pinhole import Pinhole

PLAIN = {
    "exposure_low": 1.0,
    "exposure_high": 1.0,
    "exposure_s": 0.0,
    "colour_cast": 0.0,
    "vignette": 0.0,
    "lens_blur_px": 0.0,
    "noise": 0.0,
}

PINHOLE = Pinhole(80, 60, 2.0 * math.atan(0.4), 0.0, 0.2)
"""Of a focal length of 100 px."""


def lens(seed=1, **changes):
    parameters = ImageParameters().with_changes({**PLAIN, **changes})
    return CameraImage(parameters, RandomStreams(seed).generator("lens"), PINHOLE)


def grey(level):
    return np.full((60, 80, 3), level, np.uint8)


@pytest.mark.parametrize("level", [50, 100, 200])
def test_the_automatic_exposure_aims_at_medium_grey(level):
    taken = [lens(seed).take(grey(level), 0.0).mean() for seed in range(20)]
    assert np.mean(taken) == pytest.approx(0.42 * 255, rel=0.06)


def test_the_dark_stays_dark_and_bright_card_does_not_turn_plain_white():
    assert lens().take(grey(10), 0.0).mean() < 30
    picture = grey(70)
    picture[20:40, 20:40] = 160
    picture[20:40, 30:40] = 130
    taken = lens(exposure_low=1.4, exposure_high=1.4).take(picture, 0.0)
    assert taken[30, 25].mean() > taken[30, 35].mean()


def test_noise_has_at_most_its_size_and_is_another_in_each_frame():
    camera = lens(noise=0.05)
    first, second = camera.take(grey(107), 0.0), camera.take(grey(107), 0.0)
    assert 0.0 < first.std() < 0.06 * 255
    assert (first != second).mean() > 0.5


def test_turning_smears_along_the_rows():
    picture = grey(100)
    picture[:, 40:] = 20
    still, turning = lens().take(picture, 0.0), None
    for seed in range(5):
        camera = lens(seed, exposure_s=0.05)
        turning = camera.take(picture, -1.5)
        width = int((np.diff(turning[30, :, 0].astype(int)) != 0).sum())
        # Focal length 100 px, at most 0.05 s at 1.5 rad/s: up to 7.5 px.
        assert 1 <= width <= 9
    assert (np.diff(still[30, :, 0].astype(int)) != 0).sum() == 1
    assert (np.diff(turning[:, 20, 0].astype(int)) == 0).all()


def test_corners_lose_light_and_colours_their_balance():
    # A vignette is drawn between nothing and its limit.
    taken = [lens(seed, vignette=0.5).take(grey(100), 0.0).astype(float) for seed in range(8)]
    assert min(image[0, 0, 0] / image[30, 40, 0] for image in taken) < 0.8
    cast = [lens(seed, colour_cast=0.1).take(grey(100), 0.0)[30, 40] for seed in range(8)]
    assert max(np.ptp(pixel.astype(int)) for pixel in cast) > 5


def test_equal_seeds_take_equal_pictures():
    noisy = {key: value for key, value in ImageParameters().model_dump().items() if key in PLAIN}
    pictures = [[camera.take(grey(90), 0.7) for _ in range(3)] for camera in (lens(4, **noisy), lens(4, **noisy))]
    for one, other in zip(*pictures, strict=True):
        np.testing.assert_array_equal(one, other)
    assert (lens(5, **noisy).take(grey(90), 0.7) != pictures[0][0]).any()


def test_exposures_must_be_in_order():
    with pytest.raises(ConfigError, match="exposure_low is above exposure_high"):
        CameraParameters().with_changes({"image.exposure_low": 2.0})
