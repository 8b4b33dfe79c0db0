"""Balls in images: the cones that circles stand for, both detectors on drawn pictures, and bearing and range."""

import math
from itertools import pairwise

import numpy as np
import pytest
from helpers.ball_pictures import BLUE, PINHOLE, ball, picture
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arena_trees.perception.image import Image, ImageError
from arena_trees.perception.spheres.cone import Cone, rays
from arena_trees.perception.spheres.detectors import circles_of, make_detector
from arena_trees.perception.spheres.sighting import sphere_sighting
from arena_trees.perception.spheres.source_distance import barrel_pixel, camera_matrix, source_distance
from arena_trees.robot.circles import Circle
from arena_trees.world.camera_pose import CameraPose
from arena_trees.world.pinhole import Pinhole

ARENA, SOURCE = make_detector("arena", PINHOLE), make_detector("source", PINHOLE)


def error(circle, cone):
    """Return how far a circle is from that of a cone, px: column, row, radius."""
    true = cone.circle(PINHOLE)
    return circle.x - true.x, circle.y - true.y, circle.radius - true.radius


@given(
    distance=st.floats(0.3, 30.0),
    azimuth=st.floats(-1.2, 1.2),
    elevation=st.floats(-1.0, 1.0),
    diameter=st.floats(0.05, 1.0),
)
def test_a_circle_gives_its_cone_back(distance, azimuth, elevation, diameter):
    assume(distance > 0.51 * diameter)
    cone = ball(distance, azimuth, elevation, diameter)
    off = math.acos(min(1.0, cone.ahead))
    assume(off + cone.half < math.radians(85.0))
    found = Cone.of_circle(cone.circle(PINHOLE), PINHOLE)
    assert found.distance(diameter) == pytest.approx(distance, rel=1e-6)
    assert found.azimuth == pytest.approx(azimuth, abs=1e-6)
    assert found.elevation == pytest.approx(elevation, abs=1e-6)


@pytest.mark.parametrize(("azimuth", "elevation"), [(0.0, 0.0), (0.5, 0.0), (-0.4, 0.2), (0.1, -0.25)])
def test_the_circle_is_that_of_the_touching_points(azimuth, elevation):
    cone = ball(1.5, azimuth, elevation)
    axis = np.array((cone.right, cone.down, cone.ahead))
    one = np.cross(axis, (0.0, 1.0, 0.0))
    one /= np.linalg.norm(one)
    turns = np.linspace(0.0, math.tau, 2000, endpoint=False)[:, None]
    edge = math.cos(cone.half) * axis
    edge = edge + math.sin(cone.half) * (np.cos(turns) * one + np.sin(turns) * np.cross(axis, one))
    points = edge[:, :2] / edge[:, 2:] * PINHOLE.focal_length + (320.0, 180.0)
    circle = cone.circle(PINHOLE)
    assert (np.ptp(points, axis=0) / 2.0 + points.min(axis=0)) == pytest.approx((circle.x, circle.y), abs=0.01)
    spread = np.linalg.svd(points - (circle.x, circle.y), compute_uv=False)
    covariance = np.cov(points[: len(points)].T, ddof=0)
    assert spread.shape == (2,)
    assert np.trace(covariance) > 0.0
    inside = rays(points, PINHOLE) @ axis
    assert np.arccos(inside) == pytest.approx(cone.half)


@pytest.mark.parametrize("circle", [Circle(320.0, 180.0, 1e5), Circle(320.0, 180.0, math.nan), Circle(1e7, 0.0, 1e-9)])
def test_what_no_ball_shows_gives_no_wrong_cone(circle):
    cone = Cone.of_circle(circle, PINHOLE)
    assert cone is None or 0.0 < cone.half < math.pi / 2.0


def test_a_camera_in_the_ball_sees_no_cone():
    assert Cone.of_sphere(0.1, 0.0, 0.1, 0.5) is None
    assert ball(0.3, 1.2).circle(PINHOLE) is None


def test_distance_and_barrel_are_by_the_camera_matrix_of_the_source():
    circle = Circle(400.0, 100.0, 20.0)
    assert source_distance(circle, PINHOLE, 0.42) == pytest.approx(0.42 * PINHOLE.focal_length / 40.0)
    assert camera_matrix(PINHOLE)[0, 2] == 320.0
    column, row = barrel_pixel(PINHOLE, 0.035)
    assert column == pytest.approx(320.0)
    assert row == pytest.approx(180.0 + 0.035 * PINHOLE.focal_length)


@settings(max_examples=25, deadline=None)
@given(
    distance=st.floats(1.0, 12.0),
    azimuth=st.floats(-0.5, 0.5),
    elevation=st.floats(-0.2, 0.2),
    seed=st.integers(0, 9),
)
def test_a_ball_is_found_all_over_the_image_to_a_fraction_of_a_pixel(distance, azimuth, elevation, seed):
    cone = ball(distance, azimuth, elevation)
    (circle,) = ARENA.detect(picture(cone, seed=seed))
    assert np.abs(error(circle, cone)).max() < 0.1
    assert circle.quality > 0.6
    assert Cone.of_circle(circle, PINHOLE).distance(0.5) == pytest.approx(distance, rel=0.01)


@pytest.mark.parametrize("radius", [4.0, 5.0, 7.0])
def test_a_tiny_ball_is_found(radius):
    errors = []
    for seed in range(10):
        cone = ball(0.25 * PINHOLE.focal_length / radius, 0.2 + 0.003 * seed, 0.05 - 0.002 * seed)
        circles = ARENA.detect(picture(cone, seed=seed))
        errors += [error(circle, cone) for circle in circles]
    assert len(errors) >= 9
    assert np.abs(np.mean(errors, axis=0)).max() < 0.12
    assert np.std(errors, axis=0).max() < 0.15


@pytest.mark.parametrize(("azimuth", "elevation"), [(0.62, 0.0), (-0.62, 0.1), (0.1, 0.37), (0.0, -0.37)])
def test_a_ball_that_the_border_cuts_is_measured_whole(azimuth, elevation):
    cone = ball(2.5, azimuth, elevation)
    (circle,) = ARENA.detect(picture(cone))
    assert circle.quality < 0.95
    assert np.abs(error(circle, cone)).max() < 0.5


@pytest.mark.parametrize("paint", [(90, 60, 50), (250, 250, 250), (20, 20, 20)])
def test_a_ball_that_something_hides_in_part_is_measured_whole(paint):
    cone = ball(3.0, 0.1, 0.0)
    true = cone.circle(PINHOLE)
    left, middle = int(true.x) - 60, int(true.x - 0.2 * true.radius)
    (circle,) = ARENA.detect(picture(cone, boxes=[(left, 100, middle, 300, paint)]))
    assert circle.quality < 0.8
    assert np.abs(error(circle, cone)).max() < 0.5


@pytest.mark.parametrize("smear", [3, 7, 13])
def test_blur_by_turning_does_not_move_the_edge(smear):
    cone = ball(4.0, 0.2)
    (circle,) = ARENA.detect(picture(cone, smear=smear))
    assert np.abs(error(circle, cone)).max() < 0.35


@pytest.mark.parametrize(
    "box",
    [
        (200, 100, 260, 160),
        (200, 100, 212, 112),
        (200, 100, 216, 112),
        (0, 150, 640, 158),
        (300, 0, 340, 360),
        (0, 0, 80, 60),
        (600, 200, 640, 260),
    ],
)
def test_boxes_and_stripes_of_the_colour_are_no_balls(box):
    for seed in range(3):
        assert ARENA.detect(picture(boxes=[(*box, BLUE)], seed=seed)) == ()


@pytest.mark.parametrize("size", [(5, 5), (6, 6), (7, 7), (8, 8), (9, 8), (10, 10)])
def test_squares_of_a_few_pixels_are_no_balls(size):
    small = Pinhole(64, 64, 2.0 * math.atan(32.0 / PINHOLE.focal_length), 0.0, 0.0)
    detector, (wide, high) = make_detector("arena", small), size
    for seed in range(4):
        image = picture(pinhole=small, boxes=[(25, 25, 25 + wide, 25 + high, BLUE)], seed=seed, fine=1)
        assert detector.detect(image) == ()


def test_the_largest_comes_first_beside_clutter():
    near, far = ball(2.0, 0.3), ball(5.0, -0.3, 0.05)
    circles = ARENA.detect(picture(far, near, boxes=[(300, 250, 360, 310, BLUE)]))
    assert [round(one.radius) for one in circles] == [round(one.circle(PINHOLE).radius) for one in (near, far)]
    assert all(one.radius >= other.radius for one, other in pairwise(circles))


def test_the_source_finds_a_ball_too():
    cone = ball(4.0, 0.1)
    circles = SOURCE.detect(picture(cone))
    assert circles
    assert np.abs(error(circles[0], cone)).max() < 3.0


@pytest.mark.parametrize("detector", [ARENA, SOURCE])
def test_nothing_is_found_where_there_is_nothing(detector):
    assert detector.detect(picture()) == ()
    assert detector.detect(np.zeros((360, 640, 3), np.uint8)) == ()
    assert detector.detect(np.full((360, 640, 3), 255, np.uint8)) == ()


@pytest.mark.parametrize("name", ["arena", "source"])
def test_equal_images_give_equal_circles(name):
    image = picture(ball(3.0, 0.1), ball(6.0, -0.2), boxes=[(20, 20, 90, 60, BLUE)])
    assert make_detector(name, PINHOLE).detect(image) == make_detector(name, PINHOLE).detect(image.copy())


@pytest.mark.parametrize("name", ["arena", "source"])
def test_noise_all_over_is_no_fault(name):
    pinhole = Pinhole(64, 48, 1.0, 0.0, 0.0)
    detector = make_detector(name, pinhole)
    for seed in range(5):
        detector.detect(np.random.default_rng(seed).integers(0, 256, (48, 64, 3), dtype=np.uint8))
    for value in (BLUE, (0, 0, 255), (0, 0, 1)):
        assert detector.detect(np.full((48, 64, 3), value, np.uint8)) == ()


def test_bad_images_are_refused():
    image = picture(ball(3.0))
    good = Image(1, 2, 3, 640, 360, "rgb8", 1920, image)
    circles = circles_of(good, ARENA, PINHOLE)
    assert (circles.stamp, circles.arrival, circles.sequence) == (1, 2, 3)
    assert (circles.image_width, circles.image_height, len(circles.circles)) == (640, 360, 1)
    turned = Image(1, 2, 3, 640, 360, "bgr8", 1920, np.ascontiguousarray(image[..., ::-1]))
    assert circles_of(turned, ARENA, PINHOLE) == circles
    for bad in (
        Image(1, 2, 3, 640, 360, "rgb8", 1920, image[:100]),
        Image(1, 2, 3, 640, 360, "yuv422", 1920, image),
        Image(1, 2, 3, 320, 360, "rgb8", 1920, image),
    ):
        with pytest.raises(ImageError):
            circles_of(bad, ARENA, PINHOLE)


CHASER = Pinhole(250, 250, math.radians(42.0), 0.0, 0.25)


@given(st.floats(1.0, 8.0), st.floats(-0.3, 0.3), st.floats(-0.1, 0.1), st.floats(-0.1, 0.3))
def test_a_ball_is_where_its_outline_says(distance, aside, above, pitch):
    camera = CameraPose(1.0, 2.0, 0.25, 0.5, pitch)
    place = (
        1.0 + distance * math.cos(above) * math.cos(0.5 + aside),
        2.0 + distance * math.cos(above) * math.sin(0.5 + aside),
        0.25 + distance * math.sin(above),
    )
    ahead, left, up = camera.place(place)
    cone = Cone.of_sphere(-left, -up, ahead, 0.3)
    found = sphere_sighting(cone.circle(CHASER), CHASER, 0.3, camera, 5)
    assert found is not None and found.stamp == 5
    assert found.azimuth == pytest.approx(0.5 + aside, abs=1e-5)
    assert found.range == pytest.approx(distance * math.cos(above), rel=1e-4)
    assert found.height == pytest.approx(place[2], abs=1e-3)


def test_deviations_grow_with_distance_and_turn_and_a_circle_without_a_size_is_no_ball():
    camera = CameraPose(0.0, 0.0, 0.25, 0.0)
    near = sphere_sighting(Circle(125, 125, 24.0), CHASER, 0.3, camera, 0)
    far = sphere_sighting(Circle(125, 125, 8.0), CHASER, 0.3, camera, 0)
    turning = sphere_sighting(Circle(125, 125, 8.0), CHASER, 0.3, camera, 0, 2.0)
    assert near is not None and far is not None and turning is not None
    assert near.range_sigma < far.range_sigma
    assert far.azimuth_sigma < turning.azimuth_sigma
    assert sphere_sighting(Circle(1, 1, 0.0), CHASER, 0.3, CameraPose(0, 0, 0, 0), 0) is None
