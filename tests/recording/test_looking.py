"""How a recorded robot's camera looks: by what is recorded of it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from helpers.recorded import by_hand

from arena_trees.control.sign_range import CAMERA, SIGN, Camera, Sign
from arena_trees.recording.looking import Look, look_of
from arena_trees.recording.recording import RobotRecording


def look(parameters: object) -> Look:
    info = {"robots": {"a": {"parameters": parameters}}}
    return look_of(replace(by_hand(a=RobotRecording("a")), info=info), "a")


def test_recorded_parameters_tell_of_camera_and_sign():
    said = {"camera_hfov_deg": 60.0, "camera_x": 0.1, "sign_size": 0.3, "speed": 0.2}
    assert look(said) == Look(Camera(math.radians(60.0), 0.1, CAMERA.z), Sign(0.3, SIGN.z))


@pytest.mark.parametrize(
    "said",
    [
        {},
        None,
        [],
        {"camera_hfov_deg": math.nan},
        {"camera_hfov_deg": 500.0, "camera_x": 0.1},
        {"camera_x": "left"},
        {"sign_size": True},
        {"sign_z": 10**400},
    ],
)
def test_else_it_looks_as_usual(said: object):
    assert look(said) == Look()
    assert look_of(by_hand(a=RobotRecording("a")), "a") == Look()
