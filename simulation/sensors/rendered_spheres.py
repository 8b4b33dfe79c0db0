"""The rendered sphere camera: pictures of the arena, and the detector of circles that looks at them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arena_trees.perception.image import Image
from arena_trees.perception.spheres.detectors import CircleDetector
from arena_trees.robot.circles import Circle
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.stamped import Stamped
from arena_trees.robot.timing import Delivery
from arena_trees.simulation.sensors.camera_image import CameraImage
from arena_trees.simulation.sensors.rendered_camera import OffscreenRenderer
from arena_trees.simulation.sensors.sphere_camera import Exposure, SphereCamera, SphereCameraParameters
from arena_trees.world.body import Body
from arena_trees.world.spheres import PlacedSphere
from arena_trees.world.textures import Picture

__all__ = ["RenderedSpheres", "SpherePictures", "SphereView"]


class SphereView:
    """What one robot's sphere camera sees.

    Args:
        robot: name of the robot that carries it
        parameters: its parameters
        streams: its random streams; of these ``lens`` is used
        studio: takes the pictures
    """

    def __init__(
        self, robot: str, parameters: SphereCameraParameters, streams: RandomStreams, studio: OffscreenRenderer
    ) -> None:
        self._robot, self._studio = robot, studio
        self._lens = CameraImage(parameters.image, streams.generator("lens"), parameters.pinhole())

    def expose(self, exposure: Exposure) -> Picture:
        """Return a picture as the camera delivers it, RGB, uint8, shape (height, width, 3)."""
        clean = self._studio.sphere_picture(self._robot, exposure.pose)
        return self._lens.take(clean, exposure.turning.yaw, pitch_rate=exposure.turning.pitch)


class RenderedSpheres:
    """Finds circles in pictures; implements :class:`~arena_trees.simulation.sensors.sphere_camera.CircleFinder`.

    Args:
        view: takes the pictures
        detector: looks at them
    """

    def __init__(self, view: SphereView, detector: CircleDetector) -> None:
        self._view, self._detector = view, detector

    def find(self, exposure: Exposure, spheres: Sequence[PlacedSphere]) -> tuple[Circle, ...]:
        """Take a picture and return the circles that the detector finds in it."""
        return self._detector.detect(self._view.expose(exposure))


class SpherePictures(SphereCamera):
    """Delivers the pictures themselves, for a detector that is elsewhere; its own time then adds to the latency.

    Args:
        parameters: its parameters
        body: of the robot that carries it
        streams: its random streams
        view: takes the pictures

    Attributes:
        delivery: the pictures
    """

    def __init__(
        self, parameters: SphereCameraParameters, body: Body, streams: RandomStreams, view: SphereView
    ) -> None:
        super().__init__(parameters, body, streams)
        self.delivery: Delivery[Image] = Delivery()
        self._view = view

    def _deliver(self, frame: Stamped, exposure: Exposure, spheres: Sequence[PlacedSphere]) -> None:
        # The order of a TurtleBot4's preview.
        data = np.ascontiguousarray(self._view.expose(exposure)[..., ::-1])
        height, width = data.shape[:2]
        self.delivery.send(Image(frame.stamp, frame.arrival, frame.sequence, width, height, "bgr8", 3 * width, data))
