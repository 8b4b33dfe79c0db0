"""Follow one class of sign: filter its column and carry the estimate on to the present tick."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from py_trees.common import Status

from arena_trees.behaviours.base import PerceptBehaviour
from arena_trees.behaviours.parameters import TrackParameters
from arena_trees.control.odometry_buffer import OdometryBuffer
from arena_trees.control.pixel_tracker import PixelTracker
from arena_trees.control.sign_range import sign_range
from arena_trees.robot import keys
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.detections import Detection, Detections
from arena_trees.robot.percepts import Target
from arena_trees.robot.scan import Scan

__all__ = ["TrackBySource", "TrackSign"]

_LIDAR_REACH = 1.5
"""Beyond this range (m) the LiDAR is not asked: too few beams meet the hull."""

_LIDAR_WINDOW = 0.25
"""A return is the target's hull when it is within this (m) of where the hull is by the sign."""


class TrackSign(PerceptBehaviour):
    """Keep the target up to date; belongs into the sensing branch, so that no image is missed.

    Each image is compared with where the robot was when it was taken, and the estimate is carried from then to now with
    odometry's turn.

    The target is confirmed by ``sight_confirm_frames`` images in a row, and lost ``chase_lost_frames`` ticks after its
    newest image is older than ``vision_timeout``.

    Returns SUCCESS always.

    Blackboard Variables:
        * detections (Detections) [r]: signs in the newest image
        * odometry (Odometry) [r]: own motion
        * scan (Scan) [r]: refines the range of a near target
        * target (Target) [w]: None until the sign was seen

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
    """

    reads: tuple[str, ...] = ("detections", keys.ODOMETRY, keys.SCAN)

    def __init__(self, name: str, robot: str, live: Live[TrackParameters]) -> None:
        super().__init__(name, robot, self.reads, (keys.TARGET,))
        self.live = live
        self.outputs.target = None
        self._reset()

    def _reset(self) -> None:
        self._history = OdometryBuffer()
        self._tracker = PixelTracker()
        self._box: Detection | None = None
        self._position: tuple[float, float] | None = None
        self._sigma = math.nan
        self._sequence: int = 0
        self._stamp: int = 0
        self._seen: int = 0
        self._hits: int = 0
        self._stale: int = 0
        self._confirmed: bool = False
        self._in_sight: bool = False
        self._published: Target | None = None
        self._filter_time: int = 0
        self._width: int = 0
        self._height: int = 0

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._reset()
        self.outputs.target = None

    def update(self) -> Status:
        """Update the target by a new image, if any, and predict it for now; SUCCESS always."""
        now = self.now
        percepts = self.percepts
        self._history.add(percepts.odometry)
        parameters = self.live.value
        self._advance(now, parameters)
        detections = self._image()
        if detections is not None and detections.sequence != self._sequence:
            self._sequence = detections.sequence
            self._observe(detections, parameters)
        if self._box is not None:
            if now - self._seen <= parameters.vision_timeout * 1e9:
                self._believe(parameters)
                self._publish(self._target(now, parameters))
                self.feedback_message = f"sees {self._box.label}"
            elif self._in_sight:
                self._doubt(parameters)
        return Status.SUCCESS

    def _image(self) -> Detections | None:
        """Return the newest image, with the signs that may be the target's."""
        detections: Detections | None = self.percepts.detections
        return detections

    def _publish(self, target: Target) -> None:
        self._published = target
        self.outputs.target = target

    def _believe(self, parameters: TrackParameters) -> None:
        """Confirm a target that enough images in a row have shown."""
        self._stale = 0
        if self._hits >= self._needed(parameters):
            self._confirmed = self._in_sight = True

    def _doubt(self, parameters: TrackParameters) -> None:
        """Count ticks without a fresh image, and give the target up as lost."""
        self._stale += 1
        if self._stale > parameters.chase_lost_frames and self._published is not None:
            self._in_sight = False
            self._publish(replace(self._published, in_sight=False))
            self.feedback_message = f"lost {self._published.box.label}"

    def _observe(self, detections: Detections, parameters: TrackParameters) -> None:
        """Take one box of an image into the filter: that of the target, or else the best."""
        box = detections.best(parameters.target_label)
        if box is None or box.confidence <= 0.0:
            self._hits = 0
            return
        if detections.arrival - self._seen > parameters.vision_timeout * 1e9:
            self._tracker.reset()
            self._hits = 0
            self._confirmed = self._in_sight
        self._go_back_to(detections, parameters)
        if self._tracker.started:
            box = self._nearest(detections, parameters.target_label)
        if not self._tracker.update(box.x, min(box.confidence, 1.0), parameters.noise):
            self._hits = 0
            return
        self._box = box
        self._hits += 1
        self._stamp, self._seen = detections.stamp, detections.arrival
        self._width, self._height = detections.image_width, detections.image_height
        self._locate(box, parameters)

    def _nearest(self, detections: Detections, label: str) -> Detection:
        """Return the box of a class that is nearest to where the filter expects the target's."""
        boxes = (box for box in detections.boxes if box.label == label and box.confidence > 0.0)
        return min(boxes, key=lambda box: abs(box.x - self._tracker.px))

    def _locate(self, box: Detection, parameters: TrackParameters) -> None:
        """Remember where in the odom frame the target was when the image was taken."""
        found = sign_range(box, self._width, self._height, parameters.camera, parameters.sign)
        pose = self._history.at(self._stamp)
        if found is None or pose is None:
            self._position = None
            return
        self._position = found.place(pose)
        self._sigma = found.sigma

    def _advance(self, now: int, parameters: TrackParameters) -> None:
        """Move the filter on by one tick; here it stays at its newest image."""

    def _needed(self, parameters: TrackParameters) -> int:
        """Return how many images in a row confirm a target."""
        return parameters.sight_confirm_frames

    def _go_back_to(self, detections: Detections, parameters: TrackParameters) -> None:
        """Move the filter to the instant at which an image was taken."""
        stamp = detections.stamp
        if self._tracker.started and stamp > self._filter_time:
            turned = self._turned(self._filter_time, stamp) * _pixels_per_radian(parameters, detections.image_width)
            self._tracker.predict(to_seconds(stamp - self._filter_time), turned, parameters.noise)
        self._filter_time = max(stamp, self._filter_time) if self._tracker.started else stamp

    def _column(self, now: int, parameters: TrackParameters) -> float:
        """Return the column (px) at which the target is expected now (ns)."""
        turned = self._turned(self._filter_time, now) * _pixels_per_radian(parameters, self._width)
        return self._tracker.look_ahead(to_seconds(now - self._filter_time), turned)

    def _refined(self, distance: float, bearing: float, parameters: TrackParameters) -> tuple[float, float]:
        """Return the range to the target's axis and its deviation (m), by the LiDAR where it sees the hull."""
        scan: Scan | None = self.percepts.scan
        if scan is None or distance > _LIDAR_REACH:
            return distance, self._sigma
        hull = _hull_return(scan, bearing, distance - parameters.target_radius, parameters.target_radius)
        if hull is None:
            return distance, self._sigma
        return hull + parameters.target_radius, 0.02

    def _turned(self, since: int, until: int) -> float:
        """Return how far the robot turned between two instants, rad."""
        before, after = self._history.at(since), self._history.at(until)
        return 0.0 if before is None or after is None else after.yaw - before.yaw

    def _target(self, now: int, parameters: TrackParameters) -> Target:
        assert self._box is not None
        predicted = self._column(now, parameters)
        bearing = parameters.camera.bearing(predicted, self._width)
        distance, sigma = self._range(now, bearing, parameters)
        return Target(
            box=self._box,
            stamp=self._stamp,
            seen=self._seen,
            hits=self._hits,
            image_width=self._width,
            filtered_px=self._tracker.px,
            velocity_px=self._tracker.velocity,
            predicted_px=predicted,
            bearing=bearing,
            range=distance,
            range_sigma=sigma,
            position=self._position,
            confirmed=self._confirmed,
            in_sight=self._in_sight,
        )

    def _range(self, now: int, bearing: float, parameters: TrackParameters) -> tuple[float | None, float]:
        """Return the range to the target's axis now and its deviation, m."""
        pose = self._history.at(now)
        if pose is None or self._position is None:
            return None, math.nan
        return self._refined(pose.distance_to(*self._position), bearing, parameters)


class TrackBySource(TrackSign):
    """Keep the target up to date as the source system does. Returns SUCCESS always.

    An image counts as taken when it arrives, and a fixed look-ahead makes up for the delay; the document's omega_cmd is
    read from odometry, which also holds what the velocity gate changed. One image confirms the target.

    Blackboard Variables:
        * detections (Detections) [r]: signs in the newest image
        * odometry (Odometry) [r]: own motion
        * target (Target) [w]: None until the sign was seen
    """

    reads: tuple[str, ...] = ("detections", keys.ODOMETRY)

    def _advance(self, now: int, parameters: TrackParameters) -> None:
        if self._tracker.started and self._filter_time < now:
            odometry = self.percepts.odometry
            angular = 0.0 if odometry is None else odometry.twist.angular
            dt = to_seconds(now - self._filter_time)
            rho = _pixels_per_radian(parameters, self._width)
            self._tracker.predict(dt, angular * dt * rho, parameters.noise)
        self._filter_time = now

    def _needed(self, parameters: TrackParameters) -> int:
        return 1

    def _go_back_to(self, detections: Detections, parameters: TrackParameters) -> None:
        pass

    def _column(self, now: int, parameters: TrackParameters) -> float:
        return self._tracker.look_ahead(parameters.kf_lookahead)

    def _refined(self, distance: float, bearing: float, parameters: TrackParameters) -> tuple[float, float]:
        return distance, self._sigma


def _pixels_per_radian(parameters: TrackParameters, width: int) -> float:
    return parameters.kf_pixels_per_rad or parameters.camera.focal_px(width)


def _hull_return(scan: Scan, bearing: float, expected: float, radius: float) -> float | None:
    """Return the distance (m) of the nearest return in the target's direction, near where it is expected."""
    half = math.atan2(0.6 * radius, max(expected, radius))
    near = np.flatnonzero(np.abs(scan.distance - expected) < _LIDAR_WINDOW)
    turn = np.abs((scan.bearing[near] - bearing + math.pi) % math.tau - math.pi)
    distances = scan.distance[near[turn < half]]
    return float(distances.min()) if distances.size else None
