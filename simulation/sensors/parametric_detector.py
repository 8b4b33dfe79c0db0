"""A sign detector without images: the pinhole's boxes with a detector's noise, misses and false alarms."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from arena_trees.robot.detections import Detection
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.quick_init import quick_init
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.simulation.sensors.chances import LastingLuck, chance_of, sharp
from arena_trees.simulation.sensors.rays import RayCaster
from arena_trees.simulation.sensors.sign_camera import CameraParameters
from arena_trees.world.pinhole import Projection
from arena_trees.world.signs import PlacedSign

__all__ = ["ParametricDetector"]

_GRID = np.array([(column, row) for column in (-0.35, 0.0, 0.35) for row in (-0.35, 0.0, 0.35)])
"""Points of a face to which rays are cast, in sides from its centre, shape (9, 2)."""

_SIZE_SCALE_PX = 15.0
"""A box of this size is found with noticeably less confidence than a large one."""


@quick_init
@dataclass(frozen=True, slots=True)
class _Edges:
    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return max(0.0, self.right - self.left)

    @property
    def height(self) -> float:
        return max(0.0, self.bottom - self.top)


class ParametricDetector:
    """Finds signs as a trained network might.

    Each sign has its own random stream, with the same number of draws in each frame whether or not
    it is seen, so that a further robot or carrot does not change how the others are found.

    Args:
        robot: name of the robot that carries the camera
        parameters: the camera's parameters
        streams: the camera's random streams
        caster: casts the rays that tell what is hidden
        yaw_rate: returns how fast the camera turns, rad/s
    """

    def __init__(
        self,
        robot: str,
        parameters: CameraParameters,
        streams: RandomStreams,
        caster: RayCaster,
        yaw_rate: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._robot = robot
        self._yaw_rate = yaw_rate
        self._parameters = parameters
        self._pinhole = parameters.pinhole()
        self._streams = streams
        self._caster = caster
        self._by_sign: dict[str, tuple[np.random.Generator, LastingLuck]] = {}
        self._false = streams.generator("false_alarms")

    def detect(self, pose: Pose2D, signs: Sequence[PlacedSign]) -> tuple[Detection, ...]:
        """Expose a frame and return the boxes in it."""
        found = [self._find(pose, target) for target in signs]
        found.append(self._false_alarm())
        return tuple(box for box in found if box is not None)

    def _find(self, pose: Pose2D, target: PlacedSign) -> Detection | None:
        name = target.sign.name
        if name not in self._by_sign:
            self._by_sign[name] = self._streams.generator(f"sign.{name}"), LastingLuck(self._parameters.memory)
        rng, luck = self._by_sign[name]
        noise = rng.standard_normal(5)
        chance = rng.random()
        if self._parameters.memory > 0.0:
            chance = chance_of(luck.next(_normal(chance)))
        projection = self._pinhole.project(pose, target) if self._pinhole.may_see(pose, target) else None
        if projection is None:
            return None
        true = _edges(projection)
        seen = self._clip(true)
        if min(seen.width, seen.height) < self._parameters.tiny_px:
            return None
        share = seen.width * seen.height / (true.width * true.height)
        if chance < self._miss_chance(projection, seen, share):
            return None
        visible = self._visible_share(pose, target, projection.face)
        if visible < self._parameters.visible_share:
            return None
        return self._noisy(target.sign.label, true, min(share, visible), noise.tolist())

    def _miss_chance(self, projection: Projection, seen: _Edges, share: float) -> float:
        parameters = self._parameters
        oblique = math.degrees(projection.obliqueness)
        if oblique > parameters.blind_deg:
            return 1.0
        found = 1.0 - parameters.miss
        if min(seen.width, seen.height) < parameters.small_px:
            found *= 1.0 - parameters.small_miss
        if share < parameters.cut_share:
            found *= 1.0 - parameters.cut_miss
        if oblique > parameters.oblique_deg:
            found *= 1.0 - parameters.oblique_miss
        found *= sharp(abs(self._yaw_rate()) * parameters.exposure_s * self._pinhole.focal_length, seen.width)
        return 1.0 - found

    def _visible_share(self, pose: Pose2D, target: PlacedSign, face: int) -> float:
        """Return the share of the face that nothing hides."""
        sign = target.sign
        camera = pose.compose(Pose2D(self._parameters.mount_x))
        yaw = target.pose.yaw + sign.face_yaw(face)
        normal_x, normal_y = math.cos(yaw), math.sin(yaw)
        # A millimetre before the face, lest a flat sign hide itself from a grazing ray.
        offset = sign.offset + 0.001
        centre_x, centre_y = target.pose.x + offset * normal_x, target.pose.y + offset * normal_y
        basis = np.array(((-sign.size * normal_y, sign.size * normal_x, 0.0), (0.0, 0.0, sign.size)))
        height = self._parameters.mount_z
        rays = _GRID @ basis + (centre_x - camera.x, centre_y - camera.y, sign.height - height)
        return self._caster.visible_share(self._robot, (camera.x, camera.y, height), rays, sign.name)

    def _noisy(self, label: str, true: _Edges, share: float, noise: list[float]) -> Detection | None:
        parameters = self._parameters
        sigma = parameters.edge_noise_px
        edges = self._clip(
            _Edges(
                true.left + sigma * noise[0],
                true.top + sigma * noise[1],
                true.right + sigma * noise[2],
                true.bottom + sigma * noise[3],
            )
        )
        if edges.width < 1.0 or edges.height < 1.0:
            return None
        size = min(edges.width, edges.height)
        confidence = parameters.confidence - 0.5 * math.exp(-size / _SIZE_SCALE_PX) - 0.2 * (1.0 - share)
        confidence = min(0.99, max(0.01, confidence + parameters.confidence_noise * noise[4]))
        return None if confidence < parameters.threshold else _detection(label, confidence, edges)

    def _false_alarm(self) -> Detection | None:
        parameters = self._parameters
        if self._false.random() >= parameters.false_alarms:
            return None
        draws = self._false.random(6).tolist()
        label = parameters.classes[int(draws[0] * len(parameters.classes))]
        width, height = parameters.width, parameters.height
        side = 10.0 + draws[1] * width / 4.0
        aspect = 0.7 + 0.6 * draws[2]
        x, y = draws[3] * width, draws[4] * height
        edges = self._clip(_Edges(x - side / 2.0, y - side * aspect / 2.0, x + side / 2.0, y + side * aspect / 2.0))
        confidence = parameters.threshold + (0.7 - parameters.threshold) * draws[5]
        return _detection(label, max(parameters.threshold, confidence), edges)

    def _clip(self, edges: _Edges) -> _Edges:
        width, height = float(self._parameters.width), float(self._parameters.height)
        return _Edges(
            min(width, max(0.0, edges.left)),
            min(height, max(0.0, edges.top)),
            min(width, max(0.0, edges.right)),
            min(height, max(0.0, edges.bottom)),
        )


def _normal(chance: float) -> float:
    """Return a number that is uniform from 0 to 1 as a standard normal one."""
    return NormalDist().inv_cdf(min(1.0 - 1e-12, max(1e-12, chance)))


def _edges(projection: Projection) -> _Edges:
    half_width, half_height = projection.width / 2.0, projection.height / 2.0
    return _Edges(
        projection.x - half_width,
        projection.y - half_height,
        projection.x + half_width,
        projection.y + half_height,
    )


def _detection(label: str, confidence: float, edges: _Edges) -> Detection:
    return Detection(
        label,
        confidence,
        (edges.left + edges.right) / 2.0,
        (edges.top + edges.bottom) / 2.0,
        edges.width,
        edges.height,
    )
