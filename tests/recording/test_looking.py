"""How a recorded robot's camera looks: by what is recorded of it."""

import math
from dataclasses import replace

import pytest
from helpers.recorded import by_hand

from arena_trees.control.sign_range import CAMERA, SIGN, Camera, Sign
from arena_trees.recording.camera_model import CameraModel, camera_model_of, images_of, sights_in
from arena_trees.recording.recording import RobotRecording
from arena_trees.robot.circles import Circle, Circles
from arena_trees.robot.detections import Detections
from arena_trees.world.body import Barrel, Body, Turret


def look(parameters: object) -> CameraModel:
    robot = RobotRecording("a")
    return camera_model_of(replace(by_hand(a=robot), info={"robots": {"a": {"parameters": parameters}}}), robot)


def test_recorded_parameters_tell_of_camera_and_sign():
    said = {"camera_hfov_deg": 60.0, "camera_x": 0.1, "sign_size": 0.3, "speed": 0.2}
    assert look(said) == CameraModel(Camera(math.radians(60.0), 0.1, CAMERA.z), Sign(0.3, SIGN.z))


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
    assert look(said) == CameraModel()
    robot = RobotRecording("a")
    assert camera_model_of(by_hand(a=robot), robot) == CameraModel()


SEEN = Circles(0, 0, 1, 250, 250, (Circle(50.0, 120.0, 12.0, quality=0.9),))


@pytest.mark.parametrize("said", [{"hfov_deg": 70.0, "mount_x": 0.1}, {}, None, {"hfov_deg": math.nan}])
def test_a_robot_that_looks_for_spheres_sees_by_its_recorded_optics(said: object):
    robot = RobotRecording(
        "a", role="chaser", more={"circles": [SEEN], "detections": [Detections(0, 0, 1, 250, 250, ())]}
    )
    recording = replace(by_hand(a=robot), info={"robots": {"a": {"camera": said}}})
    good = bool(said) and said["hfov_deg"] == 70.0
    look = camera_model_of(recording, robot)
    assert look.camera.hfov == pytest.approx(math.radians(70.0 if good else 42.0))
    assert look.camera.x == (0.1 if good else CAMERA.x)
    assert images_of(robot) == [SEEN]
    (sight,) = sights_in(SEEN, look)
    assert (sight.label, sight.confidence, sight.distance) == ("ball", 0.9, None)
    assert sight.bearing == pytest.approx(math.atan(0.6 * math.tan(look.camera.hfov / 2.0)))


def test_on_a_turret_the_camera_is_on_the_axis():
    robot = RobotRecording("a", role="chaser", more={"circles": [SEEN]}, body=Body(turret=Turret(), barrel=Barrel()))
    assert camera_model_of(by_hand(a=robot), robot).camera.x == 0.0


@pytest.mark.parametrize(("role", "drawn"), [("wolf", True), (None, True), ("evader", False), ("pacman", False)])
def test_images_that_nobody_plays_by_are_left_out(role: str | None, drawn: bool):
    robot = RobotRecording("a", role=role, more={"detections": [Detections(0, 0, 1, 250, 250, ())]})
    assert bool(images_of(robot)) is drawn
