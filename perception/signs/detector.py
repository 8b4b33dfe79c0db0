"""Detectors that find signs in images, and the one that comes with the code: a small network on ONNX Runtime."""

from __future__ import annotations

import ast
import hashlib
import json
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from arena_trees.perception.image import Rgb
from arena_trees.robot.configuration.resources import resource_path
from arena_trees.robot.detections import Detection
from arena_trees.robot.errors import ConfigError

__all__ = ["CONFIDENCE", "MAX_BOXES", "OVERLAP", "ImageDetector", "OnnxSignDetector", "best_of_each", "detections"]

CONFIDENCE = 0.5
"""Boxes with less confidence are not reported; the source system's threshold."""

OVERLAP = 0.5
"""Of two boxes of one class that overlap more (intersection over union), the better one stays."""

MAX_BOXES = 100
"""Boxes reported of one image at most."""

_LARGEST_FILE = 256 * 1024 * 1024
_LARGEST_SIDE = 2048
_GREY = 114
"""Brightness of the margins, the same as in training."""


class ImageDetector(Protocol):
    """Finds signs in an image."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels that a box may have."""
        ...

    def detect(self, image: Rgb) -> tuple[Detection, ...]:
        """Return the boxes found, the most confident first, clipped to the image.

        Args:
            image: RGB, uint8, shape (height, width, 3)
        """
        ...


def best_of_each(boxes: Sequence[Detection]) -> tuple[Detection, ...]:
    """Return the most confident box of each class, as the source system's detector reports."""
    best: dict[str, Detection] = {}
    for box in boxes:
        if box.label not in best or box.confidence > best[box.label].confidence:
            best[box.label] = box
    return tuple(sorted(best.values(), key=lambda box: -box.confidence))


def detections(
    edges: NDArray[np.float64],
    scores: NDArray[np.float64],
    numbers: NDArray[np.int64],
    classes: Sequence[str],
    size: tuple[int, int],
) -> tuple[Detection, ...]:
    """Return raw boxes as detections: clipped, without those that make no sense, the most confident first.

    Args:
        edges: left, top, right and bottom, px, shape (n, 4)
        scores: confidences, shape (n,)
        numbers: of the classes, shape (n,)
        classes: labels by number
        size: height and width of the image, px
    """
    good = np.isfinite(edges).all(axis=1) & (scores >= 0.0) & (scores <= 1.0) & (numbers >= 0)
    good &= numbers < len(classes)
    edges, scores, numbers = edges[good], scores[good], numbers[good]
    limits = np.array([size[1], size[0], size[1], size[0]], dtype=np.float64)
    edges = np.clip(edges, 0.0, limits)
    found: list[Detection] = []
    for index in np.argsort(-scores, kind="stable").tolist():
        left, top, right, bottom = edges[index].tolist()
        if right - left > 0.0 and bottom - top > 0.0 and len(found) < MAX_BOXES:
            label = classes[int(numbers[index])]
            middle = ((left + right) / 2.0, (top + bottom) / 2.0)
            found.append(Detection(label, float(scores[index]), *middle, right - left, bottom - top))
    return tuple(found)


class OnnxSignDetector:
    """A YOLOv8 network, exported without suppression of overlaps, on ONNX Runtime with one thread.

    The file must be the one whose SHA-256 is in the model card next to it, ``<name>.json``; a model of
    the user's own may come without a card. The class names are those in the model's metadata.

    Args:
        model: ONNX file; the one that comes with the code where not given
        confidence: boxes with less are not reported
        overlap: of two boxes of a class that overlap more, the better one stays

    Raises:
        ConfigError: the file is missing, is not the one of its card, or is no such network
    """

    def __init__(self, model: Path | None = None, confidence: float = CONFIDENCE, overlap: float = OVERLAP) -> None:
        shipped = model is None
        path = resource_path("models", "signs.onnx") if model is None else model
        for key, value in (("confidence", confidence), ("overlap", overlap)):
            if not 0.0 <= value <= 1.0:
                raise ConfigError("must be 0 to 1", key=key, value=value)
        self.path = path
        self._confidence = confidence
        self._overlap = overlap
        self._session = _start(path, _checked_bytes(path, needs_card=shipped))
        self._input: str = self._session.get_inputs()[0].name
        self._height, self._width = _input_size(self._session, path)
        self._classes = _class_names(self._session, path)

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels that a box may have."""
        return self._classes

    def detect(self, image: Rgb) -> tuple[Detection, ...]:
        """Return the boxes found, the most confident first, clipped to the image.

        Args:
            image: RGB, uint8, shape (height, width, 3)

        Raises:
            ValueError: the image has another shape or type
        """
        if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8 or 0 in image.shape:
            raise ValueError(f"an RGB image of bytes is needed, got {image.dtype} of shape {image.shape}")
        height, width = image.shape[:2]
        scale = min(self._height / height, self._width / width)
        fitted, left, top = self._fit(image, scale)
        blob = np.ascontiguousarray(fitted.transpose(2, 0, 1)[None], dtype=np.float32)
        blob *= np.float32(1.0 / 255.0)
        output: NDArray[np.float32] = self._session.run(None, {self._input: blob})[0][0]
        edges, scores, numbers = self._candidates(output)
        edges[:, 0::2] -= left
        edges[:, 1::2] -= top
        edges /= scale
        return detections(edges, scores, numbers, self._classes, (height, width))

    def _fit(self, image: Rgb, scale: float) -> tuple[Rgb, int, int]:
        """Return the image scaled into the network's input, with grey margins, and its left and top in it."""
        height, width = (max(1, round(side * scale)) for side in image.shape[:2])
        if (height, width) != image.shape[:2]:
            scaled = cv2.resize(np.ascontiguousarray(image), (width, height), interpolation=cv2.INTER_LINEAR)
            image = np.asarray(scaled, np.uint8)
        top, left = (self._height - height) // 2, (self._width - width) // 2
        if (height, width) == (self._height, self._width):
            return image, 0, 0
        fitted = np.full((self._height, self._width, 3), _GREY, dtype=np.uint8)
        fitted[top : top + height, left : left + width] = image
        return fitted, left, top

    def _candidates(
        self, output: NDArray[np.float32]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
        """Return edges, scores and classes of the boxes that are confident enough, without doubles.

        Args:
            output: centre, size (px of the input) and each class's score of each candidate, shape (4 + classes, n)
        """
        scores = output[4:].max(axis=0)
        # NaN compares False and so goes too.
        kept = output[:, scores >= self._confidence].astype(np.float64)
        kept = kept[:, np.isfinite(kept).all(axis=0) & (kept[2:4] > 0.0).all(axis=0)]
        numbers = kept[4:].argmax(axis=0)
        scores = kept[4:].max(axis=0) if kept.size else np.empty(0)
        x, y, half_width, half_height = kept[0], kept[1], kept[2] / 2.0, kept[3] / 2.0
        edges = np.stack([x - half_width, y - half_height, x + half_width, y + half_height], axis=1)
        chosen = _without_doubles(edges, scores, numbers, self._overlap)
        return edges[chosen], scores[chosen], numbers[chosen]


def _without_doubles(
    edges: NDArray[np.float64], scores: NDArray[np.float64], numbers: NDArray[np.int64], overlap: float
) -> list[int]:
    """Return the boxes that stay when of overlapping ones of a class only the best does, the best first."""
    boxes = np.concatenate([edges[:, :2], edges[:, 2:] - edges[:, :2]], axis=1)
    chosen: list[int] = []
    # NMSBoxesBatched would take all classes at once, but Ubuntu 24.04's OpenCV has none.
    for number in np.unique(numbers):
        own = np.flatnonzero(numbers == number)
        chosen += own[list(cv2.dnn.NMSBoxes(boxes[own].tolist(), scores[own].tolist(), 0.0, overlap))].tolist()
    return sorted(chosen, key=lambda index: (-scores[index], index))[:MAX_BOXES]


def _checked_bytes(path: Path, needs_card: bool) -> bytes:
    """Return the file's bytes, once its hash is that of its card."""
    if not os.path.isfile(path):
        raise ConfigError("there is no such model", file=path)
    if path.stat().st_size > _LARGEST_FILE:
        raise ConfigError("is too large to be a sign detector's network", file=path)
    content = path.read_bytes()
    card = path.with_suffix(".json")
    if not os.path.isfile(card):
        if needs_card:
            raise ConfigError("the model's card, with its SHA-256, is missing", file=card)
        return content
    try:
        expected = json.loads(card.read_text(encoding="utf-8"))["sha256"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError("is no model card with a SHA-256", file=card, key="sha256") from error
    if hashlib.sha256(content).hexdigest() != expected:
        raise ConfigError("is not the model that its card describes", file=path, key="sha256", value=expected)
    return content


def _start(path: Path, content: bytes) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # A thread that spins while it waits takes the core from the rest of the robot.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    # ONNX Runtime has an exception class for each of its statuses, and no common public one.
    except Exception as error:
        raise ConfigError("is no network that ONNX Runtime can run", file=path) from error


def _input_size(session: Any, path: Path) -> tuple[int, int]:
    inputs = session.get_inputs()
    shape = inputs[0].shape
    sides = tuple(shape[2:])
    fits = len(inputs) == 1 and len(shape) == 4 and shape[:2] == [1, 3] and inputs[0].type == "tensor(float)"
    if not fits or not all(isinstance(side, int) and 8 <= side <= _LARGEST_SIDE for side in sides):
        raise ConfigError("the network's input must be float, [1, 3, height, width]", file=path, value=shape)
    return sides[0], sides[1]


def _class_names(session: Any, path: Path) -> tuple[str, ...]:
    """Return the class names, which the exporter writes into the metadata as a dict's text."""
    text = session.get_modelmeta().custom_metadata_map.get("names", "")
    try:
        names = ast.literal_eval(text[:10_000])
        classes = tuple(names[number] for number in range(len(names)))
    except (ValueError, SyntaxError, KeyError, TypeError, MemoryError, RecursionError) as error:
        raise ConfigError("the network's metadata has no class names", file=path, key="names", value=text) from error
    shape = session.get_outputs()[0].shape
    if not classes or not all(isinstance(name, str) and name for name in classes):
        raise ConfigError("the network's metadata has no class names", file=path, key="names", value=text)
    if len(shape) != 3 or shape[0] != 1 or shape[1] != 4 + len(classes) or math.prod(shape[1:]) > 1e8:
        raise ConfigError(
            f"the network's output must be [1, {4 + len(classes)}, n] for its {len(classes)} classes",
            file=path,
            value=shape,
        )
    return classes
