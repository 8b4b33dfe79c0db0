"""Data sets in YOLO's format: a folder ``images``, a folder ``labels`` and a ``data.yaml``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2

from arena_trees.models.training.drawings import LABELS
from arena_trees.models.training.frames import load_frames
from arena_trees.models.training.ranges import SETS
from arena_trees.models.training.scene import SceneGenerator
from arena_trees.perception.yolo_dataset import label_text, make_dataset
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.random_streams import RandomStreams

__all__ = ["write_set"]

_QUALITY = 95


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
            cv2.imwrite(str(picture), scene.image, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
            # Last, so that a label says that its image is complete.
            size = scene.image.shape[0]
            label.write_text(label_text(scene.boxes, LABELS, size, size), encoding="utf-8")
        yield index + 1
