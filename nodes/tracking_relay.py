"""The tracking relay node: robots' poses of a tracking system in, their true poses in the map out."""

from __future__ import annotations

import math
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from geometry_msgs.msg import PoseStamped, PoseWithCovarianceStamped, TransformStamped
from nav_msgs.msg import Odometry
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from arena_trees.nodes.adapters.timelines import RosTimeline, nanoseconds
from arena_trees.nodes.adapters.true_pose import true_pose_message
from arena_trees.nodes.runtime.diagnostics import OK, STALE, WARN, Diagnostics
from arena_trees.nodes.runtime.optional_types import optional_type
from arena_trees.nodes.runtime.parameters import declare, read
from arena_trees.nodes.runtime.process import run
from arena_trees.nodes.runtime.qos import RELIABLE_SENSOR, SENSOR
from arena_trees.recording.judging.tracking_calibration import (
    TrackingCalibration,
    TrackingParameters,
    load_tracking_calibration,
    place_and_turn,
)
from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.ros_messages.layout import CEILING_TOPIC

__all__ = ["TrackingRelayNode", "TrackingRelayParameters", "main"]

_SILENT_S = 1.0
_FRAME = "tf:"
_KINDS: Mapping[str, type] = {
    "geometry_msgs/msg/PoseStamped": PoseStamped,
    "geometry_msgs/msg/PoseWithCovarianceStamped": PoseWithCovarianceStamped,
    "geometry_msgs/msg/TransformStamped": TransformStamped,
    "nav_msgs/msg/Odometry": Odometry,
}
"""Types of messages that hold a pose."""


class TrackingRelayParameters(Parameters):
    """Where the poses of a tracking system are, and where its frame lies."""

    robots: tuple[str, ...] = parameter(
        ..., "robot=topic for each robot, such as robot_1=/vicon/robot_1; or robot=tf:FRAME for a frame of /tf"
    )
    calibration: str | None = parameter(
        None, "file of where the system's frame lies, as for arena-trees judge; it is map where empty"
    )
    restamp: bool = parameter(
        False, "poses are of the instant at which they come, where the system's clock is not the robots'"
    )


@dataclass(slots=True)
class _Tracked:
    """What came of a robot.

    Attributes:
        topic: of its poses
        kind: type of its messages; empty until somebody publishes some
        came: when a pose came last, monotonic clock, s
        age: of that pose when it came, ns
        refused: reason to number of messages
    """

    topic: str
    kind: str = ""
    came: float = -math.inf
    age: int = 0
    refused: Counter[str] = field(default_factory=Counter)


class TrackingRelayNode(Node):
    """Publishes where a tracking system sees robots, in the way in which ceiling cameras tell it.

    So rules, ``arena-trees lab`` and ``arena-trees judge`` use either by the word ``ceiling``. The type of each topic
    is asked of who publishes it. A pose that is not finite is dropped and counted.

    Topics, for each robot:
        * the one that ``robots`` names (geometry_msgs/PoseStamped, PoseWithCovarianceStamped or TransformStamped, or
          nav_msgs/Odometry, best effort, keep last 1), or ``/tf`` (tf2_msgs/TFMessage) [subscribed]
        * ``/<robot>/ceiling/pose`` (geometry_msgs/PoseWithCovarianceStamped, reliable, keep last 5) [published]:
          base_link in map, with the deviation that the calibration states; height, roll and pitch have a variance
          of 1e6
        * ``/diagnostics`` (diagnostic_msgs/DiagnosticArray) [published], 1 Hz

    Parameters:
        those of :class:`TrackingRelayParameters`

    Raises:
        ConfigError: a parameter or the calibration cannot be used
    """

    def __init__(self) -> None:
        super().__init__("tracking_relay")
        declare(self, TrackingRelayParameters, read_only=True)
        self._wanted = wanted = read(self, TrackingRelayParameters)
        self._robots = {robot: _Tracked(topic) for robot, topic in _topics(wanted.robots).items()}
        self._calibration = (
            TrackingCalibration(TrackingParameters())
            if wanted.calibration is None
            else load_tracking_calibration(Path(wanted.calibration))
        )
        self._timeline = RosTimeline(self)
        self._poses = {
            robot: self.create_publisher(PoseWithCovarianceStamped, f"/{robot}/{CEILING_TOPIC}", RELIABLE_SENSOR)
            for robot in self._robots
        }
        self._enabled = True
        self._frames = {
            tracked.topic.removeprefix(_FRAME).lstrip("/"): robot
            for robot, tracked in self._robots.items()
            if tracked.topic.startswith(_FRAME)
        }
        transforms = optional_type(self, "tf2_msgs", "msg", "TFMessage", "frames") if self._frames else None
        if transforms is not None:
            self.create_subscription(transforms, "/tf", self._on_transforms, 100)
        self._diagnostics = Diagnostics(self, "tracking system")
        self._find()
        self.create_timer(1.0, self._report, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def halt(self) -> None:
        """Relay nothing more."""
        self._enabled = False

    def _find(self) -> None:
        """Subscribe to the topics that somebody publishes by now."""
        there = dict(self.get_topic_names_and_types())
        for robot, tracked in self._robots.items():
            kind = next((kind for kind in there.get(tracked.topic, ()) if kind in _KINDS), "")
            if kind and not tracked.kind:
                tracked.kind = kind
                self.create_subscription(_KINDS[kind], tracked.topic, partial(self._relay, robot), SENSOR)

    def _on_transforms(self, message: Any) -> None:
        for one in message.transforms:
            robot = self._frames.get(one.child_frame_id.lstrip("/"))
            if robot is not None:
                self._robots[robot].kind = "tf2_msgs/msg/TFMessage"
                self._relay(robot, one)

    def _relay(self, robot: str, message: Any) -> None:
        """Publish where a robot is, by a message of the system."""
        if not self._enabled:
            return
        tracked, now, stamp = self._robots[robot], self._timeline.now(), nanoseconds(message.header.stamp)
        place, turn = place_and_turn(message)
        try:
            found = self._calibration.pose(robot, (place.x, place.y, place.z), (turn.x, turn.y, turn.z, turn.w))
        except ValueError as error:
            tracked.refused[str(error)] += 1
            return
        tracked.came, tracked.age = time.monotonic(), now - stamp
        sigma, sigma_yaw = self._calibration.sigma, self._calibration.sigma_yaw
        covariance = ((sigma**2, 0.0, 0.0), (0.0, sigma**2, 0.0), (0.0, 0.0, sigma_yaw**2))
        self._poses[robot].publish(true_pose_message(now if self._wanted.restamp else stamp, found, covariance))

    def _report(self) -> None:
        self._find()
        now = time.monotonic()
        values, silent, refused = {"calibration error [mm]": f"{1000.0 * self._calibration.error:.1f}"}, [], []
        for robot, tracked in self._robots.items():
            there = now - tracked.came < _SILENT_S
            values[robot] = f"{tracked.age / SECOND:.3f} s old" if there else "not seen"
            values |= {f"{robot}: {reason}": str(count) for reason, count in tracked.refused.items()}
            if not there:
                what = "silent" if tracked.kind else "published by nobody, or holds no poses"
                silent.append(f"{robot}: {tracked.topic} is {what}")
            elif abs(tracked.age) > SECOND and not self._wanted.restamp:
                refused.append(f"{robot}: its poses are {tracked.age / SECOND:.1f} s old: clocks differ (see restamp)")
        if len(silent) == len(self._robots):
            self._diagnostics.publish(STALE, silent[0], values)
        elif silent or refused:
            self._diagnostics.publish(WARN, (silent + refused)[0], values)
        else:
            self._diagnostics.publish(OK, "every robot is seen", values)


def _topics(assignments: tuple[str, ...]) -> dict[str, str]:
    """Return the topic of each robot.

    Raises:
        ConfigError: a text is none of robot=topic
    """
    topics: dict[str, str] = {}
    for text in assignments:
        robot, sign, topic = text.partition("=")
        if not (robot.isascii() and robot.isidentifier() and sign and topic.strip("/")):
            raise ConfigError("must have the form robot=topic", key="robots", value=text)
        topic = topic if topic.startswith(("/", _FRAME)) else f"/{topic}"
        if robot in topics or topic in topics.values():
            raise ConfigError("is given twice", key="robots", value=text)
        topics[robot] = topic
    if not topics:
        raise ConfigError("must name a robot", key="robots", value=list(assignments))
    return topics


def main() -> None:
    """Run the node."""
    sys.exit(run(TrackingRelayNode))


if __name__ == "__main__":
    main()
