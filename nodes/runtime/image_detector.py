"""What every node does that looks for something in images: takes, refuses, counts and reports them."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from sensor_msgs.msg import Image as ImageMessage
from std_srvs.srv import SetBool

from arena_trees.nodes.adapters.convert import sensor_message
from arena_trees.nodes.monitors.image_tally import ImageTally
from arena_trees.nodes.runtime.diagnostics import ERROR, OK, STALE, WARN, Diagnostics
from arena_trees.nodes.runtime.optional_types import optional_type
from arena_trees.nodes.runtime.parameters import accept_changes, declare, read
from arena_trees.nodes.runtime.qos import Reliability, sensor_qos
from arena_trees.perception.image import Image, ImageError
from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.parameters import Live, Parameters, parameter
from arena_trees.robot.sensor import Sensor
from arena_trees.robot.stamped import Stamped
from arena_trees.world.body import TURTLEBOT4

__all__ = ["ImageDetectorNode", "ImageDetectorParameters"]


class ImageDetectorParameters(Parameters):
    """How often it looks."""

    reliability: Reliability = parameter(
        "best_effort", "of images and what is found; best_effort drops what comes too late", read_only=True
    )
    max_fps: float = parameter(30.0, "images a second that are looked at, at most", "Hz", gt=0, le=200)


class ImageDetectorNode(Node, ABC):
    """Looks at images.

    An image that contradicts itself, or is of a kind or size that is not looked at, is refused and counted before its
    pixels are touched; nothing is published for it, so that what was found before grows old as it does when images stay
    away.

    Args:
        name: of the node
        parameters: its parameters
        looks_for: what it looks for, as diagnostics call it
        sensor: as which it publishes what it finds, on the topics that this has

    Raises:
        ConfigError: a parameter cannot be used
    """

    def __init__(self, name: str, parameters: type[ImageDetectorParameters], looks_for: str, sensor: Sensor) -> None:
        super().__init__(name)
        declare(self, parameters)
        self._live: Live[Any] = Live(read(self, parameters))
        accept_changes(self, self._live)
        self._qos = sensor_qos(self._live.value.reliability)
        kinds = [
            (topic, optional_type(self, topic.package, "msg", topic.message, sensor.key))
            for topic in sensor.ros.topics(TURTLEBOT4)
        ]
        self._found = [
            (topic, self.create_publisher(kind, topic.topic, self._qos)) for topic, kind in kinds if kind is not None
        ]
        self._enabled = True
        self._next = 0
        self._tally = ImageTally()
        self._diagnostics = Diagnostics(self, f"{looks_for} detector")

    def begin(self) -> None:
        """Take images from now on: the last that a node does when it is made."""
        self.create_subscription(ImageMessage, "oakd/rgb/preview/image_raw", self._on_image, self._qos)
        self.create_service(SetBool, "~/enable", self._enable)
        self.create_timer(1.0, self._report, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def halt(self) -> None:
        """Look at nothing more."""
        self._enabled = False

    @abstractmethod
    def _find(self, image: Image) -> Any:
        """Return what is found in an image.

        Raises:
            ImageError: it is not looked at
        """

    @abstractmethod
    def _tell(self, message: Any, found: Any) -> None:
        """Publish what was found in an image's message."""

    def _publish(self, reading: Stamped, header: Any) -> None:
        """Publish what was found in an image with that header."""
        for topic, publisher in self._found:
            publisher.publish(sensor_message(topic, reading, publisher.msg_type, header))

    def _enable(self, request: Any, response: Any) -> Any:
        self._enabled = bool(request.data)
        response.success = True
        response.message = "looking" if self._enabled else "ignoring images"
        return response

    def _on_image(self, message: Any) -> None:
        if not self._enabled or not self._is_due():
            return
        begun = time.perf_counter()
        image = Image(0, 0, 0, message.width, message.height, message.encoding, message.step, message.data)
        try:
            found = self._find(image)
        except ImageError as error:
            self._tally.refuse(str(error))
            return
        # Whatever a detector's library raises at one image must not end the node that waits for the next.
        except Exception as error:
            self._tally.fail(f"{type(error).__name__}: {error}")
            return
        self._tally.looked(time.perf_counter() - begun)
        self._tell(message, found)

    def _is_due(self) -> bool:
        """Return whether an image may be looked at, so that no second has more than it may."""
        self._live.swap()
        period = SECOND / self._live.value.max_fps
        now = time.monotonic_ns()
        # Half a period of grace, or images as often as they may come would be lost by their jitter.
        if now < self._next - period / 2.0:
            self._tally.skipped += 1
            return False
        self._next = max(self._next, now - round(period)) + round(period)
        return True

    def _report(self) -> None:
        tally, self._tally = self._tally, self._tally.next()
        if not self._enabled:
            level, message = OK, "disabled"
        elif tally.failure:
            level, message = ERROR, f"the detector failed: {tally.failure}"
        elif tally.refusal:
            level, message = WARN, f"image refused: {tally.refusal}"
        elif not tally.images:
            level, message = STALE, "no image"
        else:
            level, message = OK, f"{tally.images} images a second"
        self._diagnostics.publish(level, message, tally.values())
