"""Datasets of images with true boxes, in YOLO's format: ``images/``, ``labels/`` and perhaps ``data.yaml``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import yaml

from arena_trees.perception.image import MAX_BYTES, MAX_SIDE, Rgb
from arena_trees.robot.configuration.files import write_atomically
from arena_trees.robot.configuration.yaml_files import MAXIMUM_BYTES
from arena_trees.robot.detections import Detection
from arena_trees.robot.errors import ConfigError

__all__ = [
    "LabelledBox",
    "TooLargeError",
    "YoloDataset",
    "label_text",
    "load_dataset",
    "make_dataset",
    "read_image",
    "write_image",
    "write_label",
]

_SUFFIXES = frozenset({".bmp", ".jpeg", ".jpg", ".png", ".webp"})
_SPLITS = ("test", "val", "train")
"""Parts of a dataset in the order in which they are looked for."""

_OUTSIDE = 0.01
"""Labels may reach this far out of the image, in shares of it, as rounding makes them."""


class TooLargeError(ConfigError):
    """An image is larger than what is looked at."""


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
    def edges(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom, px."""
        return self.left, self.top, self.right, self.bottom

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

    def boxes(self, image: Path, width: int, height: int, folder: str = "labels") -> list[LabelledBox]:
        """Return the boxes of an image; none where it has no file of them.

        Args:
            image: one of :attr:`images`
            width: of the image, px
            height: of the image, px
            folder: ``labels``, or ``doubtful`` for the boxes that need not be found; few datasets have any

        Raises:
            ConfigError: a line of the file makes no sense
        """
        file = _label_file(image, folder)
        if not file.is_file():
            return []
        if file.stat().st_size > 1_000_000:
            raise ConfigError("is too large for a label file", file=file)
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        rows = [(number, line.split()) for number, line in enumerate(lines, 1) if line.strip()]
        return [self._box(row, width, height, file, number) for number, row in rows]

    def _box(self, row: Sequence[str], width: int, height: int, file: Path, line: int) -> LabelledBox:
        try:
            left, top, right, bottom = _edges([float(text) for text in row[1:]])
            label = self.names[int(row[0])]
        except (ValueError, KeyError) as error:
            raise ConfigError(
                "is no box or outline of a known class", file=file, line=line, value=" ".join(row)
            ) from error
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
    if len(numbers) < 6 or len(numbers) % 2 or not all(map(math.isfinite, numbers)):
        raise ValueError("neither a box nor an outline")
    return min(numbers[0::2]), min(numbers[1::2]), max(numbers[0::2]), max(numbers[1::2])


def label_text(boxes: Iterable[LabelledBox | Detection], classes: Sequence[str], width: int, height: int) -> str:
    """Return a label file: for each box its class's number, its centre and its size in shares of the image.

    Args:
        boxes: in an image; those of other classes are left out
        classes: in the order of their numbers
        width: of the image, px
        height: of the image, px
    """
    lines = []
    for box in boxes:
        if box.label in classes:
            left, top, right, bottom = box.edges
            x, y = (left + right) / 2.0 / width, (top + bottom) / 2.0 / height
            across, down = (right - left) / width, (bottom - top) / height
            lines.append(f"{classes.index(box.label)} {x:.6f} {y:.6f} {across:.6f} {down:.6f}\n")
    return "".join(lines)


def write_image(path: Path, picture: Rgb, quality: int | None = None) -> None:
    """Write an image of a dataset whole or not at all; the ending of its name gives the format.

    Args:
        path: of the file
        picture: red, green and blue
        quality: of a JPEG, in hundredths

    Raises:
        ConfigError: it cannot be written
    """
    settings = [] if quality is None else [cv2.IMWRITE_JPEG_QUALITY, quality]
    code = cv2.imencode(path.suffix, np.ascontiguousarray(picture[..., ::-1]), settings)[1].tobytes()
    write_atomically(path, lambda stream: stream.write(code))


def write_label(path: Path, text: str) -> None:
    """Write a label file whole or not at all: where there is one, its image may be taken to be whole, too.

    Raises:
        ConfigError: it cannot be written
    """
    write_atomically(path, lambda stream: stream.write(text.encode()))


def make_dataset(
    folder: Path, classes: Sequence[str], parts: Sequence[str] = ("images", "labels"), **splits: str | list[str]
) -> Path:
    """Make a dataset's folders where they are missing, write its ``data.yaml`` and return that file.

    Args:
        folder: of the dataset
        classes: in the order of their numbers
        parts: folders to make in it
        splits: where the images of ``train`` and ``val`` are
    """
    for part in parts:
        (folder / part).mkdir(parents=True, exist_ok=True)
    file = folder / "data.yaml"
    text = yaml.safe_dump({**splits, "names": dict(enumerate(classes))}, sort_keys=False)
    write_atomically(file, lambda stream: stream.write(text.encode()))
    return file


def load_dataset(place: Path) -> YoloDataset:
    """Return the dataset at a place.

    Args:
        place: a ``data.yaml``, of which the first of test, val and train is taken that it has; or a
            folder with images, in ``images/`` or in itself, whose ``data.yaml`` names the classes

    Raises:
        ConfigError: there is no image, or the file is none of YOLO's
    """
    file = place / "data.yaml" if place.is_dir() else place
    about = _load(file) if file.is_file() else {}
    names = _names(about, file) if about else {}
    if place.is_dir():
        folder = place / "images"
        return YoloDataset(place, names, _images(place, [folder if folder.is_dir() else place]))
    if not about:
        raise ConfigError("there is no such dataset", file=place)
    return YoloDataset(place, names, _images(place, _folders(about, place)))


def read_image(path: Path) -> Rgb:
    """Return an image file's pixels.

    Raises:
        TooLargeError: it is larger than what is looked at
        ConfigError: it cannot be read
    """
    content = path.read_bytes() if path.stat().st_size <= MAX_BYTES else None
    try:
        pixels = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR) if content else None
        large = content is None or (pixels is not None and max(pixels.shape[:2]) > MAX_SIDE)
    except cv2.error:
        # OpenCV itself refuses images of more than a thousand million pixels.
        pixels, large = None, True
    if large:
        raise TooLargeError(f"is larger than {MAX_SIDE} px or {MAX_BYTES} bytes", file=path)
    if pixels is None:
        raise ConfigError("is no image that can be read", file=path)
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
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigError("is no YAML file", file=file) from error
    if not isinstance(values, dict) or not values:
        raise ConfigError("must be a map of keys to values", file=file, value=values)
    return values


def _names(about: Mapping[str, Any], file: Path) -> dict[int, str]:
    names = about.get("names")
    names = dict(enumerate(names)) if isinstance(names, list) else names
    if not isinstance(names, dict) or not names:
        raise ConfigError("must name the classes", file=file, key="names", value=names)
    if not all(type(number) is int and isinstance(name, str) and name for number, name in names.items()):
        raise ConfigError("must be numbers and names", file=file, key="names", value=names)
    return names


def _folders(about: Mapping[str, Any], file: Path) -> list[Path]:
    """Return the folders or lists of images of a dataset's first part."""
    root = about.get("path", ".")
    key = next((split for split in _SPLITS if about.get(split) is not None), None)
    if key is None:
        raise ConfigError(f"has none of {', '.join(_SPLITS)}", file=file)
    parts = about[key] if isinstance(about[key], list) else [about[key]]
    for name, values in (("path", [root]), (key, parts)):
        if not all(isinstance(value, str) for value in values):
            raise ConfigError("must be a folder or a list of folders", file=file, key=name, value=about[name])
    # Written on another machine, it names a folder that is not here: the images lie next to the file as a rule.
    base = file.parent / root if (file.parent / root).is_dir() else file.parent
    return [base / part for part in parts]


def _images(source: Path, places: Sequence[Path]) -> tuple[Path, ...]:
    """Return the files of images in folders and lists, sorted."""
    images: set[Path] = set()
    for place in places:
        if place.is_dir():
            images.update(path for path in place.rglob("*") if path.suffix.lower() in _SUFFIXES)
        elif place.is_file() and place.suffix == ".txt":
            listed = place.read_text(encoding="utf-8").split("\n")
            images.update(place.parent / line.strip() for line in listed if line.strip())
        else:
            raise ConfigError("there is no such folder of images", file=source, value=str(place))
    missing = next((path for path in sorted(images) if not path.is_file()), None)
    if missing is not None or not images:
        raise ConfigError("there is no such image" if missing else "there are no images", file=source, value=missing)
    return tuple(sorted(images))


def _label_file(image: Path, folder: str) -> Path:
    """Return where an image's labels are: in ``folder`` in place of the last ``images`` in its path.

    Labels, but no others, may also lie next to the image.
    """
    parts = list(image.parts)
    if "images" in parts[:-1]:
        parts[len(parts) - 2 - parts[-2::-1].index("images")] = folder
        return Path(*parts).with_suffix(".txt")
    return image.with_suffix(".txt") if folder == "labels" else image.parent / folder / f"{image.stem}.txt"
