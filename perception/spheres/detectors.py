"""The detectors of circles by name."""

from __future__ import annotations

from typing import Literal, Protocol

from arena_trees.perception.image import Image, ImageError, Rgb
from arena_trees.perception.spheres.edges import EdgeDetector
from arena_trees.perception.spheres.hough import HoughDetector
from arena_trees.robot.circles import Circle, Circles
from arena_trees.world.pinhole import Pinhole

__all__ = ["CircleDetector", "circles_of", "make_detector"]


class CircleDetector(Protocol):
    """Finds circles in a picture."""

    def detect(self, image: Rgb) -> tuple[Circle, ...]:
        """Return the circles in a picture, RGB, shape (height, width, 3), largest first."""
        ...


def make_detector(name: Literal["source", "arena"], pinhole: Pinhole) -> CircleDetector:
    """Return a detector.

    Args:
        name: source (the document's) or arena (ours)
        pinhole: optics of the camera, which say how a sphere off the axis shows
    """
    return HoughDetector() if name == "source" else EdgeDetector(pinhole)


def circles_of(image: Image, detector: CircleDetector, pinhole: Pinhole) -> Circles:
    """Return what a detector finds in an image as a camera sends it.

    Raises:
        ImageError: the image contradicts itself, or has another size than the optics
    """
    picture = image.rgb()
    if (image.width, image.height) != (pinhole.width, pinhole.height):
        raise ImageError(
            f"the image has {image.width} x {image.height} px, the camera's optics {pinhole.width} x {pinhole.height}"
        )
    found = detector.detect(picture)
    return Circles(image.stamp, image.arrival, image.sequence, image.width, image.height, found)
