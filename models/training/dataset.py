"""Data sets of synthetic scenes in YOLO's format, and the real frames on which signs are put: read, never copied."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from arena_trees.models.training.drawings import LABELS
from arena_trees.models.training.pictures import Image
from arena_trees.models.training.ranges import SETS
from arena_trees.models.training.scene import SceneGenerator
from arena_trees.perception.signs.yolo_dataset import label_text, make_dataset, write_image, write_label
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.random_streams import RandomStreams

__all__ = ["HELD_OUT", "frames_folder", "load_frames", "write_set"]

_QUALITY = 95

HELD_OUT = ("meta", "stop-signal")
"""Frames whose names begin so are kept from training: other sequences, on which a test may stand."""


def frames_folder() -> Path | None:
    """Return the folder of real frames under ``ARENA_TREES_DATA``, or None where there is none."""
    data = os.environ.get("ARENA_TREES_DATA")
    return Path(data, "images") if data and Path(data, "images").is_dir() else None


def load_frames(folder: Path | None, size: int, trains: bool) -> tuple[Image, ...]:
    """Return the frames in a folder and below, each of shape (size, size, 3), in the order of their names.

    Args:
        folder: searched for ``*.jpg`` and ``*.png``; None for no frames
        size: side of the images, px
        trains: whether the frames are for training; otherwise those held out
    """
    if folder is None:
        return ()
    paths = [path for path in sorted(folder.rglob("*")) if path.suffix in (".jpg", ".png")]
    frames = []
    for path in paths:
        if path.name.startswith(HELD_OUT) == trains:
            continue
        frame = cv2.imread(str(path))
        if frame is not None:
            frames.append(np.asarray(cv2.resize(frame, (size, size), interpolation=cv2.INTER_AREA), np.uint8))
    return tuple(frames)


def write_set(
    name: str, folder: Path, images: int | None = None, frames: Path | None = None, keep: bool = False
) -> Iterator[int]:
    """Write a named set, image by image; the same everywhere for the same real frames.

    Args:
        name: of the set, one of ``SETS``
        folder: to write to; made where it is missing
        images: how many, where not the set's own number
        frames: folder of real frames for some of the backgrounds
        keep: whether images that are there already are left as they are

    Yields:
        the number of images written so far, after each

    Raises:
        ConfigError: there is no such set
    """
    if name not in SETS:
        raise ConfigError(f"there is no such set: {', '.join(SETS)} are known", key="--set", value=name)
    chosen = SETS[name]
    generator = SceneGenerator(
        chosen.ranges, RandomStreams(chosen.seed, name), load_frames(frames, chosen.ranges.image_px, chosen.trains)
    )
    images_folder = str((folder / "images").resolve())
    make_dataset(folder, LABELS, train=[images_folder], val=images_folder)
    for index in range(chosen.images if images is None else images):
        label = folder / "labels" / f"{name}_{index:06d}.txt"
        if not (keep and label.exists()):
            scene = generator.make(index)
            picture = folder / "images" / f"{name}_{index:06d}.jpg"
            write_image(picture, scene.image[..., ::-1], _QUALITY)
            # Last, so that a label means that its image is complete.
            size = scene.image.shape[0]
            write_label(label, label_text(scene.boxes, LABELS, size, size))
        yield index + 1
