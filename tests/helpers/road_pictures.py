"""Pictures of a crossing as a camera would see it, without graphics: the floor projected, walls as flat paint.

And what light does to them: brighter and darker, a glare patch, a shadow, the sensor's noise.
"""

import itertools
import math

import cv2
import numpy as np

from arena_trees.games.crossroads.layout.floor import CrossingFloor, Marker
from arena_trees.games.crossroads.layout.picture import draw_floor, draw_marker
from arena_trees.games.crossroads.layout.plan import CrossingParameters
from arena_trees.perception.image import Image, Rgb
from arena_trees.perception.lanes.floor_camera import CameraPlace, FloorCamera
from arena_trees.robot.geometry import Pose2D
from arena_trees.simulation.rendering.light import add_glare, brighten

CAMERA = FloorCamera(CameraPlace(), 250, 250)
_OVERSAMPLING = 3
_SCALE = 0.004


class Road:
    """A crossing to photograph."""

    def __init__(self, approaches: int = 4, camera: FloorCamera = CAMERA) -> None:
        self.floor = CrossingFloor(CrossingParameters(approaches=approaches, size=3.0))
        self.camera = camera
        self._picture = draw_floor(self.floor, _SCALE)
        self._large = FloorCamera(camera.place, camera.width * _OVERSAMPLING, camera.height * _OVERSAMPLING)

    def photograph(self, pose: Pose2D, walls: tuple[int, int, int] | None = (150, 120, 90)) -> Rgb:
        """Return what the camera sees from a pose (map frame), RGB; walls are left out where they have no colour."""
        large = self._large
        scale = self._picture.shape[0] / (2.0 * self.floor.half)
        to_map = np.array([[1 / scale, 0.0, -self.floor.half], [0.0, -1 / scale, self.floor.half], [0.0, 0.0, 1.0]])
        to_map = to_map @ np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5], [0.0, 0.0, 1.0]])
        matrix = large.homography @ to_base(pose) @ to_map
        size = (large.width, large.height)
        image = np.asarray(cv2.warpPerspective(self._picture, matrix, size, borderValue=(200, 200, 196)), np.uint8)
        rows = np.arange(large.height)
        below = large.to_floor(np.column_stack([np.full(large.height, large.width / 2.0), rows]))
        image[np.isnan(below[:, 0])] = (170, 175, 185)
        if walls is not None:
            self._draw_walls(image, pose, walls)
        return np.asarray(cv2.resize(image, (self.camera.width, self.camera.height), interpolation=cv2.INTER_AREA))

    def hang(self, image: Rgb, pose: Pose2D, marker: Marker) -> Rgb:
        """Return the image with a marker in it, in front of everything; it must be wholly before the camera."""
        card = draw_marker(marker.number, 96)
        side, half = card.shape[0], marker.size * card.shape[0] / 96 / 2
        local = pose.relative(marker.pose)
        corners = []
        for right, up in ((-half, half), (half, half), (half, -half), (-half, -half)):
            # Who looks at a face has its y to the right.
            place = local.compose(Pose2D(0.0, right))
            corners.append((place.x, place.y, marker.height + up))
        flat = np.array([(0, 0), (side, 0), (side, side), (0, side)], np.float32) - 0.5
        matrix = cv2.getPerspectiveTransform(flat, self._project(np.array(corners)).astype(np.float32))
        size = (self._large.width, self._large.height)
        large = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_CUBIC))
        inside = cv2.warpPerspective(np.ones((side, side), np.uint8), matrix, size) > 0
        large[inside] = cv2.warpPerspective(card, matrix, size)[inside]
        return np.asarray(cv2.resize(large, image.shape[1::-1], interpolation=cv2.INTER_AREA))

    def _draw_walls(self, image: Rgb, pose: Pose2D, colour: tuple[int, int, int]) -> None:
        p = self.floor.parameters
        faces = []
        for wall in self.floor.walls:
            ends = np.array([wall.start, wall.end])
            across = np.array([ends[1, 1] - ends[0, 1], ends[0, 0] - ends[1, 0]])
            across *= p.wall_thickness / 2 / np.hypot(*across)
            for side in (ends + across, ends - across):
                steps = np.linspace(0.0, 1.0, 25)[:, None]
                places = side[0] * (1.0 - steps) + side[1] * steps
                faces += list(itertools.pairwise(places))
        local = [[pose.relative(Pose2D(*end)) for end in face] for face in faces]
        for face in sorted(local, key=lambda face: -math.hypot(face[0].x, face[0].y)):
            if min(end.x for end in face) < 0.1:
                continue
            corners = [(end.x, end.y, z) for end, z in ((face[0], 0.0), (face[1], 0.0), (face[1], p.wall_height),
                                                        (face[0], p.wall_height))]  # fmt: skip
            cv2.fillConvexPoly(image, np.rint(self._project(np.array(corners))).astype(np.int32), colour)

    def _project(self, points: np.ndarray) -> np.ndarray:
        camera = self._large
        seen = (points - np.array([camera.place.x, 0.0, camera.place.z])) @ camera.axes.T @ camera.matrix.T
        return np.asarray(seen[:, :2] / seen[:, 2:])


def to_base(pose: Pose2D) -> np.ndarray:
    """Return what takes (x, y, 1) of the map frame to base_link."""
    cosine, sine = math.cos(pose.yaw), math.sin(pose.yaw)
    return np.array(
        [
            [cosine, sine, -cosine * pose.x - sine * pose.y],
            [-sine, cosine, sine * pose.x - cosine * pose.y],
            [0.0, 0.0, 1.0],
        ]
    )


def add_shadow(image: Rgb, start: tuple[float, float], angle: float, light: float = 0.5, soft: float = 4.0) -> Rgb:
    """Return the image with everything on one side of a line (px, rad) darker, over a soft edge (px)."""
    rows, columns = np.indices(image.shape[:2])
    side = (columns - start[0]) * math.cos(angle) + (rows - start[1]) * math.sin(angle)
    share = 1.0 - (1.0 - light) * np.clip(0.5 + side / soft, 0.0, 1.0)
    return brighten(image, np.asarray(share, np.float32))


def add_noise(image: Rgb, rng: np.random.Generator, sigma: float = 4.0) -> Rgb:
    """Return the image as a sensor with noise gives it."""
    return np.clip(image + rng.normal(0.0, sigma, image.shape), 0, 255).astype(np.uint8)


def disturb(image: Rgb, rng: np.random.Generator) -> Rgb:
    """Return the image in another light: 40 % brighter or darker, with a glare patch, a shadow, blur and noise."""
    height, width = image.shape[:2]
    image = add_shadow(image, tuple(rng.uniform(0.2, 0.8, 2) * (width, height)), rng.uniform(-math.pi, math.pi),
                       rng.uniform(0.35, 0.8), rng.uniform(1.0, 30.0))  # fmt: skip
    place = (rng.uniform(0.0, width), rng.uniform(0.55, 1.0) * height)
    image = add_glare(image, place, rng.uniform(8.0, 30.0), rng.uniform(80.0, 255.0))
    image = brighten(image, rng.uniform(0.6, 1.4))
    image = np.asarray(cv2.GaussianBlur(image, (5, 5), rng.uniform(0.2, 0.9)))
    return add_noise(image, rng, rng.uniform(0.0, 6.0))


def as_image(pixels: Rgb) -> Image:
    """Return the image as a camera sends it."""
    data = np.ascontiguousarray(pixels[..., ::-1])
    return Image(1_000, 2_000, 1, pixels.shape[1], pixels.shape[0], "bgr8", 3 * pixels.shape[1], data)
