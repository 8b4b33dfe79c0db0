"""The shipped network: the file that its card describes, and what it finds in plain pictures of the signs."""

import hashlib
import json

import cv2
import numpy as np
import pytest

from arena_trees.models.training.drawings import LABELS
from arena_trees.models.training.ranges import TRAINING
from arena_trees.perception.signs.detector import OnnxSignDetector
from arena_trees.robot.configuration.resources import resource_path


@pytest.fixture(scope="module")
def card():
    return json.loads(resource_path("models", "signs.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def detector():
    return OnnxSignDetector()


def test_file_is_the_one_of_its_card_and_small(card):
    content = resource_path("models", "signs.onnx").read_bytes()
    assert hashlib.sha256(content).hexdigest() == card["sha256"]
    assert card["sha256"] in resource_path("models", "signs.md").read_text(encoding="utf-8")
    assert len(content) < 8_000_000
    assert card["licence"] == "AGPL-3.0"


def test_classes_and_input_are_those_of_the_training(card, detector):
    assert detector.classes == LABELS == tuple(card["classes"])
    assert card["input"] == [1, 3, 256, 256]
    assert card["input"][2] >= TRAINING.image_px


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize(("side", "left", "top"), [(30, 110, 90), (80, 20, 100), (140, 60, -60)])
def test_finds_a_sign_in_plain_view(detector, label, side, left, top):
    drawing = cv2.imread(str(resource_path("models", "signs", f"{label}.png")))[..., ::-1]
    canvas = np.full((250, 250, 3), 120, np.uint8)
    small = cv2.resize(drawing, (side, side), interpolation=cv2.INTER_AREA)
    canvas[max(0, top) : top + side, left : left + side] = small[max(0, -top) :]
    (box,) = detector.detect(canvas)
    assert box.label == label
    assert box.x == pytest.approx(left + side / 2.0, abs=0.05 * side + 1.0)
    assert box.width == pytest.approx(side, abs=0.1 * side + 1.0)
    assert box.y + box.height / 2.0 == pytest.approx(top + side, abs=0.1 * side + 1.0)


def test_finds_nothing_where_nothing_is(detector):
    assert detector.detect(np.full((250, 250, 3), 120, np.uint8)) == ()
