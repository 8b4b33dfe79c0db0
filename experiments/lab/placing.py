"""Where robots have to stand before a trial, and how far they are from there."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import shapely

from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.world.layout import Layout

__all__ = ["Placing", "floor_map"]

_ARROWS = "→↗↑↖←↙↓↘"
_WALL, _FENCE, _FREE = "#", "·", " "


@dataclass(frozen=True, slots=True)
class Placing:
    """Where robots have to stand.

    Attributes:
        starts: robot name to its start, map frame
        distance: so far from it a robot may stand, m
        angle: so far off its heading it may look, rad
    """

    starts: Mapping[str, Pose2D]
    distance: float
    angle: float

    def misplaced(self, poses: Mapping[str, Pose2D]) -> dict[str, str]:
        """Return in words what is wrong with the place of each robot that is not well placed.

        Args:
            poses: robot name to where it stands, map frame; robots that nobody sees are not in it
        """
        wrong = {}
        for name, start in self.starts.items():
            pose = poses.get(name)
            if pose is None:
                wrong[name] = "nobody knows where it is"
                continue
            there = pose.relative(start)
            away, turn = math.hypot(there.x, there.y), wrap(start.yaw - pose.yaw)
            words = []
            if away > self.distance:
                words.append(f"{away:.2f} m away: {_way(there)}")
            if abs(turn) > self.angle:
                words.append(f"turn it {abs(math.degrees(turn)):.0f} degrees {'left' if turn > 0 else 'right'}")
            if words:
                wrong[name] = ", ".join(words)
        return wrong


def _way(there: Pose2D) -> str:
    """Return in words where a place is, seen from a robot."""
    along = f"{abs(there.x):.2f} m {'ahead' if there.x > 0 else 'back'}"
    across = f"{abs(there.y):.2f} m to its {'left' if there.y > 0 else 'right'}"
    return " and ".join(part for part, size in ((along, abs(there.x)), (across, abs(there.y))) if size >= 0.005)


def floor_map(layout: Layout, starts: Mapping[str, Pose2D], columns: int = 64) -> list[str]:
    """Return a map of the floor as lines of text: walls and boxes ``#``, fences ``·``, and each robot with its heading.

    A letter is twice as high as it is wide. x points to the right, y up, as on every map of this project.

    Args:
        layout: of the trial
        starts: robot name to where it has to stand, map frame
        columns: width of the map
    """
    solids = [solid.polygon() for solid in layout.solids]
    fences = [shapely.Polygon(points).exterior for points in layout.fences.values() if len(points) >= 3]
    places = [shapely.Point(pose.x, pose.y) for pose in starts.values()]
    every = [shape for shape in (*solids, *fences, *places) if not shape.is_empty]
    if not every:
        return []
    left, low, right, high = shapely.unary_union(every).buffer(0.1).bounds
    cell = (right - left) / columns
    rows = max(1, math.ceil((high - low) / (2.0 * cell)))
    xs = left + cell * (np.arange(columns) + 0.5)
    ys = high - 2.0 * cell * (np.arange(rows) + 0.5)
    grid = np.full((rows, columns), _FREE)
    x, y = np.meshgrid(xs, ys)
    for fence in fences:
        grid[shapely.distance(fence, shapely.points(x, y)) <= cell] = _FENCE
    for solid in solids:
        grid[shapely.distance(solid, shapely.points(x, y)) <= 0.5 * cell] = _WALL
    lines = [list(row) for row in grid]
    for name, pose in starts.items():
        row = min(rows - 1, max(0, int((high - pose.y) / (2.0 * cell))))
        column = min(columns - 1, max(0, int((pose.x - left) / cell)))
        arrow = _ARROWS[round(pose.yaw / (math.pi / 4)) % len(_ARROWS)]
        label = f"{arrow}{name}"
        start = min(column, columns - len(label))
        lines[row][start : start + len(label)] = label
    return ["".join(line).rstrip() for line in lines]
