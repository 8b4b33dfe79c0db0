"""From pixels to the floor and back."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.perception.lanes.floor_camera import CameraPlace, FloorCamera
from arena_trees.robot.geometry import Pose2D
from arena_trees.simulation.sensors.sign_camera import CameraParameters
from arena_trees.world.signs import PlacedSign, Sign

PLACES = st.builds(
    CameraPlace,
    hfov_deg=st.floats(20.0, 120.0),
    x=st.floats(-0.3, 0.3),
    z=st.floats(0.05, 2.0),
    pitch_deg=st.floats(-10.0, 60.0),
)


@given(PLACES, st.floats(0.5, 5.0), st.floats(-3.0, 3.0))
def test_places_come_back(place, ahead, left):
    camera = FloorCamera(place, 320, 240)
    there = np.array([[place.x + ahead, left]])
    pixel = camera.to_pixels(there)
    assert np.isfinite(pixel).all()
    assert camera.to_floor(pixel) == pytest.approx(there, abs=1e-6)


@given(PLACES, st.floats(0.0, 319.0), st.floats(0.0, 239.0))
def test_pixels_come_back_or_show_no_floor(place, column, row):
    camera = FloorCamera(place, 320, 240)
    there = camera.to_floor(np.array([[column, row]]))
    horizon = 119.5 - camera.focal_length * math.tan(math.radians(place.pitch_deg))
    if row > horizon + 1e-6:
        assert camera.to_pixels(there) == pytest.approx(np.array([[column, row]]), abs=1e-5)
    elif row < horizon - 1e-6:
        assert np.isnan(there).all()


def test_it_is_the_simulated_camera():
    parameters = CameraParameters()
    place = CameraPlace()
    assert (place.hfov_deg, place.x, place.z) == (parameters.hfov_deg, parameters.mount_x, parameters.mount_z)
    camera = FloorCamera(place, parameters.width, parameters.height)
    assert camera.focal_length == pytest.approx(parameters.pinhole().focal_length)
    # A card that stands on the floor, seen frontally: its lower edge is on the floor.
    sign = PlacedSign(Sign("card", "carrot", 0.1, 1, 0.05, 0.0), Pose2D(1.0, 0.2, math.pi))
    seen = parameters.pinhole().project(Pose2D(), sign)
    pixel = camera.to_pixels(np.array([[1.0, 0.2]]))[0]
    # The pinhole counts from the first pixel's corner, the floor's camera from its centre.
    assert pixel == pytest.approx([seen.x - 0.5, seen.y + seen.height / 2 - 0.5], abs=0.05)


def test_the_nearest_floor_is_at_the_lower_edge():
    assert FloorCamera(CameraPlace(), 250, 250).nearest() == pytest.approx(-0.06 + 0.244 / math.tan(0.3665), abs=0.01)
    assert math.isnan(FloorCamera(CameraPlace(pitch_deg=-30.0), 250, 250).nearest())
