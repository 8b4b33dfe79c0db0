"""The geofence supervisor: classifies ten times a second where a robot is with respect to its fence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.percepts import FenceStatus, GeofenceReport, PoseEstimate
from arena_trees.safety.fence_status import FenceParameters, classify, warning_band
from arena_trees.world.geofence import Geofence

__all__ = ["GeofenceSupervisor", "detail"]


class GeofenceSupervisor:
    """Classifies each zone for itself, as the source system's supervisor does.

    One zone is the robot's own, the others are those of other robots. A zone whose robot's pose never comes
    is UNKNOWN.

    Attributes:
        reports: newest report of each zone, by name; empty before the first update
        zone: name of the robot's own zone

    Args:
        own: the robot's own polygon
        others: further polygons, with other names
        parameters: when to warn

    Raises:
        ValueError: two zones have one name
    """

    def __init__(
        self, own: Geofence, others: Sequence[Geofence] = (), parameters: FenceParameters | None = None
    ) -> None:
        self._fences = {fence.name: fence for fence in (own, *others)}
        if len(self._fences) != 1 + len(others):
            raise ValueError(f"zones need different names, not {[fence.name for fence in (own, *others)]}")
        self.parameters = parameters if parameters is not None else FenceParameters()
        self.zone = own.name
        self.reports: Mapping[str, GeofenceReport] = {}
        self._due: int | None = None
        self._last = 0

    def update(
        self,
        now: int,
        pose: PoseEstimate | None,
        speed: float = 0.0,
        others: Mapping[str, PoseEstimate | None] | None = None,
    ) -> GeofenceReport:
        """Return the report on the robot's own zone; a new one if a new one is due.

        Args:
            now: the robot's clock, ns; where it goes back a new report is made at once
            pose: the robot's pose in the map frame
            speed: the robot's present speed, m/s, by which the warning band may widen
            others: poses in the other zones, by zone
        """
        period = round(SECOND / self.parameters.rate)
        if self._due is None or now >= self._due or now < self._last:
            poses = {**(others or {}), self.zone: pose}
            self.reports = {
                zone: self._judge(now, fence, poses.get(zone), speed if zone == self.zone else 0.0)
                for zone, fence in self._fences.items()
            }
            on_time = self._due is not None and self._due <= now < self._due + period
            self._due = (self._due if on_time and self._due is not None else now) + period
        self._last = now
        return self.reports[self.zone]

    def _judge(self, now: int, fence: Geofence, pose: PoseEstimate | None, speed: float) -> GeofenceReport:
        before = self.reports.get(fence.name)
        band = warning_band(self.parameters, speed)
        stamp, distance = now, -math.inf
        x = y = math.nan
        if pose is not None and pose.age(now) <= from_seconds(self.parameters.pose_timeout):
            x, y = pose.pose.x, pose.pose.y
            stamp = min(pose.stamp, now)
            distance = fence.signed_distance(x, y)
        previous = FenceStatus.UNKNOWN if before is None else before.status
        return GeofenceReport(
            stamp=stamp,
            arrival=now,
            sequence=1 if before is None else before.sequence + 1,
            zone=fence.name,
            status=classify(previous, distance, band, self.parameters.hysteresis),
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
