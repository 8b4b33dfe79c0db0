"""From trained weights to the file that robots load, with its hash and class names next to it."""

from __future__ import annotations

import hashlib
import json
import math
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from ultralytics import YOLO

from arena_trees.models.training.drawings import LABELS
from arena_trees.perception.signs.detector import OnnxSignDetector
from arena_trees.perception.signs.ultralytics_detector import UltralyticsDetector
from arena_trees.perception.signs.yolo_dataset import read_image

__all__ = ["calibrate", "compare", "export"]

_OPSET = 12
"""The oldest that suffices, for old runtimes."""


def calibrate(weights: Path, target: Path, score: float) -> None:
    """Write weights whose scores are moved so that a given one becomes 0.5, the threshold of everybody.

    Scores keep their order. Which one to move there is read off the validation images.

    Args:
        weights: checkpoint of a training
        target: checkpoint to write
        score: more than 0 and less than 1
    """
    network = YOLO(str(weights))
    shift = math.log(score / (1.0 - score))
    for branch in network.model.model[-1].cv3:
        # The last layer of each scale gives the classes' logits.
        branch[-1].bias.data -= shift
    network.save(str(target))


def export(weights: Path, target: Path, image_px: int) -> None:
    """Write the network as ONNX, and next to it its card, with the hash that is checked when it is loaded.

    The file takes one image, [1, 3, n, n], and gives raw boxes: overlapping ones are for the caller to
    drop.

    Args:
        weights: checkpoint of a training
        target: ONNX file to write
        image_px: side of the input
    """
    made = YOLO(str(weights)).export(format="onnx", imgsz=image_px, dynamic=False, opset=_OPSET, nms=False)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(made, target)
    card = {
        "file": target.name,
        "sha256": hashlib.sha256(target.read_bytes()).hexdigest(),
        "classes": list(LABELS),
        "input": [1, 3, image_px, image_px],
        "licence": "AGPL-3.0",
    }
    target.with_suffix(".json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


def compare(weights: Path, model: Path, images: Sequence[Path], image_px: int) -> tuple[int, int, float]:
    """Compare a checkpoint's boxes with the exported model's, as robots run it.

    Args:
        weights: checkpoint of a training
        model: the ONNX file made of it
        images: to look for signs in
        image_px: side of the input

    Returns:
        how many boxes both found and only one of them found, and the largest difference of an edge, px
    """
    trained = UltralyticsDetector(weights, allow_pickle=True, image_size=image_px)
    exported = OnnxSignDetector(model)
    both, alone, largest = 0, 0, 0.0
    for path in images:
        image = read_image(path)
        theirs, ours = trained.detect(image), exported.detect(image)
        for box in theirs:
            gaps = [np.abs(np.subtract(box.edges, own.edges)).max() for own in ours if own.label == box.label]
            if min(gaps, default=math.inf) < image_px / 4.0:
                both += 1
                largest = max(largest, float(min(gaps)))
        alone += abs(len(theirs) - len(ours))
    return both, alone, largest
