"""From trained weights to the file that robots load, with its hash and class names beside it."""

from __future__ import annotations

import hashlib
import json
import math
import shutil
from pathlib import Path

from ultralytics import YOLO

from arena_trees.models.training.drawings import LABELS

__all__ = ["calibrate", "export", "write_card"]

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
    """Write the network as ONNX, and its card beside it.

    The file takes one image, [1, 3, n, n], and gives raw boxes: overlapping ones are for the caller to
    drop. Export with suppression inside would lose it without an error where torchvision is a stand-in.

    Args:
        weights: checkpoint of a training
        target: ONNX file to write
        image_px: side of the input
    """
    made = YOLO(str(weights)).export(format="onnx", imgsz=image_px, dynamic=False, opset=_OPSET, nms=False)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(made, target)
    write_card(target, image_px)


def write_card(model: Path, image_px: int) -> None:
    """Write ``<name>.json`` beside a model: what it is, and the hash that is checked when it is loaded."""
    card = {
        "file": model.name,
        "sha256": hashlib.sha256(model.read_bytes()).hexdigest(),
        "classes": list(LABELS),
        "input": [1, 3, image_px, image_px],
        "licence": "AGPL-3.0",
    }
    model.with_suffix(".json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
