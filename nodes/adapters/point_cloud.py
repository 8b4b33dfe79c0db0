"""Points as a ``sensor_msgs/PointCloud2``, as Nav2's costmaps and RViz read them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from sensor_msgs.msg import PointCloud2, PointField

__all__ = ["disc_points", "point_cloud"]


def disc_points(x: float, y: float, radius: float, number: int) -> list[tuple[float, float]]:
    """Return the middle of a disc, and so many points on its outline, m."""
    angles = (2.0 * math.pi * place / number for place in range(number))
    return [(x, y), *((x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in angles)]


def point_cloud(points: Sequence[tuple[float, float]], frame: str, stamp: Any, height: float) -> Any:
    """Return points as a ``sensor_msgs/PointCloud2`` of the fields x, y and z.

    Args:
        points: x and y of each, m, in the frame
        frame: name of the frame
        stamp: a ``builtin_interfaces/Time``
        height: of all points above the ground, m
    """
    places = np.empty((len(points), 3), dtype="<f4")
    places[:, :2] = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    places[:, 2] = height
    cloud = PointCloud2(height=1, width=len(points), point_step=12, row_step=12 * len(points), is_dense=True)
    cloud.header.frame_id, cloud.header.stamp = frame, stamp
    cloud.fields = [
        PointField(name=name, offset=4 * place, datatype=PointField.FLOAT32, count=1)
        for place, name in enumerate(("x", "y", "z"))
    ]
    cloud.data = places.tobytes()
    return cloud
