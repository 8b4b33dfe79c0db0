"""The robot port on ROS: sensors from subscriptions, commands and cues to publishers."""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import TwistStamped
from rclpy.duration import Duration
from std_msgs.msg import Header, String

from arena_trees.nodes.adapters.convert import turret_rates_message, twist_message
from arena_trees.nodes.adapters.sensors import Sensors
from arena_trees.nodes.adapters.timelines import Timeline, stamp_message
from arena_trees.nodes.runtime.qos import COMMAND, EVENTS
from arena_trees.robot.geometry import Twist2D
from arena_trees.robot.percepts import Cue, Readings
from arena_trees.robot.ros_messages import layout
from arena_trees.robot.turret import TurretRates
from arena_trees.world.body import TURTLEBOT4, Body

__all__ = ["RosPort"]


class RosPort:
    """A robot on ROS; implements :class:`~arena_trees.robot.ports.RobotPort`.

    Topics:
        * ``cmd_vel_raw`` (geometry_msgs/TwistStamped, COMMAND) [published]: what the tree commands
        * ``turret/cmd_vel_raw`` (geometry_msgs/TwistStamped, COMMAND) [published where the body has a turret]: rates
          that the tree asks of it
        * ``engage_raw`` (std_msgs/Header, EVENTS) [published where the body has a barrel]: the tree fires
        * ``cues`` (std_msgs/String, EVENTS) [published]: names of events

    Attributes:
        readings: what was read last

    Args:
        node: whose publishers they are
        name: of the robot
        timeline: the robot's clock
        sensors: the robot's sensors
        body: what it is made of
    """

    def __init__(self, node: Any, name: str, timeline: Timeline, sensors: Sensors, body: Body = TURTLEBOT4) -> None:
        self.readings = Readings(timeline.now())
        self._name = name
        self._timeline = timeline
        self._sensors = sensors
        self._velocity = node.create_publisher(TwistStamped, "cmd_vel_raw", COMMAND)
        self._rates = self._shots = None
        if body.turret is not None:
            self._rates = node.create_publisher(TwistStamped, layout.TURRET_RATES_RAW_TOPIC, COMMAND)
        if body.barrel is not None:
            self._shots = node.create_publisher(Header, layout.SHOTS_RAW_TOPIC, EVENTS)
        self._cues = node.create_publisher(String, "cues", EVENTS)

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self._name

    def now(self) -> int:
        """Return the robot's clock, ns."""
        return self._timeline.now()

    def read(self) -> Readings:
        """Return the newest message of each sensor."""
        self.readings = self._sensors.read()
        return self.readings

    def drive(self, twist: Twist2D) -> None:
        """Publish a command, stamped now."""
        self._velocity.publish(twist_message(twist, self._timeline.now()))

    def aim(self, rates: TurretRates) -> None:
        """Publish rates of the turret, stamped now."""
        if self._rates is not None:
            self._rates.publish(turret_rates_message(rates, self._timeline.now()))

    def fire(self) -> None:
        """Publish that the weapon shall fire now."""
        if self._shots is not None:
            self._shots.publish(Header(stamp=stamp_message(self._timeline.now()), frame_id=layout.BASE_FRAME))

    def cue(self, cue: Cue) -> None:
        """Publish an event."""
        self._cues.publish(String(data=cue.event))

    def flush(self, seconds: float) -> bool:
        """Wait for every command to reach its subscribers, at most so long (s); return whether it has."""
        return bool(self._velocity.wait_for_all_acked(Duration(seconds=seconds)))
