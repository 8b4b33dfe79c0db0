"""Cover: places near walls and boxes, the ways between them, and which of them somebody sees."""

from __future__ import annotations

import functools
import heapq
import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from arena_trees.robot.geometry import Pose2D
from arena_trees.world.footprint import Solid
from arena_trees.world.line_of_sight import LineOfSight

__all__ = ["Cover", "cover_about", "length_of"]

Point: TypeAlias = tuple[float, float]

_APART = 0.5
"""Places round a wall or a box are at most this far apart, m."""
_OUT = 0.02
"""How far places lie outside of what a hull would touch, m."""
_SPREAD = 0.6
"""A hiding place is one only where the spot this share of the hull's radius to either side is hidden as well."""


class Cover:
    """Places about the walls and boxes of an arena where a robot can stand, and straight ways between them.

    Args:
        solids: walls and boxes
        clearance: from the robot's centre to a wall or a box, m
        height: of what is to be hidden, m
    """

    def __init__(self, solids: Sequence[Solid], clearance: float, height: float) -> None:
        self._sight = LineOfSight(solids)
        self._free = LineOfSight(
            replace(one, length=one.length + 2.0 * clearance, width=one.width + 2.0 * clearance, surface="normal")
            for one in solids
        )
        self._clearance = clearance
        self._height = height
        around = [place for one in solids for place in _around(one, clearance + _OUT)]
        self.places = tuple(place for place in around if all(one.distance_to(*place) >= clearance for one in solids))
        self._ways: list[list[tuple[int, float]]] = [
            [
                (other, math.dist(place, self.places[other]))
                for other in range(len(self.places))
                if other != number and self._can_go(place, self.places[other])
            ]
            for number, place in enumerate(self.places)
        ]

    def hidden(self, place: Point, eye: Point) -> bool:
        """Return whether a hull at a place is hidden from an eye, to both of its sides."""
        side = math.atan2(place[1] - eye[1], place[0] - eye[0]) + math.pi / 2.0
        dx, dy = (self._clearance * _SPREAD * part for part in (math.cos(side), math.sin(side)))
        return all(
            not self._sight.clear((*eye, self._height), (place[0] + sign * dx, place[1] + sign * dy, self._height))
            for sign in (1.0, -1.0)
        )

    def way(self, start: Point, eye: Point) -> list[Point]:
        """Return the shortest way (points after the start) to a place that is hidden; empty where there is none."""
        cost = [math.inf] * len(self.places)
        before = [-1] * len(self.places)
        ahead: list[tuple[float, int]] = []
        first = [number for number, place in enumerate(self.places) if self._can_go(start, place)]
        if not first and self.places:
            # Nearer to a wall than it would go by itself: back to the nearest place.
            first = [min(range(len(self.places)), key=lambda number: math.dist(start, self.places[number]))]
        for number in first:
            cost[number] = math.dist(start, self.places[number])
            heapq.heappush(ahead, (cost[number], number))
        while ahead:
            reached, number = heapq.heappop(ahead)
            if reached > cost[number]:
                continue
            if self.hidden(self.places[number], eye):
                return self._trace(number, before)
            for other, length in self._ways[number]:
                if reached + length < cost[other]:
                    cost[other], before[other] = reached + length, number
                    heapq.heappush(ahead, (cost[other], other))
        return []

    def _trace(self, number: int, before: Sequence[int]) -> list[Point]:
        way = []
        while number >= 0:
            way.append(self.places[number])
            number = before[number]
        return way[::-1]

    def _can_go(self, start: Point, end: Point) -> bool:
        return self._free.clear((*start, 0.0), (*end, 0.0))


@functools.lru_cache(maxsize=4)
def cover_about(solids: tuple[Solid, ...], clearance: float, height: float) -> Cover:
    """Return the cover about walls and boxes; what asks for the same twice, as two leaves of a tree do, shares it."""
    return Cover(solids, clearance, height)


def length_of(start: Point, way: Sequence[Point]) -> float:
    """Return the length of a way from a place on, m."""
    return sum(itertools.starmap(math.dist, itertools.pairwise([start, *way])))


def _around(solid: Solid, gap: float) -> list[Point]:
    """Return points round a block, at a distance (m)."""
    length, width = solid.length / 2.0 + gap, solid.width / 2.0 + gap
    corners = [(length, width), (-length, width), (-length, -width), (length, -width)]
    points = []
    for (x0, y0), (x1, y1) in zip(corners, [*corners[1:], corners[0]], strict=True):
        steps = max(1, math.ceil(math.dist((x0, y0), (x1, y1)) / _APART))
        for step in range(steps):
            share = step / steps
            place = solid.pose.compose(Pose2D(x0 + share * (x1 - x0), y0 + share * (y1 - y0)))
            points.append((place.x, place.y))
    return points
