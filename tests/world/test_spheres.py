"""Where a camera on a turret is, and where a ball is that a robot carries."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_trees.robot.geometry import Pose2D
from arena_trees.world.body import Barrel, Body, Sphere, Turret
from arena_trees.world.camera_pose import CameraMount
from arena_trees.world.palette import alike
from arena_trees.world.spheres import PlacedSphere

turns = st.floats(-3.1, 3.1)
pitches = st.floats(-0.35, 0.6)


def test_without_a_turret_a_camera_is_where_its_optics_say():
    pose = CameraMount.on(Body(), -0.06, 0.244).pose(Pose2D(1.0, 2.0, math.pi / 2.0))
    assert (pose.x, pose.y, pose.z, pose.yaw, pose.pitch) == pytest.approx((1.0, 1.94, 0.244, math.pi / 2.0, 0.0))


@settings(max_examples=30, deadline=None)
@given(turns, turns, pitches)
def test_on_a_turret_it_keeps_its_place_beside_the_barrel(base_yaw, yaw, pitch):
    body = Body(turret=Turret(camera_above_barrel=0.035), barrel=Barrel(x=0.1, height=0.3))
    camera = CameraMount.on(body, -0.06, 0.244).pose(Pose2D(1.0, 2.0, base_yaw), (yaw, pitch))
    assert camera.yaw == pytest.approx(base_yaw + yaw) and camera.pitch == pitch
    # The pivot, in the camera's frame, is always 3.5 cm below: so the barrel's pixel does not move.
    assert camera.place((1.0, 2.0, 0.3)) == pytest.approx((0.0, 0.0, -0.035), abs=1e-12)
    ahead = np.array((math.cos(pitch) * math.cos(camera.yaw), math.cos(pitch) * math.sin(camera.yaw), math.sin(pitch)))
    assert camera.place(np.array((1.0, 2.0, 0.3)) + 2.0 * ahead) == pytest.approx((2.0, 0.0, -0.035), abs=1e-12)


def test_a_level_turret_has_its_camera_above_the_barrel_or_at_the_height_of_its_optics():
    camera = CameraMount.on(Body(turret=Turret(), barrel=Barrel(height=0.3)), -0.06, 0.244).pose(Pose2D(), (0.4, 0.0))
    assert (camera.x, camera.y, camera.z) == pytest.approx((0.0, 0.0, 0.335))
    camera = CameraMount.on(Body(turret=Turret()), -0.06, 0.244).pose(Pose2D(), (0.0, 0.0))
    assert (camera.x, camera.z) == pytest.approx((0.0, 0.244))


def test_a_ball_is_where_its_robot_is():
    ball = PlacedSphere.carried("evader", Sphere(diameter=0.3, height=0.34), Pose2D(1.0, -2.0, 3.0))
    assert (ball.x, ball.y, ball.z, ball.radius) == (1.0, -2.0, 0.34, 0.15)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("#2050d0", True),
        ("#102a80", True),
        ("#d02020", False),
        ("#20d050", False),
        ("#8080a0", False),
        ("#020818", False),
    ],
)
def test_alike_are_colours_of_one_hue(other, same):
    assert alike("#1f4fd8", other) is same
    assert alike(other, "#1f4fd8") is same
