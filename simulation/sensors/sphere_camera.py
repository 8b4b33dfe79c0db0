"""The sphere camera: frames at a rate, on the robot or on its turret, and what is found in them or the pictures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from pydantic import model_validator

from arena_trees.robot.circles import Circle, Circles
from arena_trees.robot.configuration.parameters import parameter
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.stamped import Stamped
from arena_trees.robot.timing import Delivery
from arena_trees.robot.turret import STEADY, TurretRates
from arena_trees.simulation.sensors.camera_image import ImageParameters
from arena_trees.simulation.sensors.circle_errors import CircleErrors, measured_errors
from arena_trees.simulation.sensors.frame_clock import FrameClock
from arena_trees.simulation.sensors.optics import Optics
from arena_trees.world.body import Body
from arena_trees.world.camera_pose import CameraMount, CameraPose
from arena_trees.world.spheres import PlacedSphere

__all__ = ["CircleCamera", "CircleFinder", "Exposure", "SphereCamera", "SphereCameraParameters"]


class SphereCameraParameters(Optics):
    """Optics, timing and detection. On a body with a turret the camera is on that, and its mount here does not count.

    ``source`` and ``arena`` say how the detector of that name fails in a parametric camera; in a rendered one it fails
    by itself. What is not given there is what was measured with the camera whose images are nearest in width.
    """

    kind: Literal["none", "parametric", "rendered"] = parameter(
        "none",
        "parametric reckons what a detector would find; rendered takes pictures and runs the detector on them; none "
        "for no such camera",
    )
    detector: Literal["source", "arena"] = parameter("arena", "which detector of circles")
    source: CircleErrors | None = parameter(None, "how the detector source fails; as measured if absent")
    arena: CircleErrors | None = parameter(None, "how the detector arena fails; as measured if absent")
    image: ImageParameters = parameter(ImageParameters(), "lens and sensor of a rendered camera")

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, values: Any) -> Any:
        """Take what is not given of a detector's errors from those that were measured."""
        if not isinstance(values, dict):
            return values
        values = dict(values)
        width = values.get("width", cls.model_fields["width"].default)
        for detector in ("source", "arena"):
            given = values.get(detector)
            if isinstance(given, dict) and isinstance(width, int):
                values[detector] = {**measured_errors(detector, width).model_dump(), **given}
        return values

    @property
    def errors(self) -> CircleErrors:
        """How its detector fails in a parametric camera."""
        given = self.source if self.detector == "source" else self.arena
        return measured_errors(self.detector, self.width) if given is None else given

    def mount(self, body: Body) -> CameraMount:
        """Return where it sits on a body."""
        return CameraMount.on(body, self.mount_x, self.mount_z)


@dataclass(frozen=True, slots=True)
class Exposure:
    """How a camera is while it takes a picture.

    Attributes:
        pose: where it is
        turning: how fast it turns, base and turret together
    """

    pose: CameraPose
    turning: TurretRates = STEADY


class CircleFinder(Protocol):
    """Camera and detector together: what is found in one frame, reckoned or seen in a rendered picture."""

    def find(self, exposure: Exposure, spheres: Sequence[PlacedSphere]) -> tuple[Circle, ...]:
        """Expose a frame and return the circles in it.

        Args:
            exposure: where the camera is and how it turns
            spheres: every sphere of the arena but the robot's own
        """
        ...


class SphereCamera(ABC):
    """Exposes frames at its rate; what is delivered of them others say.

    Args:
        parameters: its parameters
        body: of the robot that carries it
        streams: its random streams; of these ``frames`` is used here

    Attributes:
        pinhole: its optics
    """

    def __init__(self, parameters: SphereCameraParameters, body: Body, streams: RandomStreams) -> None:
        self.pinhole = parameters.pinhole()
        self._mount = parameters.mount(body)
        self._frames = FrameClock(parameters, streams.generator("frames"))

    def due(self, now: int) -> bool:
        """Return whether a frame is exposed now (ns), and move on to the next if so."""
        return self._frames.due(now)

    def expose(
        self,
        now: int,
        pose: Pose2D,
        turret: tuple[float, float] | None,
        turning: TurretRates,
        spheres: Sequence[PlacedSphere],
    ) -> None:
        """Expose a frame; one with nothing in it is delivered too.

        Args:
            now: instant of the exposure, ns
            pose: true pose of base_link, map frame
            turret: yaw and pitch of the turret, rad, base_link; None where there is none
            turning: how fast the camera turns, with base and turret
            spheres: every sphere of the arena but the robot's own
        """
        frame = self._frames.expose(now)
        if frame is not None:
            self._deliver(frame, Exposure(self._mount.pose(pose, turret), turning), spheres)

    @abstractmethod
    def _deliver(self, frame: Stamped, exposure: Exposure, spheres: Sequence[PlacedSphere]) -> None:
        """Send what is delivered of a frame, with the given stamp, arrival and sequence."""


class CircleCamera(SphereCamera):
    """Delivers the circles that a detector finds.

    Args:
        parameters: its parameters
        body: of the robot that carries it
        streams: its random streams
        finder: finds the circles

    Attributes:
        delivery: the circles, one message for each frame
    """

    def __init__(
        self, parameters: SphereCameraParameters, body: Body, streams: RandomStreams, finder: CircleFinder
    ) -> None:
        super().__init__(parameters, body, streams)
        self.delivery: Delivery[Circles] = Delivery()
        self._finder = finder

    def _deliver(self, frame: Stamped, exposure: Exposure, spheres: Sequence[PlacedSphere]) -> None:
        found = sorted(self._finder.find(exposure, spheres), key=lambda circle: -circle.radius)
        width, height, focal = self.pinhole.width, self.pinhole.height, self.pinhole.focal_length
        self.delivery.send(Circles(frame.stamp, frame.arrival, frame.sequence, width, height, tuple(found), focal))
