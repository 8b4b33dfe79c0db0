"""Detections: what a sign detector finds in an image, as boxes."""

from __future__ import annotations

from dataclasses import dataclass

from arena_trees.robot.quick_init import quick_init
from arena_trees.robot.stamped import Stamped

__all__ = ["Detection", "Detections"]


@quick_init
@dataclass(frozen=True, slots=True)
class Detection:
    """One detected box in an image, in pixels, clipped to the image.

    Attributes:
        label: class name, such as ``carrot``
        confidence: 0 to 1
        x: column of the box's centre, rightwards from the image's left edge
        y: row of the box's centre, downwards from the image's top edge
        width: of the box
        height: of the box
    """

    label: str
    confidence: float
    x: float
    y: float
    width: float
    height: float

    @property
    def edges(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom, px."""
        half_width, half_height = self.width / 2.0, self.height / 2.0
        return self.x - half_width, self.y - half_height, self.x + half_width, self.y + half_height


@quick_init
@dataclass(frozen=True, slots=True)
class Detections(Stamped):
    """What the sign detector found in one image.

    Attributes:
        image_width: of that image, px
        image_height: of that image, px
        boxes: what was found
        focal_px: focal length of the camera, px; 0 where it is not known
    """

    image_width: int
    image_height: int
    boxes: tuple[Detection, ...]
    focal_px: float = 0.0

    def best(self, label: str) -> Detection | None:
        """Return the box of that class with the highest confidence, or None."""
        found: Detection | None = None
        for box in self.boxes:
            if box.label == label and (found is None or box.confidence > found.confidence):
                found = box
        return found

    def __str__(self) -> str:
        return ", ".join(f"{box.label} {box.confidence:.2f}" for box in self.boxes) or "nothing"
