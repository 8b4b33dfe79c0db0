"""Rendered cameras on the ceiling: robots are found where they are, to the error that is stated, or not at all."""

import math
from collections.abc import Iterator

import cv2
import numpy as np
import pytest
from helpers.arena import needs_arena
from helpers.graphics import needs_graphics

from arena_trees.perception.ceiling.camera import CameraIntrinsics
from arena_trees.perception.ceiling.parameters import CeilingParameters, tag_corners
from arena_trees.perception.ceiling.tracker import TagFinder
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.simulation.rendering.ceiling import CeilingView
from arena_trees.simulation.rendering.ceiling_room import CeilingRoom

pytestmark = [needs_arena, needs_graphics]

LENS = CameraIntrinsics(
    width=1280, height=960, fx=586.0, fy=586.0, cx=642.0, cy=475.0, distortion=(-0.08, 0.01, 0.0005, -0.0005, 0.0)
)
PLAIN = CameraIntrinsics(width=1280, height=720, fx=586.0, fy=586.0)
VIEWS = {
    "wide": CeilingView(x=0.1, tilt_deg=4.0, lens=LENS),
    "side": CeilingView(x=0.9, tilt_deg=12.0, yaw_deg=180.0, lens=PLAIN),
}
AT = {"robot_1": Pose2D(0.5, 0.2, 0.3), "robot_2": Pose2D(-0.4, -0.9, -2.0)}


@pytest.fixture(scope="module")
def room() -> Iterator[CeilingRoom]:
    room = CeilingRoom(1000, CeilingParameters(), VIEWS)
    yield room
    room.close()


def rms(values):
    return float(np.sqrt(np.mean(np.square(values))))


def test_robots_are_found_to_centimetres_by_one_camera_and_it_says_how_surely(room: CeilingRoom):
    errors, unseen = room.errors(10, ["wide"])
    assert len(errors) == 40 and unseen == 0
    assert rms([one.distance for one in errors]) <= 0.02
    assert rms([one.yaw for one in errors]) <= math.radians(2.0)
    scores = np.abs([(one.x / one.x_sd, one.y / one.y_sd, one.yaw / one.yaw_sd) for one in errors])
    assert np.mean(scores <= 3.0) >= 0.9
    # A cautious statement is none: the errors that are stated are no larger than twice those that there are.
    assert rms(scores) > 0.5


def test_two_cameras_agree_and_know_it_better(room: CeilingRoom):
    seen = room.sightings(AT)
    both, one = room.tracker.fuse(seen), room.tracker.fuse(seen[:1])
    assert not both.disagreements
    for name, pose in AT.items():
        found = both.robots[name]
        assert found.cameras == ("wide", "side")
        assert found.pose.distance_to(pose.x, pose.y) < 0.015
        assert found.position_sd < one.robots[name].position_sd


def test_a_tag_out_of_view_or_covered_is_absent(room: CeilingRoom):
    poses = {**AT, "robot_3": Pose2D(-1.7, 0.0)}
    assert set(room.locate(poses, ["side"]).robots) == {"robot_1", "robot_2"}, "robot_3 is out of its view"
    picture = np.ascontiguousarray(room.take("wide", poses))
    tag = room.parameters.robots["robot_1"]
    camera = room.calibrations["wide"].camera
    corners = camera.project(tag_corners(AT["robot_1"], tag.size, tag.height))
    # A hand over two of the corners.
    middle = tuple(int(value) for value in (corners[0] + corners[1]) / 2.0)
    cv2.circle(picture, middle, 14, (180, 140, 120), -1)
    seen = room.tracker.look("wide", room.as_image(picture))
    assert set(room.tracker.fuse([seen]).robots) == {"robot_2", "robot_3"}


def test_a_camera_that_was_moved_since_is_reported(room: CeilingRoom):
    wide, side = room.sightings(AT)
    shifted = np.roll(room.take("side", AT), 40, axis=1)
    moved = room.tracker.look("side", room.as_image(shifted))
    found = room.tracker.fuse([wide, moved])
    assert not found.robots
    assert {one.robot for one in found.disagreements} == set(AT)
    assert room.tracker.fuse([wide, side]).robots


def test_tags_are_drawn_where_they_lie():
    exact = {"survey_sd": 0.0, "mount_sd": 0.0, "mount_sd_deg": 0.0, "height_sd": 0.0}
    parameters = CeilingParameters(**exact, sheet_x=0.3, sheet_yaw_deg=20.0)
    room = CeilingRoom(1001, parameters, {"wide": VIEWS["wide"]})
    try:
        found, _ = TagFinder().find(room.as_image(room.take("wide", AT)))
        camera = VIEWS["wide"].camera()
        for number, corners in room.parameters.floor_corners().items():
            assert np.abs(found[number] - camera.project(corners)).max() < 0.5
        for name, pose in AT.items():
            tag = room.parameters.robots[name]
            corners = tag_corners(pose.compose(tag.pose), tag.size, tag.height)
            assert np.abs(found[tag.number] - camera.project(corners)).max() < 0.5
    finally:
        room.close()


def test_a_lens_that_cannot_be_rendered_is_refused():
    fisheye = LENS.model_copy(update={"fx": 80.0, "fy": 80.0, "distortion": ()})
    with pytest.raises(ConfigError, match="too wide to be rendered"):
        CeilingRoom(1000, CeilingParameters(), {"wide": CeilingView(lens=fisheye)})
