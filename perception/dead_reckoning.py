"""Where a robot is by its odometry alone, from the place where it was put."""

from __future__ import annotations

from collections.abc import Mapping

from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.lane import LaneLines, MarkerDetections
from arena_trees.robot.percepts import Odometry, PoseEstimate
from arena_trees.robot.scan import Scan

__all__ = ["DeadReckoning"]


class DeadReckoning:
    """Composes the start with odometry: the pose in the map frame drifts as odometry does, and never jumps.

    A clock that goes back begins anew at the start.

    Args:
        start: where the robot was put, map frame

    Raises:
        ValueError: the start is not finite
    """

    def __init__(self, start: Pose2D) -> None:
        if not start.is_finite:
            raise ValueError("a start must be finite")
        self._start = start
        self._now = 0
        self._first: Pose2D | None = None
        self._newest: PoseEstimate | None = None

    @property
    def lost(self) -> bool:
        """Never: how far it has drifted, nothing tells it."""
        return False

    @property
    def pose(self) -> Pose2D:
        """The newest pose, map frame; the start before there is odometry."""
        return self._start if self._newest is None else self._newest.pose

    def report(self) -> Mapping[str, str]:
        """Return what diagnostics show of it."""
        return {"pose": str(self.pose), "source": "odometry alone"}

    def update(
        self,
        now: int,
        odometry: Odometry | None,
        scan: Scan | None = None,
        lane: LaneLines | None = None,
        markers: MarkerDetections | None = None,
    ) -> PoseEstimate | None:
        """Return the pose of base_link in the map frame at the newest odometry's stamp; None before the first.

        Args:
            now: ns
            odometry: the newest, checked
            scan: not used
            lane: not used
            markers: not used
        """
        if now < self._now:
            self._first = self._newest = None
        self._now = now
        if odometry is None or (self._newest is not None and odometry.stamp <= self._newest.stamp):
            return self._newest
        if self._first is None:
            self._first = odometry.pose
        pose = self._start.compose(self._first.relative(odometry.pose))
        self._newest = PoseEstimate(odometry.stamp, now, odometry.sequence, pose)
        return self._newest
