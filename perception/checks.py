"""Checks of single readings: each returns the percept to keep, or raises with the reason to count."""

from __future__ import annotations

import math
from dataclasses import replace

from arena_trees.perception.parameters import PerceptionParameters
from arena_trees.robot.circles import Circles
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.percepts import Detection, Detections, Odometry, PoseEstimate
from arena_trees.robot.sensor import RefusedReadingError

__all__ = [
    "checked_circles",
    "checked_detections",
    "checked_odometry",
    "checked_pose",
]


def checked_odometry(odometry: Odometry, parameters: PerceptionParameters) -> Odometry:
    """Return the odometry.

    Raises:
        RefusedReadingError: it is not finite, or absurd
    """
    _check_pose(odometry.pose, parameters)
    twist = odometry.twist
    if not twist.is_finite:
        raise RefusedReadingError("not finite")
    if abs(twist.linear) > parameters.max_linear or abs(twist.angular) > parameters.max_angular:
        raise RefusedReadingError("out of range")
    return odometry


def checked_pose(estimate: PoseEstimate, parameters: PerceptionParameters) -> PoseEstimate:
    """Return the pose.

    Raises:
        RefusedReadingError: it is not finite, or absurd
    """
    _check_pose(estimate.pose, parameters)
    return estimate


def checked_circles(circles: Circles) -> Circles:
    """Return the circles, largest first.

    Raises:
        RefusedReadingError: a number is not finite, a radius is not positive, or the image has no size
    """
    if circles.image_width <= 0 or circles.image_height <= 0:
        raise RefusedReadingError("image has no size")
    for circle in circles.circles:
        if not all(
            math.isfinite(value) for value in (circle.x, circle.y, circle.radius, circle.quality, circle.radius_sigma)
        ):
            raise RefusedReadingError("not finite")
        if circle.radius <= 0.0 or not 0.0 <= circle.quality <= 1.0 or circle.radius_sigma < 0.0:
            raise RefusedReadingError("out of range")
    ordered = tuple(sorted(circles.circles, key=lambda circle: -circle.radius))
    return circles if ordered == circles.circles else replace(circles, circles=ordered)


def checked_detections(detections: Detections, parameters: PerceptionParameters) -> tuple[Detections, int]:
    """Return the detections with boxes clipped to the image, and how many boxes were dropped.

    Args:
        detections: of one image
        parameters: tolerances

    Raises:
        RefusedReadingError: the image has no sensible size
    """
    width, height = detections.image_width, detections.image_height
    if not (0 < width <= parameters.max_image_side and 0 < height <= parameters.max_image_side):
        raise RefusedReadingError("image size out of range")
    looked_at = detections.boxes[: parameters.max_boxes]
    clipped = (_clipped(box, width, height) for box in looked_at)
    boxes = tuple(box for box in clipped if box is not None)
    if boxes == detections.boxes:
        return detections, 0
    dropped = len(detections.boxes) - len(boxes)
    return Detections(detections.stamp, detections.arrival, detections.sequence, width, height, boxes), dropped


def _check_pose(pose: Pose2D, parameters: PerceptionParameters) -> None:
    if not pose.is_finite:
        raise RefusedReadingError("not finite")
    if abs(pose.x) > parameters.max_distance or abs(pose.y) > parameters.max_distance:
        raise RefusedReadingError("out of range")


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
