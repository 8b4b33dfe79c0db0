"""The sign detector node: images in, boxes around signs out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Literal

from arena_trees.nodes.runtime.image_detector import ImageDetectorNode, ImageDetectorParameters
from arena_trees.nodes.runtime.process import run
from arena_trees.perception.image import Image
from arena_trees.perception.signs.detector import CONFIDENCE, ImageDetector, OnnxSignDetector
from arena_trees.robot.configuration.parameters import parameter
from arena_trees.robot.detections import Detection, Detections
from arena_trees.robot.errors import ConfigError
from arena_trees.sensors.detections.sensor import SENSOR

__all__ = ["SignDetectorNode", "SignDetectorParameters", "main"]


class SignDetectorParameters(ImageDetectorParameters):
    """Which detector, and how often it looks."""

    detector: Literal["onnx", "ultralytics"] = parameter(
        "onnx", "onnx, or ultralytics for a model of the user's own, which needs that library", read_only=True
    )
    model: str | None = parameter(None, "model file; the one that ships where it is empty", read_only=True)
    allow_pickle: bool = parameter(
        False, "let ultralytics load a .pt file, which can run any code that is in it", read_only=True
    )  # fmt: skip
    threshold: float = parameter(CONFIDENCE, "boxes with less confidence are not reported", read_only=True, ge=0, le=1)


class SignDetectorNode(ImageDetectorNode):
    """Finds signs in each image and publishes them with the image's own header, an empty array where there are none.

    Images are refused as by :class:`~arena_trees.nodes.runtime.image_detector.ImageDetectorNode`.

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
        super().__init__("sign_detector", SignDetectorParameters, "sign", SENSOR)
        self._detector = _make_detector(self._live.value)
        self.begin()

    def _find(self, image: Image) -> tuple[Detection, ...]:
        return self._detector.detect(image.rgb())

    def _tell(self, message: Any, found: tuple[Detection, ...]) -> None:
        self._publish(Detections(0, 0, 0, message.width, message.height, found), message.header)


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
