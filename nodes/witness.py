"""What the referee knows of the robots on ROS: where they are, and which side of their fences that is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from nav_msgs.msg import Odometry

from arena_trees.nodes.qos import SENSOR
from arena_trees.nodes.timelines import Timeline, nanoseconds
from arena_trees.nodes.transforms import PoseListener
from arena_trees.perception.checks import RefusedReadingError, checked_pose
from arena_trees.perception.parameters import PerceptionParameters
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.percepts import PoseEstimate
from arena_trees.robot.ros_messages import layout
from arena_trees.world.geofence import Geofence

__all__ = ["PoseWitness", "Source", "known_pose", "pose_sources"]

Source = Literal["ground_truth", "tf"]
"""Where poses come from: the arena's truth, or each robot's own localisation."""

PoseSource = Callable[[], PoseEstimate | None]
"""Returns a robot's newest pose, map frame."""

_LIMITS = PerceptionParameters()


class PoseWitness:
    """Judges by poses in the map frame; implements :class:`~arena_trees.games.wolf_rabbit.referee.Witness`.

    A robot that has not been seen for a while is at no distance from anybody, so that no claim is
    accepted; it counts as inside or outside as it was when it was seen last, and as inside before.

    Args:
        sources: robot to its pose
        wolf_fence: the wolf's territory
        rabbit_fence: the rabbit's own
        timeline: the referee's clock
        timeout: age (s) above which a pose says nothing
    """

    def __init__(
        self,
        sources: Mapping[str, PoseSource],
        wolf_fence: Geofence,
        rabbit_fence: Geofence,
        timeline: Timeline,
        timeout: float,
    ) -> None:
        self._sources = sources
        self._wolf_fence = wolf_fence
        self._rabbit_fence = rabbit_fence
        self._timeline = timeline
        self._timeout = from_seconds(timeout)
        self._seen: dict[str, Pose2D] = {}

    def pose(self, robot: str) -> Pose2D | None:
        """Return where a robot is now, or None where that is not known."""
        pose = known_pose(self._sources[robot](), self._timeline.now(), self._timeout)
        if pose is not None:
            self._seen[robot] = pose
        return pose

    def missing(self) -> list[str]:
        """Return the robots whose poses are not known now."""
        return [robot for robot in self._sources if self.pose(robot) is None]

    def distance(self, wolf: str, rabbit: str) -> float:
        """Return the distance between two robots' centres, m; NaN where it is not known."""
        one, other = self.pose(wolf), self.pose(rabbit)
        return math.nan if one is None or other is None else one.distance_to(other.x, other.y)

    def inside_wolf_territory(self, rabbit: str) -> bool:
        """Return whether the rabbit's centre is inside the wolf's fence."""
        return self._inside(rabbit, self._wolf_fence)

    def inside_own_fence(self, rabbit: str) -> bool:
        """Return whether the rabbit's centre is inside its own fence."""
        return self._inside(rabbit, self._rabbit_fence)

    def _inside(self, robot: str, fence: Geofence) -> bool:
        pose = self.pose(robot) or self._seen.get(robot)
        return pose is None or fence.inside(pose.x, pose.y)


def known_pose(estimate: PoseEstimate | None, now: int, timeout: int) -> Pose2D | None:
    """Return the pose of an estimate, or None where there is none, it is too old, or no robot can be there.

    Args:
        estimate: newest one
        now: ns
        timeout: age above which it says nothing, ns
    """
    if estimate is None or estimate.age(now) > timeout:
        return None
    try:
        return checked_pose(estimate, _LIMITS).pose
    except RefusedReadingError:
        return None


def pose_sources(node: Any, timeline: Timeline, robots: Sequence[str], source: Source) -> dict[str, PoseSource]:
    """Return what tells each robot's pose, listening from now on.

    Topics, for each robot:
        * ``/<robot>/ground_truth`` (nav_msgs/Odometry, best effort, keep last 1) in the map frame, or
        * ``/<robot>/tf`` and ``/<robot>/tf_static`` (tf2_msgs/TFMessage)
    """
    if source == "tf":
        return {robot: PoseListener(node, timeline, topic=f"/{robot}/tf").pose for robot in robots}
    return {robot: _Truth(node, timeline, robot).pose for robot in robots}


class _Truth:
    """The newest message of a robot's true pose."""

    def __init__(self, node: Any, timeline: Timeline, robot: str) -> None:
        self._timeline = timeline
        self._newest: PoseEstimate | None = None
        node.create_subscription(Odometry, f"/{robot}/ground_truth", self._hear, SENSOR)

    def pose(self) -> PoseEstimate | None:
        """Return the newest pose."""
        return self._newest

    def _hear(self, message: Any) -> None:
        sequence = 1 if self._newest is None else self._newest.sequence + 1
        times = (*self._timeline.received(nanoseconds(message.header.stamp)), sequence)
        self._newest = PoseEstimate(*times, layout.pose(message))
