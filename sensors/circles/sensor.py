"""The circles that a detector of spheres finds in the pictures of a camera, as a sensor."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from arena_trees.robot.circles import Circle, Circles
from arena_trees.robot.ros_messages.detection_array import DetectionArray, box_fields
from arena_trees.robot.sensor import RefusedReadingError, Sensor, Times

__all__ = ["SENSOR", "SPHERE"]

SPHERE = "sphere"
"""Class of a circle in a ``vision_msgs/Detection2DArray``."""

_NO_COVARIANCE = (0.0,) * 35


def check(circles: Circles, before: Circles | None = None) -> Circles:
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


def found(message: Any, times: Times) -> Circles:
    """Return the circles in a ``vision_msgs/Detection2DArray``.

    A circle is a square box of the class :data:`SPHERE`: its score is the circle's quality, and the first element of
    its hypothesis' covariance the variance of the radius, px2. What is of another class is left out.
    """
    circles = []
    for detection in message.detections:
        for result in detection.results:
            if result.hypothesis.class_id == SPHERE:
                place = detection.bbox.center.position
                sigma = math.sqrt(max(0.0, result.pose.covariance[0]))
                radius = detection.bbox.size_x / 2.0
                circles.append(Circle(place.x, place.y, radius, result.hypothesis.score, sigma))
                break
    return Circles(*times, 0, 0, tuple(circles))


def fields(circles: Circles) -> list[dict[str, Any]]:
    """Return each circle as a ``vision_msgs/Detection2D``."""
    return [
        {
            "results": [
                {
                    "hypothesis": {"class_id": SPHERE, "score": circle.quality},
                    # The root of a number's square is the number itself, to the last bit.
                    "pose": {"covariance": (circle.radius_sigma * circle.radius_sigma, *_NO_COVARIANCE)},
                }
            ],
            "bbox": box_fields(circle.x, circle.y, 2.0 * circle.radius, 2.0 * circle.radius),
        }
        for circle in circles.circles
    ]


SENSOR = Sensor(
    key="circles",
    description="circles of a sphere's colour in the images of a camera",
    reading=Circles,
    check=check,
    by_role=True,
    stale_s=0.7,
    ros=DetectionArray(topic="circles", optics="circles/camera_info", found=found, detections=fields),
    always_counted=True,
)
