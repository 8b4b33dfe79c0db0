"""The signs that a detector finds in the pictures of a camera, as a sensor."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from arena_trees.robot.detections import Detection, Detections
from arena_trees.robot.ros_messages.detection_array import DetectionArray, box_fields
from arena_trees.robot.sensor import RefusedReadingError, Sensor, Times

__all__ = ["SENSOR"]

_MOST_BOXES = 100
"""Of one image that are looked at."""
_LONGEST_SIDE = 4096
"""Of an image, px."""
_LONGEST_LABEL = 200


def check(detections: Detections, before: Detections | None = None) -> Detections:
    """Return the detections with boxes clipped to the image, less those that make no sense.

    Raises:
        RefusedReadingError: the image has no sensible size
    """
    width, height = detections.image_width, detections.image_height
    if not (0 < width <= _LONGEST_SIDE and 0 < height <= _LONGEST_SIDE):
        raise RefusedReadingError("image size out of range")
    clipped = (_clipped(box, width, height) for box in detections.boxes[:_MOST_BOXES])
    boxes = tuple(box for box in clipped if box is not None)
    return detections if boxes == detections.boxes else replace(detections, boxes=boxes)


def _clipped(box: Detection, width: int, height: int) -> Detection | None:
    """Return the part of a box inside the image, or None if there is none or the box makes no sense."""
    numbers = (box.confidence, box.x, box.y, box.width, box.height)
    if not all(map(math.isfinite, numbers)) or not 0.0 <= box.confidence <= 1.0:
        return None
    half_width, half_height = 0.5 * box.width, 0.5 * box.height
    if half_width <= 0.0 or half_height <= 0.0:
        return None
    left, right = box.x - half_width, box.x + half_width
    top, bottom = box.y - half_height, box.y + half_height
    if left >= 0.0 and top >= 0.0 and right <= width and bottom <= height:
        return box
    left, right, top, bottom = max(left, 0.0), min(right, width), max(top, 0.0), min(bottom, height)
    if left >= right or top >= bottom:
        return None
    return Detection(
        box.label, box.confidence, 0.5 * (left + right), 0.5 * (top + bottom), right - left, bottom - top
    )  # fmt: skip


def found(message: Any, times: Times) -> Detections:
    """Return the boxes in a ``vision_msgs/Detection2DArray``.

    Of several hypotheses of one box the best counts; a box without any is left out.
    """
    boxes = []
    for detection in message.detections:
        if detection.results:
            best = max((result.hypothesis for result in detection.results), key=lambda guess: guess.score)
            box = detection.bbox
            place = box.center.position
            label = best.class_id[:_LONGEST_LABEL]
            boxes.append(Detection(label, best.score, place.x, place.y, box.size_x, box.size_y))
    return Detections(*times, 0, 0, tuple(boxes))


def fields(detections: Detections) -> list[dict[str, Any]]:
    """Return each box as a ``vision_msgs/Detection2D``."""
    return [
        {
            "results": [{"hypothesis": {"class_id": box.label, "score": box.confidence}}],
            "bbox": box_fields(box.x, box.y, box.width, box.height),
        }
        for box in detections.boxes
    ]


SENSOR = Sensor(
    key="detections",
    description="signs in the images of a camera",
    reading=Detections,
    check=check,
    parts=lambda detections: len(detections.boxes),
    by_role=True,
    stale_s=0.7,
    ros=DetectionArray(topic="detections", optics="detections/camera_info", found=found, detections=fields),
    always_counted=True,
)
