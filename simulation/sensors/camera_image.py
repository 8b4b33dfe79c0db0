"""From a clean picture to what a camera delivers: exposure, lens, motion blur and the sensor's noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.world.pinhole import Pinhole
from arena_trees.world.textures import Picture

__all__ = ["CameraImage", "ImageParameters", "smear"]

_GREY = 0.42
"""Mean brightness that the automatic exposure aims at, 0 to 1."""

_STRONGEST_GAIN = 2.5
_WANDER = 0.05
"""Standard deviation of the exposure's slow wandering, as a share."""

_MEMORY = 0.95
"""Share of the wandering that is left at the next frame."""

_BANK = 96
"""Noise is taken from a field this much larger (px) than the image, at a random place in each frame."""


class ImageParameters(Parameters):
    """Limits from which a rendered camera draws its own properties, one time in a trial."""

    exposure_low: float = parameter(0.7, "darkest exposure, as a share of the automatic one", gt=0, le=10)
    exposure_high: float = parameter(1.4, "brightest exposure, as a share of the automatic one", gt=0, le=10)
    exposure_s: float = parameter(0.012, "longest exposure, which motion blur grows with", "s", ge=0, le=0.1)
    colour_cast: float = parameter(0.06, "standard deviation of each colour's gain", ge=0, le=0.5)
    vignette: float = parameter(0.25, "largest loss of light in the corners", ge=0, lt=1)
    lens_blur_px: float = parameter(0.8, "largest standard deviation of the lens's blur", "px", ge=0, le=20)
    noise: float = parameter(0.025, "largest standard deviation of a pixel's noise, of full scale", ge=0, le=0.5)

    @model_validator(mode="after")
    def _exposures_are_ordered(self) -> ImageParameters:
        if self.exposure_low > self.exposure_high:
            raise ValueError("exposure_low is above exposure_high")
        return self


class CameraImage:
    """One camera's way of taking pictures.

    Args:
        parameters: limits of its properties
        rng: its own random stream
        pinhole: its optics
    """

    def __init__(self, parameters: ImageParameters, rng: np.random.Generator, pinhole: Pinhole) -> None:
        self._rng = rng
        self._focal_px = pinhole.focal_length
        self._shape = height, width = pinhole.height, pinhole.width
        low, high = math.log(parameters.exposure_low), math.log(parameters.exposure_high)
        self._bias = math.exp(float(rng.uniform(low, high)))
        self._exposure_s = float(rng.uniform(0.0, parameters.exposure_s))
        self._cast = 1.0 + parameters.colour_cast * rng.standard_normal(3)
        self._blur = float(rng.uniform(0.0, parameters.lens_blur_px))
        self._shade = self._vignette(float(rng.uniform(0.0, parameters.vignette)))
        sigma = 255.0 * float(rng.uniform(0.0, parameters.noise))
        field = rng.standard_normal((height + _BANK, width + _BANK, 3), dtype=np.float32)
        self._noise = np.rint(sigma * field).astype(np.int16)
        self._wander = 0.0

    def take(
        self,
        clean: Picture,
        yaw_rate: float,
        shine: Callable[[Picture], Picture] | None = None,
        pitch_rate: float = 0.0,
    ) -> Picture:
        """Return the picture as the camera delivers it, RGB, uint8.

        Args:
            clean: RGB, shape (height, width, 3)
            yaw_rate: of the camera, rad/s
            shine: changes the light of the exposed picture; the automatic exposure goes by the clean one, so that it
                undoes nothing of that
            pitch_rate: of the camera, rad/s, upwards
        """
        image: Any = cv2.LUT(np.ascontiguousarray(clean), self._curve(clean))
        if shine is not None:
            image = shine(image)
        image = cv2.multiply(image, self._shade, scale=1.0 / 255.0)
        if self._blur > 0.2:
            image = cv2.GaussianBlur(image, (5, 5), self._blur)
        length = self._exposure_s * self._focal_px
        # Who turns to the left and upwards sees things move to the right and downwards.
        image = smear(image, yaw_rate * length, pitch_rate * length)
        height, width = self._shape
        row, column = self._rng.integers(0, _BANK, 2).tolist()
        noise = self._noise[row : row + height, column : column + width]
        return np.asarray(cv2.add(image, noise, dtype=cv2.CV_8U), np.uint8)

    def _curve(self, clean: Picture) -> Picture:
        """Return the tone curve of each colour, shape (1, 256, 3)."""
        self._wander = _MEMORY * self._wander + math.sqrt(1.0 - _MEMORY**2) * float(self._rng.standard_normal())
        mean = max(1.0 / 255.0, float(clean[::8, ::8].mean()) / 255.0)
        gain = min(_STRONGEST_GAIN, _GREY / mean) * self._bias * math.exp(_WANDER * self._wander)
        steps = np.arange(256.0)[:, None] * (gain * self._cast)
        # A shoulder instead of a hard limit keeps bright card from turning to plain white at once.
        bent = np.where(steps > 204.0, 255.0 - 51.0 * np.exp(-(steps - 204.0) / 51.0), steps)
        return np.clip(np.rint(bent), 0.0, 255.0).astype(np.uint8)[None]

    def _vignette(self, loss: float) -> Picture:
        height, width = self._shape
        y, x = np.linspace(-1.0, 1.0, height)[:, None], np.linspace(-1.0, 1.0, width)[None]
        shade = 255.0 * (1.0 - loss * (x * x + y * y) / 2.0)
        return np.repeat(np.rint(shade)[..., None], 3, axis=2).astype(np.uint8)


def smear(image: Picture, rightwards: float, downwards: float) -> Picture:
    """Return the image smeared over so many pixels: turning moves all of it nearly alike."""
    length = math.hypot(rightwards, downwards)
    if length < 0.3:
        return image
    kernel = _row(length)[None] if downwards == 0.0 else _line(rightwards, downwards)
    smeared = cv2.filter2D(image, -1, kernel, borderType=cv2.BORDER_REPLICATE)
    return np.asarray(smeared, np.uint8)


def _row(length: float) -> NDArray[np.float64]:
    """Return the shares of pixels in a row that a point passes, which moves so far (px)."""
    half = math.ceil(length / 2.0)
    kernel = np.clip(length / 2.0 + 0.5 - np.abs(np.arange(-half, half + 1.0)), 0.0, 1.0)
    return np.asarray(kernel / kernel.sum())


def _line(rightwards: float, downwards: float) -> NDArray[np.float64]:
    """Return the shares of pixels that a point passes on a straight line."""
    steps = np.linspace(-0.5, 0.5, 2 * math.ceil(math.hypot(rightwards, downwards)) + 2)
    x, y = steps * rightwards, steps * downwards
    half_width, half_height = math.ceil(abs(rightwards) / 2.0), math.ceil(abs(downwards) / 2.0)
    columns, rows = np.arange(-half_width, half_width + 1.0), np.arange(-half_height, half_height + 1.0)
    # Each step falls on the pixels around it, by its distance from their middles.
    across = np.clip(1.0 - np.abs(columns[None] - x[:, None]), 0.0, 1.0)
    along = np.clip(1.0 - np.abs(rows[None] - y[:, None]), 0.0, 1.0)
    kernel = along.T @ across
    return np.asarray(kernel / kernel.sum())
