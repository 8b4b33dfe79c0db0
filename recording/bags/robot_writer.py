"""Writes one robot's readings and ticks as messages of ROS 2."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from arena_trees.perception.image import Rgb
from arena_trees.perception.supervisor import detail
from arena_trees.recording.bags import cdr
from arena_trees.recording.bags.cdr import Cdr
from arena_trees.recording.bags.serialising import serialised
from arena_trees.recording.bags.writer import Topic
from arena_trees.recording.traces.encoder import TICKS, TREE, TickEncoder
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import GeofenceReport, Odometry, PoseEstimate, Readings, Stamped
from arena_trees.robot.record import TickRecord
from arena_trees.robot.ros_messages.layout import BASE_FRAME, LIDAR_FRAME, MAP_FRAME, ODOM_FRAME, OPTICAL_FRAME
from arena_trees.robot.sensor import RosTopic
from arena_trees.robot.sensor_registry import sensors
from arena_trees.world.body import TURTLEBOT4, Body

__all__ = ["TRUTH_EVERY", "RobotBagWriter", "TickEntry", "Write", "robot_topics"]

Write = Callable[[int, int, bytes], None]
"""Writes a message: number of its topic, instant (ns), data."""

TRUTH_EVERY = 10
"""Ticks from one true pose to the next."""

_TICKS_TOGETHER = 25
"""Ticks in one message: a header and an index entry for each would take more room than the ticks."""

_VELOCITY_EVERY = 20
"""Ticks from one velocity to the next, within the base's own time-out of half a second; a stop is written at once.

The ticks have every one."""

_ODOM_EVERY, _MAP_EVERY, _REPORT_EVERY = 8, 20, 5
"""Of odometry, poses and geofence reports, each so-manyth makes a transform or a text as well."""

_TOPICS = (
    Topic("scan", "sensor_msgs/msg/LaserScan"),
    Topic("odom", "nav_msgs/msg/Odometry"),
    Topic("pose", "geometry_msgs/msg/PoseStamped"),
    Topic("tf", "tf2_msgs/msg/TFMessage"),
    Topic("tf_static", "tf2_msgs/msg/TFMessage", latched=True),
    Topic("hazard_detection", "irobot_create_msgs/msg/HazardDetectionVector"),
    Topic("cmd_vel_raw", "geometry_msgs/msg/TwistStamped"),
    Topic("cmd_vel", "geometry_msgs/msg/TwistStamped"),
    Topic("cues", "std_msgs/msg/String"),
    Topic("geofence/detail", "std_msgs/msg/String"),
    Topic("ground_truth", "nav_msgs/msg/Odometry"),
    Topic(TREE, "std_msgs/msg/String", latched=True),
    Topic(TICKS, "std_msgs/msg/String"),
    Topic("oakd/rgb/preview/image_raw", "sensor_msgs/msg/Image"),
)
_IMAGES = _TOPICS[-1].name


def robot_topics(robot: str, images: bool = False, body: Body = TURTLEBOT4) -> list[Topic]:
    """Return what is recorded of a robot, in the order that :class:`RobotBagWriter` counts by; pictures come last.

    Args:
        robot: its name
        images: whether its pictures are recorded
        body: what it is made of
    """
    topics = [*_TOPICS[:-1], *_sensor_topics(body), *(_TOPICS[-1:] if images else ())]
    return [Topic(f"/{robot}/{topic.name}", topic.type, topic.latched) for topic in topics]


def _sensor_topics(body: Body) -> list[Topic]:
    return [Topic(topic.topic, topic.type) for sensor in sensors().values() for topic in sensor.ros.topics(body)]


class TickEntry(NamedTuple):
    """What one tick leaves to be written; nothing in it changes any more.

    Attributes:
        record: of the tick
        readings: what it began with
        feedback: every node's feedback message, in the order of ``root.iterate()``
        report: the geofence's newest, or None
        truth: true pose (map frame) and velocity (base_link), or None
    """

    record: TickRecord
    readings: Readings
    feedback: list[str]
    report: GeofenceReport | None = None
    truth: tuple[Pose2D, Twist2D] | None = None


class RobotBagWriter:
    """Turns one robot's ticks into messages.

    A message is written with the instant when it arrived, or that of the tick that first had it where it was held
    back until then; its header has the instant of the measurement. What a tick decided is written with its instant.

    Args:
        robot: its name; frames are ``<robot>/base_link`` and so on, so that several robots share one ``map``
        first: number of the first of its :func:`robot_topics` in the bag
        write: writes a message
        body: what it is made of
        live: whether somebody looks on: every velocity and every transform is written then
        estimates: keys of the blackboard of which every change is written
    """

    def __init__(
        self,
        robot: str,
        first: int,
        write: Write,
        body: Body = TURTLEBOT4,
        live: bool = False,
        estimates: Collection[str] = (),
    ) -> None:
        base, odom, optical = (f"{robot}/{frame}" for frame in (BASE_FRAME, ODOM_FRAME, OPTICAL_FRAME))
        self._write = write
        self._velocity_every, self._odom_every, self._map_every = (
            (1, 1, 1) if live else (_VELOCITY_EVERY, _ODOM_EVERY, _MAP_EVERY)
        )
        topics = (*_TOPICS[:-1], *_sensor_topics(body), _TOPICS[-1])
        self._channel = {topic.name: first + number for number, topic in enumerate(topics)}
        self._sensors = {key: sensor.ros.topics(body) for key, sensor in sensors().items()}
        self._base, self._lidar_frame, self._optical = base, f"{robot}/{LIDAR_FRAME}", optical
        self._scan = cdr.Scan(self._lidar_frame)
        self._odometry = cdr.Odometry(odom, base)
        self._pose = cdr.PoseStamped(MAP_FRAME)
        self._odom_to_base, self._map_to_odom = cdr.Transform(odom, base), cdr.Transform(MAP_FRAME, odom)
        self._hazards = cdr.Hazards(base)
        self._robot = robot
        self._twist = cdr.TwistStamped(base)
        self._truth = cdr.Odometry(MAP_FRAME, base)
        self._ticks = TickEncoder(estimates)
        self._lines: list[str] = []
        self._moves = {"cmd_vel_raw": False, "cmd_vel": False}
        self._seen = Readings(0)
        self._before = self._now = -1
        self._places: dict[str, Pose2D] = {}
        self._seldom: dict[str, tuple[int, Mapping[str, Any]]] = {}
        self._geofence: GeofenceReport | None = None

    def begin(self, now: int, tree: str) -> None:
        """Write the tree (its text) at an instant (ns)."""
        self._put(TREE, now, cdr.string(tree))

    def tick(self, entry: TickEntry) -> None:
        """Write one tick."""
        record, readings, feedback, report, truth = entry
        now, number = record.now, record.tick
        self._before, self._now = self._now, now
        if readings is not self._seen:
            self._write_readings(readings)
        self._write_velocity("cmd_vel_raw", number, now, record.command)
        self._write_velocity("cmd_vel", number, now, record.twist)
        for cue in record.cues:
            self.cue(now, cue)
        if report is not None and report is not self._geofence:
            before, self._geofence = self._geofence, report
            if report.sequence % _REPORT_EVERY == 0 or before is None or report.status is not before.status:
                data = cdr.string(detail(report))
                self._put("geofence/detail", now, data)
        if truth is not None:
            self._put("ground_truth", now, self._truth.encode(now, *truth))
        self._lines.append(self._ticks.encode(record, feedback))
        if len(self._lines) >= _TICKS_TOGETHER:
            self.end(now)

    def end(self, now: int) -> None:
        """Write the ticks that wait for others, at an instant (ns)."""
        if self._lines:
            self._put(TICKS, now, cdr.string("\n".join(self._lines)))
            self._lines = []

    def cue(self, now: int, cue: str) -> None:
        """Write a cue that was given at an instant (ns)."""
        self._put("cues", now, cdr.string(cue))

    def image(self, stamp: int, picture: Rgb) -> None:
        """Write a picture that was exposed, and recorded, at an instant (ns)."""
        height, width = picture.shape[:2]
        head = Cdr().header(self._optical).put("I", height, width).text("rgb8").put("B", 0)
        data = head.put("I", 3 * width, 3 * width * height).message() + picture.tobytes()
        self._put(_IMAGES, stamp, cdr.stamped(data, stamp))

    def _put(self, topic: str, instant: int, data: bytes) -> None:
        self._write(self._channel[topic], instant, data)

    def _arrival(self, percept: Stamped) -> int:
        """Return when a message arrived, ns, or when it was first had, where that was not at the next tick."""
        return percept.arrival if self._before < percept.arrival <= self._now else self._now

    def _write_velocity(self, topic: str, number: int, now: int, twist: Twist2D | None) -> None:
        if twist is None:
            return
        moves = bool(twist.linear or twist.angular)
        if number % self._velocity_every == 0 or (self._moves[topic] and not moves):
            self._moves[topic] = moves
            self._put(topic, now, self._twist.encode(now, twist))

    def _write_readings(self, readings: Readings) -> None:
        """Write what is new since the tick before."""
        before, self._seen = self._seen, readings
        scan, odometry, pose = readings.scan, readings.odometry, readings.pose
        if scan is not None and scan is not before.scan:
            self._write_place(self._lidar_frame, scan.mount, self._arrival(scan))
            self._put("scan", self._arrival(scan), self._scan.encode(scan))
        if odometry is not None and odometry is not before.odometry:
            self._write_odometry(odometry)
        if pose is not None and pose is not before.pose:
            self._write_pose(pose, odometry)
        bumpers = readings.bumpers
        if bumpers is not None and bumpers is not before.bumpers:
            data = self._hazards.encode(bumpers.stamp, sorted(bumpers.pressed))
            self._put("hazard_detection", self._arrival(bumpers), data)
        for key, reading in readings.more.items():
            if reading is not before.more.get(key):
                self._write_reading(self._sensors[key], reading, self._arrival(reading))

    def _write_reading(self, topics: Sequence[RosTopic], reading: Stamped, arrival: int) -> None:
        """Write a reading on the topics of its sensor."""
        for topic in topics:
            frame = topic.frame and f"{self._robot}/{topic.frame}"
            if topic.mount is not None:
                self._write_place(frame, topic.mount(reading), arrival)
            fields = topic.fields(reading)
            if not topic.seldom or self._is_due(topic.topic, reading.stamp, fields):
                self._put(topic.topic, arrival, serialised(topic.type, reading.stamp, frame, fields))

    def _is_due(self, topic: str, stamp: int, fields: Mapping[str, Any]) -> bool:
        """Return whether what seldom changes has changed, or was written a second ago."""
        last = self._seldom.get(topic)
        if last is not None and stamp - last[0] < SECOND and fields == last[1]:
            return False
        self._seldom[topic] = stamp, fields
        return True

    def _write_place(self, frame: str, place: Pose2D, arrival: int) -> None:
        """Write where a frame is in base_link, unless that is known."""
        if self._places.get(frame) != place:
            self._places[frame] = place
            self._put("tf_static", arrival, cdr.Transform(self._base, frame).encode(0, place))

    def _write_odometry(self, odometry: Odometry) -> None:
        stamp, arrival, sequence = odometry.stamp, self._arrival(odometry), odometry.sequence
        self._put("odom", arrival, self._odometry.encode(stamp, odometry.pose, odometry.twist))
        if sequence % self._odom_every == 0:
            self._put("tf", arrival, self._odom_to_base.encode(stamp, odometry.pose))

    def _write_pose(self, pose: PoseEstimate, odometry: Odometry | None) -> None:
        self._put("pose", self._arrival(pose), self._pose.encode(pose.stamp, pose.pose))
        if odometry is not None and pose.sequence % self._map_every == 0:
            # What map to odom must be for the pose to follow from it.
            origin = odometry.pose.relative(Pose2D())
            transform = self._map_to_odom.encode(pose.stamp, pose.pose.compose(origin))
            self._put("tf", self._arrival(pose), transform)
