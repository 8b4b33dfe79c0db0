"""One robot of the simulated arena on ROS, with the topics of a TurtleBot 4."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from geometry_msgs.msg import PointStamped, Twist, TwistStamped
from nav_msgs.msg import Odometry as OdometryMessage
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo
from sensor_msgs.msg import Image as ImageMessage
from sensor_msgs.msg import LaserScan as LaserScanMessage
from std_msgs.msg import Empty

from arena_trees.nodes.adapters import arena_messages as messages
from arena_trees.nodes.adapters import convert
from arena_trees.nodes.adapters.timelines import stamp_message
from arena_trees.nodes.programs.program import ROBOT_CLOCK
from arena_trees.nodes.runtime.optional_types import optional_type
from arena_trees.nodes.runtime.qos import COMMAND, EVENTS, LATCHED, RELIABLE_SENSOR
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.percepts import Bumpers, Odometry, PoseEstimate, Stamped
from arena_trees.robot.ros_messages import layout
from arena_trees.robot.scan import LaserScan
from arena_trees.robot.sensor_registry import sensors
from arena_trees.robot.timing import TICK
from arena_trees.sensors.turret.sensor import TurretState
from arena_trees.simulation.faults.fault import Fault
from arena_trees.simulation.faults.sensor_faults import Disturbance, FaultyPort
from arena_trees.simulation.physics.robot import SimulatedRobot
from arena_trees.world.camera_pose import CameraPose
from arena_trees.world.spheres import PlacedSphere

__all__ = ["ArenaRobot"]

_BACKUP_LIMIT = 0
"""``irobot_create_msgs/HazardDetection.BACKUP_LIMIT``."""

_TRUTH_EVERY = 2
"""Ticks between two messages of the truth."""


class ArenaRobot:
    """Publishes what a simulated robot's sensors deliver, when they deliver it, and drives it.

    Sensors are published reliably, which best-effort and reliable subscriptions can both receive.

    Topics, all below ``/<robot>/``:
        * of a body with a LiDAR: ``scan`` (sensor_msgs/LaserScan) in rplidar_link, reliable, keep last 5 [published]
        * that of each :class:`~arena_trees.robot.sensor.Sensor` that it measures by, reliable, keep last 5
          [published]: of a pinhole camera ``detections``, of a parametric sphere camera ``circles``, each with its
          ``camera_info``
        * ``odom`` (nav_msgs/Odometry), ``hazard_detection`` (irobot_create_msgs/HazardDetectionVector),
          reliable, keep last 5 [published]
        * ``tf`` (tf2_msgs/TFMessage), reliable, keep last 50 [published]: odom to base_link with the
          odometry; map to odom from the localisation, stamped ahead by its tolerance, as AMCL does; base_link to
          turret_yaw_link to turret_pitch_link with the turret's joints, as robot_state_publisher does
        * ``tf_static`` (tf2_msgs/TFMessage), reliable, latched [published]: LiDAR and range sensors in base_link;
          camera and barrel there, or in turret_pitch_link
        * camera that looks for spheres: ``circles/ground_truth`` (geometry_msgs/PointStamped) in the optical frame,
          reliable, keep last 5 [published]: the nearest ball's true centre, of each image or message of circles
        * rendered camera, of signs, lanes or spheres: ``oakd/rgb/preview/image_raw`` (sensor_msgs/Image) and
          ``oakd/rgb/preview/camera_info`` (sensor_msgs/CameraInfo), reliable, keep last 5 [published]
        * ``ground_truth`` (nav_msgs/Odometry) in map, 25 Hz, reliable, keep last 5 [published]
        * with a fault of its clock: ``clock`` (rosgraph_msgs/Clock), reliable, keep last 1 [published]: what that
          shows; all of its messages but the truth are stamped by it
        * ``cmd_vel`` (geometry_msgs/TwistStamped or Twist), reliable, keep last 1 [subscribed]; the
          simulated base forgets a command after its own watchdog's time
        * of a body with a turret: ``turret/cmd_vel`` (geometry_msgs/TwistStamped), reliable, keep last 1 [subscribed]
        * of a body with a barrel: ``engage`` (std_msgs/Empty), reliable, keep last 50 [subscribed]

    Args:
        node: whose publishers they are
        robot: the simulated robot
        faults: of its sensors, its base and its clock; none acts before :meth:`break_down`
        stamped: whether ``cmd_vel`` is TwistStamped
        localised: whether it publishes map to odom; else another node does
        balls: returns where the balls of the other robots are now
    """

    def __init__(
        self,
        node: Any,
        robot: SimulatedRobot,
        faults: Sequence[Fault],
        stamped: bool,
        localised: bool = True,
        balls: Callable[[], Sequence[PlacedSphere]] = tuple,
    ) -> None:
        self._node = node
        self._robot = robot
        self._localised = localised
        self._faults = faults
        self._port = FaultyPort(robot, ())
        self._picture_faults: list[Disturbance] = []
        latest = max((fault.delay_s for fault in faults if fault.kind == "delayed"), default=0.0)
        self._origin = _OdomOrigin(robot, lambda: self._port.now(), latest)
        self._ball = _TrueBall(robot, lambda: self._port.now(), balls)
        self._sent: dict[str, int] = {}
        self._ticks = 0
        # A TurtleBot4 has one preview: what is looked for in it is lanes, or spheres, or signs.
        self._preview = (robot.lanes or robot.sphere_camera or robot.camera).pinhole
        body = robot.spec.body
        self._clock = None
        if any(fault.part == "clock" for fault in faults):
            self._clock = node.create_publisher(Clock, self._topic(ROBOT_CLOCK), COMMAND)
        self._scan = self._publisher(LaserScanMessage, "scan") if body.lidar else None
        self._odometry = self._publisher(OdometryMessage, "odom")
        self._truth = self._publisher(OdometryMessage, "ground_truth")
        self._hazards = self._optional("irobot_create_msgs", "HazardDetectionVector", "hazard_detection", "bumpers")
        self._more = {
            key: [
                (topic, self._optional(topic.package, topic.message, topic.topic, key))
                for topic in sensor.ros.topics(body)
            ]
            for key, sensor in sensors().items()
            if key in robot.senses
        }
        self._tf = self._optional("tf2_msgs", "TFMessage", "tf", "transforms", EVENTS)
        self._tf_static = self._optional("tf2_msgs", "TFMessage", "tf_static", "transforms", LATCHED)
        self._publish_mounts()
        self._make_cameras()
        kind = TwistStamped if stamped else Twist
        node.create_subscription(kind, self._topic("cmd_vel"), self._drive, COMMAND)
        if robot.turret is not None:
            node.create_subscription(TwistStamped, self._topic(layout.TURRET_RATES_TOPIC), self._aim, COMMAND)
        if robot.spec.body.barrel is not None:
            node.create_subscription(Empty, self._topic(layout.SHOTS_TOPIC), self._fire, EVENTS)

    def break_down(self) -> None:
        """Let the beginnings of the faults count from now on; those that act end."""
        now = to_seconds(self._robot.now())
        faults = [fault.model_copy(update={"at_s": fault.at_s + now}) for fault in self._faults]
        self._port = FaultyPort(self._robot, faults)
        self._robot.hamper(faults)
        sensed = [fault for fault in faults if fault.part == "sensor"]
        self._picture_faults = [Disturbance(fault) for fault in sensed if fault.sensor in self._robot.pictures[1]]

    def publish(self) -> None:
        """Publish what has arrived in this tick."""
        if self._clock is not None:
            self._clock.publish(Clock(clock=stamp_message(self._port.now())))
        self._origin.note()
        self._ball.note()
        readings = self._port.read()
        self._once("scan", readings.scan, self._send_scan)
        self._once("odometry", readings.odometry, self._send_odometry)
        if self._localised:
            self._once("pose", readings.pose, self._send_pose)
        self._once("bumpers", readings.bumpers, self._send_bumpers)
        # Before the circles, and before the picture, with which it is drawn.
        self._once("ball", readings.more.get("circles"), lambda circles: self._send_ball(circles.stamp))
        for key, reading in readings.more.items():
            self._once(key, reading, partial(self._send_more, key))
        self._once("turret's transforms", readings.more.get("turret"), self._send_turret)
        image: Any = self._robot.image()
        for one in self._picture_faults:
            image = one.of(image, self._robot.now())
        self._once("image", image, self._send_image)
        if self._ticks % _TRUTH_EVERY == 0:
            self._truth.publish(messages.truth_message(self._robot.truth, self._robot.now()))
        self._ticks += 1

    def _once(self, name: str, reading: Any, send: Callable[[Any], None]) -> None:
        """Send a reading that has not been sent yet."""
        if isinstance(reading, Stamped) and self._sent.get(name) != reading.sequence:
            self._sent[name] = reading.sequence
            send(reading)

    def _send_scan(self, scan: LaserScan) -> None:
        scan_time = 1.0 / self._robot.spec.sensors.lidar.rate_hz
        if self._scan is not None:
            self._scan.publish(convert.laser_scan_message(scan, layout.LIDAR_FRAME, scan_time))

    def _send_odometry(self, odometry: Odometry) -> None:
        self._odometry.publish(convert.odometry_message(odometry))
        link = convert.transform_message(odometry.pose, layout.ODOM_FRAME, layout.BASE_FRAME, odometry.stamp)
        self._send_transforms(self._tf, [link])

    def _send_pose(self, estimate: PoseEstimate) -> None:
        origin = self._origin.of(estimate)
        link = convert.transform_message(origin, layout.MAP_FRAME, layout.ODOM_FRAME, estimate.stamp)
        self._send_transforms(self._tf, [link])

    def _send_bumpers(self, bumpers: Bumpers) -> None:
        if self._hazards is None:
            return
        message = convert.hazards_message(bumpers)
        if self._robot.base.backup_warning:
            from irobot_create_msgs.msg import HazardDetection

            message.detections.append(HazardDetection(header=message.header, type=_BACKUP_LIMIT))
        self._hazards.publish(message)

    def _send_more(self, key: str, reading: Stamped) -> None:
        for topic, publisher in self._more.get(key, ()):
            if publisher is not None:
                publisher.publish(convert.sensor_message(topic, reading, publisher.msg_type))

    def _send_turret(self, turret: TurretState) -> None:
        self._send_transforms(self._tf, messages.turret_transforms(turret, self._robot.spec.body, self._preview))

    def _send_image(self, image: Any) -> None:
        stamp = self._port.shown(image.stamp)
        self._send_ball(stamp)
        self._images.publish(messages.image_message(replace(image, stamp=stamp)))
        self._image_info.publish(messages.camera_info_message(self._preview, stamp))

    def _send_ball(self, stamp: int) -> None:
        message = self._ball.message(stamp)
        if self._balls is not None and message is not None:
            self._balls.publish(message)

    def _send_transforms(self, publisher: Any, transforms: list[Any]) -> None:
        if publisher is not None:
            publisher.publish(publisher.msg_type(transforms=transforms))

    def _publish_mounts(self) -> None:
        spec = self._robot.spec
        self._send_transforms(self._tf_static, messages.mounts(spec.sensors, spec.body, self._preview))

    def _make_cameras(self) -> None:
        sensors = self._robot.spec.sensors
        if "rendered" in (sensors.camera.kind, sensors.lanes.kind, sensors.sphere_camera.kind):
            self._images = self._publisher(ImageMessage, "oakd/rgb/preview/image_raw")
            self._image_info = self._publisher(CameraInfo, "oakd/rgb/preview/camera_info")
        self._balls = None
        if sensors.sphere_camera.kind != "none":
            self._balls = self._publisher(PointStamped, layout.CIRCLES_TRUTH_TOPIC)

    def _drive(self, message: Any) -> None:
        self._port.drive(layout.twist(message))

    def _aim(self, message: Any) -> None:
        self._port.aim(layout.turret_rates(message))

    def _fire(self, message: Any) -> None:
        self._port.fire()

    def _topic(self, name: str) -> str:
        return f"/{self._robot.name}/{name}"

    def _publisher(self, kind: Any, topic: str) -> Any:
        return self._node.create_publisher(kind, self._topic(topic), RELIABLE_SENSOR)

    def _optional(self, package: str, kind: str, topic: str, feature: str, qos: Any = RELIABLE_SENSOR) -> Any:
        found = optional_type(self._node, package, "msg", kind, feature)
        return None if found is None else self._node.create_publisher(found, self._topic(topic), qos)


class _OdomOrigin:
    """Where the odom frame is in the map, from the localisation's estimates of the robot's pose.

    An estimate belongs to the instant of its measurement, so dead reckoning of that instant is kept
    until the estimate arrives.

    Args:
        robot: whose frame it is
        clock: returns what the robot's clock shows, ns
        late_s: how much later than usual an estimate may arrive, s
    """

    def __init__(self, robot: SimulatedRobot, clock: Callable[[], int], late_s: float) -> None:
        parameters = robot.spec.sensors.localisation
        self._robot = robot
        self._clock = clock
        self._ahead = from_seconds(parameters.transform_tolerance_s)
        waiting = from_seconds(parameters.latency_s + late_s) // TICK + 2
        self._newest = Pose2D()
        self._reckoned: deque[tuple[int, Pose2D]] = deque(maxlen=waiting)

    def note(self) -> None:
        """Remember dead reckoning of this tick."""
        self._reckoned.append((self._clock(), self._robot.reckoned()))

    def of(self, estimate: PoseEstimate) -> Pose2D:
        """Return the pose of odom in map by an estimate that has just arrived; the last one for one that is old."""
        measured = estimate.stamp - self._ahead
        for instant, pose in self._reckoned:
            if instant == measured:
                self._newest = estimate.pose.compose(pose.relative(Pose2D()))
        return self._newest


class _TrueBall:
    """Where the nearest ball was lately, for an image that arrives some time after its exposure."""

    def __init__(
        self, robot: SimulatedRobot, clock: Callable[[], int], balls: Callable[[], Sequence[PlacedSphere]]
    ) -> None:
        self._robot = robot
        self._clock = clock
        self._balls = balls
        self._mount = None if robot.sphere_camera is None else robot.spec.sensors.sphere_camera.mount(robot.spec.body)
        self._lately: deque[tuple[int, CameraPose, PlacedSphere]] = deque(maxlen=from_seconds(1.0) // TICK)

    def note(self) -> None:
        """Remember this tick."""
        balls = self._balls()
        if self._mount is None or not balls:
            return
        camera = self._mount.pose(self._robot.truth.pose, self._robot.truth.turret)
        nearest = min(balls, key=lambda ball: math.dist((ball.x, ball.y, ball.z), (camera.x, camera.y, camera.z)))
        self._lately.append((self._clock(), camera, nearest))

    def message(self, stamp: int) -> Any:
        """Return the message of an exposure (ns); None where that is not remembered, or there is no ball."""
        for now, camera, ball in self._lately:
            if now == stamp:
                return messages.ball_message(camera, ball, stamp)
        return None
