"""The localiser node: camera, LiDAR and odometry in; lane lines, and the robot's place in tf, out."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from typing import Any

from geometry_msgs.msg import PoseWithCovarianceStamped
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from sensor_msgs.msg import Image as ImageMessage
from std_msgs.msg import String

from arena_trees.control.odometry_buffer import OdometryBuffer
from arena_trees.games.game import RobotContext
from arena_trees.nodes.adapters import convert
from arena_trees.nodes.adapters.lane_detection_worker import LaneDetectionWorker
from arena_trees.nodes.adapters.sensors import Sensors
from arena_trees.nodes.adapters.timelines import RosTimeline, nanoseconds
from arena_trees.nodes.adapters.transforms import PoseListener
from arena_trees.nodes.monitors.image_tally import ImageTally
from arena_trees.nodes.runtime.diagnostics import ERROR, OK, STALE, WARN, Diagnostics
from arena_trees.nodes.runtime.names import robot_name
from arena_trees.nodes.runtime.optional_types import optional_type
from arena_trees.nodes.runtime.parameters import accept_changes, declare, read
from arena_trees.nodes.runtime.process import run
from arena_trees.nodes.runtime.qos import EVENTS, RELIABLE_SENSOR, Reliability, sensor_qos
from arena_trees.nodes.runtime.role_context import known_role
from arena_trees.perception.image import Image
from arena_trees.perception.lanes.calibration import load_calibration
from arena_trees.perception.lanes.lines import LaneDetector, LaneParameters
from arena_trees.perception.lanes.tracker import LaneWatch
from arena_trees.perception.markers import MarkerDetector
from arena_trees.perception.percept_filter import Localiser, PerceptFilter
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Live, Parameters, parameter
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.lane import LaneLines
from arena_trees.robot.percepts import Percepts, PoseEstimate, Readings
from arena_trees.robot.ros_messages import layout
from arena_trees.robot.ros_messages.lane_text import lane_to_text
from arena_trees.world.arenas import load_start

__all__ = ["LocaliserNode", "LocaliserNodeParameters", "main"]

_TICK_S = 0.02
_NAME = "localiser"
_POSE = 3
"""Numbers of a start: x, y, yaw."""
_SENSORS = frozenset((keys.SCAN, keys.ODOMETRY))


class LocaliserNodeParameters(Parameters):
    """Which robot is localised, where it is put, and its camera's light."""

    robot: str = parameter("", "name of the robot; empty for the last part of the namespace", read_only=True)
    role: str = parameter(..., "role of the robot, which determines how it knows where it is", read_only=True)
    rules: tuple[str, ...] = parameter(
        (), "rules of its game that are not as by default, such as key=value", read_only=True
    )
    arena: str = parameter("", "arena file or shipped arena; empty for none", read_only=True)
    start: tuple[float, ...] = parameter(
        (), "x, y (m) and yaw (rad) of where the robot is put, map frame; as in the arena where empty", read_only=True
    )
    seed: int = parameter(
        -1,
        "of a simulated trial, by which the error of the robot's start is drawn as without ROS; negative: start is "
        "used as given",
        read_only=True,
        ge=-1,
        lt=1 << 31,
    )
    calibration: str | None = parameter(
        None,
        "file of the robots' cameras and colours; the shipped lane_calibration.yaml where empty",
        read_only=True,
    )
    camera: bool = parameter(
        True, "look at the camera's images; without it lanes and markers are unknown", read_only=True
    )
    markers: bool = parameter(True, "look for markers in these images, too", read_only=True)
    marker_size: float = parameter(0.18, "side of a marker's black square", "m", read_only=True, gt=0, le=1)
    reliability: Reliability = parameter(
        "best_effort", "of the image; best_effort drops what comes too late", read_only=True
    )
    brightness: float = parameter(0.0, "added to each colour of a pixel, of 255", ge=-255, le=255)
    contrast: float = parameter(1.0, "stretches colours about the middle, 128", gt=0, le=10)
    map_frame: str = parameter("map", "fixed frame of the arena", read_only=True)
    odom_frame: str = parameter("odom", "frame of dead reckoning", read_only=True)
    base_frame: str = parameter("base_link", "frame of the robot", read_only=True)


class LocaliserNode(Node):
    """Knows where a robot is, as its role does, and publishes that on tf, as AMCL would.

    Each image is first given the parameters' brightness and contrast (the source system's launch files set them):
    contrast * (colour - 128) + 128 + brightness. Lines are found by their calibration whatever these are; a camera that
    is far too dark or pale needs them. Images are looked at in a thread of their own, the newest first, and never hold
    up odometry. What is malformed, not finite or of another time is dropped and counted.

    While the robot is lost nothing is published: the transform grows old, and the gate stops the robot. Whoever knows
    where it is publishes ``initialpose``, as with AMCL; without a start it waits for that.

    Topics:
        * ``oakd/rgb/preview/image_raw`` (sensor_msgs/Image), keep last 1, best effort by default [subscribed, by a
          role that sees lanes, with ``camera``]
        * ``odom``, ``scan``, ``/tf``, ``/tf_static`` as in
          :class:`~arena_trees.nodes.adapters.sensors.Sensors` [subscribed]
        * ``initialpose`` (geometry_msgs/PoseWithCovarianceStamped, reliable, keep last 50) [subscribed]: where the
          robot is now, in the map frame
        * ``/tf`` (tf2_msgs/TFMessage, reliable, keep last 50) [published]: map to odom with each odometry; launch
          remaps it to ``tf``
        * ``lane`` (std_msgs/String, reliable, keep last 5) [published, by such a role]: JSON, the fields of
          :mod:`~arena_trees.robot.ros_messages.lane_text`: stamp, red, black, stop_distance, lane_width,
          near_slice, far_slice
        * ``/diagnostics`` (diagnostic_msgs/DiagnosticArray) [published], 1 Hz

    Parameters:
        those of :class:`LocaliserNodeParameters`, of which ``brightness`` and ``contrast`` may change while it runs,
        and of :class:`~arena_trees.perception.lanes.lines.LaneParameters` under ``lanes.``

    Raises:
        ConfigError: a parameter, the calibration or the arena cannot be used, or the role has no localiser
    """

    waking_subscriptions = ()
    """It works at a fixed rate: no message wakes it."""

    def __init__(self) -> None:
        super().__init__(_NAME)
        declare(self, LocaliserNodeParameters)
        declare(self, LaneParameters, "lanes.", read_only=True)
        self._live = Live(read(self, LocaliserNodeParameters))
        accept_changes(self, self._live)
        self._wanted = wanted = self._live.value
        robot = robot_name(self, wanted.robot)
        start = _pose(wanted.start) if wanted.start else None
        if start is None and wanted.arena:
            start = load_start(wanted.arena, robot)
        role, self._placed = known_role(robot, wanted.role, wanted.rules, wanted.arena, start, wanted.seed)
        if role.localiser is None:
            raise ConfigError("this role has no localiser of its own", key="role", value=wanted.role)
        self._make_localiser = role.localiser
        self._eye = self._make_eye(robot) if wanted.camera and "lane" in role.sensors else None
        self._timeline = RosTimeline(self)
        poses = PoseListener(self, self._timeline, wanted.map_frame, wanted.odom_frame, wanted.base_frame)
        self._sensors = Sensors(self, self._timeline, _SENSORS, poses)
        self._refusals: Counter[str] = Counter()
        self._images = 0
        self._last = 0
        self._misplaced = 0
        self._lane: LaneLines | None = None
        self._estimate: PoseEstimate | None = None
        self._localiser: Localiser | None = None
        self._begin(self._placed)
        transforms = optional_type(self, "tf2_msgs", "msg", "TFMessage", "transforms")
        self._tf = None if transforms is None else self.create_publisher(transforms, "/tf", EVENTS)
        self._diagnostics = Diagnostics(self, _NAME)
        if self._eye is not None:
            self._lanes = self.create_publisher(String, "lane", RELIABLE_SENSOR)
            quality = sensor_qos(wanted.reliability)
            self.create_subscription(ImageMessage, "oakd/rgb/preview/image_raw", self._on_image, quality)
        self.create_subscription(PoseWithCovarianceStamped, "initialpose", self._on_initial_pose, EVENTS)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(_TICK_S, self._step, clock=steady)
        self.create_timer(1.0, self._report, clock=steady)

    def halt(self) -> None:
        """Nothing to stop: the transform grows old."""

    def destroy_node(self) -> None:
        """End the thread that looks at images, and the node."""
        if self._eye is not None:
            self._eye.close()
        super().destroy_node()

    def _make_eye(self, robot: str) -> LaneDetectionWorker:
        calibration = load_calibration(robot, self._wanted.calibration)
        watch = LaneWatch(LaneDetector(calibration, read(self, LaneParameters, "lanes.")))
        markers = MarkerDetector(calibration.camera, self._wanted.marker_size) if self._wanted.markers else None
        return LaneDetectionWorker(watch, markers, self._light)

    def _light(self) -> tuple[float, float]:
        return self._live.value.brightness, self._live.value.contrast

    def _begin(self, context: RobotContext) -> None:
        """Start at the pose that a context gives; without one, wait for ``initialpose``."""
        self._localiser = None if context.start is None else self._make_localiser(context)
        self._percept_filter = PerceptFilter(localiser=self._localiser)
        self._percept_filter.refusals = self._refusals
        self._moved = OdometryBuffer()

    def _on_image(self, message: Any) -> None:
        self._images += 1
        stamp, arrival = self._timeline.received(nanoseconds(message.header.stamp))
        size = (message.width, message.height, message.encoding, message.step)
        assert self._eye is not None
        self._eye.show(Image(stamp, arrival, self._images, *size, message.data), self._moved.at(stamp))

    def _on_initial_pose(self, message: Any) -> None:
        start = layout.pose(message)
        frame = message.header.frame_id.lstrip("/")
        if frame not in ("", self._wanted.map_frame) or not start.is_finite:
            self._misplaced += 1
            self.get_logger().warning(f"initialpose is none in {self._wanted.map_frame}: {start} in {frame!r:.40}")
            return
        self.get_logger().info(f"begins at {start}")
        self._begin(replace(self._placed, start=start, streams=None))

    def _step(self) -> None:
        self._live.swap()
        now = self._timeline.now()
        if now < self._last:
            self.get_logger().warning("the clock went back: it begins where it began before")
            if self._eye is not None:
                self._eye.reset()
            self._moved = OdometryBuffer()
        self._last = now
        seen = None if self._eye is None else self._eye.seen()
        lane, markers = (None, None) if seen is None else seen
        newest = self._sensors.read()
        more = {key: reading for key, reading in (("lane", lane), ("markers", markers)) if reading is not None}
        readings = Readings(newest.now, scan=newest.scan, odometry=newest.odometry, more=more)
        percepts = self._percept_filter.take(readings)
        self._moved.add(percepts.odometry)
        self._publish(percepts)

    def _publish(self, percepts: Percepts) -> None:
        """Publish what is new."""
        if percepts.lane is not None and percepts.lane is not self._lane:
            self._lane = percepts.lane
            self._lanes.publish(String(data=lane_to_text(percepts.lane)))
        estimate, odometry = percepts.pose, percepts.odometry
        if estimate is None or estimate is self._estimate or odometry is None or self._tf is None:
            return
        self._estimate = estimate
        origin = estimate.pose.compose(odometry.pose.relative(Pose2D()))
        frames = (self._wanted.map_frame, self._wanted.odom_frame)
        link = convert.transform_message(origin, *frames, estimate.stamp)
        self._tf.publish(self._tf.msg_type(transforms=[link]))

    def _report(self) -> None:
        tally = None if self._eye is None else self._eye.take_tally()
        level, message = self._state(tally)
        values: dict[str, str] = {} if tally is None else dict(tally.values())
        if self._localiser is not None:
            values |= self._localiser.report()
        values["initialpose refused"] = str(self._misplaced)
        for reason, count in sorted({**self._sensors.dropped, **self._percept_filter.refusals}.items()):
            values[f"refused: {reason}"] = str(count)
        self._diagnostics.publish(level, message, values)

    def _state(self, tally: ImageTally | None) -> tuple[bytes, str]:
        """Return how it goes: level and words."""
        if tally is not None and tally.failure:
            return ERROR, f"the detector failed: {tally.failure}"
        if self._localiser is None:
            return WARN, "waits for initialpose: nobody said where the robot is"
        if self._localiser.lost:
            return ERROR, "lost: tell initialpose where the robot is"
        if tally is None:
            return OK, "knows where it is"
        if tally.refusal:
            return WARN, f"image refused: {tally.refusal}"
        if not tally.images:
            return STALE, "no image"
        return OK, f"{tally.images} images a second"


def _pose(start: tuple[float, ...]) -> Pose2D:
    if len(start) != _POSE:
        raise ConfigError("must be three numbers: x, y, yaw", key="start", value=list(start))
    return Pose2D(*start)


def main() -> None:
    """Run the node."""
    sys.exit(run(LocaliserNode))


if __name__ == "__main__":
    main()
