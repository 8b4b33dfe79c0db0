"""Whether an exported network finds what the network that it came from finds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from ultralytics import YOLO

from arena_trees.perception.sign_detector import CONFIDENCE, OVERLAP, OnnxSignDetector

__all__ = ["Agreement", "compare"]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How two networks' boxes compare.

    Attributes:
        boxes: that both found
        alone: that only one of them found
        largest_px: largest difference of an edge
    """

    boxes: int
    alone: int
    largest_px: float


def compare(weights: Path, model: Path, images: Sequence[Path]) -> Agreement:
    """Compare a checkpoint's boxes with the exported model's, as robots run it.

    Args:
        weights: checkpoint of a training
        model: the ONNX file made of it
        images: to look for signs in
    """
    network = YOLO(str(weights))
    detector = OnnxSignDetector(model)
    side = json.loads(model.with_suffix(".json").read_text(encoding="utf-8"))["input"][2]
    both, alone, largest = 0, 0, 0.0
    for path in images:
        image = np.asarray(cv2.imread(str(path)), np.uint8)
        theirs = network.predict(image, imgsz=side, conf=CONFIDENCE, iou=OVERLAP, device="cpu", verbose=False)[0].boxes
        rows = np.column_stack([theirs.cls.numpy(), theirs.xyxy.numpy()])
        ours = np.array(
            [
                [detector.classes.index(box.label), *(_edges(box))]
                for box in detector.detect(np.ascontiguousarray(image[..., ::-1]))
            ]
        ).reshape(-1, 5)
        for row in rows:
            gaps = np.abs(ours[ours[:, 0] == row[0], 1:] - row[1:]).max(axis=1)
            if gaps.size and gaps.min() < side / 4.0:
                both += 1
                largest = max(largest, float(gaps.min()))
        alone += abs(len(rows) - len(ours))
    return Agreement(both, alone, largest)


def _edges(box: Any) -> tuple[float, float, float, float]:
    return (
        box.x - box.width / 2.0,
        box.y - box.height / 2.0,
        box.x + box.width / 2.0,
        box.y + box.height / 2.0,
    )
