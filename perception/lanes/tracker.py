"""Detects lane lines near the heading that odometry predicts for them."""

from __future__ import annotations

import math

from arena_trees.perception.image import Image
from arena_trees.perception.lanes.lines import LaneDetector
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.lane import LaneLines

__all__ = ["LaneWatch"]

_KEPT = from_seconds(10.0)
"""A heading that no line confirmed for so long is forgotten, ns."""

_SHARE = 0.3
"""How much of what the newest lines say differently is believed: one image is off by half a degree."""

_QUARTER = math.pi / 2.0


class LaneWatch:
    """Remembers how roads lie in the odom frame; roads cross at right angles, so one angle will do.

    It does not know where the robot is. A stop line that it reports where roads cross is that of others.

    Args:
        detector: finds the lines
    """

    def __init__(self, detector: LaneDetector) -> None:
        self._detector = detector
        self._road: float | None = None
        self._stamp = 0

    def observe(self, image: Image, base: Pose2D | None) -> LaneLines:
        """Return the lines in an image: those of the road that leads ahead, within 45 degrees.

        Args:
            image: as a camera sends it
            base: pose of base_link in odom when the image was taken; None where it is not known, which leaves the
                heading open

        Raises:
            ImageError: the image contradicts itself, or is of a kind or size that is not looked at
        """
        if base is None or not 0 <= image.stamp - self._stamp <= _KEPT:
            self._road = None
        heading = None if base is None or self._road is None else _wrapped(self._road - base.yaw)
        lane = self._detector.detect(image, heading=heading)
        if base is not None and lane.heading is not None:
            self._learn(base.yaw + lane.heading, image.stamp)
        return lane

    def _learn(self, road: float, stamp: int) -> None:
        known = self._road
        self._road = _wrapped(road if known is None else known + _SHARE * _wrapped(road - known))
        self._stamp = stamp


def _wrapped(angle: float) -> float:
    """Return an angle (rad) within 45 degrees, quarter turns left out."""
    return math.remainder(angle, _QUARTER)
