"""Datasets as they are written: an image and its label are there whole, or not at all."""

import cv2
import numpy as np
import pytest
from helpers.full_disk import files_limited_to

from arena_trees.perception.signs.yolo_dataset import read_image, write_image, write_label
from arena_trees.robot.errors import ConfigError

PICTURE = np.random.default_rng(1).integers(0, 256, (40, 60, 3), np.uint8)


def test_an_image_is_what_opencv_writes(tmp_path):
    write_image(tmp_path / "a.png", PICTURE)
    assert np.array_equal(read_image(tmp_path / "a.png"), PICTURE)
    write_image(tmp_path / "a.jpg", PICTURE, 95)
    cv2.imwrite(str(tmp_path / "b.jpg"), PICTURE[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 95])
    assert (tmp_path / "a.jpg").read_bytes() == (tmp_path / "b.jpg").read_bytes()


def test_a_disk_that_is_full_is_an_error_and_leaves_nothing(tmp_path):
    with files_limited_to(100):
        with pytest.raises(ConfigError, match=r"a\.png: cannot be written: File too large"):
            write_image(tmp_path / "a.png", PICTURE)
        with pytest.raises(ConfigError, match=r"a\.txt: cannot be written: File too large"):
            write_label(tmp_path / "a.txt", "0 0.5 0.5 0.1 0.1\n" * 10)
    assert not list(tmp_path.iterdir())
