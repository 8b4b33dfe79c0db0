"""Percepts of a road: the lines of a lane and the markers beside it, in base_link."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.stamped import Stamped

__all__ = ["LaneLine", "LaneLines", "MarkerDetection", "MarkerDetections", "SliceColumns"]


@dataclass(frozen=True, slots=True)
class LaneLine:
    """One line along the road, taken for straight.

    Attributes:
        offset: from base_link to the nearest point of the line, m, left positive
        heading: of the line, rad; 0 where the robot drives along it, positive where the line leads to the left
        confidence: 0 to 1
    """

    offset: float
    heading: float
    confidence: float

    def left_at(self, ahead: float) -> float:
        """Return how far (m) to the left the line is at a distance (m) ahead of base_link."""
        return (self.offset + ahead * math.sin(self.heading)) / math.cos(self.heading)

    def __str__(self) -> str:
        return f"{self.offset:+.3f} m {math.degrees(self.heading):+.1f} deg"


@dataclass(frozen=True, slots=True)
class SliceColumns:
    """Where a slice of an image, some of its rows, shows a lane's two colours: the source system's reading.

    All are columns from the image's middle in focal lengths, tangents of bearings, left positive.

    Attributes:
        red: centroid of the red pixels; None without any
        black: centroid of the black pixels; None without any
        half_lane: half a lane's width on the floor that the slice shows
    """

    red: float | None
    black: float | None
    half_lane: float


@dataclass(frozen=True, slots=True)
class LaneLines(Stamped):
    """What one image shows of the robot's lane.

    Attributes:
        red: the road's middle, to the left; None where it is lost
        black: the road's edge, to the right; None where it is lost
        stop_distance: from base_link to the middle of the green stop line, along the lane, m; None without one
        lane_width: from the one line to the other, m, as the detector was set
        near_slice: the colours in the source system's lower slice; None where no floor is seen in it
        far_slice: the same of its middle slice
    """

    red: LaneLine | None
    black: LaneLine | None
    stop_distance: float | None
    lane_width: float
    near_slice: SliceColumns | None = None
    far_slice: SliceColumns | None = None

    @property
    def confidence(self) -> float:
        """How far the lines are to be trusted, 0 to 1; 0 where both are lost."""
        return max((line.confidence for line in (self.red, self.black) if line is not None), default=0.0)

    @property
    def heading(self) -> float | None:
        """Heading of the lane in base_link, rad; None where both lines are lost."""
        lines = [line for line in (self.red, self.black) if line is not None]
        weight = sum(line.confidence for line in lines)
        return sum(line.confidence * line.heading for line in lines) / weight if lines else None

    @property
    def offset(self) -> float | None:
        """From base_link to the middle of the lane, m, left positive; None where both lines are lost."""
        half = self.lane_width / 2.0
        if self.red is not None and self.black is not None:
            return (self.red.offset + self.black.offset) / 2.0
        if self.red is not None:
            return self.red.offset - half
        return None if self.black is None else self.black.offset + half

    def __str__(self) -> str:
        stop = "" if self.stop_distance is None else f", stop line {self.stop_distance:.2f} m"
        return f"red {self.red or 'lost'}, black {self.black or 'lost'}{stop}"


@dataclass(frozen=True, slots=True)
class MarkerDetection:
    """A fiducial marker that faces the robot.

    Attributes:
        number: of the marker
        x: of its centre in base_link, m, forward
        y: of its centre in base_link, m, left
        facing: direction of its face, rad, in base_link; pi for one that faces a robot behind it
    """

    number: int
    x: float
    y: float
    facing: float

    @property
    def distance(self) -> float:
        """From base_link along the floor, m."""
        return math.hypot(self.x, self.y)

    @property
    def bearing(self) -> float:
        """From base_link, rad, left positive."""
        return math.atan2(self.y, self.x)

    def pin(self, base: Pose2D) -> tuple[float, float]:
        """Return the marker's place (x, y) in the frame in which base_link was at a pose when the image was taken."""
        place = base.compose(Pose2D(self.x, self.y))
        return place.x, place.y


@dataclass(frozen=True, slots=True)
class MarkerDetections(Stamped):
    """The markers in one image that face the robot, in the order of their numbers."""

    markers: tuple[MarkerDetection, ...]

    def __str__(self) -> str:
        return ", ".join(f"{marker.number} at {marker.distance:.2f} m" for marker in self.markers) or "nothing"
