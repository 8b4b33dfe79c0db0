"""The markers beside a road, which a detector finds in the pictures of a camera, as a sensor."""

from __future__ import annotations

import math

from arena_trees.robot.lane import MarkerDetections
from arena_trees.robot.sensor import NOT_ON_ROS, RefusedReadingError, Sensor

__all__ = ["SENSOR"]


def check(detections: MarkerDetections, before: MarkerDetections | None = None) -> MarkerDetections:
    """Return the markers.

    Raises:
        RefusedReadingError: a number is not finite
    """
    for marker in detections.markers:
        if not all(map(math.isfinite, (marker.x, marker.y, marker.facing))):
            raise RefusedReadingError("not finite")
    return detections


SENSOR = Sensor(
    key="markers",
    description="markers beside the road",
    reading=MarkerDetections,
    check=check,
    by_role=True,
    # They serve the localiser, which looks for them itself.
    ros=NOT_ON_ROS,
    always_counted=True,
)
