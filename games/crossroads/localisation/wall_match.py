"""Matches a scan with walls whose places are known: how far the expected pose is off, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from arena_trees.games.crossroads.layout.floor import CrossingFloor, WallPlace
from arena_trees.games.crossroads.layout.words import Approach, LaneKey
from arena_trees.robot.geometry import Pose2D

__all__ = ["FAR", "REACH", "Fit", "WallMatch", "WallMatcher"]

Array = NDArray[np.float64]

REACH = 0.12
"""Points farther (m) from each wall are of something else. Other robots' hulls are 0.18 m away at least."""

_BEHIND = 0.02
"""A face is seen from at least this far before it, m."""

_ENDS = 0.04
"""By how much a point may lie beyond the end of a face, m."""

_NEAR = 2.0
"""While much is unknown, only points as near as this (m) are looked at: an error of the yaw moves far ones more."""

FAR = 6.0
"""Points farther away (m) are not looked at."""

_ROUNDS = 3
_SIDES = {
    Approach.SOUTH: (0.0, -1.0),
    Approach.EAST: (1.0, 0.0),
    Approach.NORTH: (0.0, 1.0),
    Approach.WEST: (-1.0, 0.0),
}

_STILL = 2e-4
"""After a smaller step (m and rad) none follows."""

_SHIFTS = np.array([(0.0, 0.0, 0.0), (0.15, 0.0, 0.0), (-0.15, 0.0, 0.0), (0.0, 0.15, 0.0), (0.0, -0.15, 0.0)])
"""Where much is unknown, steps begin at several places: those from one may end where a part of the walls fits."""

_BETTER = 1.02
"""By how much more points must be on walls, for a place other than the expected one to be taken."""

_FEWEST = 30
"""Points on walls without which there is no match."""

_LEAST_SHARE = 0.5
"""Of the points within ``_NEAR``, so many must be on walls: others are of robots and people."""

_MOST_THROUGH = 0.1
"""Share of near points that may seem to lie behind walls: a door stands open, a wall is off."""

_NOISE = 0.01
"""Standard deviation of a point across a wall, m; worse where the points say so."""

_WORST = 0.025
"""Points that lie worse (m) on walls are of something else."""

_ROUGH = 0.03
"""Points that are this far (m) from a wall count half."""

_ALIKE = 8.0
"""So many neighbouring points are off together, as the wall is not straight: they count as one."""

_FLOORS = (0.004, 0.004, 0.003)
"""No scan gives x, y (m) and yaw (rad) better: walls are a little off, and the robot moves while it turns."""


@dataclass(frozen=True, slots=True, eq=False)
class WallMatch:
    """The correction of a pose by one scan.

    Attributes:
        correction: to be added to the expected x (m), y (m) and yaw (rad); 0 where walls do not determine it
        information: inverse covariance of the correction, shape (3, 3), symmetric; singular along a corridor
        points: on walls
        rms: of these points' distances from the walls, m
    """

    correction: tuple[float, float, float]
    information: Array
    points: int
    rms: float


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A place at which points lie well on walls.

    Attributes:
        pose: of base_link, map frame
        information: inverse covariance of x (m), y (m) and yaw (rad), shape (3, 3), symmetric
        score: more is better: points on walls, fewer where they lie roughly
    """

    pose: Pose2D
    information: Array
    score: float


class WallMatcher:
    """Matches scans with the walls of a crossing; it keeps nothing from scan to scan.

    Args:
        floor: of the crossing
    """

    def __init__(self, floor: CrossingFloor) -> None:
        faces = np.array(list(_faces_to_roads(floor)))
        self._normal, self._along = faces[:, 0:2], np.column_stack([-faces[:, 1], faces[:, 0]])
        self._end = floor.half
        self._offset, self._middle, self._half = faces[:, 2], faces[:, 3], faces[:, 4]

    def match(self, x: Array, y: Array, expected: Pose2D, reach: float = REACH) -> WallMatch | None:
        """Return how a scan lies on the walls; None where too little of it does.

        Args:
            x: points' x in base_link, m, shape (k,)
            y: points' y in base_link, m, shape (k,)
            expected: pose of base_link, map frame
            reach: how far (m) from the walls points may seem at first; more where the pose is hardly known

        Raises:
            ValueError: the pose or the reach is not finite
        """
        if not (expected.is_finite and math.isfinite(reach)):
            raise ValueError("an expected pose and a reach must be finite")
        near = np.hypot(x, y)
        seen = near <= FAR
        points, near = np.column_stack([x[seen], y[seen]]), near[seen] <= _NEAR
        first = np.array([expected.x, expected.y, expected.yaw])
        starts = [first + shift for shift in _SHIFTS] if reach > REACH else [first]
        found = [self._settled(points, near, start, reach) for start in starts]
        settled = _best([pair for pair in found if pair is not None])
        if settled is None:
            return None
        pose, last = settled
        if last.rms > _WORST or float((last.used & near).sum()) < _LEAST_SHARE * float(near.sum()):
            return None
        off = pose - first
        return WallMatch((float(off[0]), float(off[1]), float(off[2])), last.known, int(last.used.sum()), last.rms)

    def fits(self, x: Array, y: Array, starts: Iterable[Pose2D]) -> list[Fit]:
        """Return the places to which steps from some starts lead, where points lie well and few behind walls.

        However few of the points are on walls: that is for those who compare places.

        Args:
            x: points' x in base_link, m, shape (k,)
            y: points' y in base_link, m, shape (k,)
            starts: poses of base_link, map frame
        """
        points, near = np.column_stack([x, y]), np.hypot(x, y) <= _NEAR
        first = (np.array([start.x, start.y, start.yaw]) for start in starts)
        settled = [self._settled(points, near, start, REACH) for start in first]
        smooth = [(Pose2D(*pair[0].tolist()), pair[1]) for pair in settled if pair and pair[1].rms <= _WORST]
        return [
            Fit(pose, system.known, float(system.used.sum()) / (1.0 + (system.rms / _WORST) ** 2))
            for pose, system in smooth
            if max(abs(pose.x), abs(pose.y)) <= self._end and not self.contradicts(x, y, pose)
        ]

    def contradicts(self, x: Array, y: Array, expected: Pose2D) -> bool:
        """Return whether a scan that lies on too few walls shows that the robot is elsewhere.

        It does where more than a tenth of the near points are seen through walls. Points before the walls are of robots
        and people, however many there are.

        Args:
            x: points' x in base_link, m, shape (k,)
            y: points' y in base_link, m, shape (k,)
            expected: pose of base_link, map frame
        """
        near = np.hypot(x, y) <= _NEAR
        if not near.any():
            return False
        here = np.array([expected.x, expected.y])
        cosine, sine = math.cos(expected.yaw), math.sin(expected.yaw)
        placed = here + np.column_stack([cosine * x - sine * y, sine * x + cosine * y])[near]
        before = self._normal @ here - self._offset
        facing = np.flatnonzero(before > _BEHIND)
        gaps = placed @ self._normal[facing].T - self._offset[facing]
        # Where the ray meets the plane of the face, along the face.
        share = before[facing] / np.maximum(before[facing] - gaps, 1e-9)
        start, end = here @ self._along[facing].T, placed @ self._along[facing].T
        met = np.abs(start + share * (end - start) - self._middle[facing]) < self._half[facing] - _ENDS
        return float(((gaps < -REACH) & met).any(axis=1).mean()) > _MOST_THROUGH

    def _settled(
        self, points: Array, near: NDArray[np.bool_], pose: Array, reach: float
    ) -> tuple[Array, _System] | None:
        """Return the pose to which steps from a pose lead, and what is known of it; None where walls are too few."""
        for gate in _gates(reach):
            system = self._system(points[near] if gate > REACH else points, pose, gate)
            if system is None:
                return None
            # Where walls tell nothing, the pose stays: as if it were known within a metre and a radian.
            step = np.linalg.solve(system.normal / _NOISE**2 + np.eye(3), system.right / _NOISE**2)
            pose = pose + step
            if gate <= REACH and np.abs(step).max() < _STILL:
                break
        last = self._system(points, pose, REACH)
        return None if last is None else (pose, last)

    def _system(self, points: Array, pose: Array, gate: float) -> _System | None:
        """Return the equations of points on faces that are in sight, or None where there are too few."""
        cosine, sine = math.cos(pose[2]), math.sin(pose[2])
        arm_x = cosine * points[:, 0] - sine * points[:, 1]
        arm_y = sine * points[:, 0] + cosine * points[:, 1]
        facing = np.flatnonzero(self._normal @ pose[:2] - self._offset > _BEHIND)
        if not facing.size or not len(points):
            return None
        placed = np.empty((len(points), 2))
        np.add(arm_x, pose[0], out=placed[:, 0])
        np.add(arm_y, pose[1], out=placed[:, 1])
        normals = self._normal.take(facing, axis=0)
        gaps = placed @ normals.T
        gaps -= self._offset[facing]
        beyond = placed @ self._along.take(facing, axis=0).T
        beyond -= self._middle[facing]
        np.abs(beyond, out=beyond)
        beyond -= self._half[facing]
        away = np.abs(gaps)
        np.copyto(away, np.inf, where=beyond > _ENDS)
        face = away.argmin(axis=1)
        index = np.arange(len(points)) * len(facing) + face
        used = away.take(index) <= gate
        chosen = np.flatnonzero(used)
        if len(chosen) < _FEWEST:
            return None
        gap, normal = gaps.take(index.take(chosen)), normals.take(face.take(chosen), axis=0)
        rows = np.empty((len(chosen), 3))
        rows[:, :2] = normal
        np.subtract(normal[:, 1] * arm_x.take(chosen), normal[:, 0] * arm_y.take(chosen), out=rows[:, 2])
        weight = 1.0 / (1.0 + (gap / max(_ROUGH, gate / 3.0)) ** 2)
        weighted = rows * weight[:, None]
        rms = math.sqrt(float(weight @ gap**2) / float(weight.sum()))
        return _System(rows.T @ weighted, -weighted.T @ gap, rms, used)


@dataclass(frozen=True, slots=True, eq=False)
class _System:
    """Normal equations of one step, how far points are off, and which are used."""

    normal: Array
    right: Array
    rms: float
    used: NDArray[np.bool_]

    @property
    def known(self) -> Array:
        """Inverse covariance of the pose, shape (3, 3), symmetric."""
        return _limited(self.normal / (_ALIKE * max(_NOISE, self.rms) ** 2))


def _best(settled: list[tuple[Array, _System]]) -> tuple[Array, _System] | None:
    """Return the pose at which most points are on walls: the first one but for a clearly better one."""
    counts = [int(last.used.sum()) for _, last in settled]
    if not counts:
        return None
    return settled[counts.index(max(counts)) if max(counts) > _BETTER * counts[0] else 0]


def _gates(reach: float) -> Iterator[float]:
    while reach > REACH:
        yield reach
        yield reach
        reach *= 0.6
    for _ in range(_ROUNDS):
        yield REACH


def _limited(information: Array) -> Array:
    """Return the information with the errors added that all points share."""
    shared = np.diag(np.square(_FLOORS))
    limited = np.linalg.solve(np.eye(3) + information @ shared, information)
    found: Array = (limited + limited.T) / 2.0
    return found


def _faces_to_roads(floor: CrossingFloor) -> Iterator[tuple[float, ...]]:
    """Yield the faces that are seen from the roads: the back of a wall is hidden, though a robot be before it."""
    half = floor.parameters.wall_thickness / 2.0
    walls = shapely.union_all([shapely.LineString([wall.start, wall.end]).buffer(0.9 * half) for wall in floor.walls])
    roads = shapely.MultiLineString([_arm(floor, lane) for lane in floor.lanes])
    for face in (face for wall in floor.walls for face in _faces(wall, 2.0 * half)):
        normal = np.array(face[:2])
        middle = normal * (face[2] + half) + np.array([-normal[1], normal[0]]) * face[3]
        if not shapely.shortest_line(shapely.Point(middle), roads).intersects(walls):
            yield face


def _arm(floor: CrossingFloor, lane: LaneKey) -> list[tuple[float, float]]:
    """Return where an arm begins, at its crossing's centre, and where it ends."""
    size, centre = floor.crossing.size, floor.crossing.centre(lane.crossing)
    east, north = _SIDES[lane.side]
    return [(centre, 0.0), (centre + east * size, north * size)]


def _faces(wall: WallPlace, thickness: float) -> Iterator[tuple[float, ...]]:
    """Yield each face of a wall: its outward normal (x, y), offset, and its middle and half length along itself."""
    start, end = np.array(wall.start), np.array(wall.end)
    length = float(np.hypot(*(end - start)))
    along = (end - start) / length
    across = np.array([-along[1], along[0]])
    centre = (start + end) / 2.0
    for normal, out, half in (
        (across, thickness / 2.0, length / 2.0),
        (-across, thickness / 2.0, length / 2.0),
        (along, length / 2.0, thickness / 2.0),
        (-along, length / 2.0, thickness / 2.0),
    ):
        side = np.array([-normal[1], normal[0]])
        yield (*normal.tolist(), float(normal @ centre) + out, float(side @ centre), half)
