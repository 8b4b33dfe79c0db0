"""The poses of robots for rules on ROS: of the simulated arena, of ceiling cameras, or of the robots' localisation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from geometry_msgs.msg import PoseWithCovarianceStamped
from nav_msgs.msg import Odometry

from arena_trees.nodes.adapters.timelines import Timeline, nanoseconds
from arena_trees.nodes.adapters.transforms import PoseListener
from arena_trees.nodes.runtime.qos import SENSOR
from arena_trees.perception.checks import checked_pose
from arena_trees.perception.parameters import PerceptionParameters
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.percepts import PoseEstimate
from arena_trees.robot.ros_messages import layout
from arena_trees.robot.ros_messages.layout import CEILING_TOPIC
from arena_trees.robot.sensor import RefusedReadingError

__all__ = ["PoseSource", "Source", "known_pose", "pose_sources"]

Source = Literal["ground_truth", "tf", "ceiling"]
"""Where poses come from: the arena's truth, each robot's own localisation, or cameras on the ceiling."""

PoseSource = Callable[[], PoseEstimate | None]
"""Returns a robot's newest pose, map frame."""

_LIMITS = PerceptionParameters()


def known_pose(estimate: PoseEstimate | None, now: int, timeout: int) -> Pose2D | None:
    """Return the pose of an estimate, or None where there is none, it is too old, or no robot can be there.

    Args:
        estimate: newest one
        now: ns
        timeout: age above which it is not used, ns
    """
    if estimate is None or estimate.age(now) > timeout:
        return None
    try:
        return checked_pose(estimate, _LIMITS).pose
    except RefusedReadingError:
        return None


def pose_sources(node: Any, timeline: Timeline, robots: Sequence[str], source: Source) -> dict[str, PoseSource]:
    """Subscribe to each robot's pose, and return the sources by name.

    Topics, for each robot:
        * ``/<robot>/ground_truth`` (nav_msgs/Odometry, best effort, keep last 1) in the map frame, or
        * ``/<robot>/tf`` and ``/<robot>/tf_static`` (tf2_msgs/TFMessage), or
        * ``/<robot>/ceiling/pose`` (geometry_msgs/PoseWithCovarianceStamped, best effort, keep last 1) in the map frame
    """
    if source == "tf":
        return {robot: PoseListener(node, timeline, topic=f"/{robot}/tf").pose for robot in robots}
    kind, topic = _MESSAGES[source]
    return {robot: _Newest(node, timeline, kind, f"/{robot}/{topic}").pose for robot in robots}


_MESSAGES = {"ground_truth": (Odometry, "ground_truth"), "ceiling": (PoseWithCovarianceStamped, CEILING_TOPIC)}


class _Newest:
    """The newest message that has a robot's pose."""

    def __init__(self, node: Any, timeline: Timeline, kind: Any, topic: str) -> None:
        self._timeline = timeline
        self._newest: PoseEstimate | None = None
        node.create_subscription(kind, topic, self._on_pose, SENSOR)

    def pose(self) -> PoseEstimate | None:
        """Return the newest pose."""
        return self._newest

    def _on_pose(self, message: Any) -> None:
        sequence = 1 if self._newest is None else self._newest.sequence + 1
        times = (*self._timeline.received(nanoseconds(message.header.stamp)), sequence)
        self._newest = PoseEstimate(*times, layout.pose(message))
