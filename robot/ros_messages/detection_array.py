"""How what is found in images travels on ROS: a ``vision_msgs/Detection2DArray``, and the images' ``CameraInfo``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from arena_trees.robot.circles import Circles
from arena_trees.robot.detections import Detections
from arena_trees.robot.ros_messages.layout import OPTICAL_FRAME, Fields, camera_info_fields
from arena_trees.robot.sensor import RefusedReadingError, RosTopic, Times
from arena_trees.robot.stamped import Stamped

__all__ = ["DetectionArray", "Optics", "box_fields"]

FoundT = TypeVar("FoundT", Detections, Circles)

_MOST_FOUND = 1000
"""In one message; more are a broken one."""

# As they stand in vision_msgs 4.1.1 (Apache-2.0), less the comments.
_VISION_MSGS = {
    "vision_msgs/msg/Point2D": "float64 x\nfloat64 y",
    "vision_msgs/msg/Pose2D": "vision_msgs/Point2D position\nfloat64 theta",
    "vision_msgs/msg/BoundingBox2D": "vision_msgs/Pose2D center\nfloat64 size_x\nfloat64 size_y",
    "vision_msgs/msg/ObjectHypothesis": "string class_id\nfloat64 score",
    "vision_msgs/msg/ObjectHypothesisWithPose": (
        "vision_msgs/ObjectHypothesis hypothesis\ngeometry_msgs/PoseWithCovariance pose"
    ),
    "vision_msgs/msg/Detection2D": (
        "std_msgs/Header header\nvision_msgs/ObjectHypothesisWithPose[] results\n"
        "vision_msgs/BoundingBox2D bbox\nstring id"
    ),
    "vision_msgs/msg/Detection2DArray": "std_msgs/Header header\nvision_msgs/Detection2D[] detections",
}


@dataclass(frozen=True, slots=True)
class Optics(Stamped):
    """The images in which something is found: width and height (px), and the focal length (px), 0 if unknown."""

    width: int
    height: int
    focal_px: float = 0.0

    def __str__(self) -> str:
        return f"{self.width} x {self.height} px"


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectionArray(Generic[FoundT]):
    """What is found in images; implements :class:`~arena_trees.robot.sensor.Transport`.

    What is found waits until optics have come, and has the newest ones then: so an image's optics may be published
    once, or with each image, before what is found in it.

    Attributes:
        topic: of the ``vision_msgs/Detection2DArray``
        optics: topic of the images' ``sensor_msgs/CameraInfo``
        found: makes a percept of such a message and of stamp, arrival (ns) and sequence, without optics
        detections: makes the fields of each of the message's ``vision_msgs/Detection2D``, their headers apart
    """

    topic: str
    optics: str
    found: Callable[[Any, Times], FoundT]
    detections: Callable[[FoundT], Sequence[Fields]]

    @property
    def types(self) -> Mapping[str, str]:
        """The types of the messages."""
        return MappingProxyType({**_VISION_MSGS, "sensor_msgs/msg/CameraInfo": ""})

    def topics(self, body: Any) -> Sequence[RosTopic]:
        """Return the topic of the optics, and that of what is found."""
        optics = RosTopic(
            topic=self.optics,
            type="sensor_msgs/msg/CameraInfo",
            reading=_optics,
            fields=_optics_fields,
            frame=OPTICAL_FRAME,
            usual=Optics(0, 0, 0, 250, 250),
            seldom=True,
        )
        found = RosTopic(
            topic=self.topic,
            type="vision_msgs/msg/Detection2DArray",
            reading=self._found,
            fields=lambda percept: {"detections": self.detections(percept)},
            frame=OPTICAL_FRAME,
        )
        return optics, found

    def joiner(self, body: Any) -> Callable[[Optics | FoundT], FoundT | None]:
        """Return what gives each percept the newest optics."""
        return _Joiner[FoundT]().add

    def _found(self, message: Any, times: Times) -> FoundT:
        if len(message.detections) > _MOST_FOUND:
            raise RefusedReadingError("out of range")
        return self.found(message, times)


class _Joiner(Generic[FoundT]):
    def __init__(self) -> None:
        self._optics: Optics | None = None
        self._waiting: FoundT | None = None

    def add(self, part: Optics | FoundT) -> FoundT | None:
        """Return what was found with the optics of its image, or None while these are not known."""
        if isinstance(part, Optics):
            self._optics, found, self._waiting = part, self._waiting, None
        else:
            found = part
        optics = self._optics
        if optics is None:
            self._waiting = found
        if optics is None or found is None:
            return None
        return replace(found, image_width=optics.width, image_height=optics.height, focal_px=optics.focal_px)


def box_fields(x: float, y: float, width: float, height: float) -> Fields:
    """Return a box, px, as a ``vision_msgs/BoundingBox2D``."""
    return {"center": {"position": {"x": x, "y": y}, "theta": 0.0}, "size_x": width, "size_y": height}


def _optics(message: Any, times: Times) -> Optics:
    width, height, focal = int(message.width), int(message.height), float(message.k[0])
    if width <= 0 or height <= 0:
        raise RefusedReadingError("image has no size")
    return Optics(*times, width, height, focal if math.isfinite(focal) and focal > 0.0 else 0.0)


def _optics_fields(percept: Detections | Circles) -> Fields:
    return camera_info_fields(percept.image_width, percept.image_height, percept.focal_px)
