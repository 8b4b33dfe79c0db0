"""Bearing and range of a ball from its circle, from level and pitched cameras."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.perception.spheres.cone import Cone
from arena_trees.perception.spheres.sighting import sphere_sighting
from arena_trees.robot.circles import Circle
from arena_trees.world.camera_pose import CameraPose
from arena_trees.world.pinhole import Pinhole

PINHOLE = Pinhole(250, 250, math.radians(42.0), 0.0, 0.25)


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
    circle = None if cone is None else cone.circle(PINHOLE)
    assert circle is not None
    found = sphere_sighting(circle, PINHOLE, 0.3, camera, 5)
    assert found is not None and found.stamp == 5
    assert found.azimuth == pytest.approx(0.5 + aside, abs=1e-5)
    assert found.range == pytest.approx(distance * math.cos(above), rel=1e-4)
    assert found.height == pytest.approx(place[2], abs=1e-3)


def test_deviations_grow_with_distance_and_turn():
    camera = CameraPose(0.0, 0.0, 0.25, 0.0)
    near = sphere_sighting(Circle(125, 125, 24.0), PINHOLE, 0.3, camera, 0)
    far = sphere_sighting(Circle(125, 125, 8.0), PINHOLE, 0.3, camera, 0)
    turning = sphere_sighting(Circle(125, 125, 8.0), PINHOLE, 0.3, camera, 0, 2.0)
    assert near is not None and far is not None and turning is not None
    assert near.range_sigma < far.range_sigma
    assert far.azimuth_sigma < turning.azimuth_sigma


def test_a_circle_without_a_size_is_no_ball():
    assert sphere_sighting(Circle(1, 1, 0.0), PINHOLE, 0.3, CameraPose(0, 0, 0, 0), 0) is None
