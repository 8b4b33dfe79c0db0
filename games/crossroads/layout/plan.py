"""The plan of a crossing: lanes, stop lines, movements, and which movements are in each other's way.

Right-hand traffic. The crossing's centre is the origin of the map frame, x points east and y north; a robot from the
south drives north. Each arm has two lanes, one each way. The stop line lies ``setback`` outside the square that the
lanes share. Progress along a movement is 0 where a robot waits: its front ``stop_gap`` before the line.

Several crossings may lie in a row from west to east, their middle at the origin: the eastern arm of one ends where the
western arm of the next one does, and that road is a **link**.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
import shapely

from arena_trees.games.crossroads.layout.path import LanePath, Piece
from arena_trees.games.crossroads.layout.words import Approach, Key, LaneKey, Turn
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D

__all__ = ["Cell", "CrossingParameters", "CrossingPlan", "Movement", "plan_of"]

_HEADINGS = {
    Approach.SOUTH: math.pi / 2,
    Approach.EAST: math.pi,
    Approach.NORTH: -math.pi / 2,
    Approach.WEST: 0.0,
}
_ROUND = (Approach.SOUTH, Approach.EAST, Approach.NORTH, Approach.WEST)
_ALONG_THE_ROW = {Approach.EAST: 1, Approach.WEST: -1}
_EXIT_STEPS = {Turn.RIGHT: 1, Turn.STRAIGHT: 2, Turn.LEFT: 3}
"""Counted counter-clockwise from the side that a robot comes from."""


class CrossingParameters(Parameters):
    """Size of a crossing and of the robots on it; the defaults are for TurtleBot 4s."""

    approaches: int = parameter(4, "arms: 4, or 3 for a T without the northern one", ge=3, le=4)
    crossings: int = parameter(1, "how many lie in a row, from west to east", ge=1, le=4)
    lane_width: float = parameter(0.6, "width of a lane", "m", gt=0, le=5)
    setback: float = parameter(0.1, "from the lanes' square to the stop lines", "m", ge=0, le=5)
    size: float = parameter(2.0, "from the centre to the end of an arm", "m", gt=0, le=50)
    robot_radius: float = parameter(0.17, "of a robot's hull", "m", gt=0, le=1)
    margin: float = parameter(0.08, "kept free around a hull; 0.055 keeps centres 0.45 m apart", "m", ge=0.055, le=1)
    stop_gap: float = parameter(0.05, "between a waiting robot's front and its line", "m", ge=0, le=1)
    follow_gap: float = parameter(0.55, "between the centres of robots that follow each other", "m", gt=0, le=5)
    cell_length: float = parameter(0.05, "length of path that is freed at once", "m", ge=0.01, le=1)

    @property
    def separation(self) -> float:
        """Nearest that two robots' centres are planned to come, m."""
        return 2.0 * (self.robot_radius + self.margin)

    @property
    def line_distance(self) -> float:
        """From the centre to a stop line, m."""
        return self.lane_width + self.setback

    @property
    def hold_distance(self) -> float:
        """From the centre to the centre of a waiting robot, along its lane, m."""
        return self.line_distance + self.stop_gap + self.robot_radius

    @property
    def left_distance(self) -> float:
        """From the centre to the centre of a robot that has left: another one fits behind it, m."""
        return self.line_distance + self.robot_radius + self.follow_gap

    @property
    def sides(self) -> tuple[Approach, ...]:
        """The sides that have an arm."""
        return tuple(side for side in _ROUND if side is not Approach.NORTH or self.approaches == len(_ROUND))

    @property
    def lanes(self) -> tuple[LaneKey, ...]:
        """The lanes that lead to a crossing, crossing by crossing."""
        return tuple(LaneKey(side, crossing) for crossing in range(self.crossings) for side in self.sides)

    def centre(self, crossing: int) -> float:
        """Return x (m, map frame) of the centre of a crossing; its y is 0."""
        return (2 * crossing + 1 - self.crossings) * self.size

    def nearest(self, x: float) -> int:
        """Return the crossing whose centre is nearest to an x (m, map frame)."""
        return min(range(self.crossings), key=lambda crossing: abs(self.centre(crossing) - x))

    def beyond(self, lane: LaneKey) -> LaneKey | None:
        """Return the lane of the next crossing to which an exit leads, or None where its arm ends."""
        step = _ALONG_THE_ROW.get(lane.side)
        if step is None or not 0 <= lane.crossing + step < self.crossings:
            return None
        return LaneKey(_exit(lane.side, Turn.STRAIGHT), lane.crossing + step)

    def is_link(self, lane: LaneKey) -> bool:
        """Return whether the arm of a side leads to another crossing."""
        return self.beyond(lane) is not None


@dataclass(frozen=True, slots=True)
class Cell:
    """A piece of a movement's path, and the floor that a robot and its margin sweep on it.

    Attributes:
        begin: progress, m
        end: progress, m
        area: map frame
    """

    begin: float
    end: float
    area: shapely.Polygon


class Movement:
    """One way through the crossing.

    Args:
        approach: from which side
        turn: which way
        parameters: of the crossing
        crossing: which one, counted from the west

    Attributes:
        exit: the side to which it leads
        lane: from which it comes
        exit_lane: into which it leads
        centre: x of the crossing's centre, m, map frame
        path: from the place of waiting to where the robot has left: its hull is outside and another one fits behind it
        outside: progress at which the hull has left the box, m
    """

    def __init__(self, approach: Approach, turn: Turn, parameters: CrossingParameters, crossing: int = 0) -> None:
        self.approach = approach
        self.turn = turn
        self.exit = _exit(approach, turn)
        self.lane, self.exit_lane = LaneKey(approach, crossing), LaneKey(self.exit, crossing)
        p = parameters
        self.centre = p.centre(crossing)
        start = Pose2D(self.centre, 0.0, _HEADINGS[approach]).compose(Pose2D(-p.hold_distance, -p.lane_width / 2))
        run = p.hold_distance - p.line_distance
        inside = _inside(turn, p)
        self.path = LanePath(start, (Piece(run), inside, Piece(p.left_distance - p.line_distance)))
        self.outside = run + inside.length + p.robot_radius
        self._parameters = p

    @property
    def key(self) -> Key:
        """Name of the movement."""
        return Key(self.approach, self.turn, self.lane.crossing)

    @property
    def length(self) -> float:
        """Progress at which the robot has left, m."""
        return self.path.length

    def __str__(self) -> str:
        return str(self.key)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The pieces of the path, in order."""
        count = math.ceil(self.length / self._parameters.cell_length)
        stops = [self.length * index / count for index in range(count + 1)]
        radius = self._parameters.separation / 2
        return tuple(Cell(begin, end, self.path.line(begin, end).buffer(radius)) for begin, end in pairwise(stops))

    def crossing_time(self, speed: float, acceleration: float) -> float:
        """Return how long (s) the movement takes from standing, at a speed (m/s) and acceleration (m/s2)."""
        return self.length / speed + speed / (2.0 * acceleration)


class CrossingPlan:
    """All movements of a crossing, or of several in a row, and their conflicts.

    Args:
        parameters: of the crossing

    Attributes:
        lanes: those that lead to a crossing, crossing by crossing
        movements: by name

    Raises:
        ConfigError: lanes are too narrow, arms too short, or robots that follow in a bend would come too near
    """

    def __init__(self, parameters: CrossingParameters | None = None) -> None:
        self.parameters = parameters or CrossingParameters()
        self.lanes = self.parameters.lanes
        movements = (
            Movement(lane.side, turn, self.parameters, lane.crossing)
            for lane in self.lanes
            for turn in Turn
            if _exit(lane.side, turn) in self.parameters.sides
        )
        self.movements = {movement.key: movement for movement in movements}
        self._check()
        self._clear = self._find_conflicts()

    def from_lane(self, lane: LaneKey) -> Movement:
        """Return a movement from a lane: up to the line they are all alike."""
        return next(movement for movement in self.movements.values() if movement.lane == lane)

    def clear_from(self, one: Key, other: Key) -> float:
        """Return the progress (m) of the one from which on it is out of the other's way, all along that one's path.

        0.0 where their swept floors never touch. Progress only grows, so whoever has covered it can do no more harm.
        """
        return self._clear[one, other]

    def together(self, one: Key, other: Key) -> bool:
        """Return whether two movements can be made at the same time."""
        return self._clear[one, other] == 0.0

    def _find_conflicts(self) -> dict[tuple[Key, Key], float]:
        """Return what :meth:`clear_from` returns for each pair of movements."""
        # Two discs of half the separation touch where their centres are nearer than it; distances of centre lines
        # are exact, while shapely draws the discs as polygons.
        paths = {movement.key: movement.path.line() for movement in self.movements.values()}
        for path in paths.values():
            shapely.prepare(path)
        conflicts = {}
        for one in self.movements.values():
            ends = np.array([cell.end for cell in one.cells])
            parts = np.array([one.path.line(cell.begin, cell.end) for cell in one.cells])
            for key, path in paths.items():
                touching = shapely.distance(path, parts) < self.parameters.separation - 1e-9
                conflicts[one.key, key] = float(ends[touching].max(initial=0.0))
        return conflicts

    def _check(self) -> None:
        p = self.parameters
        if p.lane_width < p.separation:
            raise ConfigError(
                f"must be at least {p.separation:.2f} m for these robots", key="lane_width", value=p.lane_width
            )
        shortest = p.left_distance
        if p.size < shortest:
            raise ConfigError(f"must be at least {shortest:.2f} m for these lanes", key="size", value=p.size)
        radius = p.line_distance - p.lane_width / 2
        chord = 2.0 * radius * math.sin(min(p.follow_gap / (2.0 * radius), math.pi / 2))
        if min(chord, p.follow_gap) < p.separation:
            raise ConfigError("is too short for the right turn", key="follow_gap", value=p.follow_gap)
        for waiting in self.movements.values():
            place = shapely.Point(waiting.path.pose(0.0).x, waiting.path.pose(0.0).y)
            for passing in self.movements.values():
                if passing.lane != waiting.lane and passing.path.line().distance(place) < p.separation:
                    key = "setback" if passing.lane.crossing == waiting.lane.crossing else "size"
                    raise ConfigError(f"lets {passing} hit who waits for {waiting}", key=key, value=getattr(p, key))


@lru_cache(maxsize=16)
def plan_of(parameters: CrossingParameters) -> CrossingPlan:
    """Return the plan of a crossing; it never changes, and its conflicts take a while to find.

    Raises:
        ConfigError: as :class:`CrossingPlan` does
    """
    return CrossingPlan(parameters)


def _exit(approach: Approach, turn: Turn) -> Approach:
    return _ROUND[(_ROUND.index(approach) + _EXIT_STEPS[turn]) % 4]


def _inside(turn: Turn, p: CrossingParameters) -> Piece:
    """Return the piece between the stop line and the line of the exit."""
    if turn is Turn.STRAIGHT:
        return Piece(2.0 * p.line_distance)
    radius = p.line_distance + p.lane_width / 2 * (1 if turn is Turn.LEFT else -1)
    return Piece(radius * math.pi / 2, (1 if turn is Turn.LEFT else -1) / radius)
