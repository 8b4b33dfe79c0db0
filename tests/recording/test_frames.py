"""The sample of frames that people label, and the blur that hides who is in them."""

import cv2
import numpy as np
import pytest
from helpers import foreign_bags as ros
from helpers.foreign_bags import EPOCH, SECOND, Written, write_bag

from arena_trees.perception.signs.yolo_dataset import load_dataset
from arena_trees.recording.frames import draw_sample
from arena_trees.recording.privacy import blurred_outside
from arena_trees.robot.detections import Detection
from arena_trees.robot.errors import ConfigError

BOX = ("rabbit_sign", 60.0, 40.0, 20.0, 30.0)


def picture(number: int) -> np.ndarray:
    """Return a picture full of detail, with its number in the first pixel."""
    pixels = np.random.default_rng(number).integers(0, 256, (100, 120, 3), dtype=np.uint8)
    pixels[0, 0] = number
    return pixels


def filmed(namespace: str, count: int) -> list[Written]:
    """Return pictures, every second with a sign in it, and what was found in them."""
    written: list[Written] = []
    for number in range(count):
        stamp = EPOCH + number * SECOND // 30
        boxes = [BOX] if number % 2 else []
        written.append((f"{namespace}/oakd/rgb/preview/image_raw", stamp, ros.image(stamp, picture(number))))
        found = ros.detections(stamp, *boxes)
        written.append((f"{namespace}/detections", stamp + 150_000_000, found))
    return written


def test_a_sample_is_a_dataset_of_each_robot(tmp_path):
    bag = write_bag(tmp_path / "bag", filmed("/wolf", 40) + filmed("/rabbit", 10))
    sample = draw_sample(bag, tmp_path / "sample", count=8)
    assert sample.frames == {
        ("wolf", "rabbit_sign"): 8,
        ("wolf", "nothing"): 8,
        ("rabbit", "rabbit_sign"): 5,
        ("rabbit", "nothing"): 5,
    }
    assert sample.available["wolf", "nothing"] == 20
    dataset = load_dataset(tmp_path / "sample" / "wolf")
    assert len(dataset.images) == 16
    for image in dataset.images:
        pixels = cv2.imread(str(image))[..., ::-1]
        number = int(pixels[0, 0, 0])
        assert np.array_equal(pixels, picture(number))
        boxes = dataset.boxes(image, 120, 100)
        assert len(boxes) == number % 2
        for box in boxes:
            assert (box.label, box.left, box.right) == ("rabbit_sign", pytest.approx(50.0), pytest.approx(70.0))
    assert (tmp_path / "sample").stat().st_mode & 0o077 == 0


def test_the_choice_depends_on_the_seed_alone(tmp_path):
    bag = write_bag(tmp_path / "bag", filmed("", 40))
    names = []
    for number, seed in enumerate((1, 1, 2)):
        draw_sample(bag, tmp_path / str(number), count=5, seed=seed)
        names.append(sorted(path.name for path in (tmp_path / str(number) / "robot" / "images").iterdir()))
    assert names[0] == names[1] != names[2]


def test_pictures_without_detections_are_told(tmp_path):
    silent = write_bag(tmp_path / "silent", [w for w in filmed("", 4) if "detections" not in w[0]])
    with pytest.raises(ConfigError, match="no detections of the instants of its pictures"):
        draw_sample(silent, tmp_path / "out", 5)
    blind = write_bag(tmp_path / "blind", [w for w in filmed("", 4) if "detections" in w[0]])
    with pytest.raises(ConfigError, match="has no pictures"):
        draw_sample(blind, tmp_path / "out", 5)
    assert not (tmp_path / "out").exists()
    (tmp_path / "there").mkdir()
    with pytest.raises(ConfigError, match="is there already"):
        draw_sample(blind, tmp_path / "there", 5)


def test_outside_of_the_boxes_nothing_is_left_to_recognise():
    pixels = picture(1)
    blurred = blurred_outside(pixels, [Detection(BOX[0], 0.9, *BOX[1:])])
    assert np.array_equal(blurred[25:55, 50:70], pixels[25:55, 50:70]), "the sign is sharp"
    outside = np.ones(pixels.shape[:2], bool)
    outside[20:60, 45:75] = False
    # Of detail a pixel wide, nothing survives: neighbours are nearly equal.
    steps = np.abs(np.diff(blurred.astype(int), axis=1))[outside[:, 1:]]
    assert steps.max() < 20 < np.abs(np.diff(pixels.astype(int), axis=1)).mean()
    assert np.abs(blurred[outside].mean(axis=0) - pixels[outside].mean(axis=0)).max() < 5


def test_boxes_at_the_edge_and_outside_do_no_harm():
    for box in (Detection("x", 1.0, 0.0, 0.0, 500.0, 500.0), Detection("x", 1.0, -900.0, 5.0, 3.0, 3.0)):
        assert blurred_outside(picture(2), [box]).shape == (100, 120, 3)
    assert blurred_outside(np.zeros((8, 9, 3), np.uint8), []).shape == (8, 9, 3)
