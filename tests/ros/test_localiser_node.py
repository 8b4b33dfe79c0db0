"""The localiser on ROS: pictures, scans and odometry of a crossing in; lines and the odom frame's place out."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
import shapely

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("tf2_msgs.msg", reason="tf2_msgs is not installed")

from geometry_msgs.msg import PoseWithCovarianceStamped
from helpers.node_bench import NodeBench
from helpers.road_pictures import Road, as_image
from helpers.robot_senses import LIDAR
from helpers.world_clock import DrivenClock
from nav_msgs.msg import Odometry as OdometryMessage
from sensor_msgs.msg import Image as ImageMessage
from sensor_msgs.msg import LaserScan as LaserScanMessage
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from arena_trees.nodes.adapters import convert
from arena_trees.nodes.adapters.arena_messages import image_message
from arena_trees.nodes.adapters.timelines import nanoseconds, stamp_message
from arena_trees.nodes.localiser import LocaliserNode
from arena_trees.nodes.runtime.qos import LATCHED
from arena_trees.perception.image import Image
from arena_trees.robot.clock import SECOND
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import Odometry
from arena_trees.robot.ros_messages import layout
from arena_trees.robot.scan import LaserScan

ROBOT = "robot_1"
CROSSER = ("-p", "role:=crosser", "-p", "arena:=crossing_4")
PLACE = Pose2D(0.27, -2.1, math.pi / 2 + 0.03)
"""In the lane from the south, a little to its left, 1.4 m before the stop line."""
ORIGIN = Pose2D(0.4, -0.2, 0.5)
"""Of the odom frame in the map."""
NEAR = "[0.31, -2.06, 1.62]"
"""Where somebody would say that it stands."""


@pytest.fixture(scope="module")
def road():
    return Road()


class Body:
    """A robot that stands at a crossing, without physics, and what is heard of its localiser."""

    def __init__(self, road: Road, *arguments: str, start: str = NEAR, robot: str = ROBOT) -> None:
        given = [f"start:={start}"] if start else []
        parts = [part for one in (*given, *arguments) for part in ("-p", one)]
        remaps = [part for one in (f"__ns:=/{robot}", "/tf:=tf", "/tf_static:=tf_static") for part in ("-r", one)]
        self.bench = bench = NodeBench(LocaliserNode, *remaps, *CROSSER, *parts)
        self.road, self.place = road, PLACE
        self.now = lambda: int(bench.observer.get_clock().now().nanoseconds)
        self.images = bench.speaker(ImageMessage, f"/{robot}/oakd/rgb/preview/image_raw")
        self.scans = bench.speaker(LaserScanMessage, f"/{robot}/scan")
        self.odometry = bench.speaker(OdometryMessage, f"/{robot}/odom")
        self.tf = bench.speaker(TFMessage, f"/{robot}/tf")
        self.mounts = bench.speaker(TFMessage, f"/{robot}/tf_static", LATCHED)
        self.mounts.publish(TFMessage(transforms=[convert.transform_message(LIDAR, "base_link", "rplidar_link", 0)]))
        self._looks = 0
        self._newest: tuple[Pose2D, Image] | None = None
        thickness = road.floor.parameters.wall_thickness
        walls = [shapely.LineString([wall.start, wall.end]) for wall in road.floor.walls]
        self._walls = shapely.union_all([wall.buffer(thickness / 2, cap_style="flat") for wall in walls])
        self._heard = bench.hear(TFMessage, f"/{robot}/tf")
        self.lanes = bench.hear(String, f"/{robot}/lane")
        self.starts = bench.speaker(PoseWithCovarianceStamped, f"/{robot}/initialpose")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.bench.__exit__(*error)

    def live(self) -> None:
        """Publish the odometry, and every fifth time a picture and a scan."""
        odometry = Odometry(self.now(), 0, 0, ORIGIN.relative(self.place), Twist2D())
        self.odometry.publish(convert.odometry_message(odometry))
        link = convert.transform_message(odometry.pose, "odom", "base_link", odometry.stamp)
        self.tf.publish(TFMessage(transforms=[link]))
        self._looks += 1
        if self._looks % 5 == 0:
            self.images.publish(self.picture())
            self.scans.publish(convert.laser_scan_message(self.scan(), "rplidar_link"))

    def picture(self) -> ImageMessage:
        """Return what the camera sees."""
        if self._newest is None or self._newest[0] != self.place:
            self._newest = (self.place, as_image(self.road.photograph(self.place)))
        return image_message(replace(self._newest[1], stamp=self.now()))

    def scan(self) -> LaserScan:
        """Return what the LiDAR sees of the walls."""
        lidar = self.place.compose(LIDAR)
        increment = math.tau / 360
        angles = lidar.yaw - math.pi + increment * np.arange(360)
        far = np.column_stack([lidar.x + 8.0 * np.cos(angles), lidar.y + 8.0 * np.sin(angles)])
        near = np.broadcast_to((lidar.x, lidar.y), far.shape)
        hits = shapely.intersection(shapely.linestrings(np.stack([near, far], axis=1)), self._walls)
        ranges = np.where(shapely.is_empty(hits), math.inf, shapely.distance(hits, shapely.Point(lidar.x, lidar.y)))
        last = math.pi - increment
        return LaserScan(self.now(), 0, 0, ranges.astype(np.float32), -math.pi, last, increment, 0.164, 12.0)

    @property
    def transforms(self) -> list:
        return [link for message in self._heard for link in message.transforms if link.header.frame_id == "map"]

    def until(self, done, what: str):
        return self.bench.until(done, what, self.live)

    def told_origin(self) -> Pose2D | None:
        return layout.transform(self.transforms[-1]) if self.transforms else None

    def is_found(self) -> bool:
        origin = self.told_origin()
        if origin is None:
            return False
        found = origin.compose(ORIGIN.relative(self.place))
        return found.distance_to(self.place.x, self.place.y) < 0.02 and abs(found.yaw - self.place.yaw) < 0.01

    def tell_start(self, pose: Pose2D, frame: str = "map") -> None:
        message = PoseWithCovarianceStamped()
        message.header.frame_id = frame
        self.starts.publish(convert.fill(message, {"pose": {"pose": layout.pose_fields(pose)}}))


def test_tf_becomes_right_and_the_lane_is_told(road):
    with Body(road) as body:
        body.until(body.is_found, "the right place")
        body.until(lambda: body.lanes, "the lane")
        lane = json.loads(body.lanes[-1].data)
        assert set(lane) == {"stamp", "red", "black", "stop_distance", "lane_width", "near_slice", "far_slice"}
        red, _, half = lane["near_slice"]
        assert half == pytest.approx(0.35, abs=0.01) and 0.24 < red < half
        assert lane["red"][0] == pytest.approx(0.27, abs=0.01) and lane["black"][0] == pytest.approx(-0.33, abs=0.01)
        assert lane["red"][1] == pytest.approx(-0.03, abs=0.01)
        assert lane["stop_distance"] == pytest.approx(1.4, abs=0.03) and lane["lane_width"] == 0.6
        newest = body.transforms[-1].header.stamp
        assert 0 <= body.now() - nanoseconds(newest) < SECOND, "stamped as the odometry that it goes with"
        body.until(lambda: body.bench.state().endswith("images a second"), "a report")
        assert float(body.bench.value("aside [m]")) < 0.02
        # It drives on, and stays right.
        for _ in range(60):
            body.place = Pose2D(body.place.x, body.place.y + 0.005, PLACE.yaw)
            body.live()
            body.bench.spin()
        body.until(body.is_found, "the place farther on")


def test_without_a_start_it_waits_to_be_told_and_a_place_that_is_none_is_refused(road):
    with Body(road, start="", robot="stranger") as body:
        body.until(lambda: "waits for initialpose" in body.bench.state(), "the reason")
        body.until(lambda: body.lanes, "the lane, which needs no place")
        body.tell_start(Pose2D(math.nan, 0.0, 0.0))
        body.tell_start(PLACE, frame="somewhere")
        body.until(lambda: body.bench.value("initialpose refused") == "2", "both refused")
        assert not body.transforms
        body.tell_start(PLACE)
        body.until(body.is_found, "the right place")


def test_the_arena_says_where_a_robot_starts(road):
    with Body(road, start="") as body:
        body.place = Pose2D(0.3, -2.7, math.pi / 2)
        body.until(body.is_found, "the place of robot_1 in crossing_4")


def test_what_is_broken_or_not_finite_is_dropped_and_counted_and_what_follows_is_used(road):
    with Body(road) as body:
        body.until(body.is_found, "the right place")
        broken = body.picture()
        broken.height += 1
        shapeless = body.scan()
        message = convert.laser_scan_message(shapeless, "rplidar_link")
        message.angle_increment = math.nan
        nowhere = convert.odometry_message(Odometry(body.now(), 0, 0, Pose2D(math.nan, 0.0, 0.0), Twist2D()))

        def vex() -> None:
            for thing in (broken, message, nowhere):
                thing.header.stamp = stamp_message(body.now())
            body.images.publish(broken)
            body.scans.publish(message)
            body.odometry.publish(nowhere)

        def counted() -> bool:
            keys = ("refused", "refused: odometry: not finite", "refused: scan: malformed")
            return all(int(body.bench.value(key) or 0) > 0 for key in keys)

        body.bench.until(counted, "the counts", vex)
        assert body.bench.state().startswith("image refused: the image should have")
        for transform in body.transforms:
            assert layout.transform(transform).is_finite
        heard = len(body.lanes)
        body.until(lambda: len(body.lanes) > heard and body.is_found(), "the place again")


def test_brightness_and_contrast_may_change_while_it_runs(road):
    with Body(road) as body:
        red = lambda: body.lanes and json.loads(body.lanes[-1].data)["red"]  # noqa: E731
        body.until(red, "a red line")
        assert not body.bench.set_parameter("contrast", 0.0).successful
        assert not body.bench.set_parameter("arena", "other").successful
        assert body.bench.set_parameter("brightness", -255).successful
        body.until(lambda: json.loads(body.lanes[-1].data)["red"] is None, "darkness")
        assert body.bench.set_parameter("brightness", 0.0).successful
        assert body.bench.set_parameter("contrast", 0.5).successful
        body.until(red, "a red line in a pale image")


def test_when_the_clock_goes_back_it_begins_where_it_began(road):
    with Body(road, "use_sim_time:=true") as body:
        clock = DrivenClock(body.bench, 0.04)
        body.now = lambda: clock.now

        def tick() -> None:
            clock.tick()
            body.live()

        body.bench.until(body.is_found, "the right place", tick)
        clock.restart()
        before = len(body.transforms)
        body.bench.until(lambda: len(body.transforms) > before + 20 and body.is_found(), "the place again", tick)
        assert nanoseconds(body.transforms[-1].header.stamp) <= clock.now


def test_a_simulated_robot_is_told_its_start_as_wrongly_as_without_ros(road):
    true = "[0.27, -2.1, 1.6]"
    origins = []
    for seed in (1000, 1001):
        with Body(road, f"seed:={seed}", "markers:=false", start=true) as body:
            body.until(lambda: body.transforms, "a transform")
            origins.append(layout.transform(body.transforms[0]))
    assert 0.005 < origins[0].distance_to(origins[1].x, origins[1].y) < 0.4


def test_without_a_camera_it_is_well_without_images():
    arguments = ("-r", f"__ns:=/{ROBOT}", *CROSSER, "-p", "camera:=false", "-p", f"start:={NEAR}")
    with NodeBench(LocaliserNode, *arguments) as bench:
        bench.until(lambda: bench.state() == "knows where it is", "that it is well")
        assert bench.node.count_subscribers(f"/{ROBOT}/oakd/rgb/preview/image_raw") == 0


def test_what_it_cannot_use_is_named():
    for arguments, text in (
        (("arena:=arena_4x4",), "no crossing"),
        (("role:=wolf",), "role: this role has no localiser"),
        (("start:=[1.0]",), "three numbers"),
        (("start:=[.nan, 0.0, 0.0]",), "start"),
        (("calibration:=/nowhere.yaml",), "nowhere"),
        (("rules:=['localiser.gate=.inf']",), "localiser.gate"),
        (("brightness:=300.0",), "brightness"),
    ):
        with pytest.raises(ConfigError, match=text):
            parts = (part for one in arguments for part in ("-p", one))
            NodeBench(LocaliserNode, "-r", "__ns:=/robot_1", *CROSSER, "-p", f"start:={NEAR}", *parts)
