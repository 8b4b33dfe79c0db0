"""A robot's sensors on ROS: the newest message of each, as readings."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from nav_msgs.msg import Odometry
from sensor_msgs.msg import LaserScan

from arena_trees.nodes.adapters.timelines import Timeline, nanoseconds
from arena_trees.nodes.adapters.transforms import PoseListener
from arena_trees.nodes.runtime.optional_types import optional_type
from arena_trees.nodes.runtime.qos import SENSOR
from arena_trees.robot import keys
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.percepts import Readings, Stamped
from arena_trees.robot.ros_messages import layout
from arena_trees.robot.ros_messages.layout import Times
from arena_trees.robot.sensor import RefusedReadingError, RosTopic
from arena_trees.robot.sensor_registry import sensors
from arena_trees.world.body import TURTLEBOT4, Body

__all__ = ["BASIC_SENSORS", "GATE_SENSORS", "Sensors", "carried_sensors", "wanted_sensors"]

BASIC_SENSORS = frozenset((keys.ODOMETRY, keys.POSE, keys.BUMPERS))
"""Sensors of every robot."""
GATE_SENSORS = frozenset((keys.SCAN, "ranges"))
"""Sensors that a body may carry and a velocity gate reads."""


def wanted_sensors(body: Body, wants: Iterable[str]) -> frozenset[str]:
    """Return the names of the sensors that a robot of a body has, with those that its role wants."""
    by_role = {key for key, sensor in sensors().items() if sensor.by_role and sensor.carried(body)}
    return BASIC_SENSORS | carried_sensors(body) | (by_role & frozenset(wants))


def carried_sensors(body: Body) -> frozenset[str]:
    """Return the names of the sensors that a body carries or does not."""
    carried = {keys.SCAN: body.lidar}
    more = {key: sensor.carried(body) for key, sensor in sensors().items() if not sensor.by_role}
    return frozenset(name for name, there in (carried | more).items() if there)


class Sensors:
    """Subscribes to a robot's sensors and hands over the newest message of each.

    Every subscription is best effort, keep last 1, which receives from reliable publishers too.

    Topics, each subscribed only where its name is wanted:
        * ``scan`` (sensor_msgs/LaserScan): ``scan``; needs the transform to its frame
        * ``odom`` (nav_msgs/Odometry): ``odometry``
        * ``/tf``, ``/tf_static`` (tf2_msgs/TFMessage): ``pose``
        * ``hazard_detection`` (irobot_create_msgs/HazardDetectionVector): ``bumpers``
        * those of each :class:`~arena_trees.robot.sensor.Sensor`, by its :class:`~arena_trees.robot.sensor.Transport`

    Attributes:
        dropped: how many messages could not be used, by sensor and reason

    Args:
        node: the node
        timeline: that readings are stamped on
        wants: names of the sensors
        poses: the robot's pose and mounts; one with the usual frames where None
        body: of the robot
    """

    def __init__(
        self,
        node: Any,
        timeline: Timeline,
        wants: frozenset[str],
        poses: PoseListener | None = None,
        body: Body = TURTLEBOT4,
    ) -> None:
        self.dropped: Counter[str] = Counter()
        self._timeline = timeline
        self._wants = wants
        self._lock = threading.Lock()
        self._newest: dict[str, Any] = {}
        self._sequences: Counter[str] = Counter()
        topics = {name: sensor.ros.topics(body) for name, sensor in sensors().items() if name in wants}
        mounted = any(topic.mounted for several in topics.values() for topic in several)
        if poses is None and (mounted or wants & {keys.SCAN, keys.POSE}):
            poses = PoseListener(node, timeline)
        self._poses = poses
        if keys.SCAN in wants:
            node.create_subscription(LaserScan, "scan", self._on_scan, SENSOR)
        if keys.ODOMETRY in wants:
            node.create_subscription(Odometry, "odom", self._callback(keys.ODOMETRY, layout.odometry), SENSOR)
        for name, several in topics.items():
            self._subscribe(node, name, several, sensors()[name].ros.joiner(body))
        if keys.BUMPERS in wants:
            hazards = optional_type(node, "irobot_create_msgs", "msg", "HazardDetectionVector", "bumpers")
            if hazards is not None:
                callback = self._callback(keys.BUMPERS, layout.bumpers)
                node.create_subscription(hazards, "hazard_detection", callback, SENSOR)

    def read(self) -> Readings:
        """Return the newest reading of each sensor, None where none has come. Never blocks."""
        pose = self._poses.pose() if self._poses is not None and keys.POSE in self._wants else None
        with self._lock:
            newest = dict(self._newest)
        # The clock is read last, so that nothing in the snapshot comes from its future.
        more = {name: newest.pop(name) for name in sensors() if name in newest}
        return Readings(self._timeline.now(), pose=pose, **newest, more=more)

    def _callback(self, name: str, make: Callable[[Any, Times], Stamped]) -> Callable[[Any], None]:
        def keep(message: Any) -> None:
            self._keep(name, make(message, self._times(name, message)))

        return keep

    def _subscribe(
        self, node: Any, name: str, topics: Sequence[RosTopic], join: Callable[[Any], Stamped | None]
    ) -> None:
        """Subscribe to the topics of a sensor."""

        def take(topic: RosTopic, message: Any) -> None:
            mount = self._mount(name, message) if topic.mounted else None
            if topic.mounted and mount is None:
                return
            try:
                times = self._times(topic.topic, message, topic.stamp)
                part = topic.reading(message, times, mount) if topic.mounted else topic.reading(message, times)
            except RefusedReadingError as error:
                self.dropped[f"{name}: {error}"] += 1
                return
            # Callbacks may run at once; what is joined is one.
            with self._lock:
                reading = join(part)
                if reading is not None:
                    self._newest[name] = reading

        for topic in topics:
            found = optional_type(node, topic.package, "msg", topic.message, name)
            if found is not None:
                node.create_subscription(found, topic.topic, partial(take, topic), SENSOR)

    def _mount(self, name: str, message: Any) -> Pose2D | None:
        """Return where the frame of a message is in base_link; count the message as dropped where that is unknown."""
        mount = None if self._poses is None else self._poses.mount(message.header.frame_id)
        if mount is None:
            self.dropped[f"{name}: no transform to its frame"] += 1
        return mount

    def _on_scan(self, message: Any) -> None:
        mount = self._mount(keys.SCAN, message)
        if mount is not None:
            self._keep(keys.SCAN, layout.laser_scan(message, self._times(keys.SCAN, message), mount))

    def _times(self, name: str, message: Any, stamp_of: Callable[[Any], int] | None = None) -> Times:
        self._sequences[name] += 1
        measured = nanoseconds(message.header.stamp) if stamp_of is None else stamp_of(message)
        stamp, arrival = self._timeline.received(measured)
        return stamp, arrival, self._sequences[name]

    def _keep(self, name: str, reading: Stamped) -> None:
        with self._lock:
            self._newest[name] = reading
