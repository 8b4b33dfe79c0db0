"""Random worlds to photograph signs in: rooms, boxes, carrots and robots, and views of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.world.arena_file import blocked_by
from arena_trees.world.body import TURTLEBOT4
from arena_trees.world.footprint import Solid
from arena_trees.world.layout import CarrotPlace, Layout
from arena_trees.world.pinhole import Pinhole
from arena_trees.world.signs import CARROT, PlacedSign, Sign, SignParameters, sign_classes

__all__ = ["CLASSES", "OBSERVER", "SignWorld", "View", "draw_view", "draw_world"]

CLASSES = sign_classes()
"""Classes in the order of their numbers in a dataset."""

_CARRIED = tuple(label for label in CLASSES if label != CARROT)
"""Those of signs that robots carry."""

OBSERVER = "observer"
"""Robot that carries the camera, and no sign."""

_NEAREST, _FARTHEST = 0.4, 5.5
"""Distances (m) between the camera's robot and the sign that it is put before."""

_AIMLESS = 0.15
"""Share of views that are not aimed at a sign."""

_ATTEMPTS = 400


@dataclass(frozen=True, slots=True)
class SignWorld:
    """A world: its layout, the robots' signs, and the camera's optics."""

    layout: Layout
    signs: tuple[Sign, ...]
    camera: Pinhole

    def placed(self, poses: Mapping[str, Pose2D]) -> list[PlacedSign]:
        """Return every sign of the world.

        Args:
            poses: robot name to pose, map frame
        """
        carried = [PlacedSign(sign, poses[sign.name]) for sign in self.signs]
        return [*carried, *(PlacedSign(Sign.carrot(carrot), carrot.pose) for carrot in self.layout.carrots)]


@dataclass(frozen=True, slots=True)
class View:
    """Where the robots stand, the camera's robot among them, and how fast that one turns (rad/s)."""

    poses: Mapping[str, Pose2D]
    yaw_rate: float


def draw_world(streams: RandomStreams) -> SignWorld:
    """Draw a world from the streams' ``world.sign_world``."""
    rng = streams.child("world").generator("sign_world")
    half = float(rng.uniform(1.3, 4.5))
    walls = _walls(half, float(rng.uniform(0.25, 0.8)))
    boxes = tuple(_box(rng, half, f"box_{index + 1}") for index in range(int(rng.integers(0, 6))))
    carrots = tuple(
        CarrotPlace(f"carrot_{index + 1}", _anywhere(rng, half - 0.15), float(rng.uniform(0.12, 0.2)))
        for index in range(int(rng.integers(0, 4)))
    )
    first = int(rng.integers(2))
    signs = []
    for index in range(int(rng.integers(1, 4))):
        size = float(rng.uniform(0.18, 0.24))
        shape = SignParameters(size=size, height=0.31 + size / 2.0)
        signs.append(Sign.carried(f"robot_{index + 1}", _CARRIED[(first + index) % len(_CARRIED)], shape))
    hfov = 42.0 if rng.random() < 0.7 else float(rng.uniform(38.0, 75.0))
    camera = Pinhole(250, 250, math.radians(hfov), -0.06, float(rng.uniform(0.2, 0.28)))
    return SignWorld(Layout("room", walls + boxes, {}, {}, {}, carrots), tuple(signs), camera)


def draw_view(world: SignWorld, rng: np.random.Generator) -> View:
    """Draw a view: mostly with a sign in it, at distances that are equally likely on a logarithmic scale."""
    half = max(abs(solid.pose.x) for solid in world.layout.solids)
    poses: dict[str, Pose2D] = {}
    for sign in world.signs:
        poses[sign.name] = _free(world, rng, half, poses)
    poses[OBSERVER] = _before_a_sign(world, rng, poses) or _free(world, rng, half, poses)
    return View(poses, float(np.clip(rng.normal(0.0, 0.7), -1.9, 1.9)))


def _before_a_sign(world: SignWorld, rng: np.random.Generator, poses: Mapping[str, Pose2D]) -> Pose2D | None:
    """Return a pose from which a sign is in the camera's field of view, at times just about."""
    if rng.random() < _AIMLESS:
        return None
    targets = world.placed(poses)
    for _ in range(_ATTEMPTS):
        target = targets[int(rng.integers(len(targets)))].pose
        distance = math.exp(rng.uniform(math.log(_NEAREST), math.log(_FARTHEST)))
        around = float(rng.uniform(-math.pi, math.pi))
        x, y = target.x + distance * math.cos(around), target.y + distance * math.sin(around)
        # Beyond the field of view by a little, so that some signs are cut off by the image's edge.
        off_axis = float(rng.uniform(-0.55, 0.55)) * world.camera.hfov
        if _is_free(world, x, y, poses):
            return Pose2D(x, y, math.atan2(target.y - y, target.x - x) + off_axis)
    return None


def _free(world: SignWorld, rng: np.random.Generator, half: float, poses: Mapping[str, Pose2D]) -> Pose2D:
    for _ in range(_ATTEMPTS):
        pose = _anywhere(rng, half)
        if _is_free(world, pose.x, pose.y, poses):
            break
    return pose


def _is_free(world: SignWorld, x: float, y: float, poses: Mapping[str, Pose2D]) -> bool:
    half = max(abs(solid.pose.x) for solid in world.layout.solids)
    return (
        max(abs(x), abs(y)) < half - TURTLEBOT4.radius
        and all(pose.distance_to(x, y) > 2.0 * TURTLEBOT4.radius for pose in poses.values())
        and blocked_by(world.layout.solids, x, y, TURTLEBOT4.radius) is None
    )


def _anywhere(rng: np.random.Generator, half: float) -> Pose2D:
    x, y, yaw = (float(rng.uniform(-limit, limit)) for limit in (half, half, math.pi))
    return Pose2D(x, y, yaw)


def _walls(half: float, height: float) -> tuple[Solid, ...]:
    corners = ((-half, half), (half, half), (half, -half), (-half, -half))
    pairs = zip(corners, corners[1:] + corners[:1], strict=True)
    return tuple(
        Solid.wall(f"wall_{index}", start, end, 0.1, height, "normal") for index, (start, end) in enumerate(pairs)
    )


def _box(rng: np.random.Generator, half: float, name: str) -> Solid:
    length, width, height = (float(rng.uniform(low, high)) for low, high in ((0.1, 0.5), (0.1, 0.5), (0.15, 0.7)))
    return Solid(name, _anywhere(rng, half - 0.3), length, width, height)
