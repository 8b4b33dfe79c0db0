"""A detector of circles without images: spheres' true outlines with a detector's noise, misses and false circles."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arena_trees.perception.spheres.cone import Cone
from arena_trees.robot.circles import Circle
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.simulation.sensors.chances import LastingLuck, chance_of, rise, sharp
from arena_trees.simulation.sensors.circle_errors import CircleErrors
from arena_trees.simulation.sensors.rays import RayCaster
from arena_trees.simulation.sensors.sphere_camera import Exposure
from arena_trees.world.camera_pose import CameraPose
from arena_trees.world.footprint import Solid
from arena_trees.world.pinhole import Pinhole
from arena_trees.world.spheres import PlacedSphere

__all__ = ["ParametricSpheres"]

_RINGS = ((0.0, 1), (0.45, 4), (0.9, 8))
"""Where rays are cast to: share of the radius, and points on that ring."""

_POINTS = np.array(
    [
        (share * math.cos(turn), share * math.sin(turn))
        for share, count in _RINGS
        for turn in (math.tau * index / count for index in range(count))
    ]
)
"""Points of a disc of radius 1, shape (13, 2)."""

_LEAST_RADIUS = 0.5
"""No circle is smaller, px."""


class ParametricSpheres:
    """Finds spheres as a detector of circles might.

    Each sphere, and each thing of a sphere's colour, has its own random stream, with the same number of draws in each
    frame whether or not it is seen, so that a further one does not change how the others are found.

    Args:
        robot: name of the robot that carries the camera
        errors: how the detector fails
        pinhole: optics of the camera
        clutter: walls and boxes of a sphere's colour
        streams: the camera's random streams
        caster: casts the rays that tell what is hidden
        exposure_s: of a picture, s
    """

    def __init__(
        self,
        robot: str,
        errors: CircleErrors,
        pinhole: Pinhole,
        clutter: Sequence[Solid],
        streams: RandomStreams,
        caster: RayCaster,
        exposure_s: float = 0.0,
    ) -> None:
        self._robot, self._errors, self._pinhole = robot, errors, pinhole
        self._exposure_s = exposure_s
        self._streams, self._caster = streams, caster
        self._clutter = {solid.name: self.stands_for(solid) for solid in clutter}
        self._luck: dict[str, _Luck] = {}
        self._false = streams.generator("false_circles")
        spread = errors.radius_spread * float(streams.generator("lens").standard_normal())
        self._bias = 1.0 + errors.radius_bias + spread

    def find(self, exposure: Exposure, spheres: Sequence[PlacedSphere]) -> tuple[Circle, ...]:
        """Expose a frame and return the circles in it."""
        smear_px = abs(exposure.turning.yaw) * self._exposure_s * self._pinhole.focal_length
        found = [self._find(exposure.pose, sphere, smear_px) for sphere in spheres]
        found += [self._mistake(exposure.pose, name, thing) for name, thing in self._clutter.items()]
        false = self._false_circle()
        circles = tuple(circle for circle in found if circle is not None)
        return circles or (() if false is None else (false,))

    def _find(self, camera: CameraPose, sphere: PlacedSphere, smear_px: float) -> Circle | None:
        errors, luck = self._errors, self._draw(f"sphere.{sphere.robot}")
        outline = _outline(sphere, camera, self._pinhole)
        if outline is None:
            return None
        chance = (1.0 - errors.miss) * rise(outline.radius, errors.faint_px, errors.faint_width_px)
        chance *= sharp(smear_px, 2.0 * outline.radius)
        # What cannot be found whatever is hidden needs no rays.
        if luck.chance >= chance:
            return None
        seen = self.visible_share(camera, sphere, outline)
        if seen == 0.0 or luck.chance >= chance * rise(seen, errors.hidden_share, errors.hidden_width):
            return None
        # An edge that is seen in part places a circle less well.
        sigma = math.hypot(errors.radius_noise_px, errors.radius_noise * outline.radius) / math.sqrt(seen)
        radius = self._bias * outline.radius + errors.radius_bias_px + sigma * luck.radius
        shift = errors.centre_noise_px / math.sqrt(seen)
        return Circle(
            x=outline.x + shift * luck.x,
            y=outline.y + shift * luck.y,
            radius=max(_LEAST_RADIUS, radius),
            quality=self._quality(errors.quality * seen, luck),
            radius_sigma=sigma if errors.says_deviation else 0.0,
        )

    def _mistake(self, camera: CameraPose, name: str, thing: PlacedSphere) -> Circle | None:
        """Return the circle that is found on a thing of a sphere's colour, if one is."""
        errors, luck = self._errors, self._draw(f"clutter.{name}")
        if luck.chance >= errors.clutter_circles:
            return None
        outline = _outline(thing, camera, self._pinhole)
        if outline is None or outline.radius > errors.clutter_px:
            return None
        if self.visible_share(camera, thing, outline) < errors.hidden_share:
            return None
        return Circle(
            x=outline.x + 0.2 * outline.radius * luck.x,
            y=outline.y + 0.2 * outline.radius * luck.y,
            radius=max(_LEAST_RADIUS, outline.radius * (1.0 + 0.2 * luck.radius)),
            quality=self._quality(errors.clutter_quality, luck),
            radius_sigma=self._false_sigma(outline.radius),
        )

    def _false_circle(self) -> Circle | None:
        """Return the circle that is found where there is nothing, if one is."""
        if self._false.random() >= self._errors.false_circles:
            return None
        across, down, size = self._false.random(3).tolist()
        width, height = self._pinhole.width, self._pinhole.height
        radius = max(_LEAST_RADIUS, size * min(width, height) / 8.0)
        quality = self._errors.clutter_quality
        return Circle(across * width, down * height, radius, quality, self._false_sigma(radius))

    def _false_sigma(self, radius: float) -> float:
        errors = self._errors
        return math.hypot(errors.radius_noise_px, errors.radius_noise * radius) if errors.says_deviation else 0.0

    def _quality(self, mean: float, luck: _Luck) -> float:
        return min(1.0, max(0.0, mean + self._errors.quality_noise * luck.quality))

    def _draw(self, name: str) -> _Luck:
        luck = self._luck.get(name)
        if luck is None:
            luck = self._luck[name] = _Luck(self._streams.generator(name), self._errors.memory)
        luck.draw()
        return luck

    def visible_share(self, camera: CameraPose, sphere: PlacedSphere, outline: Circle) -> float:
        """Return the share of a sphere's disc that is in the image and that nothing hides, 0 to 1."""
        width, height = self._pinhole.width, self._pinhole.height
        columns = outline.x + outline.radius * _POINTS[:, 0]
        rows = outline.y - outline.radius * _POINTS[:, 1]
        inside = (columns >= 0.0) & (columns <= width) & (rows >= 0.0) & (rows <= height)
        if not inside.any():
            return 0.0
        rays = self._rays(camera, sphere)[inside]
        origin = (camera.x, camera.y, camera.z)
        visible = self._caster.visible_share(self._robot, origin, rays, sphere.robot)
        return visible * len(rays) / len(_POINTS)

    @staticmethod
    def stands_for(solid: Solid) -> PlacedSphere:
        """Return the ball that fits into a wall or box: what a detector might take it for."""
        radius = min(max(solid.length, solid.width), solid.height) / 2.0
        return PlacedSphere(solid.name, solid.pose.x, solid.pose.y, solid.height / 2.0, radius, solid.colour or "")

    @staticmethod
    def _rays(camera: CameraPose, sphere: PlacedSphere) -> NDArray[np.float64]:
        """Return the rays from a camera to the points of a sphere's disc, map frame, m, shape (13, 3)."""
        to = np.array((sphere.x - camera.x, sphere.y - camera.y, sphere.z - camera.z))
        distance = math.hypot(*to)
        ahead, left = to / distance, camera.axes()[1]
        # The disc in which the cone of sight touches the ball, upright to its axis.
        right = (left @ ahead) * ahead - left
        right /= math.hypot(*right)
        share = sphere.radius / distance
        disc = _POINTS @ np.array((right, np.cross(right, ahead)))
        rays: NDArray[np.float64] = (1.0 - share**2) * to + sphere.radius * math.sqrt(1.0 - share**2) * disc
        return rays


class _Luck:
    """What chance has for one target in one frame: each number is standard normal but the chance, which is uniform.

    Chance and radius remember: their values of frames that follow each other are correlated.
    """

    def __init__(self, rng: np.random.Generator, memory: float) -> None:
        self._rng = rng
        self._chances, self._radii = LastingLuck(memory), LastingLuck(memory)
        self.chance = self.x = self.y = self.radius = self.quality = 0.0

    def draw(self) -> None:
        """Draw the numbers of the next frame."""
        chance, radius, self.x, self.y, self.quality = self._rng.standard_normal(5).tolist()
        self.chance, self.radius = chance_of(self._chances.next(chance)), self._radii.next(radius)


def _outline(sphere: PlacedSphere, camera: CameraPose, pinhole: Pinhole) -> Circle | None:
    """Return the circle that stands for a sphere, None where a part of it is not before the camera."""
    ahead, left, up = camera.place((sphere.x, sphere.y, sphere.z))
    cone = Cone.of_sphere(-left, -up, ahead, 2.0 * sphere.radius)
    return None if cone is None else cone.circle(pinhole)
