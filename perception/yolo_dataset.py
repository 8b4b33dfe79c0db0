"""Datasets of images with true boxes, in YOLO's format: ``images/``, ``labels/`` and perhaps ``data.yaml``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import yaml

from arena_trees.perception.image import MAX_BYTES, MAX_SIDE, Rgb
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.yaml_files import MAXIMUM_BYTES

__all__ = ["LabelledBox", "YoloDataset", "label_line", "load_dataset", "read_image"]

_SUFFIXES = frozenset({".bmp", ".jpeg", ".jpg", ".png", ".webp"})
_SPLITS = ("test", "val", "train")
"""Parts of a dataset in the order in which they are looked for."""

_MOST_LABELS = 1000
_OUTSIDE = 0.01
"""Labels may reach this far out of the image, in shares of it, as rounding makes them."""


@dataclass(frozen=True, slots=True)
class LabelledBox:
    """The true box of a sign, px.

    Attributes:
        label: its class
        left: column of its left edge
        top: row of its top edge
        right: column of its right edge
        bottom: row of its bottom edge
    """

    label: str
    left: float
    top: float
    right: float
    bottom: float

    @property
    def size(self) -> float:
        """Its longer side, px."""
        return max(self.right - self.left, self.bottom - self.top)


@dataclass(frozen=True, slots=True)
class YoloDataset:
    """A dataset.

    Attributes:
        source: where it is
        names: classes by number; empty where nothing names them
        images: files of its images, sorted
    """

    source: Path
    names: Mapping[int, str]
    images: tuple[Path, ...]

    def boxes(self, image: Path, width: int, height: int) -> list[LabelledBox]:
        """Return the true boxes of an image; none where it has no label file.

        Args:
            image: one of :attr:`images`
            width: of the image, px
            height: of the image, px

        Raises:
            ConfigError: a line of the label file makes no sense
        """
        return self._read(_label_file(image, "labels"), width, height)

    def doubtful_boxes(self, image: Path, width: int, height: int) -> list[LabelledBox]:
        """Return boxes that need not be found, from ``doubtful/`` beside ``labels/``; few datasets have any.

        Args:
            image: one of :attr:`images`
            width: of the image, px
            height: of the image, px

        Raises:
            ConfigError: a line makes no sense
        """
        return self._read(_label_file(image, "doubtful"), width, height)

    def _read(self, file: Path, width: int, height: int) -> list[LabelledBox]:
        if not file.is_file():
            return []
        if file.stat().st_size > 1_000_000:
            raise ConfigError("is too large for a label file", file=file)
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        rows = [(number, line.split()) for number, line in enumerate(lines, 1) if line.strip()]
        if len(rows) > _MOST_LABELS:
            raise ConfigError(f"has more than {_MOST_LABELS} labels", file=file)
        return [self._box(row, width, height, file, number) for number, row in rows]

    def _box(self, row: Sequence[str], width: int, height: int, file: Path, line: int) -> LabelledBox:
        try:
            numbers = [float(text) for text in row]
            label = self.names[int(row[0])]
        except (ValueError, KeyError) as error:
            raise ConfigError("is no label of a known class", file=file, line=line, value=" ".join(row)) from error
        left, top, right, bottom = _edges(numbers[1:])
        inside = -_OUTSIDE <= left < right <= 1.0 + _OUTSIDE and -_OUTSIDE <= top < bottom <= 1.0 + _OUTSIDE
        if not inside:
            raise ConfigError("is no box in the image", file=file, line=line, value=" ".join(row))
        return LabelledBox(
            label, max(0.0, left) * width, max(0.0, top) * height, min(1.0, right) * width, min(1.0, bottom) * height
        )


def _edges(numbers: Sequence[float]) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom, shares of the image, of a centre and size or of an outline's points."""
    if len(numbers) == 4:
        x, y, width, height = numbers
        return x - width / 2.0, y - height / 2.0, x + width / 2.0, y + height / 2.0
    if len(numbers) >= 6 and len(numbers) % 2 == 0 and all(map(math.isfinite, numbers)):
        return min(numbers[0::2]), min(numbers[1::2]), max(numbers[0::2]), max(numbers[1::2])
    return math.nan, math.nan, math.nan, math.nan


def label_line(number: int, box: LabelledBox, width: int, height: int) -> str:
    """Return a label file's line: number of the class, centre and size in shares of the image.

    Args:
        number: of the box's class
        box: the box
        width: of the image, px
        height: of the image, px
    """
    shares = (
        (box.left + box.right) / 2.0 / width,
        (box.top + box.bottom) / 2.0 / height,
        (box.right - box.left) / width,
        (box.bottom - box.top) / height,
    )
    return f"{number} " + " ".join(f"{share:.6f}" for share in shares) + "\n"


def load_dataset(place: Path) -> YoloDataset:
    """Return the dataset at a place.

    Args:
        place: a ``data.yaml``, of which the first of test, val and train is taken that it has; or a
            folder with images, in ``images/`` or in itself, whose ``data.yaml`` names the classes

    Raises:
        ConfigError: there is no image, or the file is none of YOLO's
    """
    if place.is_dir():
        file = place / "data.yaml"
        names = _names(_load(file), file) if file.is_file() else {}
        folder = place / "images"
        return _dataset(place, names, [folder if folder.is_dir() else place])
    if not place.is_file():
        raise ConfigError("there is no such dataset", file=place)
    about = _load(place)
    return _dataset(place, _names(about, place), _folders(about, place))


def read_image(path: Path) -> Rgb:
    """Return an image file's pixels.

    Raises:
        ConfigError: it cannot be read, or is too large
    """
    if path.stat().st_size > MAX_BYTES:
        raise ConfigError("the image's file is too large", file=path)
    pixels = cv2.imdecode(np.frombuffer(path.read_bytes(), np.uint8), cv2.IMREAD_COLOR) if path.stat().st_size else None
    if pixels is None:
        raise ConfigError("is no image that can be read", file=path)
    if max(pixels.shape[:2]) > MAX_SIDE:
        raise ConfigError(f"the image is more than {MAX_SIDE} px wide or high", file=path)
    return np.ascontiguousarray(pixels[..., ::-1], np.uint8)


def _load(file: Path) -> dict[str, Any]:
    """Return the values of a YAML file of YOLO's kind: unlike this project's own, it has numbers as keys."""
    if file.stat().st_size > MAXIMUM_BYTES:
        raise ConfigError(f"is larger than {MAXIMUM_BYTES} bytes", file=file)
    try:
        text = file.read_bytes().decode("utf-8")
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=yaml.SafeLoader)):
            raise ConfigError("aliases are not allowed", file=file)
        values = yaml.safe_load(text)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise ConfigError("is no YAML file", file=file) from error
    if not isinstance(values, dict):
        raise ConfigError("must be a map of keys to values", file=file, value=values)
    return values


def _names(about: Mapping[str, Any], file: Path) -> dict[int, str]:
    names = about.get("names")
    if isinstance(names, list):
        names = dict(enumerate(names))
    if not isinstance(names, dict) or not names:
        raise ConfigError("must name the classes", file=file, key="names", value=names)
    for number, name in names.items():
        if type(number) is not int or not isinstance(name, str) or not name:
            raise ConfigError("must be numbers and names", file=file, key=f"names.{number}", value=name)
    return names


def _folders(about: Mapping[str, Any], file: Path) -> list[Path]:
    """Return the folders or lists of images of a dataset's first part."""
    root = about.get("path", ".")
    if not isinstance(root, str):
        raise ConfigError("must be a folder", file=file, key="path", value=root)
    base = file.parent / root
    if not base.is_dir():
        # Written on another machine: the images lie beside the file as a rule.
        base = file.parent
    for split in _SPLITS:
        value = about.get(split)
        if value is not None:
            parts = value if isinstance(value, list) else [value]
            if not all(isinstance(part, str) for part in parts):
                raise ConfigError("must be a folder or a list of folders", file=file, key=split, value=value)
            return [base / part for part in parts]
    raise ConfigError(f"has none of {', '.join(_SPLITS)}", file=file)


def _dataset(source: Path, names: Mapping[int, str], places: Sequence[Path]) -> YoloDataset:
    images: set[Path] = set()
    for place in places:
        if place.is_dir():
            images.update(path for path in place.rglob("*") if path.suffix.lower() in _SUFFIXES)
        elif place.is_file() and place.suffix == ".txt":
            listed = place.read_text(encoding="utf-8").split("\n")
            images.update(place.parent / line.strip() for line in listed if line.strip())
        else:
            raise ConfigError("there is no such folder of images", file=source, value=str(place))
    if not images:
        raise ConfigError("there are no images", file=source)
    missing = next((path for path in sorted(images) if not path.is_file()), None)
    if missing is not None:
        raise ConfigError("there is no such image", file=source, value=str(missing))
    return YoloDataset(source, dict(names), tuple(sorted(images)))


def _label_file(image: Path, folder: str) -> Path:
    """Return where an image's labels are: in ``folder`` in place of the last ``images`` in its path.

    Labels, but no others, may also lie beside the image.
    """
    parts = list(image.parts)
    for index in range(len(parts) - 2, -1, -1):
        if parts[index] == "images":
            parts[index] = folder
            return Path(*parts).with_suffix(".txt")
    return image.with_suffix(".txt") if folder == "labels" else image.parent / folder / f"{image.stem}.txt"
