"""The source system's detector: a mask of blue, a Gaussian and the Hough transform for circles."""

from __future__ import annotations

import cv2
import numpy as np

from arena_trees.perception.image import Rgb
from arena_trees.robot.circles import Circle
from arena_trees.robot.configuration.parameters import Parameters, parameter

__all__ = ["HoughDetector", "HoughParameters"]


class HoughParameters(Parameters):
    """What the source's document leaves open, chosen on rendered images for its rate of detection."""

    hue_low: int = parameter(100, "least hue of blue, of 180", ge=0, le=180)
    hue_high: int = parameter(130, "greatest hue of blue, of 180", ge=0, le=180)
    saturation_low: int = parameter(80, "least saturation, of 255", ge=0, le=255)
    value_low: int = parameter(30, "least brightness, of 255", ge=0, le=255)
    dp: float = parameter(1.0, "cell of the accumulator", "px", ge=0.5, le=8)
    min_distance_px: float = parameter(1000.0, "between the centres of two circles", "px", gt=0, le=4096)
    edge_threshold: float = parameter(300.0, "upper threshold of the edges", gt=0, le=2000)
    votes: float = parameter(10.0, "threshold of the accumulator", gt=0, le=1000)
    min_radius_px: int = parameter(2, "smallest circle", "px", ge=0, le=4096)
    max_radius_px: int = parameter(200, "largest circle", "px", ge=1, le=4096)


class HoughDetector:
    """Finds circles as the source system does (document 001, section C).

    Args:
        parameters: what the document leaves open
    """

    def __init__(self, parameters: HoughParameters | None = None) -> None:
        self.parameters = HoughParameters() if parameters is None else parameters

    def detect(self, image: Rgb) -> tuple[Circle, ...]:
        """Return the circles in an image, largest first.

        Args:
            image: RGB, shape (height, width, 3)
        """
        p = self.parameters
        colours = cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_RGB2HSV)
        mask = cv2.inRange(colours, (p.hue_low, p.saturation_low, p.value_low), (p.hue_high, 255, 255))
        found = cv2.HoughCircles(
            cv2.GaussianBlur(mask, (9, 9), 2.0),
            cv2.HOUGH_GRADIENT,
            dp=p.dp,
            minDist=p.min_distance_px,
            param1=p.edge_threshold,
            param2=p.votes,
            minRadius=p.min_radius_px,
            maxRadius=p.max_radius_px,
        )
        if found is None:
            return ()
        # OpenCV counts from the middle of the first pixel.
        places = found.reshape(-1, 3).astype(float).tolist()
        circles = [Circle(x + 0.5, y + 0.5, radius) for x, y, radius in places if radius > 0.0]
        return tuple(sorted(circles, key=lambda one: -one.radius))
