"""What robots of wolf and rabbit have on their blackboards under ``/<robot>/`` besides what all robots have."""

from __future__ import annotations

from dataclasses import dataclass, replace

from arena_trees.robot.detections import Detections

__all__ = [
    "CARROTS", "CAUGHT_SIGNS", "EATEN", "PACK", "THREATS", "Carrots", "CaughtSigns", "EatenCarrots", "PackPlan",
    "Point", "Threats",
]  # fmt: skip

Point = tuple[float, float]

CARROTS = "carrots"
"""Carrots that a rabbit knows of; written by SpotCarrots."""
EATEN = "eaten"
"""EatenCarrots of a rabbit; written by EatCarrot."""
PACK = "pack"
"""PackPlan of a wolf that hunts in a pack; written by HuntInPack."""
CAUGHT_SIGNS = "caught_signs"
"""CaughtSigns in a wolf's newest image; written by LeaveOutCaught."""
THREATS = "threats"
"""Threats that a rabbit knows of by its LiDAR; written by SenseThreats."""


@dataclass(frozen=True, slots=True)
class Threats:
    """Robots that were seen to move, as they are believed to be now, in the odom frame.

    Attributes:
        places: centres, m
    """

    places: tuple[tuple[float, float], ...] = ()

    def __str__(self) -> str:
        return ", ".join(f"({x:.1f}, {y:.1f})" for x, y in self.places) or "none"


@dataclass(frozen=True, slots=True)
class CaughtSigns:
    """Which signs of an image are those of rabbits that are caught.

    Attributes:
        boxes: their places in the image's list of boxes
    """

    boxes: tuple[int, ...] = ()

    def left(self, image: Detections | None) -> Detections | None:
        """Return the image without them."""
        if image is None or not self.boxes:
            return image
        return replace(image, boxes=tuple(box for k, box in enumerate(image.boxes) if k not in self.boxes))

    def __str__(self) -> str:
        return f"{len(self.boxes)} left out" if self.boxes else "none"


@dataclass(frozen=True, slots=True)
class PackPlan:
    """What a wolf of a pack makes of what all of them see.

    Attributes:
        rabbit: where one of them sees the rabbit now, map frame, m; None where none does
        place: where this wolf goes to cut the rabbit off, map frame, m; None where it hunts by itself
    """

    rabbit: Point | None = None
    place: Point | None = None

    def __str__(self) -> str:
        if self.rabbit is None:
            return "nobody sees it"
        seen = f"seen at ({self.rabbit[0]:.1f}, {self.rabbit[1]:.1f})"
        return seen if self.place is None else f"{seen}, cuts off at ({self.place[0]:.1f}, {self.place[1]:.1f})"


@dataclass(frozen=True, slots=True)
class Carrots:
    """Carrots that stand somewhere to be eaten.

    Attributes:
        places: odom frame, m
    """

    places: tuple[Point, ...] = ()

    def __str__(self) -> str:
        return ", ".join(f"({x:.1f}, {y:.1f})" for x, y in self.places) or "none"


@dataclass(frozen=True, slots=True)
class EatenCarrots:
    """Carrots that a rabbit has eaten.

    Attributes:
        places: where (odom frame, m) and when (ns) each was
    """

    places: tuple[tuple[Point, int], ...] = ()

    def __str__(self) -> str:
        return f"{len(self.places)} eaten"
