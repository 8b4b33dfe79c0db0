"""The lane camera: pictures of the road, and the lines and markers that the robot's own detectors find in them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Literal

import numpy as np

from arena_trees.perception.image import Image
from arena_trees.perception.lanes.calibration import load_calibration
from arena_trees.perception.lanes.image_light import with_light
from arena_trees.perception.lanes.lines import LaneDetector, LaneParameters
from arena_trees.perception.lanes.tracker import LaneWatch
from arena_trees.perception.markers import MarkerDetector
from arena_trees.robot.configuration.parameters import parameter
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.lane import LaneLines, MarkerDetections
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.stamped import Stamped
from arena_trees.robot.timing import MAXIMUM_RATE_HZ, Delivery
from arena_trees.simulation.rendering.light import LightParameters, VaryingLight
from arena_trees.simulation.sensors.camera_image import CameraImage, ImageParameters
from arena_trees.simulation.sensors.frame_clock import FrameClock
from arena_trees.simulation.sensors.optics import Optics
from arena_trees.simulation.sensors.rendered_camera import OffscreenRenderer

__all__ = ["LaneCamera", "LaneCameraParameters", "LanePictures", "RoadCamera"]


class LaneCameraParameters(Optics):
    """Optics, timing and light. Where the detector takes the camera to be is in the robot's lane calibration."""

    kind: Literal["none", "rendered"] = parameter(
        "none", "rendered takes pictures of the road and looks for lines in them; none for no such camera"
    )
    rate_hz: float = parameter(10.0, "frames a second", "Hz", gt=0, le=MAXIMUM_RATE_HZ)
    lane_width: float = parameter(0.6, "from the red line's middle to the black line's", "m", gt=0, le=5)
    markers: bool = parameter(False, "look for markers too")
    marker_size: float = parameter(0.18, "side of a marker's black square", "m", gt=0, le=1)
    brightness: float = parameter(0.0, "added to an image's colours, of 255, before it is looked at", ge=-255, le=255)
    contrast: float = parameter(1.0, "stretches colours about the middle, 128, first", gt=0, le=10)
    image: ImageParameters = parameter(ImageParameters(), "lens and sensor")
    light: LightParameters = parameter(LightParameters(), "how the light changes")


class RoadCamera(ABC):
    """Exposes frames of the road at its rate; what is delivered of them, and when, others say.

    Args:
        robot: name of the robot that carries it
        parameters: its parameters
        streams: its random streams; ``frames``, ``lens`` and those under ``light`` are used
        studio: takes the pictures

    Attributes:
        parameters: its parameters
        pinhole: its optics
    """

    def __init__(
        self, robot: str, parameters: LaneCameraParameters, streams: RandomStreams, studio: OffscreenRenderer
    ) -> None:
        self.parameters = parameters
        self.pinhole = pinhole = parameters.pinhole()
        self._robot, self._studio = robot, studio
        self._frames = FrameClock(parameters, streams.generator("frames"))
        self._light = VaryingLight(parameters.light, streams, pinhole)
        self._lens = CameraImage(parameters.image, streams.generator("lens"), pinhole)

    def due(self, now: int) -> bool:
        """Return whether a frame is exposed now (ns), and move on to the next if so."""
        return self._frames.due(now)

    def expose(self, now: int, pose: Pose2D, base: Pose2D) -> None:
        """Expose a frame, and send on its way what is delivered of it.

        Args:
            now: instant of the exposure, ns
            pose: true pose of base_link, map frame
            base: the same in the odom frame, as the robot's own dead reckoning has it
        """
        frame = self._frames.expose(now)
        if frame is not None:
            self._send(self._take(frame, pose), base)

    @abstractmethod
    def _send(self, image: Image, base: Pose2D) -> None:
        """Send what is delivered of a picture that was taken with base_link there in the odom frame."""

    def _take(self, frame: Stamped, pose: Pose2D) -> Image:
        """Return a picture as the camera sends it."""
        clean, turning = self._studio.road_picture(self._robot, pose), self._studio.yaw_rate(self._robot)
        picture = self._lens.take(clean, turning, lambda exposed: self._light.shine(exposed, frame.stamp, pose))
        height, width = picture.shape[:2]
        data = np.ascontiguousarray(picture)
        return Image(frame.stamp, frame.arrival, frame.sequence, width, height, "rgb8", 3 * width, data)


class LaneCamera(RoadCamera):
    """Delivers the lines and markers that the robot's own detectors find in its pictures.

    Args:
        robot: name of the robot that carries it
        parameters: its parameters
        streams: its random streams
        studio: takes the pictures

    Attributes:
        lane: the lines, one message for each frame, also for one without lines
        markers: the markers, the same, where they are looked for

    Raises:
        ConfigError: the robot's calibration cannot be used
    """

    def __init__(
        self, robot: str, parameters: LaneCameraParameters, streams: RandomStreams, studio: OffscreenRenderer
    ) -> None:
        super().__init__(robot, parameters, streams, studio)
        self.lane: Delivery[LaneLines] = Delivery()
        self.markers: Delivery[MarkerDetections] = Delivery()
        calibration = load_calibration(robot)
        self._watch = LaneWatch(LaneDetector(calibration, LaneParameters(lane_width=parameters.lane_width)))
        self._marker_detector = MarkerDetector(calibration.camera, parameters.marker_size)

    def _send(self, image: Image, base: Pose2D) -> None:
        lit = with_light(image, self.parameters.brightness, self.parameters.contrast)
        self.lane.send(self._watch.observe(lit, base))
        if self.parameters.markers:
            self.markers.send(self._marker_detector.detect(lit))


class LanePictures(RoadCamera):
    """Delivers the pictures themselves, for a detector that is elsewhere; its own time then adds to the latency.

    Args:
        robot: name of the robot that carries it
        parameters: its parameters
        streams: its random streams
        studio: takes the pictures

    Attributes:
        delivery: the pictures
    """

    def __init__(
        self, robot: str, parameters: LaneCameraParameters, streams: RandomStreams, studio: OffscreenRenderer
    ) -> None:
        super().__init__(robot, parameters, streams, studio)
        self.delivery: Delivery[Image] = Delivery()

    def _send(self, image: Image, base: Pose2D) -> None:
        # The order of a TurtleBot4's preview.
        self.delivery.send(replace(image, encoding="bgr8", data=np.ascontiguousarray(image.data[..., ::-1])))
