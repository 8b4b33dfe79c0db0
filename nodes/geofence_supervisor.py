"""The geofence supervisor node: reports to people where a robot is with respect to its fence."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray

from arena_trees.nodes.adapters.sensors import Sensors
from arena_trees.nodes.adapters.shape_markers import ShapeMarkers
from arena_trees.nodes.adapters.timelines import RosTimeline
from arena_trees.nodes.adapters.transforms import PoseListener
from arena_trees.nodes.runtime.diagnostics import ERROR, OK, STALE, WARN, Diagnostics
from arena_trees.nodes.runtime.names import robot_name
from arena_trees.nodes.runtime.parameters import declare, read
from arena_trees.nodes.runtime.process import run
from arena_trees.nodes.runtime.qos import COMMAND, EVENTS
from arena_trees.perception.percept_filter import PerceptFilter
from arena_trees.perception.supervisor import GeofenceSupervisor, detail
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.percepts import FenceStatus, GeofenceReport, Readings
from arena_trees.safety.fence_status import FenceParameters
from arena_trees.world.arenas import require_fence
from arena_trees.world.geofence import Geofence
from arena_trees.world.zone_shapes import zone_shapes

__all__ = ["GeofenceSupervisorNode", "GeofenceSupervisorParameters", "main"]

_LOOKS = 2
"""Looks at the clock for one verdict, so that a look that comes late costs little."""

_LIFETIME_S = 1.0
"""A verdict that nobody renews disappears from RViz."""

_LEVELS = {
    FenceStatus.SAFE: OK,
    FenceStatus.WARNING: WARN,
    FenceStatus.BREACH: ERROR,
    FenceStatus.UNKNOWN: STALE,
}


class GeofenceSupervisorParameters(Parameters):
    """Which fences."""

    arena: str = parameter(..., "arena file, or name of a shipped arena, that holds the fences")
    zone: str | None = parameter(None, "name of the robot's own fence; the robot's name where it is empty")
    robot: str | None = parameter(None, "name of the robot; last part of the namespace where it is empty")
    others: tuple[str, ...] = parameter(
        (), "further robots with fences of their names, whose poses may or may not be received here"
    )
    fence: FenceParameters = parameter(FenceParameters(), "when the robot is warned")


class GeofenceSupervisorNode(Node):
    """Publishes the verdict on each zone ten times a second.

    Nothing drives by it: tree and velocity gate reckon the fence themselves. A zone whose pose
    never comes stays UNKNOWN.

    Topics; those of other zones are ``geofence/<zone>/status`` and so on:
        * ``geofence/status`` (std_msgs/String, reliable, keep last 50) [published]: SAFE, WARNING, BREACH or
          UNKNOWN
        * ``geofence/detail`` (std_msgs/String, reliable, keep last 50) [published]: ``key=value`` words
        * ``geofence/markers`` (visualization_msgs/MarkerArray, reliable, keep last 1) [published]: each
          fence in the colour of its status, and the verdict as text
        * ``odom`` (nav_msgs/Odometry), ``/tf`` and ``/tf_static`` (tf2_msgs/TFMessage) [subscribed]
        * ``/<zone>/tf``, ``/<zone>/tf_static`` (tf2_msgs/TFMessage) of other zones [subscribed]
        * ``/diagnostics`` (diagnostic_msgs/DiagnosticArray) [published], 1 Hz

    Parameters:
        those of :class:`GeofenceSupervisorParameters`

    Raises:
        ConfigError: a parameter cannot be used, or the arena has no such fence
    """

    waking_subscriptions = ()
    """It works at a fixed rate: no message wakes it."""

    def __init__(self) -> None:
        super().__init__("geofence_supervisor")
        declare(self, GeofenceSupervisorParameters, read_only=True)
        wanted = read(self, GeofenceSupervisorParameters)
        own = wanted.zone or robot_name(self, wanted.robot or "")
        if len({own, *wanted.others}) != 1 + len(wanted.others):
            raise ConfigError("names a zone twice", key="others", value=list(wanted.others))
        timeline = RosTimeline(self)
        sensors = Sensors(self, timeline, frozenset((keys.ODOMETRY, keys.POSE)))
        self._own = _Zone(self, "geofence", require_fence(wanted.arena, own), wanted.fence, sensors.read)
        self._zones = [self._own]
        for name in wanted.others:
            poses = PoseListener(self, timeline, topic=f"/{name}/tf")
            fence = require_fence(wanted.arena, name)
            self._zones.append(_Zone(self, f"geofence/{name}", fence, wanted.fence, _reader(timeline, poses)))
        self._drawn = ShapeMarkers(_LIFETIME_S)
        self._markers = self.create_publisher(MarkerArray, "geofence/markers", COMMAND)
        self._diagnostics = Diagnostics(self, "geofence")
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(1.0 / (_LOOKS * wanted.fence.rate), self._supervise, clock=steady)
        self.create_timer(1.0, self._report, clock=steady)

    def halt(self) -> None:
        """Nothing to stop: without its messages the verdicts are old."""

    def _supervise(self) -> None:
        published = [zone.publish() for zone in self._zones]
        if any(published):
            stamp = self.get_clock().now().to_msg()
            zones = [(zone.fence, zone.report) for zone in self._zones if zone.report is not None]
            self._markers.publish(self._drawn.message(zone_shapes(zones), stamp))

    def _report(self) -> None:
        report = self._own.report
        if report is not None:
            values = dict(word.split("=", 1) for word in detail(report).split())
            self._diagnostics.publish(_LEVELS[report.status], str(report), values)


class _Zone:
    """One fence, and what is published of it.

    Attributes:
        fence: the polygon
        report: newest verdict, or None before the first
    """

    def __init__(
        self, node: Any, topic: str, fence: Geofence, parameters: FenceParameters, read: Callable[[], Readings]
    ) -> None:
        self.fence = fence
        self.report: GeofenceReport | None = None
        self._read = read
        self._percept_filter = PerceptFilter(GeofenceSupervisor(fence, parameters=parameters))
        self._status = node.create_publisher(String, f"{topic}/status", EVENTS)
        self._detail = node.create_publisher(String, f"{topic}/detail", EVENTS)

    def publish(self) -> bool:
        """Publish a verdict if a new one is due; return whether it was."""
        report = self._percept_filter.take(self._read()).geofence
        if report is None or (self.report is not None and report.sequence == self.report.sequence):
            return False
        self.report = report
        self._status.publish(String(data=report.status.value))
        self._detail.publish(String(data=detail(report)))
        return True


def _reader(timeline: RosTimeline, poses: PoseListener) -> Callable[[], Readings]:
    """Return what reads the pose of another robot."""

    def read() -> Readings:
        pose = poses.pose()
        return Readings(timeline.now(), pose=pose)

    return read


def main() -> None:
    """Run the node."""
    sys.exit(run(GeofenceSupervisorNode))


if __name__ == "__main__":
    main()
