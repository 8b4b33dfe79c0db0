"""The sign detector node: images in, boxes around signs out."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any, Literal

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from sensor_msgs.msg import CameraInfo
from sensor_msgs.msg import Image as ImageMessage
from std_srvs.srv import SetBool

from arena_trees.nodes.adapters.convert import detections_message
from arena_trees.nodes.monitors.image_tally import ImageTally
from arena_trees.nodes.runtime.diagnostics import ERROR, OK, STALE, WARN, Diagnostics
from arena_trees.nodes.runtime.optional_types import optional_type
from arena_trees.nodes.runtime.parameters import accept_changes, declare, read
from arena_trees.nodes.runtime.process import run
from arena_trees.nodes.runtime.qos import Reliability, sensor_qos
from arena_trees.perception.image import Image, ImageError
from arena_trees.perception.signs.detector import CONFIDENCE, ImageDetector, OnnxSignDetector
from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.parameters import Live, Parameters, parameter
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.percepts import Detections

__all__ = ["SignDetectorNode", "SignDetectorParameters", "main"]


class SignDetectorParameters(Parameters):
    """Which detector, and how often it looks."""

    detector: Literal["onnx", "ultralytics"] = parameter(
        "onnx", "onnx, or ultralytics for a model of the user's own, which needs that library", read_only=True
    )
    model: str | None = parameter(None, "model file; the one that ships where it is empty", read_only=True)
    allow_pickle: bool = parameter(
        False, "let ultralytics load a .pt file, which can run any code that is in it", read_only=True
    )  # fmt: skip
    threshold: float = parameter(CONFIDENCE, "boxes with less confidence are not reported", read_only=True, ge=0, le=1)
    reliability: Reliability = parameter(
        "best_effort", "of image and detections; best_effort drops what comes too late", read_only=True
    )
    max_fps: float = parameter(30.0, "images a second that are looked at, at most", "Hz", gt=0, le=200)


class SignDetectorNode(Node):
    """Finds signs in each image and publishes them with the image's own header, an empty array where there are none.

    An image that contradicts itself, or is of a kind or size that is not looked at, is refused and
    counted before its pixels are touched; nothing is published for it, so that detections grow old as
    they do when images stay away.

    Topics:
        * ``oakd/rgb/preview/image_raw`` (sensor_msgs/Image), keep last 1, best effort by default
          [subscribed]
        * ``detections`` (vision_msgs/Detection2DArray), keep last 1, best effort by default [published];
          off without vision_msgs
        * ``detections/camera_info`` (sensor_msgs/CameraInfo), keep last 1, best effort by default
          [published]: width and height of that image with its header, and no optics
        * ``/diagnostics`` (diagnostic_msgs/DiagnosticArray) [published], 1 Hz

    Parameters:
        those of :class:`SignDetectorParameters`; ``max_fps`` may change while it runs

    Services:
        * ``~/enable`` (std_srvs/SetBool): look at images, or ignore them

    Raises:
        ConfigError: a parameter or the model cannot be used
        ArenaTreesError: ultralytics is wanted, and not installed
    """

    def __init__(self) -> None:
        super().__init__("sign_detector")
        declare(self, SignDetectorParameters)
        self._live = Live(read(self, SignDetectorParameters))
        accept_changes(self, self._live)
        self._detector = _make_detector(self._live.value)
        self._enabled = True
        self._next = 0
        self._tally = ImageTally()
        qos = sensor_qos(self._live.value.reliability)
        found = optional_type(self, "vision_msgs", "msg", "Detection2DArray", "detections")
        self._detections = None if found is None else self.create_publisher(found, "detections", qos)
        self._camera_info = self.create_publisher(CameraInfo, "detections/camera_info", qos)
        self._diagnostics = Diagnostics(self, "sign detector")
        self.create_subscription(ImageMessage, "oakd/rgb/preview/image_raw", self._on_image, qos)
        self.create_service(SetBool, "~/enable", self._enable)
        self.create_timer(1.0, self._report, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def halt(self) -> None:
        """Look at nothing more."""
        self._enabled = False

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
            boxes = self._detector.detect(image.rgb())
        except ImageError as error:
            self._tally.refuse(str(error))
            return
        # Whatever a network's library raises at one image must not end the node that waits for the next.
        except Exception as error:
            self._tally.fail(f"{type(error).__name__}: {error}")
            return
        self._tally.looked(time.perf_counter() - begun)
        self._camera_info.publish(CameraInfo(header=message.header, height=message.height, width=message.width))
        if self._detections is not None:
            found = Detections(0, 0, 0, message.width, message.height, boxes)
            self._detections.publish(detections_message(found, message.header))

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


def _make_detector(wanted: SignDetectorParameters) -> ImageDetector:
    """Return the detector that is wanted.

    Raises:
        ConfigError: the model cannot be used
        ArenaTreesError: ultralytics is not installed
    """
    model = None if wanted.model is None else Path(wanted.model)
    if wanted.detector == "onnx":
        return OnnxSignDetector(model, wanted.threshold)
    if model is None:
        raise ConfigError("ultralytics needs a model", key="model")
    from arena_trees.perception.signs.ultralytics_detector import UltralyticsDetector

    return UltralyticsDetector(model, wanted.threshold, allow_pickle=wanted.allow_pickle)


def main() -> None:
    """Run the node."""
    sys.exit(run(SignDetectorNode))


if __name__ == "__main__":
    main()
