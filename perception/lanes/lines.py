"""Finds the lines of the robot's lane in an image: the red one to its left, the black one to its right, the stop line.

Robots keep to the right. Lines that lead to the side, such as those of the road that crosses, are no lines of
the lane: their headings are more than 42 degrees off. Nothing is remembered from image to image.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from arena_trees.perception.image import Image
from arena_trees.perception.lanes.birds_eye import BirdsEye, Grid, Inks, find_inks, look_down
from arena_trees.perception.lanes.calibration import LaneCalibration
from arena_trees.perception.lanes.floor_camera import FloorCamera
from arena_trees.perception.lanes.line_fit import Candidate, Search, find_beside, find_candidates, fit_together
from arena_trees.perception.lanes.line_points import Points, find_points
from arena_trees.perception.lanes.slices import FAR_SLICE, NEAR_SLICE, read_slice
from arena_trees.perception.lanes.stop_line import find_stop_line
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.lane import LaneLine, LaneLines

__all__ = ["LaneDetector", "LaneParameters"]

_WIDEST = 2.2
"""A stretch across a line is at most this many times as wide as the line: oblique and blurred."""


_MISFIT = 0.1
"""Share of the lane's width by which the distance between its two lines may be off."""

_GOOD, _UNCERTAIN = 0.02, 0.03
"""Standard deviations of an offset (m): at the first the confidence is one half, beyond the other a line is lost."""


class LaneParameters(Parameters):
    """What is looked for, and where."""

    lane_width: float = parameter(0.6, "from the red line's middle to the black line's", "m", gt=0, le=5)
    line_width: float = parameter(0.05, "of the lines", "m", gt=0, le=0.5)
    reach: float = parameter(2.6, "how far ahead is looked on a road", "m", gt=0, le=10)
    reach_passing: float = parameter(2.8, "how far ahead is looked past a stop line", "m", gt=0, le=10)
    shortest: float = parameter(0.12, "a line of which less is seen is lost", "m", gt=0, le=5)
    gap: float = parameter(0.3, "a longer gap is none of the line's: it ends, and may begin again", "m", gt=0, le=5)
    support: float = parameter(0.5, "a line of which less is there, gaps apart, is lost", gt=0, le=1)


class LaneDetector:
    """Finds the lines of a lane; without memory of earlier images.

    Args:
        calibration: the robot's
        parameters: of the lane
    """

    def __init__(self, calibration: LaneCalibration | None = None, parameters: LaneParameters | None = None) -> None:
        self.calibration = calibration or LaneCalibration()
        self.parameters = parameters or LaneParameters()

    def detect(self, image: Image, beyond: bool = False, heading: float | None = None) -> LaneLines:
        """Return the lines in an image.

        Args:
            image: as a camera sends it
            beyond: whether the robot is past its stop line: it looks farther, at the lane behind the road that crosses
            heading: of the lane in base_link that is expected, rad, such as the last one carried on by odometry; it
                makes up for lines of which little is seen

        Raises:
            ImageError: the image contradicts itself, or is of a kind or size that is not looked at
            ValueError: the heading is not finite
        """
        if heading is not None and not math.isfinite(heading):
            raise ValueError("the expected heading is not finite")
        pixels, p = image.rgb(), self.parameters
        stamps = (image.stamp, image.arrival, image.sequence)
        camera = FloorCamera(self.calibration.camera, image.width, image.height)
        near, far = (read_slice(pixels, camera, begin, p.lane_width) for begin in (NEAR_SLICE, FAR_SLICE))
        grid = self.grid(image.width, image.height, beyond)
        if grid is None:
            return LaneLines(*stamps, None, None, None, p.lane_width, near, far)
        view = look_down(pixels, camera, grid)
        inks = find_inks(view, self.calibration)
        candidates = [self._real(candidate, grid) for candidate in self._lane(inks, view, heading)]
        red, black = self._lines(candidates, heading)
        lane = LaneLines(*stamps, red, black, None, p.lane_width, near, far)
        if beyond:
            return lane
        return replace(lane, stop_distance=find_stop_line(inks.green, grid, view.seen, lane, p.line_width))

    def grid(self, width: int, height: int, beyond: bool = False) -> Grid | None:
        """Return the part of the floor that is looked at in an image of that size (px); None where none is in it."""
        p = self.parameters
        return _grid(self.calibration, width, height, p.reach_passing if beyond else p.reach)

    def _lane(self, inks: Inks, view: BirdsEye, heading: float | None) -> tuple[Candidate | None, Candidate | None]:
        """Return the red and the black line: of the best ones those that are a lane apart, else the best one."""
        width = self.parameters.lane_width
        points = [self._points(ink, view) for ink in (inks.red, inks.black)]
        reds, blacks = (
            find_candidates(some, _beside(side), heading) for some, side in zip(points, (width, -width), strict=True)
        )
        pairs = [
            *itertools.product(reds, blacks),
            # A line may be hidden by something stronger that is none: it is looked for where the other one puts it.
            *((red, find_beside(points[1], red.offset - width, red.heading, heading)) for red in reds),
            *((find_beside(points[0], black.offset + width, black.heading, heading), black) for black in blacks),
        ]
        lanes = [pair for pair in pairs if _is_lane(*pair, width)]
        if lanes:
            return max(lanes, key=lambda pair: sum(line.votes for line in pair if line is not None))
        lines = (reds, blacks)
        first, second = (next(iter(line), None) for line in lines)
        if first is None or second is None:
            return first, second
        # They are no lane: one of them is something else.
        return (first, None) if first.votes >= second.votes else (None, second)

    def _points(self, ink: NDArray[np.float32], view: BirdsEye) -> Points:
        width, grid = self.parameters.line_width, view.grid
        x, y, amount = find_points(ink, view.seen, grid.x, grid.y, (0.3 * width, _WIDEST * width))
        # A far row of the picture from above holds fewer pixels of the image.
        return Points(x, y, np.minimum(amount / width, 1.0) * (grid.near / np.maximum(x, grid.near)) ** 2)

    def _real(self, candidate: Candidate | None, grid: Grid) -> Candidate | None:
        """Return the candidate, or None where too little of a line is there."""
        if candidate is None:
            return None
        p = self.parameters
        rows = np.unique(np.rint((candidate.points.x - grid.near) / grid.deep))
        steps = np.diff(rows) * grid.deep
        length = rows.size * grid.deep
        share = length / (grid.deep + float(steps[steps <= p.gap].sum()))
        return candidate if length >= p.shortest and share >= p.support else None

    def _near_part(self, candidate: Candidate | None) -> Candidate | None:
        """Return a line up to its first gap: what lies beyond may be another thing, with no second line to tell."""
        if candidate is None:
            return None
        points = candidate.points
        ahead = np.sort(points.x)
        gaps = np.flatnonzero(np.diff(ahead) > self.parameters.gap)
        if not gaps.size:
            return candidate
        return replace(candidate, points=points.pick(points.x <= ahead[gaps[0]]))

    def _lines(
        self, candidates: Sequence[Candidate | None], heading: float | None
    ) -> tuple[LaneLine | None, LaneLine | None]:
        """Return the candidates as lines: both if they are a lane apart, else the better known one by itself."""
        if None not in candidates:
            red, black = _fitted(candidates, heading)
            if red is None or black is None:
                return red, black
            if abs(red.offset - black.offset - self.parameters.lane_width) <= _MISFIT * self.parameters.lane_width:
                return red, black
            worse = 0 if red.confidence < black.confidence else 1
            candidates = [None if index == worse else candidate for index, candidate in enumerate(candidates)]
        red, black = _fitted([self._near_part(candidate) for candidate in candidates], heading)
        return red, black


def _fitted(candidates: Sequence[Candidate | None], heading: float | None) -> tuple[LaneLine | None, ...]:
    """Return the candidates as lines with one heading, which is better known than that of each; None for uncertain."""
    points = [candidate.points for candidate in candidates if candidate is not None]
    if not points:
        return tuple(None for _ in candidates)
    fit = fit_together(points, heading)
    found = iter(zip(fit.offsets, fit.sigmas, strict=True))
    return tuple(None if candidate is None else _line(fit.heading, *next(found)) for candidate in candidates)


def _line(heading: float, offset: float, sigma: float) -> LaneLine | None:
    return None if sigma > _UNCERTAIN else LaneLine(offset, heading, 1.0 / (1.0 + (sigma / _GOOD) ** 2))


def _beside(side: float) -> Search:
    """Return where the line is looked for that is on one side of a lane: its width (m), negative to the right."""
    low, high = sorted((-0.3 * side, 1.3 * side))
    return Search(low, high, side / 2.0)


def _is_lane(red: Candidate | None, black: Candidate | None, width: float) -> bool:
    return (
        red is not None
        and black is not None
        and abs(red.heading - black.heading) < math.radians(8.0)
        and abs(red.offset - black.offset - width) < 0.2 * width
    )


@lru_cache(maxsize=8)
def _grid(calibration: LaneCalibration, width: int, height: int, reach: float) -> Grid | None:
    near = FloorCamera(calibration.camera, width, height).nearest()
    near = math.floor(max(near, calibration.camera.x + 0.05) * 100.0) / 100.0 if math.isfinite(near) else reach
    return None if reach - near < 0.1 else Grid(near, reach)
