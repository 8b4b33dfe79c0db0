"""One robot of a report: its ways, scans, detections, commands and errors as columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena_trees.recording.camera_model import CameraModel, images_of, sights_in
from arena_trees.recording.recording import Outline, RobotRecording, Tick
from arena_trees.recording.report_page.columns import Column, Columns
from arena_trees.recording.report_page.tracks import (
    Track,
    believed_track,
    best_track,
    extent_of,
    fence_distance,
    measured_at,
    thinned,
)
from arena_trees.recording.report_page.tree_rows import Texts, pack_tree
from arena_trees.recording.sensor_dropouts import dropouts_of
from arena_trees.robot.circles import Circles
from arena_trees.robot.detections import Detections
from arena_trees.robot.geometry import Twist2D
from arena_trees.robot.percepts import Stamped
from arena_trees.robot.scan import LaserScan
from arena_trees.robot.sensor import Sensor
from arena_trees.robot.sensor_registry import sensors

__all__ = ["LATCHED", "MILLISECOND", "RobotPacker"]

MILLISECOND = 1_000_000
"""Nanoseconds in a millisecond."""

LATCHED = "latched"
"""What a band calls the state of a robot that a fault has stopped."""

_MILLI = 0.001
_RANGE_STEP = 0.02
"""Metres; half of what a LiDAR's noise hides anyway, and a byte a beam."""
_MOST_BEAMS = 360
_MOST_SCANS = 4_000
_MOST_POINTS = 40_000
_MOST_SILENCES = 1_000
_MOST_CELLS = 20_000_000
"""Statuses that a page unfolds: a tick and a node each."""


class RobotPacker:
    """Packs one robot after the other.

    Args:
        columns: takes the numbers
        texts: takes the texts
        start: instant that is the page's zero, ns
        end: of the recording, ns
    """

    def __init__(self, columns: Columns, texts: Texts, start: int, end: int) -> None:
        self._columns = columns
        self._texts = texts
        self._start = start
        self._end = end

    def pack(
        self,
        robot: RobotRecording,
        fence: Outline | None,
        look: CameraModel,
        keys: Sequence[str] | None = None,
        part: bool = False,
    ) -> dict[str, Any]:
        """Return the robot's part of the header.

        Args:
            robot: to be packed
            fence: of the robot, if it has one
            look: whose camera and sign give where a detection points to
            keys: of the blackboard that are shown; those that its ticks have where it is None
            part: whether this is a short part of a recording, which cannot tell that a sensor is silent
        """
        ticks = robot.ticks[thinned(len(robot.ticks), max(1, _MOST_CELLS // max(1, len(robot.tree))))]
        track = _thin(best_track(robot))
        packed: dict[str, Any] = {
            "name": robot.name,
            "role": robot.role or "",
            "radius": robot.body.radius,
            "colour": robot.body.colour or "",
            "source": track.source,
            "track": self._track(track),
            "extent": extent_of(track),
            "silences": [
                [(one.begin - self._start) / MILLISECOND, (one.end - self._start) / MILLISECOND, one.sensor]
                for one in islice(() if part else dropouts_of(robot, self._start, self._end), _MOST_SILENCES)
            ],
            "tree": pack_tree(self._columns, self._texts, robot.tree, ticks, keys),
            "ticks": self._ticks(ticks),
            "camera": {
                "hfov": look.camera.hfov,
                "x": look.camera.x,
                "sign": look.sign.size,
                "reach": look.reach,
            },
            "detections": self._detections(images_of(robot), look),
            "scans": self._scans(robot.scans),
            "notes": list(robot.notes),
        }
        if track.source == "truth" and robot.poses:
            packed["believed"] = self._track(_thin(believed_track(robot)))
        if fence is not None and track.source != "odometry" and len(track.time):
            distance = self._columns.add(fence_distance(track, fence), _MILLI)
            packed["fence"] = {"t": packed["track"]["t"], "distance": distance}
        return packed | self._base(robot)

    def _base(self, robot: RobotRecording) -> dict[str, Any]:
        """Pack what the base reported and what it was commanded."""
        odometry = robot.odometry[thinned(len(robot.odometry), _MOST_POINTS)]
        commands = robot.commands[thinned(len(robot.commands), _MOST_POINTS)]
        return {
            "measured": {
                "t": self._times(odometry),
                **self._twists([one.twist for one in odometry]),
            },
            "commands": {
                "t": self._instants([instant for instant, _ in commands]),
                **self._twists([twist for _, twist in commands]),
            },
            "bumpers": {
                "t": self._times(robot.bumpers),
                "text": self._numbered(", ".join(sorted(one.pressed)) for one in robot.bumpers),
            },
            "sensors": {
                key: self._sensor(sensors()[key], readings)
                for key, readings in robot.more.items()
                if sensors()[key].quantities or sensors()[key].shown is not None
            },
        }

    def _sensor(self, sensor: Sensor, readings: Sequence[Stamped]) -> dict[str, Any]:
        """Pack the numbers of a sensor, their units, and what it shows next to the robot, if it does."""
        readings = readings[thinned(len(readings), _MOST_POINTS)]
        columns = {
            name: self._columns.add([quantity.value(one) for one in readings], quantity.step)
            for name, quantity in sensor.quantities.items()
        }
        columns["t"] = self._times(readings)
        if sensor.shown is not None:
            columns["shown"] = self._numbered(sensor.shown(one) for one in readings)
        return {"units": {name: quantity.unit for name, quantity in sensor.quantities.items()}, "columns": columns}

    def _track(self, track: Track) -> dict[str, Column]:
        coordinates = {
            name: self._columns.add(track.pose[:, axis], _MILLI) for axis, name in enumerate(("x", "y", "yaw"))
        }
        return {"t": self._instants(track.time), **coordinates}

    def _ticks(self, ticks: Sequence[Tick]) -> dict[str, Column]:
        asked = [tick.command or Twist2D(math.nan, math.nan) for tick in ticks]
        return {
            "t": self._instants([tick.now for tick in ticks]),
            "active": self._numbered(tick.active for tick in ticks),
            "reasons": self._numbered(", ".join(tick.reasons) for tick in ticks),
            "fault": self._numbered(tick.fault or "" for tick in ticks),
            **{f"asked_{name}": column for name, column in self._twists(asked).items()},
            **{f"driven_{name}": column for name, column in self._twists([tick.twist for tick in ticks]).items()},
            **self._tracking(ticks),
        }

    def _tracking(self, ticks: Sequence[Tick]) -> dict[str, Column]:
        """Pack the errors of the chase in half images, positive to the right; NaN where there is none."""
        names = ("raw", "filtered", "predicted", "deadband")
        table = np.full((len(ticks), len(names)), math.nan)
        for number, tick in enumerate(ticks):
            if tick.tracking is not None:
                half = tick.tracking.image_width / 2.0
                pixels = (tick.tracking.raw_px, tick.tracking.filtered_px, tick.tracking.predicted_px)
                table[number] = (*((px - half) / half for px in pixels), tick.tracking.deadband)
        packed = {name: self._columns.add(table[:, number], _MILLI) for number, name in enumerate(names)}
        states = (tick.tracking.state if tick.tracking is not None else "" for tick in ticks)
        return packed | {"state": self._numbered(states)}

    def _detections(self, images: Sequence[Detections] | Sequence[Circles], look: CameraModel) -> dict[str, Column]:
        """Pack images and, one after the other, what is seen in them; a range that is not known is NaN."""
        images = images[thinned(len(images), _MOST_POINTS)]
        sights = [sights_in(image, look) for image in images]
        boxes = [sight for seen in sights for sight in seen]
        return {
            "t": self._times(images),
            "measured": self._instants([measured_at(image) for image in images]),
            "count": self._columns.add([len(seen) for seen in sights]),
            "label": self._numbered(box.label for box in boxes),
            "confidence": self._columns.add([box.confidence for box in boxes], 0.01),
            "bearing": self._columns.add([box.bearing for box in boxes], _MILLI),
            "range": self._columns.add([math.nan if box.distance is None else box.distance for box in boxes], 0.01),
        }

    def _scans(self, scans: Sequence[LaserScan]) -> dict[str, Column]:
        """Pack scans and, one after the other, their beams; a beam of zero steps had no return."""
        scans = scans[thinned(len(scans), _MOST_SCANS)]
        every = [max(1, -(-len(scan.ranges) // _MOST_BEAMS)) for scan in scans]
        beams = [_ranges(scan)[::stride] for scan, stride in zip(scans, every, strict=True)]
        return {
            "t": self._times(scans),
            "measured": self._instants([measured_at(scan) for scan in scans]),
            "count": self._columns.add([len(part) for part in beams]),
            "angle": self._columns.add([scan.mount.yaw + scan.angle_min for scan in scans], 1e-4),
            "turn": self._columns.add(
                [scan.angle_increment * stride for scan, stride in zip(scans, every, strict=True)], 1e-6
            ),
            "x": self._columns.add([scan.mount.x for scan in scans], _MILLI),
            "y": self._columns.add([scan.mount.y for scan in scans], _MILLI),
            "range": self._columns.add(np.concatenate([*beams, np.empty(0)]), _RANGE_STEP),
        }

    def _twists(self, twists: Sequence[Twist2D]) -> dict[str, Column]:
        return {
            "linear": self._columns.add([twist.linear for twist in twists], _MILLI),
            "angular": self._columns.add([twist.angular for twist in twists], _MILLI),
        }

    def _numbered(self, texts: Iterable[str]) -> Column:
        return self._columns.add([self._texts.number(text) for text in texts])

    def _times(self, things: Sequence[Stamped]) -> Column:
        return self._instants([thing.arrival for thing in things])

    def _instants(self, instants: ArrayLike) -> Column:
        """Pack instants (ns) as milliseconds since the start."""
        return self._columns.add((np.asarray(instants, dtype=np.int64) - self._start) / MILLISECOND)


def _thin(track: Track) -> Track:
    kept = thinned(len(track.time), _MOST_POINTS)
    return Track(track.source, track.time[kept], track.pose[kept])


def _ranges(scan: LaserScan) -> NDArray[np.float64]:
    """Return a scan's ranges, 0 where there was no return."""
    ranges = np.asarray(scan.ranges, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        valid = np.isfinite(ranges) & (ranges > 0.0) & (ranges >= scan.range_min) & (ranges < scan.range_max)
    return np.where(valid, ranges, 0.0)
