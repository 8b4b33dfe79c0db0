"""Datasets of rendered pictures with the true boxes of the signs in them, in YOLO's format."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import shapely
import yaml
from numpy.typing import NDArray

from arena_trees.perception.signs.yolo_dataset import LabelledBox, label_text, write_image, write_label
from arena_trees.robot.configuration.files import write_atomically
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.simulation.rendering.appearance import draw_appearance
from arena_trees.simulation.rendering.graphics import GraphicsError, graphics_problem
from arena_trees.simulation.rendering.scene import Scene, build_scene
from arena_trees.simulation.rendering.scene_renderer import SceneRenderer
from arena_trees.simulation.rendering.worlds import CLASSES, OBSERVER, SignWorld, View, draw_view, draw_world
from arena_trees.simulation.sensors.camera_image import CameraImage, ImageParameters
from arena_trees.world.body import TURTLEBOT4
from arena_trees.world.pinhole import Pinhole
from arena_trees.world.signs import PlacedSign
from arena_trees.world.textures import Picture

__all__ = ["SeenFace", "Spread", "photograph", "seen_faces", "write_dataset", "write_picture"]

Spread = Callable[[Callable[[int], int], Sequence[int]], AbstractContextManager[Iterator[int]]]
"""Gives an iterator of what a function returns for each number, as other processes have found it."""

_VIEWS = 8
"""Pictures taken of one world, of which each has its own camera and light on the sensor."""

_JPEG_QUALITY = 95

# A face is in the list of true boxes when a good detector should find it.
_MOST_OBLIQUE = math.radians(65.0)
_SMALLEST_PX = 6.0
_SMALLEST_INSIDE = 0.25
"""Of a face that must be within the image: near signs are cut off above, and are those that matter most."""

_LEAST_VISIBLE = 0.4
"""Share of what is within the image that must be unhidden."""


@dataclass(frozen=True, slots=True)
class SeenFace:
    """A sign's face in a picture.

    Attributes:
        box: its box, clipped to the image
        obliqueness: angle between its normal and the line to the camera, rad
        inside: share of its box that is in the image
        visible: share of what is in the image that is unhidden
    """

    box: LabelledBox
    obliqueness: float
    inside: float
    visible: float

    @property
    def sure(self) -> bool:
        """Whether a good detector should find it; others it may miss."""
        box = self.box
        return (
            self.obliqueness <= _MOST_OBLIQUE
            and min(box.right - box.left, box.bottom - box.top) >= _SMALLEST_PX
            and self.inside >= _SMALLEST_INSIDE
            and self.visible >= _LEAST_VISIBLE
        )


def write_dataset(
    folder: Path,
    count: int,
    seed: int,
    drawings: Path | None = None,
    spread: Spread | None = None,
    on_progress: Callable[[int], object] | None = None,
) -> None:
    """Write a dataset; pictures that are there already are kept, so that a run can be resumed.

    Args:
        folder: to write ``images/``, ``labels/``, ``doubtful/`` and ``data.yaml`` into
        count: number of pictures
        seed: of the worlds
        drawings: folder of the signs' drawings; those that ship where not given
        spread: renders worlds in other processes; None for this one alone
        on_progress: called with the number of pictures written so far

    Raises:
        GraphicsError: nothing can be rendered on this machine
        ConfigError: a drawing is missing, or the folder holds another dataset
    """
    problem = graphics_problem()
    if problem is not None:
        raise GraphicsError(problem)
    _prepare_folder(folder, seed)
    worlds = range(math.ceil(count / _VIEWS))
    write = partial(_write_world, folder, count, seed, drawings)
    done = 0
    with nullcontext(map(write, worlds)) if spread is None else spread(write, worlds) as results:
        for written in results:
            done += written
            if on_progress is not None:
                on_progress(done)


def _prepare_folder(folder: Path, seed: int) -> None:
    about = {"train": "images", "val": "images", "names": dict(enumerate(CLASSES)), "seed": seed}
    text = yaml.safe_dump(about, sort_keys=False)
    file = folder / "data.yaml"
    if file.is_file() and file.read_text(encoding="utf-8") != text:
        raise ConfigError("the folder holds another dataset", file=file)
    for name in ("images", "labels", "doubtful"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    write_atomically(file, lambda stream: stream.write(text.encode()))


def _write_world(folder: Path, total: int, seed: int, drawings: Path | None, number: int) -> int:
    """Write the pictures of one world; return how many belong to it."""
    first = number * _VIEWS
    count = min(_VIEWS, total - first)
    stems = [f"{seed}_{first + index:05d}" for index in range(count)]
    if not all((folder / "labels" / f"{stem}.txt").is_file() for stem in stems):
        streams = RandomStreams(seed, f"dataset.{number}")
        for stem, (picture, faces) in zip(stems, photograph(streams, drawings), strict=False):
            write_picture(folder, f"{stem}.jpg", picture, faces)
    return count


def write_picture(folder: Path, name: str, picture: Picture, faces: Sequence[SeenFace]) -> None:
    """Write a picture into a dataset, and the boxes of the signs in it.

    Args:
        folder: of the dataset
        name: of the image's file; its ending gives its format
        picture: red, green and blue
        faces: that are seen in it
    """
    image = folder / "images" / name
    write_image(image, picture, _JPEG_QUALITY if image.suffix == ".jpg" else None)
    height, width = picture.shape[:2]
    # The labels come last: a picture with labels is whole.
    for part, sure in (("doubtful", False), ("labels", True)):
        text = label_text([face.box for face in faces if face.sure == sure], CLASSES, width, height)
        write_label(folder / part / f"{image.stem}.txt", text)


def photograph(
    streams: RandomStreams, drawings: Path | None = None, image: ImageParameters | None = None
) -> Iterator[tuple[Picture, list[SeenFace]]]:
    """Yield pictures of one random world, and the faces of signs that are seen in each.

    Args:
        streams: of the world
        drawings: folder of the signs' drawings; those that ship where not given
        image: lens and sensor
    """
    world = draw_world(streams)
    cameras = {OBSERVER: world.camera}
    robots = dict.fromkeys([OBSERVER, *(sign.name for sign in world.signs)], TURTLEBOT4)
    scene = build_scene(world.layout, robots, world.signs, cameras, draw_appearance(streams), drawings)
    renderer = SceneRenderer(scene, cameras)
    try:
        for index in range(_VIEWS):
            rng = streams.generator(f"view.{index}")
            view = draw_view(world, rng)
            lens = CameraImage(image or ImageParameters(), rng, world.camera)
            picture = lens.take(renderer.render(OBSERVER, view.poses), view.yaw_rate)
            yield picture, seen_faces(world, scene, view, renderer.segment(OBSERVER, view.poses))
    finally:
        renderer.close()


def seen_faces(world: SignWorld, scene: Scene, view: View, segments: NDArray[np.int32]) -> list[SeenFace]:
    """Return the faces of which anything is seen.

    Args:
        world: the world
        scene: its scene
        view: who stands where
        segments: number of the scene's geom in each pixel, as the observer sees it
    """
    faces = []
    for target in world.placed(view.poses):
        for face in range(target.sign.faces):
            pixels = np.argwhere(segments == scene.faces[target.sign.name, face])
            if len(pixels):
                faces.append(_seen_face(world.camera, view.poses[OBSERVER], target, face, pixels))
    return faces


def _seen_face(camera: Pinhole, observer: Pose2D, target: PlacedSign, face: int, pixels: NDArray[np.int64]) -> SeenFace:
    label = target.sign.label
    projection = camera.project_face(observer, target, face)
    if projection is not None:
        half_width, half_height = projection.width / 2.0, projection.height / 2.0
        left, right = max(0.0, projection.x - half_width), min(camera.width, projection.x + half_width)
        top, bottom = max(0.0, projection.y - half_height), min(camera.height, projection.y + half_height)
    if projection is None or left >= right or top >= bottom:
        # It reaches behind the image plane, or no more than touches the image.
        (top, left), (bottom, right) = pixels.min(axis=0).tolist(), (pixels.max(axis=0) + 1).tolist()
        return SeenFace(LabelledBox(label, left, top, right, bottom), math.pi / 2.0, 0.0, 0.0)
    inside = shapely.box(0.0, 0.0, camera.width, camera.height)
    return SeenFace(
        LabelledBox(label, left, top, right, bottom),
        projection.obliqueness,
        (right - left) * (bottom - top) / (projection.width * projection.height),
        min(1.0, len(pixels) / max(1.0, _outline(camera, observer, target, face).intersection(inside).area)),
    )


def _outline(camera: Pinhole, observer: Pose2D, target: PlacedSign, face: int) -> shapely.Polygon:
    """Return a face's outline in the image, px."""
    sign = target.sign
    yaw = sign.face_yaw(face)
    half = sign.size / 2.0
    points = []
    for side, height in ((half, half), (half, -half), (-half, -half), (-half, half)):
        x = sign.offset * math.cos(yaw) - side * math.sin(yaw)
        y = sign.offset * math.sin(yaw) + side * math.cos(yaw)
        local = observer.relative(target.pose.compose(Pose2D(x, y)))
        scale = camera.focal_length / (local.x - camera.mount_x)
        up = sign.height + height - camera.mount_z
        points.append((camera.width / 2.0 - scale * local.y, camera.height / 2.0 - scale * up))
    return shapely.Polygon(points)
