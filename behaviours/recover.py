"""Recover from a breach of the fence: align with the way inside, drive there."""

from __future__ import annotations

import math

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.behaviours.parameters import RoamParameters
from arena_trees.control.heading import turn_rate
from arena_trees.control.steering import clear_heading
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.percepts import FenceStatus, GeofenceReport, PoseEstimate
from arena_trees.robot.scan import Scan

__all__ = ["AlignInward", "DriveInward"]

_REALIGN = math.radians(60.0)
"""While driving, a bearing beyond this is turned to on the spot."""


class _Inward(ActionBehaviour):
    """What aligning and driving share: where the way inside is.

    With ``to_centroid`` the way leads to the polygon's centroid, as the source system has it; otherwise to the
    nearest point that is safely inside.
    """

    reads: tuple[str, ...] = (keys.GEOFENCE, keys.POSE)

    def __init__(self, name: str, robot: str, live: Live[RoamParameters], *, to_centroid: bool) -> None:
        super().__init__(name, robot, self.reads)
        self.live = live
        self.to_centroid = to_centroid

    def bearing(self) -> float | None:
        """Return the bearing of the way inside, rad, or None without a pose."""
        report: GeofenceReport | None = self.percepts.geofence
        pose: PoseEstimate | None = self.percepts.pose
        if report is None or pose is None:
            self.feedback_message = "waiting for a pose"
            return None
        goal = report.centroid if self.to_centroid else report.way_inside
        return pose.pose.bearing_to(*goal)


class AlignInward(_Inward):
    """Turn towards the way inside. RUNNING until aligned, then SUCCESS.

    Blackboard Variables:
        * geofence (GeofenceReport) [r], pose (PoseEstimate) [r]
        * command [w]
        * cues [w]: BREACH when it begins
    """

    def initialise(self) -> None:
        """Show the breach."""
        self.show("BREACH")

    def update(self) -> Status:
        """Turn towards the way inside; RUNNING until aligned, then SUCCESS."""
        bearing = self.bearing()
        parameters = self.live.value
        if bearing is None:
            return Status.RUNNING
        if abs(bearing) < parameters.breach_align_tolerance:
            return Status.SUCCESS
        self.drive(0.0, turn_rate(bearing, parameters.breach_align_gain, parameters.max_angular_speed))
        return Status.RUNNING


class DriveInward(_Inward):
    """Drive the way inside until the fence reports SAFE or WARNING. RUNNING until then, then SUCCESS.

    Blackboard Variables:
        * geofence (GeofenceReport) [r], pose (PoseEstimate) [r]
        * scan (Scan) [r]: what stands in the way is driven round
        * command [w]
    """

    reads = (*_Inward.reads, keys.SCAN)

    def update(self) -> Status:
        """Drive the way inside, round obstacles; RUNNING until the fence reports SAFE or WARNING, then SUCCESS."""
        bearing = self.bearing()
        parameters = self.live.value
        if bearing is None:
            return Status.RUNNING
        if self.percepts.geofence.status in (FenceStatus.SAFE, FenceStatus.WARNING):
            return Status.SUCCESS
        scan: Scan | None = self.percepts.scan
        if not self.to_centroid and scan is not None:
            heading = clear_heading(scan, bearing, 0.4, 0.20)
            bearing = bearing if heading is None else heading
        angular = turn_rate(bearing, parameters.breach_align_gain, parameters.max_angular_speed)
        self.drive(parameters.breach_drive_speed if abs(bearing) < _REALIGN else 0.0, angular)
        return Status.RUNNING
