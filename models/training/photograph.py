"""From a painted scene to a photograph: light, exposure, blur, noise and compression."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from arena_trees.models.training.pictures import Image
from arena_trees.models.training.ranges import SceneRanges

__all__ = ["photograph"]

_LONGEST_BLUR = 0.3
"""Longest motion blur against the smallest sign's width: more, and a person could not tell which it is either."""


def photograph(canvas: Image, ranges: SceneRanges, smallest_px: float, rng: np.random.Generator) -> Image:
    """Return the scene as a camera would take it.

    Args:
        canvas: the painted scene, shape (n, n, 3)
        ranges: of light, blur and noise
        smallest_px: width of the smallest sign in it
        rng: its random stream
    """
    size = canvas.shape[0]
    light = canvas.astype(np.float32) / 255.0
    light *= _illumination(size, ranges, rng)
    low, high = ranges.contrast
    light = np.maximum(light, 0.0) ** np.float32(math.exp(rng.uniform(math.log(low), math.log(high))))
    light = _blur(light, ranges, smallest_px, rng)
    sigma = rng.uniform(*ranges.noise) / 255.0
    if sigma > 0.5 / 255.0:
        light += rng.standard_normal(light.shape, dtype=np.float32) * np.float32(sigma)
    taken = np.asarray(np.clip(light * 255.0, 0.0, 255.0), np.uint8)
    if rng.random() < 0.4:
        quality = int(rng.integers(int(ranges.jpeg[0]), int(ranges.jpeg[1])))
        taken = np.asarray(
            cv2.imdecode(cv2.imencode(".jpg", taken, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], 1), np.uint8
        )
    return taken


def _illumination(size: int, ranges: SceneRanges, rng: np.random.Generator) -> NDArray[np.float32]:
    """Return the factor of each pixel's light, shape (size, size, 3)."""
    rows, columns = np.mgrid[0:size, 0:size].astype(np.float32) / (size - 1) - 0.5
    turn = rng.uniform(0.0, math.tau)
    slope = columns * math.cos(turn) + rows * math.sin(turn)
    factor = 1.0 - rng.uniform(*ranges.gradient) * (slope / 1.42 + 0.5)
    factor *= 1.0 - rng.uniform(*ranges.vignette) * 2.0 * (rows**2 + columns**2)
    if rng.random() < ranges.stripes:
        waves = np.sin(slope * rng.uniform(15.0, 60.0) + rng.uniform(0.0, math.tau))
        factor *= np.where(waves > rng.uniform(-0.5, 0.5), 1.0, rng.uniform(0.35, 0.7))
    colours = rng.uniform(*ranges.tint, 3) * rng.uniform(*ranges.exposure)
    field = factor[..., None] * colours
    if rng.random() < ranges.coloured_light:
        lamp = rng.uniform(0.0, 0.6, 3) * np.exp(-((slope[..., None] - rng.uniform(-0.5, 0.5)) ** 2) * 12.0)
        field = field * (1.0 + lamp)
    return np.asarray(field, np.float32)


def _blur(
    light: NDArray[np.float32], ranges: SceneRanges, smallest_px: float, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Return the light with the blur of defocus and, in half of the scenes, of motion, mostly sideways."""
    length = min(rng.uniform(*ranges.motion_px), _LONGEST_BLUR * smallest_px)
    if length > 1.0 and rng.random() < 0.5:
        angle = rng.normal(0.0, 0.2) if rng.random() < 0.8 else rng.uniform(0.0, math.pi)
        reach = math.ceil(length / 2.0) + 1
        kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
        ends = np.array([[-1.0, 1.0], [-1.0, 1.0]]) * length / 2.0
        across, along = ends[0] * math.cos(angle), ends[1] * math.sin(angle)
        points = np.round((np.stack([across, along], axis=1) + reach) * 16.0).astype(int)
        cv2.line(kernel, points[0].tolist(), points[1].tolist(), 1.0, 1, cv2.LINE_8, 4)
        light = np.asarray(cv2.filter2D(light, -1, kernel / kernel.sum(), borderType=cv2.BORDER_REPLICATE), np.float32)
    sigma = min(rng.uniform(*ranges.defocus_px), 0.06 * smallest_px)
    if sigma > 0.3:
        light = np.asarray(cv2.GaussianBlur(light, (0, 0), sigma), np.float32)
    return light
