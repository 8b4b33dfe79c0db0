"""The second generator of pictures: its angles and boxes are true, and it shares only the drawings with training."""

import math
import re
from pathlib import Path
from runpy import run_path

import cv2
import numpy as np
import pytest

from arena_trees.perception.signs.yolo_dataset import load_dataset, read_image

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "sign_composites.py"
MAKER = run_path(str(SCRIPT))
CAMERA = np.array([[MAKER["FOCAL"], 0, 125], [0, MAKER["FOCAL"], 125], [0, 0, 1]])


@pytest.fixture
def grey():
    return np.full((300, 400, 3), 90, np.uint8)


def test_corners_are_those_of_a_square_turned_by_the_angle_told():
    half = MAKER["SIGN"] / 2.0
    square = np.array([[-half, half, 0], [half, half, 0], [half, -half, 0], [-half, -half, 0]])
    angles = []
    for number in range(60):
        corners, oblique = MAKER["place"](np.random.default_rng(number))
        _, turns, shifts, errors = cv2.solvePnPGeneric(square, corners, CAMERA, None, flags=cv2.SOLVEPNP_IPPE_SQUARE)
        turn, shift = cv2.Rodrigues(turns[0])[0], shifts[0][:, 0]
        assert float(errors[0][0]) < 0.01
        seen = math.acos(abs(turn[:, 2] @ shift) / np.linalg.norm(shift))
        assert seen == pytest.approx(oblique, abs=0.01)
        angles.append(oblique)
    assert min(angles) < math.radians(10) and math.radians(60) < max(angles) <= MAKER["FARTHEST"]


def test_a_sheet_lies_in_its_box():
    rng = np.random.default_rng(2)
    corners = np.array([[60.0, 80.0], [130.0, 70.0], [130.0, 150.0], [60.0, 140.0]])
    before = np.full((250, 250, 3), 0.2, np.float32)
    after = before.copy()
    MAKER["stick"](after, np.full((384, 384, 3), 9.0, np.float32), corners, rng)
    changed = np.abs(after - before).max(axis=2)
    rows, columns = np.nonzero(changed > 0.3)
    assert (columns.min(), columns.max(), rows.min(), rows.max()) == pytest.approx((60, 129, 70, 149), abs=1)
    assert changed[:, :30].max() < 1e-3


def test_a_set_is_the_same_for_the_same_seed_and_reads_as_a_data_set(tmp_path, grey):
    first, second = (MAKER["compose_set"](tmp_path / name, [grey], 12, 5) for name in "ab")
    assert [read_image(path).tobytes() for path in first] == [read_image(path).tobytes() for path in second]
    images = load_dataset(tmp_path / "a")
    assert [len(images.boxes(path, 250, 250)) for path in images.images] == [len(faces) for faces in first.values()]
    faces = [face for own in first.values() for face in own]
    assert len({face.light for face in faces}) > 1
    assert all(0.0 <= face.left < face.right <= 250.0 and 0.0 <= face.top < face.bottom <= 250.0 for face in faces)


def test_frames_that_training_may_have_seen_are_left_out(tmp_path, grey):
    for name in ("left-arrow_frame_1.jpg", "meta_frame_1.jpg", "lab.png"):
        cv2.imwrite(str(tmp_path / name), grey)
    assert [path.name for path in MAKER["pictures"]([tmp_path], True)] == ["lab.png", "meta_frame_1.jpg"]
    assert len(MAKER["pictures"]([tmp_path], False)) == 3


def test_the_report_counts_what_is_found_by_light_and_angle(tmp_path, grey, capsys):
    class Blind:
        def detect(self, image):
            return ()

    faces = MAKER["compose_set"](tmp_path, [grey], 6, 5)
    MAKER["report"](faces, Blind(), [])
    printed = capsys.readouterr().out
    count = sum(len(own) for own in faces.values())
    assert f"| all | {count} | - | 0.000 (0.000 to" in printed
    assert "60 to 70 degrees" in printed and "green light" in printed


def test_only_the_drawings_are_shared_with_training():
    shared = re.findall(r"from arena_trees\.models\.training\.(\w+) import (.+)", SCRIPT.read_text(encoding="utf-8"))
    assert shared == [("dataset", "HELD_OUT"), ("drawings", "DRAWINGS, LABELS, raster")]
