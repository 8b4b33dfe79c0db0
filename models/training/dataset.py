"""Data sets in YOLO's format: a folder ``images``, a folder ``labels`` and a ``data.yaml``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import yaml

from arena_trees.models.training.drawings import LABELS
from arena_trees.models.training.frames import load_frames
from arena_trees.models.training.ranges import SETS
from arena_trees.models.training.scene import Scene, SceneGenerator
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.random_streams import RandomStreams

__all__ = ["label_lines", "write_data_file", "write_set"]

_QUALITY = 95


def label_lines(scene: Scene) -> str:
    """Return a scene's boxes as YOLO writes them: class, centre x and y, width and height, in shares of the image."""
    size = scene.image.shape[0]
    lines = []
    for box in scene.boxes:
        x, y = (box.left + box.right) / 2.0 / size, (box.top + box.bottom) / 2.0 / size
        width, height = (box.right - box.left) / size, (box.bottom - box.top) / size
        lines.append(f"{box.label} {x:.6f} {y:.6f} {width:.6f} {height:.6f}\n")
    return "".join(lines)


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
    for part in ("images", "labels"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    write_data_file(folder / "data.yaml", [folder / "images"], folder / "images")
    for index in range(chosen.images if images is None else images):
        label = folder / "labels" / f"{name}_{index:06d}.txt"
        if not (keep and label.exists()):
            scene = generator.make(index)
            picture = folder / "images" / f"{name}_{index:06d}.jpg"
            cv2.imwrite(str(picture), scene.image, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
            # Last, so that a label says that its image is complete.
            label.write_text(label_lines(scene), encoding="utf-8")
        yield index + 1


def write_data_file(path: Path, train: Sequence[Path], validation: Path) -> None:
    """Write the file that tells a trainer where images lie and what the classes are called.

    Args:
        path: of the file
        train: folders of images, each with a folder ``labels`` beside it
        validation: folder of images
    """
    content = {
        "train": [str(folder.resolve()) for folder in train],
        "val": str(validation.resolve()),
        "names": dict(enumerate(LABELS)),
    }
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
