"""Where the robot is, and where its sensors are mounted, from tf."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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
"""Depth of both subscriptions, as in tf2_ros."""

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


@dataclass(frozen=True, slots=True)
class _Way:
    """The links from one frame up to a frame above it, and from there down to another one, each lowest first."""

    up: list[_Link]
    down: list[_Link]

    @property
    def links(self) -> list[_Link]:
        return self.up + self.down

    def matrix(self) -> Matrix:
        """Return the transform of the whole way."""
        rise = _product(self.up)
        return np.linalg.inv(_product(self.down)) @ rise if self.down else rise


class PoseListener:
    """Knows the pose of the robot in the map, and of sensor frames in base_link.

    It keeps the newest transform of each frame. tf2_ros is not used: it is not on PyPI, in Python it knows no other
    topic than ``/tf``, and it does not report when a transform came. Without tf2_msgs there is no pose, which is logged
    once.

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
        self._timeline = timeline
        self._newest: dict[str, _Link] = {}
        self._known: tuple[tuple[int, int], ...] = ()
        self._came = 0
        self._pose: PoseEstimate | None = None
        self._mounts: dict[str, Pose2D] = {}
        self._warned: set[str] = set()
        message_type = optional_type(node, "tf2_msgs", "msg", "TFMessage", "pose and sensor mounts")
        if message_type is not None:
            latched = QoSProfile(depth=_DEPTH, durability=DurabilityPolicy.TRANSIENT_LOCAL)
            node.create_subscription(message_type, topic, self._listener(static=False), QoSProfile(depth=_DEPTH))
            node.create_subscription(message_type, f"{topic}_static", self._listener(static=True), latched)

    def pose(self) -> PoseEstimate | None:
        """Return the newest pose of base_link in the map.

        Its stamp and arrival are the oldest of the links between, static links left out: a
        pose is as old as the oldest of what it is made of. Its number grows by the transforms that have come since the
        last one, by which a recording finds the pose that somebody had. None where a link is missing.
        """
        map_frame, odom_frame, base_frame = self._frames
        above, below = self._way(map_frame, odom_frame), self._way(odom_frame, base_frame)
        if above is None or below is None:
            return None
        links = below.links + above.links
        known = tuple((link.count, link.arrival) for link in links)
        if known != self._known:
            self._known = known
            moving = [link for link in links if not link.static]
            stamp = min((link.stamp for link in moving), default=self._timeline.now())
            arrival = min((link.arrival for link in moving), default=stamp)
            came = sum(link.count for link in moving)
            # Where the way has changed, its links may have fewer.
            sequence = 1 if self._pose is None else self._pose.sequence + max(1, came - self._came)
            self._came = came
            self._pose = PoseEstimate(stamp, arrival, sequence, _planar(above.matrix() @ below.matrix()))
        return self._pose

    def mount(self, frame: str) -> Pose2D | None:
        """Return the pose of a sensor frame in base_link, or None where it is unknown or not upright."""
        frame = frame.lstrip("/")
        base = self._frames[2]
        if frame == base:
            return Pose2D()
        if frame in self._mounts:
            return self._mounts[frame]
        way = self._way(base, frame)
        if way is None:
            self._warn(frame, f"no transform from {base} to {frame}")
            return None
        matrix = way.matrix()
        if not matrix[2, 2] >= UPRIGHT:
            self._warn(frame, f"{frame} is not mounted upright on {base}")
            return None
        mount = _planar(matrix)
        if all(link.static for link in way.links):
            self._mounts[frame] = mount
        return mount

    def _warn(self, frame: str, reason: str) -> None:
        if frame not in self._warned:
            self._warned.add(frame)
            self._logger.warning(f"{reason}: what is measured in it is not used until that changes")

    def _way(self, target: str, source: str) -> _Way | None:
        """Return the way from the source frame to the target frame, over the lowest frame that is above both."""
        up, down = self._above(source), self._above(target)
        common = next((frame for frame in up if frame in down), None)
        return None if common is None else _Way(up[common], down[common])

    def _above(self, frame: str) -> dict[str, list[_Link]]:
        """Return the frame and all above it, lowest first, and the links that lead to each."""
        links: list[_Link] = []
        above = {frame: links}
        while (link := self._newest.get(frame)) is not None and link.parent not in above:
            links = [*links, link]
            frame = link.parent
            above[frame] = links
        return above

    def _listener(self, static: bool) -> Callable[[Any], None]:
        def take(message: Any) -> None:
            for transform in message.transforms:
                matrix = _matrix(transform.transform)
                if not np.isfinite(matrix).all():
                    continue  # As tf2 does: what was known before grows old.
                stamp, arrival = self._timeline.received(nanoseconds(transform.header.stamp))
                child, parent = transform.child_frame_id.lstrip("/"), transform.header.frame_id.lstrip("/")
                before = self._newest.get(child)
                count = 1 if before is None else before.count + 1
                self._newest[child] = _Link(parent, matrix, stamp, arrival, count, static)

        return take


def _product(links: list[_Link]) -> Matrix:
    """Return the transform from the lowest frame up to the highest."""
    product = np.eye(4)
    for link in links:
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
