"""A square arena under rendered cameras on the ceiling, in which their error can be measured."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from arena_trees.perception.ceiling.calibration import CeilingCalibration, calibrate_camera
from arena_trees.perception.ceiling.fusion import CeilingPose
from arena_trees.perception.ceiling.parameters import CeilingParameters, FloorTag, RobotTag
from arena_trees.perception.ceiling.tracker import CameraSightings, CeilingPoses, CeilingTracker, TagFinder
from arena_trees.perception.image import Image
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.simulation.rendering.appearance import draw_appearance
from arena_trees.simulation.rendering.ceiling import CeilingRenderer, CeilingView
from arena_trees.simulation.sensors.camera_image import CameraImage, ImageParameters
from arena_trees.world.body import TURTLEBOT4
from arena_trees.world.footprint import Solid
from arena_trees.world.layout import Layout
from arena_trees.world.pinhole import Pinhole
from arena_trees.world.textures import Picture

__all__ = ["CeilingError", "CeilingRoom", "tags_as_they_lie"]

_FAR_AWAY = 12.0
"""Where robots are (m) that are not in the arena."""

_CALIBRATING = 3
"""Images that a camera is calibrated by."""

_GAP = 0.05
"""Between robots, and between robots and walls, m."""


@dataclass(frozen=True, slots=True)
class CeilingError:
    """How far a robot was from where the ceiling saw it, in the map frame.

    Attributes:
        x: m
        y: m
        yaw: rad
        x_sd: stated standard deviation, m
        y_sd: stated standard deviation, m
        yaw_sd: stated standard deviation, rad
    """

    x: float
    y: float
    yaw: float
    x_sd: float
    y_sd: float
    yaw_sd: float

    @classmethod
    def of(cls, found: CeilingPose, true: Pose2D) -> CeilingError:
        """Return the error of a pose."""
        x_sd, y_sd, yaw_sd = (float(value) for value in np.sqrt(np.diag(found.covariance)))
        pose = found.pose
        return cls(pose.x - true.x, pose.y - true.y, wrap(pose.yaw - true.yaw), x_sd, y_sd, yaw_sd)

    @property
    def distance(self) -> float:
        """Between the two places, m."""
        return math.hypot(self.x, self.y)


class CeilingRoom:
    """An arena with TurtleBot 4s under cameras on the ceiling; the cameras are calibrated by the floor's tags alone.

    Tags do not lie where the parameters say: each is drawn off by what the parameters' standard deviations state. The
    images have a camera's exposure, vignette, blur and noise. The owner closes it.

    Args:
        seed: of the look, of where tags lie, and of what the cameras do to images
        parameters: the tags and their errors; without robots there will be four
        views: name to place and lens of each camera
        half: of the arena's side, m
        image: limits of what the cameras do to images

    Raises:
        CalibrationError: a camera cannot be calibrated
        GraphicsError: nothing can be rendered here
    """

    def __init__(
        self,
        seed: int,
        parameters: CeilingParameters,
        views: Mapping[str, CeilingView],
        half: float = 2.0,
        image: ImageParameters | None = None,
    ) -> None:
        streams = RandomStreams(seed).child("ceiling")
        if not parameters.robots:
            robots = {f"robot_{number}": RobotTag(number=number) for number in range(1, 5)}
            parameters = parameters.model_copy(update={"robots": robots})
        self.parameters, self.half = parameters, half
        self._cameras = {
            name: CameraImage(image or ImageParameters(), streams.generator(f"camera/{name}"), _pinhole(view))
            for name, view in views.items()
        }
        self._rng = streams.generator("poses")
        truth = tags_as_they_lie(parameters, streams.generator("tags"))
        bodies = dict.fromkeys(parameters.robots, TURTLEBOT4)
        self._renderer = CeilingRenderer(_square(half), bodies, truth, views, draw_appearance(streams))
        self._stamp = 0
        try:
            self.calibrations = {name: self._calibrated(name, view) for name, view in views.items()}
        except BaseException:
            self.close()
            raise
        self.tracker = CeilingTracker(parameters, self.calibrations)

    def place_robots(self) -> dict[str, Pose2D]:
        """Return random poses of all robots in the arena, from which no two touch."""
        poses: dict[str, Pose2D] = {}
        reach = self.half - TURTLEBOT4.radius - _GAP
        while len(poses) < len(self.parameters.robots):
            x, y, yaw = (float(self._rng.uniform(-limit, limit)) for limit in (reach, reach, math.pi))
            if all(pose.distance_to(x, y) > 2.0 * TURTLEBOT4.radius + _GAP for pose in poses.values()):
                poses[list(self.parameters.robots)[len(poses)]] = Pose2D(x, y, yaw)
        return poses

    def take(self, camera: str, poses: Mapping[str, Pose2D]) -> Picture:
        """Return a camera's picture, RGB; robots that have no pose are far away."""
        everywhere = {name: poses.get(name, Pose2D(_FAR_AWAY, 2.0 * index)) for index, name in self._numbered()}
        return self._cameras[camera].take(self._renderer.render(camera, everywhere), 0.0)

    def sightings(self, poses: Mapping[str, Pose2D], cameras: Collection[str] = ()) -> list[CameraSightings]:
        """Return what the cameras, or only some of them, see of robots at poses."""
        names = cameras or self.calibrations
        return [self.tracker.look(name, self.as_image(self.take(name, poses))) for name in names]

    def locate(self, poses: Mapping[str, Pose2D], cameras: Collection[str] = ()) -> CeilingPoses:
        """Return where the cameras see robots that are at poses."""
        return self.tracker.fuse(self.sightings(poses, cameras))

    def errors(self, rounds: int, cameras: Collection[str] = ()) -> tuple[list[CeilingError], int]:
        """Return the errors of all robots that were seen in so many images of random poses, and how many were not."""
        errors: list[CeilingError] = []
        unseen = 0
        for _ in range(rounds):
            poses = self.place_robots()
            found = self.locate(poses, cameras).robots
            errors += [CeilingError.of(found[name], pose) for name, pose in poses.items() if name in found]
            unseen += len(poses) - len(found)
        return errors, unseen

    def close(self) -> None:
        """Let go of the graphics."""
        self._renderer.close()

    def as_image(self, picture: Picture) -> Image:
        """Return a picture as the message of a camera."""
        height, width = picture.shape[:2]
        return Image(self._stamp, self._stamp, 0, width, height, "rgb8", 3 * width, picture.tobytes())

    def _calibrated(self, name: str, view: CeilingView) -> CeilingCalibration:
        finder = TagFinder()
        seen = [finder.find(self.as_image(self.take(name, {})))[0] for _ in range(_CALIBRATING)]
        return calibrate_camera(name, view.lens, seen, self.parameters)

    def _numbered(self) -> enumerate[str]:
        return enumerate(self.parameters.robots)


def _pinhole(view: CeilingView) -> Pinhole:
    lens = view.lens
    return Pinhole(lens.width, lens.height, 2.0 * math.atan(lens.width / 2.0 / lens.fx), 0.0, 0.0)


def _square(half: float) -> Layout:
    corners = ((-half, -half), (half, -half), (half, half), (-half, half))
    pairs = zip(corners, corners[1:] + corners[:1], strict=True)
    walls = (Solid.wall(f"wall_{i}", start, end, 0.1, 0.3, "normal") for i, (start, end) in enumerate(pairs))
    return Layout("square", tuple(walls), {}, {}, {})


def tags_as_they_lie(parameters: CeilingParameters, rng: np.random.Generator) -> CeilingParameters:
    """Return the parameters with tags that are off by their standard deviations."""

    def off(deviation: float) -> float:
        return float(rng.normal(0.0, deviation)) if deviation > 0.0 else 0.0

    def floor(tag: FloorTag) -> FloorTag:
        return tag.model_copy(update={"x": tag.x + off(p.survey_sd), "y": tag.y + off(p.survey_sd)})

    def robot(tag: RobotTag) -> RobotTag:
        moved = {"x": tag.x + off(p.mount_sd), "y": tag.y + off(p.mount_sd), "height": tag.height + off(p.height_sd)}
        return tag.model_copy(update={**moved, "yaw_deg": tag.yaw_deg + off(p.mount_sd_deg)})

    p = parameters
    robots = {name: robot(tag) for name, tag in p.robots.items()}
    return p.model_copy(update={"floor": tuple(floor(tag) for tag in p.floor), "robots": robots})
