"""Where the robot is, and where its sensors are mounted, from tf."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from rclpy.qos import DurabilityPolicy, QoSProfile

from arena_trees.nodes.adapters.timelines import Timeline, nanoseconds
from arena_trees.nodes.runtime.optional_types import optional_type
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.percepts import PoseEstimate
from arena_trees.robot.ros_messages.quaternions import UPRIGHT, yaw

__all__ = ["PoseListener"]

_TOPIC = "/tf"

_DEPTH = 100
"""Of both subscriptions, as tf2_ros has it."""

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Link:
    """A transform between two frames.

    Attributes:
        parent: name of the frame it is given in
        matrix: homogeneous, shape (4, 4)
        stamp: ns of the timeline
        arrival: ns of the timeline
        count: how many messages have had it
        static: does not age
    """

    parent: str
    matrix: Matrix
    stamp: int
    arrival: int
    count: int
    static: bool


class _Links(Protocol):
    """A store of transforms."""

    def path(self, target: str, source: str) -> list[_Link] | None:
        """Return the links that lead from the source frame up to the target frame, or None where they are missing."""
        ...


class PoseListener:
    """Knows the pose of the robot in the map, and of sensor frames in base_link.

    Uses tf2_ros where it is installed, and its own small listener where only tf2_msgs is. Without
    either there is no pose, which is logged once.

    Topics:
        * ``/tf`` (tf2_msgs/TFMessage, reliable, keep last 100) [subscribed]; launch remaps it to ``tf``
        * ``/tf_static`` (the same, transient local) [subscribed]; launch remaps it to ``tf_static``

    Args:
        node: the node
        timeline: that stamps and arrivals are given on
        map_frame: fixed frame
        odom_frame: frame of dead reckoning
        base_frame: the robot
        topic: another one for another robot's transforms, such as ``/<robot>/tf``
    """

    def __init__(
        self,
        node: Any,
        timeline: Timeline,
        map_frame: str = "map",
        odom_frame: str = "odom",
        base_frame: str = "base_link",
        topic: str = _TOPIC,
    ) -> None:
        self._frames = (map_frame, odom_frame, base_frame)
        self._logger = node.get_logger()
        self._links = _links(node, timeline, topic)
        self._timeline = timeline
        self._known: tuple[tuple[int, int], ...] = ()
        self._pose: PoseEstimate | None = None
        self._mounts: dict[str, Pose2D] = {}
        self._reported: set[str] = set()

    def pose(self) -> PoseEstimate | None:
        """Return the newest pose of base_link in the map.

        Its stamp and arrival are the oldest of the links between, static links left out: a
        pose is as old as the oldest of what it is made of. None where a link is missing.
        """
        map_frame, odom_frame, base_frame = self._frames
        if self._links is None:
            return None
        above, below = self._links.path(map_frame, odom_frame), self._links.path(odom_frame, base_frame)
        if above is None or below is None:
            return None
        path = below + above
        known = tuple((link.count, link.arrival) for link in path)
        if known != self._known:
            self._known = known
            moving = [link for link in path if not link.static]
            stamp = min((link.stamp for link in moving), default=self._timeline.now())
            arrival = min((link.arrival for link in moving), default=stamp)
            sequence = 1 if self._pose is None else self._pose.sequence + 1
            self._pose = PoseEstimate(stamp, arrival, sequence, _planar(_product(path)))
        return self._pose

    def mount(self, frame: str) -> Pose2D | None:
        """Return the pose of a sensor frame in base_link, or None where it is unknown or not upright."""
        frame = frame.lstrip("/")
        base = self._frames[2]
        if frame == base:
            return Pose2D()
        if frame in self._mounts:
            return self._mounts[frame]
        path = None if self._links is None else self._links.path(base, frame)
        if path is None:
            self._tell(frame, f"no transform from {base} to {frame}")
            return None
        matrix = _product(path)
        if not matrix[2, 2] >= UPRIGHT:
            self._tell(frame, f"{frame} is not mounted upright on {base}")
            return None
        mount = _planar(matrix)
        if all(link.static for link in path):
            self._mounts[frame] = mount
        return mount

    def _tell(self, frame: str, reason: str) -> None:
        if frame not in self._reported:
            self._reported.add(frame)
            self._logger.warning(f"{reason}: what is measured in it is not used until that changes")


def _links(node: Any, timeline: Timeline, topic: str) -> _Links | None:
    message_type = optional_type(node, "tf2_msgs", "msg", "TFMessage", "pose and sensor mounts")
    if message_type is None:
        return None
    if topic != _TOPIC:
        # tf2_ros in Jazzy's Python knows no other topic.
        return _OwnLinks(node, timeline, message_type, topic)
    try:
        from tf2_ros import Buffer, TransformListener
    except ImportError:
        return _OwnLinks(node, timeline, message_type, topic)
    # With the node the buffer is emptied when the clock goes back.
    buffer = Buffer(node=node)
    return _BufferLinks(buffer, TransformListener(buffer, node, spin_thread=False), timeline)


class _OwnLinks:
    """The newest transform of each frame, as it came in."""

    def __init__(self, node: Any, timeline: Timeline, message_type: Any, topic: str) -> None:
        self._timeline = timeline
        self._newest: dict[str, _Link] = {}
        latched = QoSProfile(depth=_DEPTH, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        node.create_subscription(message_type, topic, self._hearer(static=False), QoSProfile(depth=_DEPTH))
        node.create_subscription(message_type, f"{topic}_static", self._hearer(static=True), latched)

    def path(self, target: str, source: str) -> list[_Link] | None:
        """Return the links from the source up to the target."""
        path: list[_Link] = []
        for _ in range(len(self._newest) + 1):
            if source == target:
                return path
            link = self._newest.get(source)
            if link is None:
                return None
            path.append(link)
            source = link.parent
        return None

    def _hearer(self, static: bool) -> Callable[[Any], None]:
        def hear(message: Any) -> None:
            for transform in message.transforms:
                matrix = _matrix(transform.transform)
                if not np.isfinite(matrix).all():
                    continue  # As tf2 does: what was known before grows old.
                stamp, arrival = self._timeline.received(nanoseconds(transform.header.stamp))
                child, parent = transform.child_frame_id.lstrip("/"), transform.header.frame_id.lstrip("/")
                before = self._newest.get(child)
                count = 1 if before is None else before.count + 1
                self._newest[child] = _Link(parent, matrix, stamp, arrival, count, static)

        return hear


class _BufferLinks:
    """Transforms looked up in tf2's buffer, which does not say when they came; when they changed is taken instead."""

    def __init__(self, buffer: Any, listener: Any, timeline: Timeline) -> None:
        self._buffer = buffer
        self._listener = listener
        self._timeline = timeline
        self._newest: dict[tuple[str, str], tuple[int, _Link]] = {}

    def path(self, target: str, source: str) -> list[_Link] | None:
        """Return one link that stands for the whole chain."""
        from rclpy.time import Time
        from tf2_ros import TransformException

        try:
            transform = self._buffer.lookup_transform(target, source, Time())
        except TransformException:
            return None
        ros_stamp = nanoseconds(transform.header.stamp)
        known = self._newest.get((target, source))
        if known is not None and known[0] == ros_stamp:
            return [known[1]]
        stamp, arrival = self._timeline.received(ros_stamp)
        count = 1 if known is None else known[1].count + 1
        # A way of static transforms only has the stamp 0 in tf2.
        link = _Link(target, _matrix(transform.transform), stamp, arrival, count, ros_stamp == 0)
        self._newest[target, source] = ros_stamp, link
        return [link]


def _product(path: list[_Link]) -> Matrix:
    """Return the product of links, from the lowest frame up to the highest."""
    product = np.eye(4)
    for link in path:
        product = link.matrix @ product
    return product


def _planar(matrix: Matrix) -> Pose2D:
    return Pose2D(float(matrix[0, 3]), float(matrix[1, 3]), math.atan2(matrix[1, 0], matrix[0, 0]))


def _matrix(transform: Any) -> Matrix:
    """Return a ``geometry_msgs/Transform`` as a matrix; NaN where its quaternion is not of unit length."""
    q, t = transform.rotation, transform.translation
    x, y, z, w = q.x, q.y, q.z, q.w
    if math.isnan(yaw(q)):
        return np.full((4, 4), math.nan)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), t.x],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), t.y],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), t.z],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )
