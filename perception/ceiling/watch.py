"""Cameras on the ceiling from their first image on: calibrated by what they see, watched, and calibrated anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from arena_trees.perception.ceiling.calibration import CalibrationError, CeilingCalibration, calibrate_camera
from arena_trees.perception.ceiling.camera import CameraIntrinsics
from arena_trees.perception.ceiling.fusion import CeilingDisagreement, CeilingPose
from arena_trees.perception.ceiling.parameters import CeilingParameters
from arena_trees.perception.ceiling.tracker import CameraSightings, CeilingTracker, TagFinder
from arena_trees.perception.image import Image, ImageError
from arena_trees.robot.errors import ConfigError

__all__ = ["CameraState", "CeilingWatch"]

Corners = Mapping[int, NDArray[np.float64]]
"""Number of a tag to its corners, px, shape (4, 2)."""


@dataclass(frozen=True, slots=True, eq=False)
class CameraState:
    """How it goes with one camera.

    Attributes:
        calibration: where it is; None while that is not known
        collected: images that have been collected for the next calibration
        problem: why the last calibration was refused, or why there is none any more; empty where there is one
        pushed: how often it was found to have been pushed
        shift_px: how far the floor's tags are from where they were when it was calibrated, median, px; None before the
            first check
        checked: stamp of the newest image that this was checked by, ns
        moved_tags: numbers of floor tags that lie elsewhere than when it was calibrated, while most do not
    """

    calibration: CeilingCalibration | None = None
    collected: int = 0
    problem: str = ""
    pushed: int = 0
    shift_px: float | None = None
    checked: int | None = None
    moved_tags: tuple[int, ...] = ()


class CeilingWatch:
    """Tells where robots are by cameras that nobody has calibrated beforehand.

    Each camera is calibrated by its first images with the floor's tags in them, again and again until that succeeds.
    Images between which the camera moved are not mixed. From then on the floor's tags are looked at in each image: a
    camera for which more than half of those in view are off has been pushed. Nothing that it sees is believed then, and
    when it has been so for some images in a row it is calibrated anew.

    One thread uses it.

    Args:
        parameters: the tags, and the errors to be expected
        cameras: names, one to four
        images: that a camera is calibrated by
        moved_px: a floor tag that is off by more since the calibration has moved, or else the camera, px
        moved_images: images in a row after which a camera is calibrated anew

    Raises:
        ConfigError: there is no camera, or there are too many
    """

    def __init__(
        self,
        parameters: CeilingParameters,
        cameras: Sequence[str],
        images: int = 10,
        moved_px: float = 1.0,
        moved_images: int = 5,
    ) -> None:
        if not 1 <= len(set(cameras)) == len(cameras) <= CeilingTracker.MOST_CAMERAS:
            reason = f"must be 1 to {CeilingTracker.MOST_CAMERAS} different names"
            raise ConfigError(reason, key="cameras", value=list(cameras))
        self._parameters = parameters
        self._images, self._moved_px, self._moved_images = images, moved_px, moved_images
        self._floor = set(parameters.floor_corners())
        self._finder = TagFinder()
        self._cameras = {name: _Camera() for name in cameras}
        self._tracker: CeilingTracker | None = None
        self._seen: dict[str, CameraSightings] = {}
        self._told: dict[str, int] = {}
        self._events: list[tuple[bool, str]] = []

    def set_intrinsics(self, camera: str, intrinsics: CameraIntrinsics) -> None:
        """Take a camera's size and lens; others than before mean that it is calibrated anew."""
        one = self._cameras[camera]
        if one.intrinsics != intrinsics:
            if one.intrinsics is not None:
                self._events.append((False, f"camera {camera} has another size or lens"))
            one.intrinsics = intrinsics
            self._forget(camera)

    def calibrate(self) -> None:
        """Calibrate all cameras anew by their next images."""
        for name in self._cameras:
            self._forget(name)

    def look(self, camera: str, image: Image) -> None:
        """Look at an image.

        Raises:
            ImageError: it cannot be looked at, has no stamp, is not of the camera's size, or comes before the camera's
                size and lens
        """
        one = self._cameras[camera]
        if one.intrinsics is None:
            raise ImageError("no camera_info yet")
        lens = one.intrinsics
        if (image.width, image.height) != (lens.width, lens.height):
            raise ImageError(f"camera_info has {lens.width}x{lens.height} px, got {image}")
        if image.stamp <= 0:
            raise ImageError("the image has no stamp")
        found, unclear = self._finder.find(image)
        if image.stamp < one.stamp:
            # The clock went back, as when an arena or a recording is started anew.
            self._seen.clear()
            self._told.clear()
        one.stamp = image.stamp
        floor = {number: corners for number, corners in found.items() if number in self._floor}
        if one.calibration is None:
            self._collect(camera, one, floor)
        elif self._is_where_it_was(camera, one, floor) and self._tracker is not None:
            self._seen[camera] = self._tracker.locate(camera, image.stamp, found, unclear)
        else:
            self._seen.pop(camera, None)

    def take_poses(self) -> tuple[tuple[CeilingPose, ...], tuple[CeilingDisagreement, ...]]:
        """Return the poses of robots that were seen in newer images than before, and the cameras that contradict."""
        if self._tracker is None:
            return (), ()
        fused = self._tracker.fuse(list(self._seen.values()))
        new = [pose for name, pose in fused.robots.items() if pose.stamp > self._told.get(name, 0)]
        self._told.update((pose.robot, pose.stamp) for pose in new)
        return tuple(new), fused.disagreements

    def take_events(self) -> list[tuple[bool, str]]:
        """Return what has happened to cameras since the last call: whether it is bad, and what it is."""
        events, self._events = self._events, []
        return events

    def left_out(self) -> dict[str, str]:
        """Return by camera which robots' tags were seen in its newest image and not believed, and why."""
        return {
            name: ", ".join(f"tag {number} {why}" for number, why in one.left_out.items())
            for name, one in self._seen.items()
            if one.left_out
        }

    def states(self) -> dict[str, CameraState]:
        """Return how it goes with each camera."""
        return {name: one.state() for name, one in self._cameras.items()}

    def _collect(self, name: str, camera: _Camera, floor: Corners) -> None:
        """Add an image's floor tags to those of the next calibration, and calibrate by enough of them."""
        assert camera.intrinsics is not None
        first = next((one for one in camera.collected if one), {})
        if self._moved(_shifts(first, floor)):
            camera.collected = []
        camera.collected.append(dict(floor))
        if len(camera.collected) < self._images:
            return
        seen, camera.collected = camera.collected, []
        try:
            calibration = calibrate_camera(name, camera.intrinsics, seen, self._parameters)
        except CalibrationError as error:
            if str(error) != camera.problem:
                self._events.append((True, str(error)))
            camera.problem = str(error)
            return
        camera.calibration, camera.problem = calibration, ""
        camera.reference = {
            number: np.median([one[number] for one in seen if number in one], axis=0) for number in calibration.tags
        }
        self._events.append((False, f"camera {name}: {calibration}"))
        self._renew_tracker()

    def _is_where_it_was(self, name: str, camera: _Camera, floor: Corners) -> bool:
        """Return whether the floor's tags in view are where they were; without any that is taken for granted."""
        shifts = _shifts(camera.reference, floor)
        if not shifts:
            return True
        camera.shift_px, camera.checked = float(np.median(list(shifts.values()))), camera.stamp
        moved = self._moved(shifts)
        camera.off = camera.off + 1 if moved else 0
        if camera.off >= self._moved_images:
            reason = f"it was pushed: the floor's tags are {camera.shift_px:.1f} px from where they were"
            self._events.append((True, f"camera {name}: {reason}"))
            self._forget(name, reason)
            camera.pushed += 1
            return False
        if not moved:
            strayed = tuple(sorted(number for number, shift in shifts.items() if shift > self._moved_px))
            # A tag that is hidden now is where it was seen last.
            kept = tuple(number for number in camera.moved_tags if number not in shifts)
            for number in set(strayed) - set(camera.moved_tags):
                self._events.append((True, f"camera {name}: tag {number} of the floor was moved"))
            camera.moved_tags = tuple(sorted({*strayed, *kept}))
        return not moved

    def _moved(self, shifts: Mapping[int, float]) -> bool:
        """Return whether more than half of the tags are off."""
        return 2 * sum(shift > self._moved_px for shift in shifts.values()) > len(shifts)

    def _forget(self, name: str, reason: str = "") -> None:
        """Forget where a camera is."""
        old = self._cameras[name]
        fresh = _Camera(old.intrinsics, stamp=old.stamp, problem=reason, pushed=old.pushed)
        for key in _Camera.__dataclass_fields__:
            setattr(old, key, getattr(fresh, key))
        self._seen.pop(name, None)
        self._renew_tracker()

    def _renew_tracker(self) -> None:
        known = {name: one.calibration for name, one in self._cameras.items() if one.calibration is not None}
        self._tracker = CeilingTracker(self._parameters, known) if known else None


@dataclass(slots=True, eq=False)
class _Camera:
    """What is known of a camera; fields as of :class:`CameraState`.

    Attributes:
        stamp: of its newest image, ns
        collected: floor tags of the images that it will be calibrated by
        reference: floor tags as they were seen when it was calibrated
        off: images in a row in which most tags were off
    """

    intrinsics: CameraIntrinsics | None = None
    calibration: CeilingCalibration | None = None
    stamp: int = 0
    collected: list[Corners] = field(default_factory=list)
    reference: Corners = field(default_factory=dict)
    off: int = 0
    problem: str = ""
    pushed: int = 0
    shift_px: float | None = None
    checked: int | None = None
    moved_tags: tuple[int, ...] = ()

    def state(self) -> CameraState:
        return CameraState(
            self.calibration,
            len(self.collected),
            self.problem,
            self.pushed,
            self.shift_px,
            self.checked,
            self.moved_tags,
        )


def _shifts(before: Corners, now: Corners) -> dict[int, float]:
    """Return how far (RMS of the corners, px) each tag is that is seen in both."""
    return {
        number: float(np.sqrt(np.mean(np.sum((now[number] - before[number]) ** 2, axis=1))))
        for number in before
        if number in now
    }
