"""Light that changes over a trial: brighter and darker, a lamp's glare, shadows on the floor.

It acts on what the automatic exposure has made of a picture
(:class:`~arena_trees.simulation.sensors.camera_image.CameraImage` calls it between exposure and
lens), as with a camera whose exposure is held: nothing undoes it, and all of a change of 40 % reaches the detector.
The camera's own drawn exposure comes on top.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from arena_trees.perception.image import Rgb
from arena_trees.perception.lanes.floor_camera import CameraPlace, FloorCamera
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.world.pinhole import Pinhole

__all__ = ["LightParameters", "VaryingLight", "add_glare", "brighten"]

_SHADOWS_TO = 5.0
"""No shadow is drawn farther ahead (m): there a band is narrower than a pixel."""

_GLARE_FROM = 0.55
"""Glare lies on the floor: below this share of the image's height."""


class LightParameters(Parameters):
    """Limits of what a trial draws; each of the four can be turned off."""

    brightness_low: float = parameter(0.6, "darkest light; it and the brightest are 1 for a steady light", gt=0, le=10)
    brightness_high: float = parameter(1.4, "brightest light", gt=0, le=10)
    drift_s: float = parameter(4.0, "mean time in which light and glare wander to another state", "s", ge=0.1, le=3600)
    switching: float = parameter(0.3, "chance that the brightness then jumps, a lamp switched; 0 for never", ge=0, le=1)
    glare: float = parameter(255.0, "added by the strongest glare, of 255; 0 for none", ge=0, le=255)
    glare_size: float = parameter(0.12, "largest radius of the glare, share of the image's width", gt=0, le=1)
    shadow: float = parameter(0.65, "share of the light that the deepest shadow takes; 0 for none", ge=0, le=1)

    @model_validator(mode="after")
    def _brightness_is_ordered(self) -> LightParameters:
        if self.brightness_low > self.brightness_high:
            raise ValueError("brightness_low is above brightness_high")
        return self


class VaryingLight:
    """The light of one camera's pictures. It depends on time and place, not on how many pictures are taken.

    Shadows are parallel bands on the floor, 0.2 to 0.8 m wide, that cross the whole arena and stay where they are. The
    glare is a lamp's reflection: it wanders over the lower part of the image.

    Args:
        parameters: limits of what is drawn
        streams: the camera's random streams; of these those under ``light`` are used
        pinhole: optics of the camera
    """

    def __init__(self, parameters: LightParameters, streams: RandomStreams, pinhole: Pinhole) -> None:
        p, streams = parameters, streams.child("light")
        self._parameters = p
        self._brightness = _Wander(streams.generator("brightness"), p.drift_s, p.switching)
        rng = streams.generator("glare")
        self._glare = p.glare * float(rng.uniform(0.3, 1.0))
        self._radius = p.glare_size * pinhole.width * float(rng.uniform(0.25, 1.0))
        self._column, self._row = (_Wander(streams.generator(f"glare.{name}"), p.drift_s) for name in ("x", "y"))
        self._bands = _Bands(p.shadow, streams.generator("shadow"), pinhole)

    def brightness(self, now: int) -> float:
        """Return the factor of the light at an instant (ns); instants must not go back."""
        low, high = self._parameters.brightness_low, self._parameters.brightness_high
        return low + (high - low) * self._brightness.at(now)

    def shine(self, image: Rgb, now: int, pose: Pose2D) -> Rgb:
        """Return a picture in the light of an instant.

        Args:
            image: RGB, shape (height, width, 3)
            now: the instant, ns; not before that of the last picture
            pose: of base_link, map frame
        """
        height, width = image.shape[:2]
        if self._parameters.shadow > 0.0:
            image = brighten(image, self._bands.share(pose))
        if self._parameters.glare > 0.0:
            row = _GLARE_FROM + (1.0 - _GLARE_FROM) * self._row.at(now)
            image = add_glare(image, (width * self._column.at(now), height * row), self._radius, self._glare)
        factor = self.brightness(now)
        return image if factor == 1.0 else brighten(image, factor)


def brighten(image: Rgb, factor: float | NDArray[np.float32]) -> Rgb:
    """Return the image brighter or darker by a factor, one or each pixel's (shape (height, width)), clipped at 255."""
    if isinstance(factor, np.ndarray):
        return np.asarray(cv2.multiply(image, cv2.merge([factor] * 3), dtype=cv2.CV_8U), np.uint8)
    return np.asarray(cv2.convertScaleAbs(image, alpha=factor), np.uint8)


def add_glare(image: Rgb, centre: tuple[float, float], radius: float, strength: float = 220.0) -> Rgb:
    """Return the image with a white patch around a place (px): full inside, fading out to twice its radius (px)."""
    reach = math.ceil(2.0 * radius)
    (left, right), (top, bottom) = (
        (max(0, math.floor(middle) - reach), min(side, math.ceil(middle) + reach + 1))
        for middle, side in zip(centre, (image.shape[1], image.shape[0]), strict=True)
    )
    if left >= right or top >= bottom:
        return image
    away = np.hypot(np.arange(left, right)[None] - centre[0], np.arange(top, bottom)[:, None] - centre[1])
    added = (strength * np.clip(2.0 - away / radius, 0.0, 1.0)).astype(np.uint8)
    lit = np.array(image)
    lit[top:bottom, left:right] = cv2.add(lit[top:bottom, left:right], cv2.merge([added] * 3))
    return lit


class _Wander:
    """A number that goes from one random place between 0 and 1 to another, and now and then jumps.

    Args:
        rng: its own random stream
        leg_s: mean time from one place to the next, s
        jumping: chance that a leg begins elsewhere than where the last one ended
    """

    def __init__(self, rng: np.random.Generator, leg_s: float, jumping: float = 0.0) -> None:
        self._rng, self._leg_s, self._jumping = rng, leg_s, jumping
        self._begin, self._end = 0, 0
        self._from, self._to = 0.0, float(rng.random())

    def at(self, now: int) -> float:
        while now >= self._end:
            jump, elsewhere, target, length = self._rng.random(4).tolist()
            self._begin, self._from, self._to = self._end, elsewhere if jump < self._jumping else self._to, target
            self._end += from_seconds(self._leg_s * (0.5 + length))
        return self._from + (self._to - self._from) * (now - self._begin) / (self._end - self._begin)


class _Bands:
    """Shadow bands on the floor."""

    def __init__(self, deepest: float, rng: np.random.Generator, pinhole: Pinhole) -> None:
        self._depth = deepest * float(rng.uniform(0.3, 1.0))
        self._yaw = float(rng.uniform(-math.pi, math.pi))
        self._width = float(rng.uniform(0.2, 0.8))
        self._period = self._width + float(rng.uniform(0.3, 1.2))
        self._shift = float(rng.uniform(0.0, self._period))
        self._soft = math.exp(float(rng.uniform(math.log(0.005), math.log(0.2))))
        place = CameraPlace(hfov_deg=math.degrees(pinhole.hfov), x=pinhole.mount_x, z=pinhole.mount_z)
        rows, columns = np.indices((pinhole.height, pinhole.width))
        floor = FloorCamera(place, pinhole.width, pinhole.height).to_floor(np.column_stack([columns.flat, rows.flat]))
        floor = floor.reshape(pinhole.height, pinhole.width, 2)
        # The camera is level, so that a row is all equally far ahead.
        self._first = int(np.count_nonzero(~(floor[:, 0, 0] <= _SHADOWS_TO)))
        x, y = np.moveaxis(floor[self._first :].astype(np.float32), 2, 0)
        self._x, self._y = np.ascontiguousarray(x), np.ascontiguousarray(y)
        self._share = np.ones((pinhole.height, pinhole.width), np.float32)

    def share(self, pose: Pose2D) -> NDArray[np.float32]:
        """Return the share of the light that each pixel has left, shape (height, width); valid until the next call."""
        cosine, sine = math.cos(self._yaw - pose.yaw), math.sin(self._yaw - pose.yaw)
        along = pose.x * math.cos(self._yaw) + pose.y * math.sin(self._yaw) - self._shift
        across = self._x * np.float32(cosine / self._period) + self._y * np.float32(sine / self._period)
        across += np.float32(along / self._period)
        # How far from the nearest band's middle, in periods.
        across -= np.rint(across)
        np.abs(across, out=across)
        inside = (self._width / 2.0 - self._period * across) / self._soft + 0.5
        self._share[self._first :] = 1.0 - self._depth * np.clip(inside, 0.0, 1.0)
        return self._share
