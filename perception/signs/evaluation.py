"""Evaluation of a sign detector on a dataset: scores by class and size, false alarms, and its latency."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arena_trees.perception.signs.coco_scores import BoxMatches, Frame, Score, score_frames
from arena_trees.perception.signs.detector import ImageDetector
from arena_trees.perception.signs.yolo_dataset import TooLargeError, YoloDataset, read_image
from arena_trees.robot.errors import ConfigError

__all__ = ["UNSURE", "Evaluation", "evaluate"]

UNSURE = 0.001
"""Confidence down to which boxes count for the mean precision."""

_TIMED = 300
"""Images that the latency is measured on."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an evaluation found.

    Attributes:
        images: files of the images that were looked at
        skipped: files of those that are too large
        empty: number of images without any sign, a doubtful one included
        false_on_empty: boxes found in these
        scores: by class and range of sizes; empty where the dataset is background only
        outcomes: what became of the boxes of each image
        latency: of the detector: ``median_ms`` and ``p99_ms`` of so many ``calls``
    """

    images: tuple[Path, ...]
    skipped: tuple[Path, ...]
    empty: int
    false_on_empty: int
    scores: tuple[Score, ...]
    outcomes: tuple[BoxMatches, ...]
    latency: dict[str, float]


def evaluate(
    dataset: YoloDataset,
    make_detector: Callable[[float], ImageDetector],
    confidence: float,
    as_background: bool = False,
    on_progress: Callable[[int], object] | None = None,
) -> Evaluation:
    """Let a detector look at each image of a dataset, and compare.

    Args:
        dataset: the images and true boxes
        make_detector: makes the detector for a confidence
        confidence: that counts as found
        as_background: take it that none of the detector's classes is in any image, whatever the labels say
        on_progress: called with the number of images done so far

    Raises:
        ConfigError: an image or a label cannot be read, every image is too large, or the dataset has none of the
            detector's classes
        ArenaTreesError: pycocotools is needed and not installed
    """
    sure, unsure = make_detector(confidence), make_detector(confidence if as_background else UNSURE)
    labels = [] if as_background else _common_labels(dataset, sure.classes)
    frames: list[Frame] = []
    times: list[float] = []
    images: list[Path] = []
    skipped: list[Path] = []
    for number, path in enumerate(dataset.images, 1):
        if on_progress is not None:
            on_progress(number)
        try:
            image = read_image(path)
        except TooLargeError:
            skipped.append(path)
            continue
        images.append(path)
        height, width = image.shape[:2]
        truth, doubtful = (
            [box for box in dataset.boxes(path, width, height, folder) if box.label in labels] if labels else []
            for folder in ("labels", "doubtful")
        )
        frames.append(Frame(truth, unsure.detect(image), doubtful))
        if len(images) == 1:
            # The first call is slower than all others.
            sure.detect(image)
        if len(images) <= _TIMED:
            begun = time.perf_counter_ns()
            sure.detect(image)
            times.append((time.perf_counter_ns() - begun) / 1e6)
    if not images:
        raise ConfigError("has no image that is small enough to be looked at", file=dataset.source)
    scores, outcomes = score_frames(frames, labels, confidence) if labels else ([], _all_false(frames))
    bare = [frame for frame in frames if not frame.truth and not frame.doubtful]
    return Evaluation(
        images=tuple(images),
        skipped=tuple(skipped),
        empty=len(bare),
        false_on_empty=sum(box.confidence >= confidence for frame in bare for box in frame.found),
        scores=tuple(scores),
        outcomes=tuple(outcomes),
        latency=dict(median_ms=float(np.median(times)), p99_ms=float(np.percentile(times, 99)), calls=len(times)),
    )


def _all_false(frames: Sequence[Frame]) -> list[BoxMatches]:
    return [BoxMatches((), tuple(frame.found), ()) for frame in frames]


def _common_labels(dataset: YoloDataset, classes: Sequence[str]) -> list[str]:
    labels = [label for label in classes if label in dataset.names.values()]
    if not labels:
        raise ConfigError(
            f"has none of the detector's classes {', '.join(classes)}; --as-background counts every box as false",
            file=dataset.source,
            key="names",
            value=", ".join(dataset.names.values()) or "none",
        )
    return labels
