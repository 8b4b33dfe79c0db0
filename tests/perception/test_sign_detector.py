"""The sign detector: where its boxes are, what it drops, and which models it refuses."""

import hashlib
import json
import math
import sys

import numpy as np
import pytest
from helpers.networks import LABELS, write_network
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_trees.perception.signs.detector import MAX_BOXES, OnnxSignDetector, best_of_each, detections
from arena_trees.perception.signs.ultralytics_detector import UltralyticsDetector
from arena_trees.robot.detections import Detection
from arena_trees.robot.errors import ArenaTreesError, ConfigError

BLACK = np.zeros((250, 250, 3), dtype=np.uint8)


def detector(tmp_path, boxes, **options):
    confidence = options.pop("confidence", 0.5)
    return OnnxSignDetector(write_network(tmp_path / "net.onnx", boxes, **options), confidence)


def edges(box):
    return (box.x - box.width / 2, box.y - box.height / 2, box.x + box.width / 2, box.y + box.height / 2)


def test_boxes_come_in_pixels_of_the_image(tmp_path):
    found = detector(tmp_path, [[128, 64, 51.2, 25.6, 0.1, 0.9, 0.2]]).detect(BLACK)
    assert [box.label for box in found] == ["rabbit_sign"]
    assert (found[0].x, found[0].y, found[0].width, found[0].height) == pytest.approx((125.0, 62.5, 50.0, 25.0))
    assert found[0].confidence == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("height", "width", "expected"),
    [
        (240, 320, (160.0, 120.0 - 0.25 * 1.25, 64.0, 32.0)),
        (512, 512, (256.0, 255.5, 102.4, 51.2)),
        (100, 50, (25.0, 50.0 - 0.25 / 2.56, 20.0, 10.0)),
    ],
)
def test_margins_and_scale_of_other_images_are_taken_back(tmp_path, height, width, expected):
    # 255.5 / 2: a box in the middle, a quarter pixel above it.
    image = np.zeros((height, width, 3), dtype=np.uint8)
    box = detector(tmp_path, [[128, 127.75, 51.2, 25.6, 0.9, 0, 0]]).detect(image)[0]
    assert (box.x, box.y, box.width, box.height) == pytest.approx(expected, abs=0.6)


def test_the_network_sees_red_green_blue_from_0_to_1(tmp_path):
    looking = detector(tmp_path, [[128, 128, 50, 50, 0, 0, 0]], brightness=True, confidence=0.0)
    image = np.empty((256, 256, 3), dtype=np.uint8)
    image[:] = (255, 102, 0)
    assert looking.detect(image)[0].label == "wolf_sign"
    assert looking.detect(image)[0].confidence == pytest.approx(1.0, abs=1e-5)
    # Also of a picture that lies the other way round in memory.
    assert looking.detect(image[..., ::-1])[0].label == "carrot"
    assert looking.detect(image[..., ::-1])[0].confidence == pytest.approx(1.0, abs=1e-5)


def test_unsure_and_overlapping_boxes_are_dropped_and_others_sorted(tmp_path):
    boxes = [
        [100, 100, 40, 40, 0.80, 0, 0],
        [104, 100, 40, 40, 0.90, 0, 0],
        [100, 100, 40, 40, 0, 0.70, 0],
        [200, 200, 40, 40, 0.60, 0, 0],
        [60, 200, 40, 40, 0.49, 0, 0],
    ]
    found = detector(tmp_path, boxes).detect(BLACK)
    assert [(box.label, round(box.confidence, 2)) for box in found] == [
        ("wolf_sign", 0.90),
        ("rabbit_sign", 0.70),
        ("wolf_sign", 0.60),
    ]
    assert [box.confidence for box in best_of_each(found)] == pytest.approx([0.9, 0.7])


def test_boxes_are_clipped_and_senseless_ones_dropped(tmp_path):
    boxes = [
        [0, 0, 100, 100, 0.9, 0, 0],
        [math.nan, 10, 10, 10, 0, 0.9, 0],
        [10, 10, math.inf, 10, 0, 0.9, 0],
        [100, 100, 10, 10, 0, math.nan, 0],
        [50, 50, -10, 20, 0, 0.9, 0],
        [-500, 50, 20, 20, 0, 0.9, 0],
        [60, 60, 10, 10, 0, 1.5, 0],
    ]
    found = detector(tmp_path, boxes).detect(BLACK)
    assert [box.label for box in found] == ["wolf_sign"]
    assert edges(found[0]) == pytest.approx((0.0, 0.0, 50 / 1.024, 50 / 1.024))


def test_at_most_a_hundred_boxes_and_of_nothing_none(tmp_path):
    boxes = [[8 + 16 * (i % 16), 8 + 16 * (i // 16), 10, 10, 0.9, 0, 0] for i in range(256)]
    assert len(detector(tmp_path, boxes).detect(BLACK)) == MAX_BOXES
    assert detector(tmp_path, []).detect(BLACK) == ()


@given(
    rows=st.lists(st.lists(st.floats(width=32), min_size=7, max_size=7), max_size=8),
    height=st.integers(1, 400),
    width=st.integers(1, 400),
)
@settings(max_examples=200, deadline=None, derandomize=True)
def test_whatever_a_network_says_boxes_make_sense(rows, height, width):
    table = np.asarray(rows, dtype=np.float64).reshape(-1, 7)
    found = detections(
        table[:, :4],
        table[:, 4],
        np.abs(np.nan_to_num(table[:, 5], posinf=9)).clip(0, 9).astype(int),
        LABELS,
        (height, width),
    )
    for box in found:
        left, top, right, bottom = edges(box)
        assert -1e-9 <= left < right <= width + 1e-9
        assert -1e-9 <= top < bottom <= height + 1e-9
        assert 0.0 <= box.confidence <= 1.0
        assert box.label in LABELS


@pytest.mark.parametrize(
    "image",
    [np.zeros((0, 0, 3), np.uint8), np.zeros((9, 9), np.uint8), np.zeros((9, 9, 4), np.uint8), np.zeros((9, 9, 3))],
    ids=["empty", "grey", "four colours", "floats"],
)
def test_only_pictures_are_looked_at(tmp_path, image):
    with pytest.raises(ValueError, match="an RGB image of bytes is needed"):
        detector(tmp_path, []).detect(image)


def test_a_model_must_be_the_one_of_its_card(tmp_path):
    path = write_network(tmp_path / "signs.onnx", [[128, 128, 10, 10, 0.9, 0, 0]])
    card = tmp_path / "signs.json"
    card.write_text(json.dumps({"sha256": hashlib.sha256(path.read_bytes()).hexdigest()}))
    assert OnnxSignDetector(path).classes == LABELS
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(ConfigError, match="is not the model that its card describes"):
        OnnxSignDetector(path)
    card.write_text("{")
    with pytest.raises(ConfigError, match="is no model card"):
        OnnxSignDetector(path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is no network that ONNX Runtime can run"),
        (b"\x80\x04N.", "is no network that ONNX Runtime can run"),
        (None, "there is no such model"),
    ],
    ids=["empty", "pickle", "missing"],
)
def test_other_files_are_refused(tmp_path, content, reason):
    path = tmp_path / "net.onnx"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=reason):
        OnnxSignDetector(path)


@pytest.mark.parametrize(
    "names",
    ["", "{", "[]", "{}", "{1: 'a', 2: 'b', 3: 'c'}", "{0: 'a', 1: 'b'}", "{0: 1, 1: 2, 2: 3}", "__import__('os')"],
)
def test_a_network_without_proper_names_is_refused(tmp_path, names):
    path = write_network(tmp_path / "net.onnx", [[1, 1, 1, 1, 0, 0, 0]], names=names)
    with pytest.raises(ConfigError, match=r"class names|the network's output"):
        OnnxSignDetector(path)


def test_confidence_is_checked(tmp_path):
    with pytest.raises(ConfigError, match="confidence: must be 0 to 1"):
        detector(tmp_path, [], confidence=math.nan)


def test_a_pickle_is_refused_unless_it_is_allowed(tmp_path, monkeypatch):
    path = tmp_path / "best.pt"
    path.write_bytes(b"\x80\x04N.")
    with pytest.raises(ConfigError, match="is a pickle"):
        UltralyticsDetector(path)
    monkeypatch.setitem(sys.modules, "ultralytics", None)
    with pytest.raises(ArenaTreesError, match=r"arena-trees\[train\]"):
        UltralyticsDetector(path, allow_pickle=True)
    with pytest.raises(ConfigError, match="there is no such model"):
        UltralyticsDetector(tmp_path / "none.pt")


def test_the_best_of_each_class():
    boxes = [Detection(label, score, 1, 1, 1, 1) for label, score in (("a", 0.5), ("b", 0.9), ("a", 0.7))]
    assert [(box.label, box.confidence) for box in best_of_each(boxes)] == [("b", 0.9), ("a", 0.7)]
