"""The rendered sign camera: pictures of the arena, and a real detector that looks for signs in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from arena_trees.perception.image import Image
from arena_trees.perception.lanes.calibration import load_calibration
from arena_trees.perception.signs.detector import ImageDetector, OnnxSignDetector
from arena_trees.robot.detections import Detection
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import Stamped
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.simulation.rendering.appearance import draw_appearance, sign_picture
from arena_trees.simulation.rendering.graphics import GraphicsError, graphics_problem
from arena_trees.simulation.rendering.scene import build_scene
from arena_trees.simulation.rendering.scene_renderer import SceneRenderer
from arena_trees.simulation.sensors.camera_image import CameraImage
from arena_trees.simulation.sensors.sign_camera import Camera, CameraParameters, SignCamera
from arena_trees.world.body import Body
from arena_trees.world.camera_pose import CameraPose
from arena_trees.world.layout import Layout
from arena_trees.world.pinhole import Pinhole
from arena_trees.world.signs import PlacedSign, Sign
from arena_trees.world.textures import Picture

__all__ = ["OffscreenRenderer", "PictureCamera", "RenderedDetector", "RenderedView", "check_rendering"]

Moving = Callable[[str], tuple[Pose2D, Twist2D]]
"""Returns a robot's true pose (map frame) and velocity (base_link)."""


def check_rendering(
    cameras: Iterable[CameraParameters], labels: Iterable[str], lanes: Iterable[str] = (), spheres: bool = False
) -> None:
    """Refuse what could not be rendered, before anything is played; pinhole cameras need nothing.

    Args:
        cameras: the sign cameras of all robots
        labels: of the signs that robots carry
        lanes: robots whose lane cameras are rendered; these need no sign detector
        spheres: whether a sphere camera is rendered; it needs nothing but graphics

    Raises:
        GraphicsError: a camera is rendered, and there is no graphics library here
        ConfigError: its detector, its calibration or a sign's drawing is missing, or is not what it should be
    """
    rendered = [camera for camera in cameras if camera.kind == "rendered"]
    watching = list(lanes)
    if not (rendered or watching or spheres):
        return
    problem = graphics_problem()
    if problem is not None:
        raise GraphicsError(problem)
    for label in labels:
        sign_picture(label)
    for camera in rendered:
        load_detector(camera.model, camera.threshold)
    for robot in watching:
        load_calibration(robot)


@lru_cache(maxsize=4)
def load_detector(model: str | None, threshold: float) -> ImageDetector:
    """Return a network; it keeps nothing from image to image, so that all cameras share it."""
    return OnnxSignDetector(None if model is None else Path(model), threshold)


class OffscreenRenderer:
    """The scene of one arena, and the rendered cameras in it, those of signs, of lanes and of spheres.

    Frames are looked at and dropped: nothing here keeps one.

    Args:
        layout: the world
        robots: name to body of each robot
        signs: the signs that robots carry
        cameras: robot name to its sign camera, for the rendered ones
        lanes: robot name to its lane camera's optics, for the rendered ones
        eyes: robot name to its sphere camera's optics, for the rendered ones
        streams: the trial's random streams; of these only ``world.look`` is used
        moving: tells where each robot is and how it moves

    Raises:
        GraphicsError: there is no graphics library here
        ConfigError: a sign has no drawing
    """

    def __init__(
        self,
        layout: Layout,
        robots: Mapping[str, Body],
        signs: Sequence[Sign],
        cameras: Mapping[str, CameraParameters],
        lanes: Mapping[str, Pinhole],
        eyes: Mapping[str, Pinhole],
        streams: RandomStreams,
        moving: Moving,
    ) -> None:
        optics = {name: camera.pinhole() for name, camera in cameras.items()}
        optics |= {_lane_camera(name): pinhole for name, pinhole in lanes.items()}
        optics |= {_sphere_camera(name): replace(pinhole, mount_x=0.0, mount_z=0.0) for name, pinhole in eyes.items()}
        scene = build_scene(layout, robots, signs, optics, draw_appearance(streams))
        self._robots = tuple(robots)
        self._cameras = dict(cameras)
        self._moving = moving
        self._renderer = SceneRenderer(scene, optics)

    def camera(self, robot: str, streams: RandomStreams, pictures: bool) -> SignCamera | PictureCamera:
        """Return a robot's sign camera.

        Args:
            robot: its name
            streams: its camera's random streams
            pictures: deliver pictures, instead of the signs found in them
        """
        parameters, frames = self._cameras[robot], streams.generator("frames")
        if pictures:
            return PictureCamera(parameters, frames, RenderedView(robot, parameters, streams, self))
        return SignCamera(parameters, frames, RenderedDetector(robot, parameters, streams, self))

    def picture(self, observer: str, pose: Pose2D) -> Picture:
        """Return a clean picture from a robot's sign camera, RGB.

        Args:
            observer: the robot
            pose: its pose, map frame
        """
        return self._render(observer, pose, observer)

    def road_picture(self, observer: str, pose: Pose2D) -> Picture:
        """Return a clean picture from a robot's lane camera, RGB.

        Args:
            observer: the robot
            pose: its pose, map frame
        """
        return self._render(observer, pose, _lane_camera(observer))

    def sphere_picture(self, observer: str, eye: CameraPose) -> Picture:
        """Return a clean picture from a robot's sphere camera, RGB.

        Args:
            observer: the robot
            eye: where the camera is
        """
        return self._renderer.render(observer, self._poses(), _sphere_camera(observer), eye)

    def yaw_rate(self, robot: str) -> float:
        """Return how fast a robot turns, rad/s."""
        return self._moving(robot)[1].angular

    def close(self) -> None:
        """Let go of the graphics."""
        self._renderer.close()

    def _render(self, observer: str, pose: Pose2D, camera: str) -> Picture:
        return self._renderer.render(observer, {**self._poses(), observer: pose}, camera)

    def _poses(self) -> dict[str, Pose2D]:
        return {name: self._moving(name)[0] for name in self._robots}


def _lane_camera(robot: str) -> str:
    """Return the name of a robot's lane camera in the scene; a sign camera has its robot's, which is an identifier."""
    return f"{robot}/lanes"


def _sphere_camera(robot: str) -> str:
    """Return the name of a robot's sphere camera in the scene."""
    return f"{robot}/spheres"


class RenderedView:
    """What one robot's camera sees.

    Args:
        robot: name of the robot that carries the camera
        parameters: the camera's parameters
        streams: the camera's random streams; of these ``lens`` is used
        studio: takes the pictures
    """

    def __init__(
        self, robot: str, parameters: CameraParameters, streams: RandomStreams, studio: OffscreenRenderer
    ) -> None:
        self._robot = robot
        self._studio = studio
        self._lens = CameraImage(parameters.image, streams.generator("lens"), parameters.pinhole())

    def expose(self, pose: Pose2D) -> Picture:
        """Return a picture as the camera delivers it, RGB, uint8, shape (height, width, 3)."""
        return self._lens.take(self._studio.picture(self._robot, pose), self._studio.yaw_rate(self._robot))


class RenderedDetector(RenderedView):
    """Finds signs in pictures; implements :class:`~arena_trees.simulation.sensors.sign_camera.SignDetector`.

    Args:
        robot: name of the robot that carries the camera
        parameters: the camera's parameters
        streams: the camera's random streams; of these ``lens`` is used
        studio: takes the pictures

    Attributes:
        on_picture: given each picture and what was found in it, where somebody asked for them
    """

    def __init__(
        self, robot: str, parameters: CameraParameters, streams: RandomStreams, studio: OffscreenRenderer
    ) -> None:
        super().__init__(robot, parameters, streams, studio)
        self.on_picture: Callable[[Picture, tuple[Detection, ...]], object] | None = None
        self._detector = load_detector(parameters.model, parameters.threshold)

    def detect(self, pose: Pose2D, signs: Sequence[PlacedSign]) -> tuple[Detection, ...]:
        """Take a picture and return the boxes that the detector finds in it."""
        picture = self.expose(pose)
        boxes = self._detector.detect(picture)
        if self.on_picture is not None:
            self.on_picture(picture, boxes)
        return boxes


class PictureCamera(Camera[Image]):
    """Delivers the pictures themselves, for a detector that is elsewhere; its own time then adds to the latency.

    Args:
        parameters: its parameters
        rng: its own random stream
        view: what it sees
    """

    def __init__(self, parameters: CameraParameters, rng: np.random.Generator, view: RenderedView) -> None:
        super().__init__(parameters, rng)
        self._view = view

    def _take(self, frame: Stamped, pose: Pose2D, signs: Sequence[PlacedSign]) -> Image:
        picture = self._view.expose(pose)
        height, width = picture.shape[:2]
        # The order of a TurtleBot4's preview.
        data = np.ascontiguousarray(picture[..., ::-1])
        return Image(frame.stamp, frame.arrival, frame.sequence, width, height, "bgr8", 3 * width, data)
