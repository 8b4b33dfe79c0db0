"""What is on the floor of a crossing and around it: lines, stop lines, walls behind the lines, markers at the corners.

One description for the picture that a simulated camera sees and the sheets that a laboratory prints. Map frame, m.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from arena_trees.games.crossroads.layout.plan import CrossingParameters
from arena_trees.games.crossroads.layout.words import Approach, LaneKey
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D

__all__ = ["BLACK", "FLOOR", "GREEN", "RED", "CrossingFloor", "FloorParameters", "Marker", "Stripe", "WallPlace"]

FLOOR, RED, BLACK, GREEN = (236, 236, 231), (205, 44, 26), (24, 24, 26), (18, 150, 62)
"""Colours, red green blue: white paper, and tape or ink."""

_CARD = 0.03
"""By how much a marker's card is wider than the marker, m: its white rim, of which detectors need some."""

_APPROACHES = (Approach.SOUTH, Approach.EAST, Approach.NORTH, Approach.WEST)


class FloorParameters(Parameters):
    """Widths of lines, and what stands behind them."""

    line_width: float = parameter(0.05, "of the red and black lines", "m", gt=0, le=0.5)
    stop_width: float = parameter(0.05, "of the green stop lines, along the lane", "m", gt=0, le=0.5)
    wall_gap: float = parameter(0.05, "between a black line and the wall behind it", "m", ge=0, le=1)
    wall_thickness: float = parameter(0.05, "of the walls", "m", gt=0, le=1)
    wall_height: float = parameter(
        0.25, "of the walls: a LiDAR must see them, a camera sees over them", "m", gt=0, le=2
    )
    marker_size: float = parameter(0.18, "side of a marker's black square", "m", gt=0, le=1)


@dataclass(frozen=True, slots=True)
class Stripe:
    """A filled rectangle on the floor: its colour and its corners (x, y)."""

    colour: tuple[int, int, int]
    corners: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class WallPlace:
    """Where a wall stands: its name and the ends of its centre line."""

    name: str
    start: tuple[float, float]
    end: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Marker:
    """An ArUco marker for those who come from one lane, at their far left corner, above the walls.

    Attributes:
        number: of the marker in its dictionary
        lane: from which it is seen frontally
        pose: of the marker's centre; it faces along yaw
        height: of the centre above the floor
        size: side of the black square
        post: centre of the square post that carries it
        post_side: of the post
    """

    number: int
    lane: LaneKey
    pose: Pose2D
    height: float
    size: float
    post: Pose2D
    post_side: float


class CrossingFloor:
    """Floor and surroundings of a crossing, or of several in a row.

    Each lane is ``lane_width`` wide from the middle of the red line to the middle of the black one. The middle of a
    stop line is ``line_distance`` from the centre. Red lines end where the roads meet.

    Args:
        crossing: lanes and arms
        parameters: of lines and walls

    Attributes:
        approaches: the sides that have an arm
        lanes: those that lead to a crossing, crossing by crossing
        half: half of the side of the square around the origin that holds all lines

    Raises:
        ConfigError: the arms end before their stop lines, or walls begin behind them
    """

    def __init__(self, crossing: CrossingParameters | None = None, parameters: FloorParameters | None = None) -> None:
        self.crossing = crossing or CrossingParameters()
        self.parameters = parameters or FloorParameters()
        self.approaches = self.crossing.sides
        self.lanes = self.crossing.lanes
        self.half = self.crossing.size * self.crossing.crossings
        self._lane = self.crossing.lane_width
        self._face = self._lane + self.parameters.line_width / 2 + self.parameters.wall_gap
        least = max(self._face + self.parameters.wall_thickness, self.crossing.line_distance)
        if self.crossing.size <= least:
            raise ConfigError(f"must be more than {least:.2f} m for these lanes", key="size", value=self.crossing.size)

    @property
    def stripes(self) -> tuple[Stripe, ...]:
        """The lines, from the lowest to the topmost."""
        red = [self._road(lane, RED, 0.0) for lane in self.lanes]
        stop = [self._stop(lane) for lane in self.lanes]
        return (*red, *stop, *self._edges())

    @property
    def walls(self) -> tuple[WallPlace, ...]:
        """The walls behind the black lines."""
        return tuple(self._walls())

    @property
    def markers(self) -> tuple[Marker, ...]:
        """A marker for each lane; those of a crossing are numbered by side: south, east, north, west."""
        return tuple(self._marker(lane) for lane in self.lanes)

    def _walls(self) -> Iterator[WallPlace]:
        middle = self._face + self.parameters.wall_thickness / 2
        for lane in self._sides():
            name = f"wall_{lane.identifier}"
            if lane not in self.lanes:
                yield WallPlace(name, *self._place(lane, (-middle, -self._face), (-middle, self._face)))
                continue
            for side, y in (("left", middle), ("right", -middle)):
                yield WallPlace(f"{name}_{side}", *self._place(lane, (-self.crossing.size, y), (-self._face, y)))

    def _edges(self) -> Iterator[Stripe]:
        half = self.parameters.line_width / 2
        for lane in self._sides():
            if lane in self.lanes:
                yield self._road(lane, BLACK, self._lane)
                yield self._road(lane, BLACK, -self._lane)
            else:
                yield self._stripe(lane, BLACK, (-self._lane - half, -self._lane + half), (-self._lane, self._lane))

    def _sides(self) -> Iterator[LaneKey]:
        """Yield all sides of all crossings, those that have no arm, too."""
        for crossing in range(self.crossing.crossings):
            yield from (LaneKey(side, crossing) for side in _APPROACHES)

    def _road(self, lane: LaneKey, colour: tuple[int, int, int], y: float) -> Stripe:
        half = self.parameters.line_width / 2
        # Black lines reach half a width farther, so that they meet at the corner.
        end = -self._lane + (half if colour == BLACK else 0.0)
        return self._stripe(lane, colour, (-self.crossing.size, end), (y - half, y + half))

    def _stop(self, lane: LaneKey) -> Stripe:
        half, line = self.parameters.stop_width / 2, self.parameters.line_width / 2
        x = -self.crossing.line_distance
        return self._stripe(lane, GREEN, (x - half, x + half), (line - self._lane, -line))

    def _marker(self, lane: LaneKey) -> Marker:
        side = self.parameters.marker_size + _CARD
        height = self.parameters.wall_height + side / 2
        forward = self._heading(lane)
        middle = self._face + side / 2
        face = forward.compose(Pose2D(self._face, middle, math.pi))
        post = forward.compose(Pose2D(middle, middle))
        number = len(_APPROACHES) * lane.crossing + _APPROACHES.index(lane.side)
        return Marker(number, lane, face, height, self.parameters.marker_size, post, side)

    def _stripe(
        self, lane: LaneKey, colour: tuple[int, int, int], x: tuple[float, float], y: tuple[float, float]
    ) -> Stripe:
        corners = self._place(lane, (x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1]))
        return Stripe(colour, tuple(corners))

    def _place(self, lane: LaneKey, *points: tuple[float, float]) -> Iterator[tuple[float, float]]:
        """Yield points of a frame at the crossing's centre whose x points the way of those who come from a lane."""
        for x, y in points:
            pose = self._heading(lane).compose(Pose2D(x, y))
            yield round(pose.x, 9), round(pose.y, 9)

    def _heading(self, lane: LaneKey) -> Pose2D:
        """Return the frame at the centre in which robots from a lane drive along x."""
        return Pose2D(self.crossing.centre(lane.crossing), 0.0, math.pi / 2 * (1 + _APPROACHES.index(lane.side)))
