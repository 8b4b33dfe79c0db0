"""A robot's sensors on ROS: the newest message of each, as readings."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from nav_msgs.msg import Odometry
from sensor_msgs.msg import CameraInfo, JointState, LaserScan, Range
from std_msgs.msg import String

from arena_trees.nodes.adapters.timelines import Timeline, nanoseconds
from arena_trees.nodes.adapters.transforms import PoseListener
from arena_trees.nodes.runtime.optional_types import optional_type
from arena_trees.nodes.runtime.qos import SENSOR
from arena_trees.robot import keys
from arena_trees.robot.percepts import Readings, Stamped
from arena_trees.robot.ros_messages import layout
from arena_trees.robot.ros_messages.lane_text import LaneTextError, lane_from_text
from arena_trees.robot.ros_messages.layout import Times
from arena_trees.robot.ros_messages.range_round import RangeRound
from arena_trees.robot.sensor_registry import sensors
from arena_trees.world.body import Body, RangeMount

__all__ = ["BASIC_SENSORS", "GATE_SENSORS", "MORE_SENSORS", "Sensors", "carried_sensors"]

BASIC_SENSORS = frozenset((keys.ODOMETRY, keys.POSE, keys.BUMPERS))
"""Of every robot."""
GATE_SENSORS = frozenset((keys.SCAN, keys.RANGES))
"""What a velocity gate looks at of what a body may carry."""
MORE_SENSORS = frozenset((keys.DETECTIONS, keys.CIRCLES, keys.LANE))
"""Of a robot whose role wants them."""


_SIMPLE: Mapping[str, tuple[type, str, Callable[[Any, Times], Stamped]]] = {
    keys.ODOMETRY: (Odometry, "odom", layout.odometry),
    keys.TURRET: (JointState, layout.TURRET_TOPIC, layout.turret),
}
"""Sensors each of whose messages is a reading by itself."""

_SCANS = frozenset((keys.SCAN, keys.ROBOT_SCAN))
"""Sensors whose messages need to know where they are mounted."""

_BOXES: Mapping[str, tuple[str, Callable[[Any, Times, int, int], Stamped]]] = {
    keys.DETECTIONS: ("detections", layout.detections),
    keys.CIRCLES: (layout.CIRCLES_TOPIC, layout.circles),
}
"""Sensors of what is found in images, whose sizes come beside it."""

_KEPT = 8
"""Halves of detections that wait for the other half."""


def carried_sensors(body: Body) -> frozenset[str]:
    """Return the names of the sensors that a body carries or does not."""
    carried = {
        keys.SCAN: body.lidar,
        keys.ROBOT_SCAN: body.robot_lidar,
        keys.RANGES: bool(body.ranges),
        keys.TURRET: body.turret is not None,
    }
    more = {key: sensor.carried(body) for key, sensor in sensors().items()}
    return frozenset(name for name, there in (carried | more).items() if there)


class Sensors:
    """Subscribes to a robot's sensors and hands over the newest message of each.

    Every subscription is best effort, keep last 1, which receives from reliable publishers too.

    Topics, each subscribed only where its name is wanted:
        * ``scan`` (sensor_msgs/LaserScan): ``scan``; needs the transform to its frame
        * ``odom`` (nav_msgs/Odometry): ``odometry``
        * ``/tf``, ``/tf_static`` (tf2_msgs/TFMessage): ``pose``
        * ``detections`` (vision_msgs/Detection2DArray) and ``detections/camera_info``
          (sensor_msgs/CameraInfo, of the same stamp): ``detections``
        * ``circles`` (vision_msgs/Detection2DArray) and ``circles/camera_info`` (sensor_msgs/CameraInfo, of the same
          stamp): ``circles``
        * ``hazard_detection`` (irobot_create_msgs/HazardDetectionVector): ``bumpers``
        * ``turret/joint_states`` (sensor_msgs/JointState): ``turret``
        * ``ranges/<sensor>`` (sensor_msgs/Range), of each range sensor: ``ranges``, once each has been heard anew;
          where a sensor sits is known from the body, and not from its frame
        * ``lane`` (std_msgs/String, JSON of :mod:`~arena_trees.robot.ros_messages.lane_text`): ``lane``
        * that of each :class:`~arena_trees.robot.sensor.Sensor`, by its :class:`~arena_trees.robot.sensor.RosTopic`

    Attributes:
        dropped: how many messages could not be used, by sensor and reason

    Args:
        node: the node
        timeline: that readings are stamped on
        wants: names of the sensors
        poses: the robot's pose and mounts; one with the usual frames where None
        ranges: where the range sensors sit
    """

    def __init__(
        self,
        node: Any,
        timeline: Timeline,
        wants: frozenset[str],
        poses: PoseListener | None = None,
        ranges: Sequence[RangeMount] = (),
    ) -> None:
        self.dropped: Counter[str] = Counter()
        self._timeline = timeline
        self._wants = wants
        self._lock = threading.Lock()
        self._newest: dict[str, Any] = {}
        self._sequences: Counter[str] = Counter()
        if poses is None and wants & (_SCANS | {keys.POSE}):
            poses = PoseListener(node, timeline)
        self._poses = poses
        for name in sorted(_SCANS & wants):
            # The topic has the percept's name.
            node.create_subscription(LaserScan, name, partial(self._on_scan, name), SENSOR)
        self._subscribe_simple(node)
        if keys.BUMPERS in wants:
            hazards = optional_type(node, "irobot_create_msgs", "msg", "HazardDetectionVector", "bumpers")
            if hazards is not None:
                callback = self._callback(keys.BUMPERS, layout.bumpers)
                node.create_subscription(hazards, "hazard_detection", callback, SENSOR)
        for name in sorted(_BOXES.keys() & wants):
            self._subscribe_boxes(node, name, *_BOXES[name])
        if keys.RANGES in wants:
            self._subscribe_ranges(node, ranges)
        if keys.LANE in wants:
            node.create_subscription(String, "lane", self._on_lane, SENSOR)

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

    def _subscribe_simple(self, node: Any) -> None:
        """Subscribe to the sensors each of whose messages is a reading by itself."""
        for name, (kind, topic, make) in _SIMPLE.items():
            if name in self._wants:
                node.create_subscription(kind, topic, self._callback(name, make), SENSOR)
        for name, sensor in sensors().items():
            if name in self._wants:
                ros = sensor.ros
                found = optional_type(node, ros.package, "msg", ros.message, name)
                if found is not None:
                    node.create_subscription(found, ros.topic, self._callback(name, ros.reading), SENSOR)

    def _on_scan(self, name: str, message: Any) -> None:
        mount = None if self._poses is None else self._poses.mount(message.header.frame_id)
        if mount is None:
            self.dropped[f"{name}: no transform to its frame"] += 1
            return
        self._keep(name, layout.laser_scan(message, self._times(name, message), mount))

    def _on_lane(self, message: Any) -> None:
        self._sequences[keys.LANE] += 1
        try:
            lane = lane_from_text(message.data, self._sequences[keys.LANE])
        except LaneTextError:
            self.dropped["lane: malformed"] += 1
            return
        stamp, arrival = self._timeline.received(lane.stamp)
        self._keep(keys.LANE, replace(lane, stamp=stamp, arrival=arrival))

    def _subscribe_boxes(
        self, node: Any, name: str, topic: str, make: Callable[[Any, Times, int, int], Stamped]
    ) -> None:
        """Subscribe to what is found in images, and to the images' sizes beside it."""
        boxes = optional_type(node, "vision_msgs", "msg", "Detection2DArray", name)
        if boxes is None:
            return
        pairs = _Pairs()

        def on_half(side: int, message: Any) -> None:
            pair = pairs.add(side, nanoseconds(message.header.stamp), message)
            if pair is not None:
                found, info = pair
                self._keep(name, make(found, self._times(name, found), info.width, info.height))

        node.create_subscription(boxes, topic, lambda message: on_half(0, message), SENSOR)
        node.create_subscription(CameraInfo, f"{topic}/camera_info", lambda message: on_half(1, message), SENSOR)

    def _subscribe_ranges(self, node: Any, mounts: Sequence[RangeMount]) -> None:
        whole = RangeRound(mount.name for mount in mounts)

        def listen(mount: RangeMount) -> None:
            topic = layout.range_topic(mount.name)

            def keep(message: Any) -> None:
                one = layout.ranges_of_one(message, self._times(topic, message), mount.name, mount.pose)
                # Callbacks may run at once; the round is one.
                with self._lock:
                    ranges = whole.add(one)
                    if ranges is not None:
                        self._newest[keys.RANGES] = ranges

            node.create_subscription(Range, topic, keep, SENSOR)

        for mount in mounts:
            listen(mount)

    def _times(self, name: str, message: Any) -> Times:
        self._sequences[name] += 1
        stamp, arrival = self._timeline.received(nanoseconds(message.header.stamp))
        return stamp, arrival, self._sequences[name]

    def _keep(self, name: str, reading: Stamped) -> None:
        with self._lock:
            self._newest[name] = reading


class _Pairs:
    """Brings together two messages of one stamp, whichever comes first."""

    def __init__(self) -> None:
        self._waiting: dict[int, tuple[int, Any]] = {}

    def add(self, side: int, stamp: int, message: Any) -> tuple[Any, Any] | None:
        """Return the messages of both sides (0 and 1) of that stamp once both have come."""
        other = self._waiting.pop(stamp, None)
        if other is not None and other[0] != side:
            return (other[1], message) if side == 1 else (message, other[1])
        self._waiting[stamp] = side, message
        if len(self._waiting) > _KEPT:
            del self._waiting[next(iter(self._waiting))]
        return None
