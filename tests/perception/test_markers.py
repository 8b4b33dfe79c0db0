"""Markers at a crossing: where they are, and that only those that face the robot count."""

import math
from dataclasses import replace

import numpy as np
import pytest
from helpers.road_pictures import Road, add_noise, as_image, brighten

from arena_trees.perception.image import ImageError
from arena_trees.perception.markers import MarkerDetector
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D, wrap

ROAD = Road()
MARKER = ROAD.floor.markers[0]
DETECTOR = MarkerDetector()


def from_marker(distance: float, oblique: float = 0.0, turned: float = 0.0) -> Pose2D:
    """Return a pose from which the marker is at a distance (m), off its normal (rad), the robot turned off it (rad)."""
    away = MARKER.pose.compose(Pose2D(0.0, 0.0, oblique)).compose(Pose2D(distance, 0.0, math.pi))
    return away.compose(Pose2D(0.0, 0.0, turned))


@pytest.mark.parametrize("light", [0.6, 1.0, 1.4])
@pytest.mark.parametrize(("distance", "oblique", "turned"), [(1.2, 0.0, 0.1), (2.0, 0.5, -0.15), (2.8, -0.3, 0.2)])
def test_a_marker_is_found_where_it_is(light, distance, oblique, turned):
    pose = from_marker(distance, oblique, turned)
    picture = ROAD.hang(ROAD.photograph(pose), pose, MARKER)
    picture = add_noise(brighten(picture, light), np.random.default_rng(1000))
    (seen,) = DETECTOR.detect(as_image(picture)).markers
    truth = pose.relative(MARKER.pose)
    assert seen.number == MARKER.number
    assert seen.distance == pytest.approx(distance, rel=0.06)
    assert seen.bearing == pytest.approx(-turned, abs=0.005)
    assert abs(wrap(seen.facing - truth.yaw)) < 0.5
    # Pinned in a frame that does not move, it stays where it is while the robot does.
    assert seen.pin(pose) == pytest.approx((MARKER.pose.x, MARKER.pose.y), abs=0.06 * distance)


def test_a_marker_that_looks_aside_does_not_count():
    pose = from_marker(1.5, 1.1)
    picture = as_image(ROAD.hang(ROAD.photograph(pose), pose, MARKER))
    assert DETECTOR.detect(picture).markers == ()
    (seen,) = MarkerDetector(oblique_deg=75.0).detect(picture).markers
    assert seen.distance == pytest.approx(1.5, rel=0.05)


def test_of_two_with_one_number_the_nearer_counts():
    pose = from_marker(2.5)
    near = replace(MARKER, pose=MARKER.pose.compose(Pose2D(1.0, 0.45)))
    picture = ROAD.hang(ROAD.hang(ROAD.photograph(pose), pose, MARKER), pose, near)
    (seen,) = DETECTOR.detect(as_image(picture)).markers
    assert seen.x == pytest.approx(1.5, rel=0.06)


def test_nothing_is_found_where_nothing_is():
    assert DETECTOR.detect(as_image(np.full((8, 8, 3), 128, np.uint8))).markers == ()
    noise = np.random.default_rng(1000).integers(0, 256, (250, 250, 3), np.uint8)
    assert DETECTOR.detect(as_image(noise)).markers == ()
    assert str(DETECTOR.detect(as_image(noise))) == "nothing"


def test_bad_images_and_bad_numbers_are_refused():
    with pytest.raises(ImageError):
        DETECTOR.detect(replace(as_image(np.zeros((20, 20, 3), np.uint8)), width=21))
    for changes in ({"size": 0.0}, {"size": math.nan}, {"oblique_deg": 90.0}, {"oblique_deg": math.nan}):
        with pytest.raises(ConfigError):
            MarkerDetector(**changes)
