"""Light on plain pictures: what each part of it does, that it can be turned off, and that it repeats."""

import math

import numpy as np
import pytest

from arena_trees.robot.clock import SECOND
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.simulation.rendering.light import LightParameters, VaryingLight, add_glare, brighten
from arena_trees.simulation.sensors.camera_image import CameraImage, ImageParameters
from arena_trees.world.pinhole import Pinhole

PINHOLE = Pinhole(250, 250, math.radians(42.0), -0.06, 0.244)
STEADY = {"brightness_low": 1.0, "brightness_high": 1.0}
OFF = {**STEADY, "glare": 0.0, "shadow": 0.0}
HERE = Pose2D(0.3, -2.0, math.pi / 2)


def light(seed=1, **changes):
    return VaryingLight(LightParameters().with_changes(changes), RandomStreams(seed), PINHOLE)


def grey(level=120):
    return np.full((250, 250, 3), level, np.uint8)


def test_without_its_parts_it_changes_nothing():
    picture = np.random.default_rng(1).integers(0, 256, (250, 250, 3), dtype=np.uint8)
    np.testing.assert_array_equal(light(**OFF).shine(picture, SECOND, HERE), picture)


def test_brightness_wanders_slowly_over_its_range_and_jumps_only_where_lamps_are_switched():
    def course(**changes):
        lamp = light(**changes)
        return np.array([lamp.brightness(tick * SECOND // 10) for tick in range(6000)])

    # A leg of at least 2 s changes the factor by at most 0.8.
    slow, switched = course(switching=0.0), course(switching=1.0)
    assert np.abs(np.diff(slow)).max() <= 0.8 / 20 + 1e-9
    assert 10 < (np.abs(np.diff(switched)) > 0.1).sum() < 200
    for factors in (slow, switched):
        assert 0.6 <= factors.min() < 0.65
        assert 1.35 < factors.max() <= 1.4


def test_it_depends_on_time_and_not_on_how_often_it_is_looked_at():
    often, seldom = light(), light()
    pictures = [often.shine(grey(), tick * SECOND // 10, HERE) for tick in range(301)]
    np.testing.assert_array_equal(seldom.shine(grey(), 30 * SECOND, HERE), pictures[-1])
    assert (light(2).shine(grey(), 30 * SECOND, HERE) != pictures[-1]).any()


def test_glare_moves_over_the_lower_part_of_the_image():
    lamp = light(**{**OFF, "glare": 255.0})
    centres = []
    for second in range(0, 120, 4):
        lit = np.argwhere(lamp.shine(grey(), second * SECOND, HERE)[..., 0] > 120)
        assert lit[:, 0].min() > 0.55 * 250 - 62
        centres.append(lit.mean(axis=0))
    assert (np.std(centres, axis=0) > 15.0).all()


def test_glare_is_full_inside_and_fades_out_to_twice_its_radius():
    lit = add_glare(grey(100), (100.0, 200.0), 20.0, 100.0)[..., 1]
    assert lit[200, 119] == 200
    assert lit[200, 130] == pytest.approx(150, abs=3)
    assert lit[200, 140] == lit[159, 100] == 100
    np.testing.assert_array_equal(add_glare(grey(), (900.0, 100.0), 20.0), grey())


def test_shadows_stay_where_they_are_on_the_floor():
    lamp = light(3, **{**OFF, "shadow": 0.6})

    def seen(place, pose):
        # Level camera: column and row of a place on the floor.
        local = pose.relative(Pose2D(*place))
        ahead = local.x - PINHOLE.mount_x
        column = 124.5 - PINHOLE.focal_length * local.y / ahead
        row = 124.5 + PINHOLE.focal_length * PINHOLE.mount_z / ahead
        picture = lamp.shine(grey(200), 0, pose)
        return int(picture[round(row), round(column), 0])

    rng = np.random.default_rng(5)
    shades = []
    for _ in range(200):
        place = (rng.uniform(-0.3, 0.3), rng.uniform(-0.2, 0.4))
        first, second = (
            seen(place, Pose2D(rng.uniform(-0.1, 0.1), -1.3 - back, math.pi / 2 + rng.uniform(-0.1, 0.1)))
            for back in (0.0, 0.1)
        )
        shades.append((first, second))
    levels = np.array(shades)
    # Pixels are rounded: at an edge two looks may differ.
    assert (np.abs(levels[:, 0] - levels[:, 1]) < 25).mean() > 0.95
    assert np.ptp(levels) > 0.3 * 0.6 * 200 - 2
    np.testing.assert_array_equal(lamp.shine(grey(), 0, HERE)[:140], grey()[:140])


@pytest.mark.parametrize("level", [60, 160])
def test_the_automatic_exposure_does_not_undo_it(level):
    plain = ImageParameters().with_changes(
        {"exposure_s": 0.0, "colour_cast": 0.0, "vignette": 0.0, "lens_blur_px": 0.0, "noise": 0.0}
    )
    first, second = (CameraImage(plain, RandomStreams(4).generator("lens"), PINHOLE) for _ in range(2))
    unlit = first.take(grey(level), 0.0)
    lit = second.take(grey(level), 0.0, lambda picture: brighten(picture, 0.6))
    assert lit.mean() == pytest.approx(0.6 * unlit.mean(), rel=0.02)


def test_brightening_stops_at_white_and_limits_must_be_in_order():
    assert (brighten(grey(200), 1.4) == 255).all()
    assert (brighten(grey(200), np.full((250, 250), 0.5, np.float32)) == 100).all()
    with pytest.raises(ConfigError, match="brightness_low is above brightness_high"):
        LightParameters().with_changes({"brightness_low": 1.5})
