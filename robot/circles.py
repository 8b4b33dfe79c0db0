"""Circles: what a sphere looks like in an image."""

from __future__ import annotations

from dataclasses import dataclass

from arena_trees.robot.stamped import Stamped

__all__ = ["Circle", "Circles"]


@dataclass(frozen=True, slots=True)
class Circle:
    """A circle in an image, pixels; parts of it may lie outside the image.

    Attributes:
        x: column of its centre, rightwards from the image's left edge
        y: row of its centre, downwards from the image's top edge
        radius: px
        quality: 0 to 1, how much of the circle's edge supports it; 1 where the detector does not say
        radius_sigma: standard deviation of the radius, px; 0 where the detector does not say
    """

    x: float
    y: float
    radius: float
    quality: float = 1.0
    radius_sigma: float = 0.0


@dataclass(frozen=True, slots=True)
class Circles(Stamped):
    """The circles of a sphere's colour that were found in one image.

    What they mean, trust and distance, is decided behind the blackboard by the tree's sensing branch.

    Attributes:
        image_width: of that image, px
        image_height: of that image, px
        circles: what was found, largest first
        focal_px: focal length of the camera, px; 0 where it is not known
    """

    image_width: int
    image_height: int
    circles: tuple[Circle, ...]
    focal_px: float = 0.0

    @property
    def largest(self) -> Circle | None:
        """The circle with the greatest radius, or None."""
        return self.circles[0] if self.circles else None

    def __str__(self) -> str:
        return ", ".join(f"r {one.radius:.1f} px at ({one.x:.0f}, {one.y:.0f})" for one in self.circles) or "nothing"
