"""The sign camera: frames at a rate, a detector that finds signs in them, and their latency."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Annotated, Generic, Literal, Protocol

import numpy as np
from annotated_types import Len

from arena_trees.robot.configuration.parameters import FROM_LIST, parameter
from arena_trees.robot.detections import Detection, Detections
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.stamped import Stamped
from arena_trees.robot.timing import Delivery, StampedT
from arena_trees.simulation.sensors.camera_image import ImageParameters
from arena_trees.simulation.sensors.frame_clock import FrameClock
from arena_trees.simulation.sensors.optics import Optics
from arena_trees.world.signs import PlacedSign, sign_classes

__all__ = ["Camera", "CameraParameters", "SignCamera", "SignDetector"]

Classes = Annotated[tuple[str, ...], FROM_LIST, Len(1, 100)]


class CameraParameters(Optics):
    """Optics, timing and detection; the defaults are the OAK-D's 250x250 preview on a TurtleBot4.

    From ``miss`` to ``false_alarms``, all but ``threshold`` say how a pinhole camera's detector fails; a
    rendered camera's detector fails by itself.
    """

    kind: Literal["pinhole", "rendered"] = parameter(
        "pinhole", "pinhole reckons what a detector would find; rendered takes pictures and runs a detector on them"
    )
    miss: float = parameter(0.006, "chance that a sign in plain view is not found", ge=0, le=1)
    memory: float = parameter(
        0.0, "correlation of luck in two frames that follow each other: misses come in runs", ge=0, lt=1
    )
    small_px: float = parameter(10.0, "a box narrower or lower than this is hard to find", "px", ge=0, le=4096)
    small_miss: float = parameter(0.4, "further chance of missing it", ge=0, le=1)
    tiny_px: float = parameter(7.0, "a box narrower or lower than this is never found", "px", ge=1, le=4096)
    cut_share: float = parameter(0.2, "a box with less than this share in the image is hard to find", ge=0, le=1)
    cut_miss: float = parameter(0.8, "further chance of missing it", ge=0, le=1)
    oblique_deg: float = parameter(63.0, "a face seen from farther off its normal is hard to find", "deg", ge=0, le=90)
    oblique_miss: float = parameter(0.65, "further chance of missing it", ge=0, le=1)
    blind_deg: float = parameter(70.0, "a face seen from farther off its normal is never found", "deg", ge=0, le=90)
    visible_share: float = parameter(0.55, "a face of which less is unhidden is never found", ge=0, le=1)
    edge_noise_px: float = parameter(0.55, "standard deviation of each edge of a box", "px", ge=0, le=100)
    confidence: float = parameter(0.91, "of a large sign in plain view", ge=0, le=1)
    confidence_noise: float = parameter(0.04, "standard deviation of the confidence", ge=0, le=1)
    threshold: float = parameter(0.5, "boxes with less confidence are not reported", ge=0, le=1)
    classes: Classes = parameter(tuple(sorted(sign_classes())), "labels that false alarms may have")
    false_alarms: float = parameter(0.0044, "boxes in a frame where there is nothing", ge=0, le=1)
    model: str | None = parameter(None, "ONNX file of a rendered camera's detector; the one that ships if absent")
    image: ImageParameters = parameter(ImageParameters(), "lens and sensor of a rendered camera")


class SignDetector(Protocol):
    """Camera and detector together: what is found in one frame, reckoned or seen in a rendered picture."""

    def detect(self, pose: Pose2D, signs: Sequence[PlacedSign]) -> tuple[Detection, ...]:
        """Expose a frame and return the boxes in it.

        Args:
            pose: true pose of base_link, map frame
            signs: every sign of the arena but the robot's own
        """
        ...


class Camera(ABC, Generic[StampedT]):
    """Exposes frames at its rate and delivers what becomes of them, several in flight at a time.

    Args:
        parameters: its parameters
        rng: its own random stream
    """

    def __init__(self, parameters: CameraParameters, rng: np.random.Generator) -> None:
        self.delivery: Delivery[StampedT] = Delivery()
        self.parameters = parameters
        self.pinhole = parameters.pinhole()
        self._frames = FrameClock(parameters, rng)

    def due(self, now: int) -> bool:
        """Return whether a frame is exposed now (ns), and move on to the next if so."""
        return self._frames.due(now)

    def expose(self, now: int, pose: Pose2D, signs: Sequence[PlacedSign]) -> None:
        """Expose a frame; one with nothing in it is delivered too.

        Args:
            now: instant of the exposure, ns
            pose: true pose of base_link, map frame
            signs: every sign of the arena but the robot's own
        """
        frame = self._frames.expose(now)
        # A lost frame is exposed all the same, lest its loss change what is found in the others.
        taken = self._take(Stamped(now, now, 0) if frame is None else frame, pose, signs)
        if frame is not None:
            self.delivery.send(taken)

    @abstractmethod
    def _take(self, frame: Stamped, pose: Pose2D, signs: Sequence[PlacedSign]) -> StampedT:
        """Return what is delivered of a frame, with the given stamp, arrival and sequence."""


class SignCamera(Camera[Detections]):
    """Delivers the boxes that a detector finds.

    Args:
        parameters: its parameters
        rng: its own random stream
        detector: finds the signs

    Attributes:
        detector: finds the signs
    """

    def __init__(self, parameters: CameraParameters, rng: np.random.Generator, detector: SignDetector) -> None:
        super().__init__(parameters, rng)
        self.detector = detector

    def _take(self, frame: Stamped, pose: Pose2D, signs: Sequence[PlacedSign]) -> Detections:
        return Detections(
            stamp=frame.stamp,
            arrival=frame.arrival,
            sequence=frame.sequence,
            image_width=self.parameters.width,
            image_height=self.parameters.height,
            boxes=self.detector.detect(pose, signs),
            focal_px=self.pinhole.focal_length,
        )
