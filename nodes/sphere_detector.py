"""The sphere detector node: images in, circles, their features and an annotated image out."""

from __future__ import annotations

import json
import math
import sys
from collections import OrderedDict
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from geometry_msgs.msg import PointStamped
from sensor_msgs.msg import CameraInfo
from sensor_msgs.msg import Image as ImageMessage
from std_msgs.msg import String

from arena_trees.nodes.adapters.estimates import ACTIVE_TOPIC
from arena_trees.nodes.runtime.image_detector import ImageDetectorNode, ImageDetectorParameters
from arena_trees.nodes.runtime.process import run
from arena_trees.nodes.runtime.qos import LATCHED, RELIABLE_SENSOR
from arena_trees.perception.image import Image, ImageError, Rgb
from arena_trees.perception.spheres.annotate import annotate
from arena_trees.perception.spheres.cone import Cone
from arena_trees.perception.spheres.detectors import CircleDetector, circles_of, make_detector
from arena_trees.perception.spheres.source_distance import barrel_pixel
from arena_trees.robot.circles import Circles
from arena_trees.robot.configuration.parameters import parameter
from arena_trees.robot.ros_messages import layout
from arena_trees.sensors.circles.sensor import SENSOR
from arena_trees.world.pinhole import Pinhole

__all__ = ["SphereDetectorNode", "SphereDetectorParameters", "main"]


_REMEMBERED = 32
"""Instants of which the true distance is remembered: an image takes some time to be looked at."""


class SphereDetectorParameters(ImageDetectorParameters):
    """Which detector, and what its circles are taken for."""

    detector: Literal["source", "arena"] = parameter(
        "arena", "source finds circles by the Hough transform, arena by their edges", read_only=True
    )
    diameter: float = parameter(0.5, "of the sphere, for the distance in image_features", "m", gt=0, le=2)
    camera_above_barrel: float = parameter(0.0, "height of the camera above a weapon's barrel", "m", ge=-1, le=1)


class SphereDetectorNode(ImageDetectorNode):
    """Finds spheres in each image and publishes their circles with the image's own header, none as an empty array.

    Images are refused as by :class:`~arena_trees.nodes.runtime.image_detector.ImageDetectorNode`, and until their
    optics are known.

    Topics:
        * ``oakd/rgb/preview/image_raw`` (sensor_msgs/Image) and ``oakd/rgb/preview/camera_info``
          (sensor_msgs/CameraInfo), keep last 1, best effort by default [subscribed]
        * ``circles`` (vision_msgs/Detection2DArray), keep last 1, best effort by default [published]: square boxes of
          the class ``sphere``, the score their quality, the first covariance the variance of the radius, px2; off
          without vision_msgs
        * ``circles/camera_info`` (sensor_msgs/CameraInfo), keep last 1, best effort by default [published]: the
          optics, with the image's header
        * ``image_features`` (std_msgs/String), keep last 1, best effort by default [published], JSON: ``stamp`` (ns),
          ``circle`` (x, y, radius; px) of the largest one or null, ``barrel`` (x, y; px), ``distance`` (m) or null
        * ``image_annotated`` (sensor_msgs/Image), keep last 1, best effort by default [published], while somebody
          subscribes: the image with the largest circle, its centre, left and right point, the barrel's pixel, the
          running leaf of the robot's tree, the distance, and its error where the true one is known
        * ``tree/active`` (std_msgs/String, latched) [subscribed]: the running leaf
        * ``circles/ground_truth`` (geometry_msgs/PointStamped, keep last 5) [subscribed]: in simulation, where the
          ball truly was
        * ``/diagnostics`` (diagnostic_msgs/DiagnosticArray) [published], 1 Hz

    Parameters:
        those of :class:`SphereDetectorParameters`; all but detector and reliability may change while it runs

    Services:
        * ``~/enable`` (std_srvs/SetBool): look at images, or ignore them

    Raises:
        ConfigError: a parameter cannot be used
    """

    def __init__(self) -> None:
        super().__init__("sphere_detector", SphereDetectorParameters, "sphere", SENSOR)
        self._pinhole: Pinhole | None = None
        self._detector: CircleDetector | None = None
        self._features = self.create_publisher(String, "image_features", self._qos)
        self._annotated = self.create_publisher(ImageMessage, "image_annotated", self._qos)
        self.create_subscription(CameraInfo, "oakd/rgb/preview/camera_info", self._on_info, self._qos)
        self._state = ""
        self._true: OrderedDict[int, float] = OrderedDict()
        self.create_subscription(String, ACTIVE_TOPIC, self._on_active, LATCHED)
        self.create_subscription(PointStamped, layout.CIRCLES_TRUTH_TOPIC, self._on_truth, RELIABLE_SENSOR)
        self.begin()

    def _on_info(self, message: Any) -> None:
        """Take a camera's optics; such as are none, or are those that are known, change nothing."""
        focal = float(message.k[0])
        if not (math.isfinite(focal) and focal > 0.0 and message.width > 0 and message.height > 0):
            return
        hfov = 2.0 * math.atan(message.width / 2.0 / focal)
        pinhole = Pinhole(message.width, message.height, hfov, 0.0, 0.0)
        if pinhole != self._pinhole:
            self._pinhole, self._detector = pinhole, make_detector(self._live.value.detector, pinhole)

    def _on_active(self, message: Any) -> None:
        self._state = message.data

    def _on_truth(self, message: Any) -> None:
        """Remember how far away the ball truly was, for the image of that stamp."""
        point = message.point
        self._true[layout.nanoseconds(message.header.stamp)] = math.hypot(point.x, point.y, point.z)
        while len(self._true) > _REMEMBERED:
            self._true.popitem(last=False)

    def _find(self, image: Image) -> Circles:
        if self._pinhole is None or self._detector is None:
            raise ImageError("its optics are not known: no camera_info with a focal length has come")
        return circles_of(image, self._detector, self._pinhole)

    def _tell(self, message: Any, found: Circles) -> None:
        pinhole, own = self._pinhole, self._live.value
        if pinhole is None:
            return
        self._publish(replace(found, focal_px=pinhole.focal_length), message.header)
        circle = found.largest
        cone = None if circle is None else Cone.of_circle(circle, pinhole)
        features: dict[str, Any] = {
            "stamp": layout.nanoseconds(message.header.stamp),
            "circle": None if circle is None else [circle.x, circle.y, circle.radius],
            "barrel": barrel_pixel(pinhole, own.camera_above_barrel),
            "distance": None if cone is None else cone.distance(own.diameter),
        }
        self._features.publish(String(data=json.dumps(features)))
        # Drawing takes longer than finding: only for somebody who looks.
        if self._annotated.get_subscription_count():
            image = Image(0, 0, 0, message.width, message.height, message.encoding, message.step, message.data)
            distance, true = features["distance"], self._true.get(features["stamp"])
            error = None if distance is None or true is None else distance - true
            drawn = annotate(image.rgb(), circle, features["barrel"], self._state, distance, error)
            self._annotated.publish(_picture(drawn, message.header))


def _picture(drawn: Rgb, header: Any) -> Any:
    """Return a picture as a ``sensor_msgs/Image``."""
    height, width = drawn.shape[:2]
    message = ImageMessage(header=header, height=height, width=width, encoding="rgb8", step=3 * width)
    # Not assigned: with its checks on, rclpy would look at each byte.
    message.data.frombytes(np.ascontiguousarray(drawn))
    return message


def main() -> None:
    """Run the node."""
    sys.exit(run(SphereDetectorNode))


if __name__ == "__main__":
    main()
