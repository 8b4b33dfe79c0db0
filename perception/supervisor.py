"""The geofence supervisor: classifies ten times a second where a robot is with respect to its fence."""

from __future__ import annotations

import math

from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.percepts import FenceStatus, GeofenceReport, PoseEstimate
from arena_trees.safety.fence_status import FenceParameters, classify, warning_band
from arena_trees.world.geofence import Geofence

__all__ = ["GeofenceSupervisor", "detail"]


class GeofenceSupervisor:
    """Classifies where a robot is with respect to its fence, as the source system's supervisor does.

    Args:
        fence: the robot's polygon
        parameters: when to warn
    """

    def __init__(self, fence: Geofence, parameters: FenceParameters | None = None) -> None:
        self._fence = fence
        self._parameters = parameters if parameters is not None else FenceParameters()
        self._report: GeofenceReport | None = None
        self._due: int | None = None
        self._last = 0

    def update(self, now: int, pose: PoseEstimate | None, speed: float = 0.0) -> GeofenceReport:
        """Return the newest report; a new one if one is due.

        Args:
            now: the robot's clock, ns; where it goes back a new report is made at once
            pose: the robot's pose in the map frame
            speed: the robot's present speed, m/s, by which the warning band may widen
        """
        period = round(SECOND / self._parameters.rate)
        if self._report is None or self._due is None or now >= self._due or now < self._last:
            self._report = self._judge(now, pose, speed)
            on_time = self._due is not None and self._due <= now < self._due + period
            self._due = (self._due if on_time and self._due is not None else now) + period
        self._last = now
        return self._report

    def _judge(self, now: int, pose: PoseEstimate | None, speed: float) -> GeofenceReport:
        before, fence = self._report, self._fence
        band = warning_band(self._parameters, speed)
        stamp, distance = now, -math.inf
        x = y = math.nan
        if pose is not None and pose.age(now) <= from_seconds(self._parameters.pose_timeout):
            x, y = pose.pose.x, pose.pose.y
            stamp = min(pose.stamp, now)
            distance = fence.signed_distance(x, y)
        previous = FenceStatus.UNKNOWN if before is None else before.status
        return GeofenceReport(
            stamp=stamp,
            arrival=now,
            sequence=1 if before is None else before.sequence + 1,
            zone=fence.name,
            status=classify(previous, distance, band, self._parameters.hysteresis),
            distance=distance,
            warning_distance=band,
            way_inside=fence.way_inside(x, y),
            centroid=fence.centroid,
        )


def detail(report: GeofenceReport) -> str:
    """Return a report as ``key=value`` words, as the source system's detail topic has them."""
    way_x, way_y = report.way_inside
    return (
        f"status={report.status.value} dist={report.distance:.2f} zone={report.zone} "
        f"warning_distance={report.warning_distance:.2f} way_x={way_x:.2f} way_y={way_y:.2f} "
        f"centroid_x={report.centroid[0]:.2f} centroid_y={report.centroid[1]:.2f}"
    )
