"""The scene generator: the same for the same seed, true boxes, sizes within its ranges."""

import math
from dataclasses import replace
from itertools import pairwise

import cv2
import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_trees.models.training.dataset import HELD_OUT, load_frames, write_set
from arena_trees.models.training.drawings import DRAWINGS, LABELS, raster
from arena_trees.models.training.pictures import on_paper, paste
from arena_trees.models.training.ranges import PRINTED, SETS, SHIFTED, TRAINING
from arena_trees.models.training.scene import LEAST_SHARE, SceneGenerator
from arena_trees.models.training.viewing import Card, ViewCamera, share_inside
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.random_streams import RandomStreams

LIGHT = np.ones(2)


@pytest.fixture(scope="module")
def scenes():
    generator = SceneGenerator(TRAINING, RandomStreams(5, "train"))
    return [generator.make(index) for index in range(60)]


def test_a_scene_depends_on_seed_and_number_only(scenes):
    again = SceneGenerator(TRAINING, RandomStreams(5, "train"))
    other = SceneGenerator(TRAINING, RandomStreams(6, "train"))
    for index in (7, 3):
        scene = again.make(index)
        assert np.array_equal(scene.image, scenes[index].image)
        assert [box.edges for box in scene.boxes] == [box.edges for box in scenes[index].boxes]
        assert not np.array_equal(other.make(index).image, scene.image)


def test_boxes_are_those_of_the_corners(scenes):
    boxes = [box for scene in scenes for box in scene.boxes]
    assert {box.label for box in boxes} == set(LABELS)
    for box in boxes:
        low, high = np.clip(box.corners.min(axis=0), 0, 250), np.clip(box.corners.max(axis=0), 0, 250)
        assert (box.left, box.top) == pytest.approx(tuple(low))
        assert (box.right, box.bottom) == pytest.approx(tuple(high))
        assert share_inside(box.corners, 250) >= LEAST_SHARE
        longest = max(box.right - box.left, box.bottom - box.top)
        # A card that leans towards the camera is a little larger than its middle suggests.
        assert TRAINING.sign_px[0] <= longest <= 1.6 * TRAINING.sign_px[1]


def test_sets_hold_empty_and_cut_images_and_all_sizes(scenes):
    boxes = [box for scene in scenes for box in scene.boxes]
    assert any(not scene.boxes for scene in scenes)
    cut_above = [box for box in boxes if box.top == 0.0 and box.corners[:, 1].min() < -20.0]
    assert len(cut_above) >= 5
    sides = [max(box.right - box.left, box.bottom - box.top) for box in boxes]
    assert min(sides) < 20.0
    assert max(sides) > 120.0
    assert all(scene.image.shape == (250, 250, 3) and scene.image.dtype == np.uint8 for scene in scenes)


def test_real_frames_are_used_where_given():
    plain = replace(TRAINING, empty=1.0)
    frame = np.full((250, 250, 3), (10, 200, 90), np.uint8)
    generator = SceneGenerator(plain, RandomStreams(1, "train"), [frame])
    # Some of the scenes without signs are the frame itself, untouched.
    assert any(np.array_equal(generator.make(index).image, frame) for index in range(30))


@settings(max_examples=60, deadline=None)
@given(
    ahead=st.floats(0.3, 3.0),
    column=st.floats(60.0, 190.0),
    row=st.floats(60.0, 190.0),
    turn=st.floats(-1.0, 1.0),
    roll=st.floats(-0.2, 0.2),
)
def test_a_card_is_painted_where_its_corners_are(ahead, column, row, turn, roll):
    camera = ViewCamera(250, 325.0, 0.244, 0.03, -0.02)
    card = Card.facing(camera.point_at(column, row, ahead), 0.1, math.pi + turn, 0.1, roll)
    corners = camera.project(card.corners())
    canvas = np.zeros((250, 250, 3), np.uint8)
    paste(canvas, np.full((192, 192, 3), 255, np.uint8), corners, LIGHT)
    # A pixel at a sharp corner is covered by little of the card.
    rows, columns = np.nonzero(canvas[..., 0] > 30)
    # Where a corner is beyond the image, so is a part of each of its edges.
    left, top, right, bottom = shapely.Polygon(corners).intersection(shapely.box(0.0, 0.0, 250.0, 250.0)).bounds
    assert columns.min() == pytest.approx(left, abs=1.0)
    assert columns.max() + 1 == pytest.approx(right, abs=1.0)
    assert rows.min() == pytest.approx(top, abs=1.0)
    assert rows.max() + 1 == pytest.approx(bottom, abs=1.0)


def test_a_sign_is_upright_and_not_mirrored_and_behind_the_camera_has_no_picture():
    camera = ViewCamera(250, 325.0, 0.244, 0.0, 0.0)
    card = Card.facing(camera.point_at(125.0, 125.0, 0.5), 0.3, math.pi)
    corners = camera.project(card.corners())
    assert corners[0] == pytest.approx([125.0 - 97.5, 125.0 - 97.5])
    assert corners[2] == pytest.approx([125.0 + 97.5, 125.0 + 97.5])
    canvas = np.zeros((250, 250, 3), np.uint8)
    carrot = raster(DRAWINGS[2], 192)
    paste(canvas, carrot, corners, LIGHT)
    seen = cv2.resize(canvas[28:222, 28:222], (48, 48), interpolation=cv2.INTER_AREA).astype(int)
    plain = cv2.resize(carrot, (48, 48), interpolation=cv2.INTER_AREA).astype(int)
    assert np.abs(seen - plain).mean() < 8.0
    assert np.abs(seen - plain[:, ::-1]).mean() > np.abs(seen - plain).mean()
    card = Card.facing(np.array([-1.0, 0.0, 0.244]), 0.2, 0.0)
    assert camera.project(card.corners()) is None


def test_a_set_is_written_without_real_frames_and_kept(tmp_path):
    assert list(write_set("test", tmp_path / "one", 4)) == [1, 2, 3, 4]
    list(write_set("test", tmp_path / "two", 4))
    for part in ("images", "labels"):
        names = sorted(path.name for path in (tmp_path / "one" / part).iterdir())
        assert len(names) == 4
        for name in names:
            assert (tmp_path / "one" / part / name).read_bytes() == (tmp_path / "two" / part / name).read_bytes()
    image = tmp_path / "one" / "images" / "test_000002.jpg"
    image.write_bytes(b"mine")
    list(write_set("test", tmp_path / "one", 4, keep=True))
    assert image.read_bytes() == b"mine"


def test_sets_differ_in_seed_and_the_shifted_one_in_its_light():
    assert len({chosen.seed for chosen in SETS.values()}) == len(SETS)
    assert SETS["test"].seed == 9001
    assert SETS["shifted"].seed == 9002
    assert SHIFTED.exposure[1] < sum(TRAINING.exposure) / 2.0
    with pytest.raises(ConfigError, match="no such set"):
        list(write_set("holidays", None))


def test_prints_differ_from_the_drawing_and_from_each_other():
    drawing = raster(DRAWINGS[0], 96)
    rng = np.random.default_rng(1)
    assert np.abs(on_paper(drawing, 0.0, rng).astype(int) - drawing).max() <= 1
    prints = [on_paper(drawing, 1.0, rng).astype(float) for _ in range(8)]
    assert min(np.abs(one - drawing).mean() for one in prints) > 2.0
    assert min(np.abs(one - other).mean() for one, other in pairwise(prints)) > 1.0
    # The black of the wolf stays darker than its paper.
    assert all(one[:3].mean() > one.min(axis=(0, 1)).mean() + 60.0 for one in prints)


def test_printed_scenes_stand_before_real_frames_mostly():
    frames = [np.full((250, 250, 3), (250, 3, 3), np.uint8)]
    generator = SceneGenerator(replace(PRINTED, tint=(1.0, 1.0), noise=(0.0, 0.0)), RandomStreams(1, "printed"), frames)
    scenes = [generator.make(index) for index in range(40)]
    blue = [np.median(scene.image[..., 0]) > 4 * np.median(scene.image[..., 2]) + 10 for scene in scenes]
    assert 0.4 < np.mean(blue) < 0.95
    assert any(scene.boxes for scene in scenes)


def test_training_and_test_sets_use_different_real_frames(tmp_path):
    for name in ("left-arrow_1.png", "stop-signal_1.png", "meta_1.png"):
        cv2.imwrite(str(tmp_path / name), np.full((240, 320, 3), len(name), np.uint8))
    trains, held_out = (load_frames(tmp_path, 250, trains) for trains in (True, False))
    assert [int(frame[0, 0, 0]) for frame in trains] == [len("left-arrow_1.png")]
    assert sorted(int(frame[0, 0, 0]) for frame in held_out) == [len("meta_1.png"), len("stop-signal_1.png")]
    assert all(frame.shape == (250, 250, 3) for frame in (*trains, *held_out))
    assert load_frames(None, 250, True) == ()
    assert HELD_OUT
