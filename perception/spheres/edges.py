"""Our detector: spheres by their edges, fitted to a fraction of a pixel, with gates on how well these agree."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from arena_trees.perception.image import Rgb
from arena_trees.perception.spheres.blobs import blue_mask, outlines
from arena_trees.perception.spheres.cone import Cone, rays
from arena_trees.robot.circles import Circle
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.world.pinhole import Pinhole

__all__ = ["EdgeDetector", "EdgeParameters"]

Floats = NDArray[np.float64]

_TRIALS = 48
"""Cones that are tried through three points of an outline each."""

_OUTLINE = 96
"""So many points of an outline are looked at."""

_STEP = 0.5
"""Between two samples along a profile across the edge, px."""


_LEAST_SCATTER = 0.15
"""No edge point is taken to be better than this, px."""

_LEAST_SIGMA = 0.06
"""No radius is taken to be better than this, px."""

_BLUENESS = np.array((-0.5, -0.5, 1.0))
"""How blue a colour is: linear, so that half of a ball's value is half a pixel of ball."""


class EdgeParameters(Parameters):
    """Gates and widths."""

    min_radius_px: float = parameter(3.5, "smallest circle", "px", gt=0, le=100)
    min_quality: float = parameter(0.4, "least share of the edge that must be seen", ge=0, le=1)
    min_edge_px: float = parameter(16.0, "least length of edge that must be seen", "px", ge=0, le=1000)
    min_contrast: float = parameter(14.0, "least step of blueness across the edge, of 255", gt=0, le=255)
    roughness_px: float = parameter(0.35, "the edge's points may scatter by so much", "px", gt=0, le=10)
    roughness: float = parameter(0.02, "and further by this share of the radius", ge=0, le=1)
    waviness_px: float = parameter(0.12, "their smoothed distances by so much", "px", gt=0, le=10)
    waviness: float = parameter(0.014, "and further by this share of the radius: corners and flat sides", ge=0, le=1)
    min_agreeing: float = parameter(0.75, "least share of the edge's points that must agree", ge=0, le=1)
    min_filled: float = parameter(0.7, "least share of the disc that must be of the colour", ge=0, le=1)
    max_radius_sigma: float = parameter(0.1, "greatest deviation of the radius, as its share", gt=0, le=1)


@dataclass(frozen=True, slots=True)
class _Edge:
    """A cone, and the edge points that were found around it.

    Attributes:
        axis: unit vector of the cone's axis
        half: half the cone's opening angle, rad
        turns: azimuths of the profiles about the axis, cosine and sine, shape (n, 2)
        errors: how far outside the cone each profile has its edge, px
        found: which profiles have an edge
        kept: which of these agree with the cone
        sigma: deviation of the radius, px
    """

    axis: Floats
    half: float
    turns: Floats
    errors: Floats
    found: NDArray[np.bool_]
    kept: NDArray[np.bool_]
    sigma: float


class EdgeDetector:
    """Finds spheres of one colour by their edge.

    Each part of the mask gives a first cone by the three points of its outline that most others agree with; brightness
    along profiles across that cone's edge gives the edge to a fraction of a pixel; the cone is then fitted to these in
    angles, which holds all over the image, and for spheres that its border or something before them cuts.

    Args:
        pinhole: optics of the camera
        parameters: gates and widths
    """

    def __init__(self, pinhole: Pinhole, parameters: EdgeParameters | None = None) -> None:
        self._pinhole = pinhole
        self._focal = pinhole.focal_length
        self.parameters = EdgeParameters() if parameters is None else parameters
        # Always the same triples: equal images give equal circles.
        self._triples = np.random.default_rng(1).random((_TRIALS, 3))

    def detect(self, image: Rgb) -> tuple[Circle, ...]:
        """Return the circles in an image, largest first.

        Args:
            image: RGB, shape (height, width, 3), of the size that the optics say
        """
        image = np.ascontiguousarray(image)
        found = [self._look(image, outline) for outline in outlines(image, self.parameters.min_radius_px * 1.5)]
        return tuple(sorted((one for one in found if one is not None), key=lambda one: -one.radius))

    def _look(self, image: Rgb, outline: Floats) -> Circle | None:
        """Return the circle whose edge an outline is, None where it is none."""
        first = self._first(outline)
        if first is None:
            return None
        edge = self._refine(image, *first)
        edge = None if edge is None else self._refine(image, edge.axis, edge.half)
        if edge is None:
            return None
        right, down, ahead = edge.axis.tolist()
        quality = float(np.count_nonzero(edge.kept)) / len(edge.kept)
        circle = Cone(right, down, ahead, edge.half).circle(self._pinhole, quality, edge.sigma)
        return circle if circle is not None and self._is_sphere(circle, edge, image) else None

    def _first(self, outline: Floats) -> tuple[Floats, float] | None:
        """Return axis and half angle of the cone through three points of an outline that most others agree with."""
        width, height = self._pinhole.width, self._pinhole.height
        x, y = outline[:, 0], outline[:, 1]
        # The image's border is nobody's edge.
        outline = outline[(x > 1.0) & (x < width - 1.0) & (y > 1.0) & (y < height - 1.0)]
        if len(outline) < 6:
            return None
        if len(outline) > _OUTLINE:
            outline = outline[np.linspace(0.0, len(outline) - 1.0, _OUTLINE).astype(int)]
        directions = rays(outline, self._pinhole)
        one, two, three = np.moveaxis(directions[(self._triples * len(outline)).astype(int)], 1, 0)
        axes = _cross(two - one, three - one)
        lengths = np.sqrt(np.einsum("ij,ij->i", axes, axes))
        usable = lengths > 1e-9
        if not usable.any():
            return None
        axes, one = axes[usable] / lengths[usable, None], one[usable]
        cosines = np.einsum("ij,ij->i", axes, one)
        axes[cosines < 0.0] *= -1.0
        cosines = np.abs(cosines)
        # Near the edge a difference of cosines is a difference of angles times a sine.
        sines = np.sqrt(np.maximum(1e-12, 1.0 - cosines * cosines))
        errors = (axes @ directions.T - cosines[:, None]) * (self._focal / sines)[:, None]
        costs = np.minimum(errors * errors, 1.0).sum(axis=1)
        costs[(axes[:, 2] < 0.2) | (sines * self._focal < 1.0)] = np.inf
        best = int(np.argmin(costs))
        if not math.isfinite(costs[best]):
            return None
        # The outline runs through the middles of the outermost pixels.
        return axes[best], math.acos(min(1.0, cosines[best])) + 0.4 / self._focal

    def _refine(self, image: Rgb, axis: Floats, half: float) -> _Edge | None:
        """Return a cone fitted to the edge points around a first one; None where there are too few."""
        # Pixels for each radian about the axis, the mean of both directions.
        scale = self._focal / float(axis[2]) ** 1.5
        radius = scale * math.tan(half)
        if not self.parameters.min_radius_px * 0.6 < radius < 4.0 * max(self._pinhole.width, self._pinhole.height):
            return None
        turns = _turns(max(24, min(72, round(math.tau * radius))))
        offsets = _offsets(max(2.0, min(5.0, 0.4 * radius)))
        base = _beside(axis)
        profiles, inside = self._profiles(image, axis, base, turns, half + offsets / scale)
        errors, found = _edge_hits(profiles, offsets, self.parameters.min_contrast)
        found &= inside
        if np.count_nonzero(found) < 8:
            return None
        design = np.column_stack([turns, np.ones(len(turns))])
        fit = _fitted(design, errors, found)
        if fit is None:
            return None
        change, kept, covariance = fit
        moved = axis + (change[0] * base[0] + change[1] * base[1]) / scale
        return _Edge(
            axis=moved / math.sqrt(float(moved @ moved)),
            half=half + float(change[2]) / scale,
            turns=turns,
            errors=errors - design @ change,
            found=found,
            kept=kept,
            sigma=math.hypot(math.sqrt(covariance[2, 2]), _LEAST_SIGMA),
        )

    def _profiles(
        self, image: Rgb, axis: Floats, base: Floats, turns: Floats, angles: Floats
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """Return blueness at angles from a cone's axis along each azimuth, shape (n, m), and which are in the image."""
        columns, rows = self._project(axis, base, turns, angles)
        values = cv2.remap(image, columns - np.float32(0.5), rows - np.float32(0.5), cv2.INTER_LINEAR)
        inside = (columns > 0.5) & (columns < self._pinhole.width - 0.5)
        inside &= (rows > 0.5) & (rows < self._pinhole.height - 0.5)
        whole = np.asarray(inside.all(axis=1), np.bool_)
        return values.astype(np.float64) @ _BLUENESS, whole

    def _project(
        self, axis: Floats, base: Floats, turns: Floats, angles: Floats
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        sideways = turns @ base
        points = np.cos(angles)[None, :, None] * axis + np.sin(angles)[None, :, None] * sideways[:, None, :]
        # What is at the side of or behind the camera has no place in the image.
        depth = np.maximum(points[..., 2], 1e-3) / self._focal
        columns = self._pinhole.width / 2.0 + points[..., 0] / depth
        rows = self._pinhole.height / 2.0 + points[..., 1] / depth
        return columns.astype(np.float32), rows.astype(np.float32)

    def _is_sphere(self, circle: Circle, edge: _Edge, image: Rgb) -> bool:
        """Return whether an edge is that of a sphere."""
        p = self.parameters
        if circle.radius < p.min_radius_px or circle.quality < p.min_quality:
            return False
        if math.tau * circle.radius * circle.quality < p.min_edge_px:
            return False
        if circle.radius_sigma > p.max_radius_sigma * circle.radius:
            return False
        if np.count_nonzero(edge.kept) < p.min_agreeing * np.count_nonzero(edge.found):
            return False
        errors = edge.errors[edge.kept]
        if math.sqrt(float(errors @ errors) / len(errors)) > p.roughness_px + p.roughness * circle.radius:
            return False
        if _waviness(edge) > p.waviness_px + p.waviness * circle.radius:
            return False
        return self._filled(edge, image) >= p.min_filled

    def _filled(self, edge: _Edge, image: Rgb) -> float:
        """Return the share of an image that is blue within the edge, where that was seen."""
        angles = edge.half * np.array((0.3, 0.6, 0.8))
        columns, rows = self._project(edge.axis, _beside(edge.axis), edge.turns[edge.kept], angles)
        height, width = image.shape[:2]
        inside = (columns >= 0.0) & (columns < width) & (rows >= 0.0) & (rows < height)
        if not inside.any():
            return 0.0
        pixels = image[rows[inside].astype(int), columns[inside].astype(int)]
        return np.count_nonzero(blue_mask(pixels[None])) / len(pixels)


def _edge_hits(profiles: Floats, offsets: Floats, least: float) -> tuple[Floats, NDArray[np.bool_]]:
    """Return where each profile falls through half of its step, px, and which have a step."""
    inner, outer = profiles[:, :2].mean(axis=1), profiles[:, -2:].mean(axis=1)
    step = inner - outer
    # An edge of another contrast than most is that of something else.
    found = step > max(least, 0.4 * _median(step))
    below = profiles < ((inner + outer) / 2.0)[:, None]
    after = np.argmax(below, axis=1)
    found &= after > 0
    after = np.maximum(after, 1)
    lines = np.arange(len(profiles))
    high, low = profiles[lines, after - 1], profiles[lines, after]
    fall = np.maximum(high - low, 1e-6)
    return offsets[after - 1] + _STEP * np.clip((high - (inner + outer) / 2.0) / fall, 0.0, 1.0), found


def _fitted(
    design: Floats, errors: Floats, found: NDArray[np.bool_]
) -> tuple[Floats, NDArray[np.bool_], Floats] | None:
    """Return the change of a cone (two tilts and its half angle, px), which points agree, and the covariance.

    Least squares with Tukey's weights. Tilting the axis towards an azimuth moves the edge there outwards by as much.
    """
    among, errors_found = design[found], errors[found]
    change = np.array((0.0, 0.0, _median(errors_found)))
    left, reach = errors_found - change[2], 0.0
    for _ in range(3):
        reach = 4.685 * max(_LEAST_SCATTER, 1.4826 * _median(np.abs(left)))
        weights = np.maximum(0.0, 1.0 - (left / reach) ** 2) ** 2
        weighted = (among * weights[:, None]).T
        normal = weighted @ among
        if np.linalg.det(normal) < 1e-7 * len(left) ** 3:
            return None
        change = np.linalg.solve(normal, weighted @ errors_found)
        left = errors_found - among @ change
    kept = found.copy()
    kept[found] = near = np.abs(left) < reach / 2.0
    count = np.count_nonzero(near)
    if count < 8:
        return None
    inside, left = among[near], left[near]
    scatter = max(_LEAST_SCATTER**2, float(left @ left) / (count - 3))
    normal = inside.T @ inside
    if np.linalg.det(normal) < 1e-7 * count**3:
        return None
    return change, kept, scatter * np.linalg.inv(normal)


def _median(values: Floats) -> float:
    """Return the middle value, the upper one of two."""
    middle = len(values) // 2
    return float(np.partition(values, middle)[middle])


def _waviness(edge: _Edge) -> float:
    """Return the root mean square of the edge's errors, smoothed around the edge, px."""
    count = len(edge.errors)
    span = max(3, count // 8)
    found = edge.found.astype(np.float64)
    errors = np.where(edge.found, edge.errors, 0.0)
    rolled = np.concatenate([np.zeros((1, 2)), np.cumsum(np.tile(np.column_stack([errors, found]), (2, 1)), axis=0)])
    sums, weights = (rolled[span : span + count] - rolled[:count]).T
    enough = weights >= span / 2.0
    if not enough.any():
        return 0.0
    smooth = sums[enough] / weights[enough]
    return math.sqrt(float(smooth @ smooth) / len(smooth))


def _cross(one: Floats, other: Floats) -> Floats:
    """Return the vectors upright to two each; np.cross takes ten times as long for few of them."""
    (x, y, z), (u, v, w) = np.moveaxis(one, -1, 0), np.moveaxis(other, -1, 0)
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


def _beside(axis: Floats) -> Floats:
    """Return two unit vectors upright to an axis and to each other, shape (2, 3)."""
    one = np.array((axis[2], 0.0, -axis[0]))
    one /= math.sqrt(float(one @ one))
    return np.stack([one, _cross(axis, one)])


@lru_cache(maxsize=128)
def _turns(count: int) -> Floats:
    angles = np.arange(count) * (math.tau / count)
    turns = np.column_stack([np.cos(angles), np.sin(angles)])
    turns.setflags(write=False)
    return turns


def _offsets(reach: float) -> Floats:
    steps = math.ceil(reach / _STEP)
    return _STEP * np.arange(-steps, steps + 1.0)
