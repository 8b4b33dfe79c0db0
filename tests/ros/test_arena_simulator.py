"""The arena on ROS: what its robots publish, when, in which frames, and how they are driven."""

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("tf2_msgs.msg", reason="tf2_msgs is not installed")
pytest.importorskip("vision_msgs.msg", reason="vision_msgs is not installed")
pytest.importorskip("irobot_create_msgs.msg", reason="irobot_create_msgs is not installed")

from geometry_msgs.msg import Twist, TwistStamped
from helpers.graphics import needs_graphics
from helpers.node_bench import NodeBench
from irobot_create_msgs.msg import HazardDetection, HazardDetectionVector
from nav_msgs.msg import Odometry
from rclpy.qos import QoSProfile
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import BatteryState, CameraInfo, Image, LaserScan
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from vision_msgs.msg import Detection2DArray

from arena_trees.nodes.adapters.timelines import nanoseconds
from arena_trees.nodes.arena_simulator import ArenaSimulator
from arena_trees.nodes.runtime.qos import LATCHED
from arena_trees.perception import image as perception_image
from arena_trees.perception.signs.detector import OnnxSignDetector
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.ros_messages import layout
from arena_trees.sensors.detections import sensor as signs

RELIABLE = QoSProfile(depth=1000)

ROOM = "arena_set={random_boxes: {count: 0}, start_distance: 0.5}"
EMPTY_ROOM = (
    ROOM,
    "wolf.start={x: 0.5, y: -0.5, yaw_deg: 0.0}",
    "rabbit.start={x: 1.8, y: -0.5, yaw_deg: 180.0}",
)
EXACT = (
    "wolf.sensors.localisation={noise_m: 0.0, noise_yaw: 0.0, jumps_per_minute: 0.0}",
    "wolf.sensors.odometry={distance_scale: 0.0, yaw_scale: 0.0, distance_walk: 0.0, yaw_walk: 0.0}",
    "wolf.sensors.lidar={noise_m: 0.0, dropout: 0.3}",
)


def arena(*changes: str, **parameters: Any) -> NodeBench:
    given = ", ".join(f"'{change}'" for change in changes)
    arguments = ["-p", f"set:=[{given}]"] if changes else []
    for key, value in {"scenario": "wolf_rabbit", **parameters}.items():
        arguments += ["-p", f"{key}:={value}"]
    return NodeBench(ArenaSimulator, *arguments)


def stamps(messages: Sequence[Any]) -> list[int]:
    return [nanoseconds(message.header.stamp) for message in messages]


def rate(messages: Sequence[Any]) -> float:
    """Return the rate by stamps, Hz."""
    return 1.0 / float(np.mean(np.diff(stamps(messages)) / SECOND))


def links(messages: Sequence[Any], parent: str) -> list[Any]:
    found = [transform for message in messages for transform in message.transforms]
    return [transform for transform in found if transform.header.frame_id == parent]


def twist_stamped(speed: float, turn: float = 0.0) -> Any:
    message = TwistStamped()
    message.twist.linear.x, message.twist.angular.z = speed, turn
    return message


class Ears:
    """Everything that a robot publishes."""

    def __init__(self, bench: NodeBench, robot: str = "wolf") -> None:
        def hear(kind: Any, topic: str, qos: Any = RELIABLE) -> list[Any]:
            return bench.hear(kind, f"/{robot}/{topic}", qos)

        self.clock = bench.hear(Clock, "/clock", RELIABLE)
        self.scan = hear(LaserScan, "scan")
        self.odometry = hear(Odometry, "odom")
        self.truth = hear(Odometry, "ground_truth")
        self.battery = hear(BatteryState, "battery_state")
        self.hazards = hear(HazardDetectionVector, "hazard_detection")
        self.tf = hear(TFMessage, "tf")
        self.tf_static = hear(TFMessage, "tf_static", LATCHED)
        self.detections = hear(Detection2DArray, "detections")
        self.camera_info = hear(CameraInfo, "detections/camera_info")


@pytest.fixture(scope="module")
def ears():
    """What the wolf published in three seconds, during which it turned and drove."""
    with arena(*EMPTY_ROOM, *EXACT) as bench:
        heard = Ears(bench)
        command = bench.speaker(TwistStamped, "/wolf/cmd_vel")
        bench.until(
            lambda: len(heard.truth) >= 75 and len(heard.battery) >= 2 and heard.tf_static,
            "three seconds of the wolf",
            lambda: command.publish(twist_stamped(0.1, 0.8)),
        )
        bench.until(bench.status, "diagnostics")
        heard.status = bench.status()
    return heard


def test_sensors_come_at_their_rates_in_their_frames(ears):
    rates = {name: rate(getattr(ears, name)) for name in ("scan", "odometry", "truth", "hazards", "detections")}
    assert rates == pytest.approx(
        {"scan": 7.6, "odometry": 20.0, "truth": 25.0, "hazards": 10.0, "detections": 30.0}, rel=0.1
    )
    assert rate(ears.battery) == pytest.approx(1.0, rel=0.1)
    ticks = np.diff([nanoseconds(message.clock) for message in ears.clock])
    assert np.median(ticks) == SECOND // 50
    assert {message.header.frame_id for message in ears.scan} == {"rplidar_link"}
    assert {(m.header.frame_id, m.child_frame_id) for m in ears.odometry} == {("odom", "base_link")}
    assert {(m.header.frame_id, m.child_frame_id) for m in ears.truth} == {("map", "base_link")}
    assert {message.header.frame_id for message in ears.detections} == {"oakd_rgb_camera_optical_frame"}
    assert ears.battery[-1].percentage == pytest.approx(1.0, abs=0.01)
    assert ears.hazards[-1].detections == []
    assert "times real time" in ears.status.message


def test_transforms_lead_to_the_true_pose_and_the_localisation_is_stamped_ahead(ears):
    base, origin = links(ears.tf, "odom"), links(ears.tf, "map")
    assert {link.child_frame_id for link in base} == {"base_link"}
    assert {link.child_frame_id for link in origin} == {"odom"}
    assert set(stamps(base)) <= set(stamps(ears.odometry)) | {stamps(base)[0]}
    assert rate(origin) == pytest.approx(20.0, rel=0.1)
    true = {stamp: message for stamp, message in zip(stamps(ears.truth), ears.truth, strict=True)}
    checked = 0
    for odometry in ears.odometry:
        stamp = nanoseconds(odometry.header.stamp)
        place = [link for link in origin if nanoseconds(link.header.stamp) >= stamp]
        if stamp in true and place:
            odom = layout.pose(odometry)
            pose = layout.transform(place[0]).compose(odom)
            truth = layout.pose(true[stamp])
            assert pose.distance_to(truth.x, truth.y) < 0.01
            assert abs(math.remainder(pose.yaw - truth.yaw, math.tau)) < 0.01
            checked += 1
    assert checked > 10
    # AMCL's way: newer than the odometry that came at the same time.
    assert max(stamps(origin)) > max(stamps(ears.odometry))


def test_the_scan_fits_the_walls_through_the_static_transforms(ears):
    static = {link.child_frame_id: link for message in ears.tf_static for link in message.transforms}
    mount = layout.transform(static["rplidar_link"])
    assert mount == Pose2D(-0.04, 0.0, pytest.approx(math.pi / 2))
    true = {stamp: message for stamp, message in zip(stamps(ears.truth), ears.truth, strict=True)}
    scans = [scan for scan in ears.scan if nanoseconds(scan.header.stamp) in true]
    assert scans
    for scan in scans:
        ranges = np.asarray(scan.ranges)
        assert len(ranges) == 640
        assert scan.scan_time == pytest.approx(1.0 / 7.6)
        assert np.isinf(ranges).mean() == pytest.approx(0.3, abs=0.08)
        assert scan.angle_max == pytest.approx(scan.angle_min + 639 * scan.angle_increment, abs=1e-4)
        pose = layout.pose(true[nanoseconds(scan.header.stamp)]).compose(mount)
        hits = np.flatnonzero(np.isfinite(ranges))
        angle = pose.yaw + scan.angle_min + hits * scan.angle_increment
        x, y = pose.x + ranges[hits] * np.cos(angle), pose.y + ranges[hits] * np.sin(angle)
        wall = np.maximum(np.abs(x), np.abs(y))
        assert wall.max() < 2.61
        # The rest is the rabbit.
        assert (wall > 2.59).mean() > 0.9


def test_the_optical_frame_looks_along_the_robot(ears):
    static = {link.child_frame_id: link for message in ears.tf_static for link in message.transforms}
    assert static["oakd_rgb_camera_frame"].transform.translation.z == pytest.approx(0.244)
    q = static["oakd_rgb_camera_optical_frame"].transform.rotation
    # Third column of the rotation: where the picture's z leads in the camera's own frame.
    axis = (2 * (q.x * q.z + q.w * q.y), 2 * (q.y * q.z - q.w * q.x), 1 - 2 * (q.x**2 + q.y**2))
    assert axis == pytest.approx((1.0, 0.0, 0.0))


def test_detections_come_with_the_size_of_their_image(ears):
    infos = {nanoseconds(info.header.stamp): info for info in ears.camera_info}
    # At either end one of the two may have been heard before the other.
    seen = [one for one in ears.detections if one.detections and nanoseconds(one.header.stamp) in infos]
    assert len(seen) > 10
    for message in seen:
        info = infos[nanoseconds(message.header.stamp)]
        assert (info.width, info.height) == (250, 250)
        assert info.k[0] == pytest.approx(325.6, abs=0.1)
        assert {box.label for box in signs.found(message, (0, 0, 0)).boxes} <= {"rabbit_sign", "carrot", "wolf_sign"}
    assert seen[0].detections[0].results[0].hypothesis.class_id == "rabbit_sign"


def test_it_drives_on_cmd_vel_and_stops_by_its_own_watchdog():
    with arena(*EMPTY_ROOM) as bench:
        heard = Ears(bench)
        command = bench.speaker(TwistStamped, "/wolf/cmd_vel")
        commanded = 0

        def drive() -> None:
            nonlocal commanded
            command.publish(twist_stamped(0.2))
            commanded = bench.node._arena.now

        def speed() -> float:
            return heard.truth[-1].twist.twist.linear.x if heard.truth else 0.0

        bench.until(lambda: speed() > 0.19, "motion", drive)
        bench.until(lambda: speed() < 0.01, "standstill")
    after = [
        (stamp - commanded, m.twist.twist.linear.x) for stamp, m in zip(stamps(heard.truth), heard.truth, strict=True)
    ]
    full_speed = max(since for since, forward in after if forward > 0.19)
    moving = max(since for since, forward in after if forward > 0.01)
    # The watchdog's 0.5 s, and 0.22 s of braking; the last command came some ticks after the clock it goes by.
    assert 0.45 < full_speed / SECOND < 0.75
    assert 0.15 < (moving - full_speed) / SECOND < 0.3


def test_plain_twists_move_it_where_that_is_wanted_and_bumps_and_silent_sensors_are_told():
    near = (ROOM, "wolf.start={x: 0.0, y: 0.0, yaw_deg: 0.0}", "rabbit.start={x: 0.6, y: 0.0, yaw_deg: 0.0}")
    silent = "faults=[{robot: wolf, sensor: scan, at_s: 0.0}]"
    with arena(*near, silent, stamped_cmd_vel="false") as bench:
        heard, rabbit = Ears(bench), bench.hear(LaserScan, "/rabbit/scan")
        command = bench.speaker(Twist, "/wolf/cmd_vel")

        def drive(speed: float) -> None:
            message = Twist()
            message.linear.x = speed
            command.publish(message)

        def reported(kind: int) -> set[str]:
            hazards = [hazard for vector in heard.hazards for hazard in vector.detections]
            return {hazard.header.frame_id for hazard in hazards if hazard.type == kind}

        bench.until(lambda: reported(HazardDetection.BUMP), "a bump", lambda: drive(0.2))
        assert "bump_front_center" in reported(HazardDetection.BUMP)
        assert not reported(HazardDetection.BACKUP_LIMIT)
        bench.until(lambda: reported(HazardDetection.BACKUP_LIMIT), "the backup limit", lambda: drive(-0.2))
        bench.until(lambda: len(rabbit) > 5, "the rabbit's scans")
        assert heard.scan == []


def test_faulty_sensors_are_published_as_they_are():
    kinds = {"scan": "stuck", "odometry": "garbage", "pose": "frozen"}
    faults = [f"{{robot: wolf, sensor: {sensor}, kind: {kind}}}" for sensor, kind in kinds.items()]
    faults.append("{robot: rabbit, sensor: pose, kind: delayed, delay_s: 0.3}")
    with arena(ROOM, f"faults=[{', '.join(faults)}]") as bench:
        heard, healthy = Ears(bench), bench.hear(Odometry, "/rabbit/odom", RELIABLE)
        bench.until(lambda: len(heard.scan) > 3 and len(heard.odometry) > 10 and len(healthy) > 10, "both robots")
    assert len({tuple(scan.ranges) for scan in heard.scan}) == 1
    assert len(set(stamps(heard.scan))) == len(heard.scan)
    assert all(math.isnan(message.pose.pose.position.x) for message in heard.odometry)
    assert not any(math.isnan(message.pose.pose.position.x) for message in healthy)


def test_faults_count_from_when_the_game_begins_and_again_from_the_next_game():
    fault = "faults=[{robot: wolf, sensor: odometry, kind: garbage, at_s: 0.4, for_s: 0.4}]"
    with arena(ROOM, fault, faults_from="game") as bench:
        heard = Ears(bench)
        ends = bench.speaker(String, "/arena/end", LATCHED)
        garbage = lambda: [stamp for stamp, message in zip(stamps(heard.odometry), heard.odometry, strict=True)  # noqa: E731
                           if math.isnan(message.pose.pose.position.x)]  # fmt: skip
        ends.publish(String(data=json.dumps({"outcome": "", "reason": "nobody has begun it", "stamp": 0})))
        bench.until(lambda: len(heard.odometry) > 25, "more than a second of odometry")
        assert not garbage()
        for _ in range(2):
            heard.odometry.clear()
            begun = nanoseconds(heard.clock[-1].clock)
            ends.publish(String(data="null"))
            bench.until(lambda: garbage() and not math.isnan(heard.odometry[-1].pose.pose.position.x), "the fault")
            first, last = (stamp - begun for stamp in (garbage()[0], garbage()[-1]))
            assert 0.35 * SECOND < first < last < 1.2 * SECOND
            assert last - first < 0.4 * SECOND


def test_a_robot_whose_clock_jumps_has_one_of_its_own_by_which_it_is_stamped():
    fault = "faults=[{robot: wolf, part: clock, kind: jumps, by_s: 100, at_s: 1.0, for_s: 60}]"
    with arena(ROOM, fault) as bench:
        heard = Ears(bench)
        shown = bench.hear(Clock, "/wolf/clock", RELIABLE)
        other = bench.hear(Odometry, "/rabbit/odom", RELIABLE)
        bench.until(lambda: stamps(heard.odometry)[-1:] > [100 * SECOND] and len(other) > 25, "the jump")
        bench.until(lambda: shown and nanoseconds(shown[-1].clock) > 101 * SECOND, "the robot's clock")
        bench.until(lambda: stamps(heard.scan)[-1:] > [100 * SECOND], "a scan after it")
    assert max(map(nanoseconds, (message.clock for message in heard.clock))) < 60 * SECOND
    assert max(stamps(heard.truth)) < 60 * SECOND
    assert max(stamps(other)) < 60 * SECOND
    jumps = np.diff(stamps(heard.odometry))
    assert (jumps > 99 * SECOND).sum() == 1 and (jumps > 0).all()
    # Where the odom frame lies in the map is still found by the stamps of both.
    origins = [one.transform.translation for one in links(heard.tf, "map")]
    # m; the localisation errs by centimetres.
    assert max(np.ptp([(one.x, one.y) for one in origins], axis=0)) < 0.4


@needs_graphics
def test_a_rendered_lane_camera_sends_its_pictures_and_no_lane_is_found_by_the_arena():
    # Of every second's pictures half are garbage.
    fault = "{{robot: robot_1, sensor: markers, kind: garbage, at_s: {}, for_s: 0.5}}"
    faults = f"faults=[{', '.join(fault.format(second) for second in range(60))}]"
    changes = ("robots.count=1", "crosser.sensors.lanes.width=200", faults)
    with arena(*changes, scenario="crossroads_rendered", seed=1000) as bench:
        pictures = bench.hear(Image, "/robot_1/oakd/rgb/preview/image_raw", RELIABLE)
        optics = bench.hear(CameraInfo, "/robot_1/oakd/rgb/preview/camera_info", RELIABLE)
        bench.until(lambda: len(pictures) > 3 and len(optics) > 3, "pictures of the road")
        names = {name for name, _ in bench.observer.get_topic_names_and_types()}
        assert "/robot_1/lane" not in names
        bench.until(lambda: len({one.encoding for one in pictures}) == 2, "pictures and what is none")
    assert rate(pictures) == pytest.approx(10.0, abs=0.1)
    assert len(set(stamps(optics)) & set(stamps(pictures))) > 1
    pictures = [one for one in pictures if one.encoding != "garbage"]
    assert {(one.width, one.height, one.encoding, len(one.data)) for one in pictures} == {(200, 250, "bgr8", 150_000)}
    assert {(one.width, one.height) for one in optics} == {(200, 250)}
    # The road is grey, and light.
    assert np.mean(np.frombuffer(pictures[0].data, np.uint8)) > 20


@pytest.mark.slow
def test_two_arenas_with_one_seed_measure_the_same():
    """Long enough, for an arena plays on while it is being found."""
    scans = []
    for _ in range(2):
        with arena(seed=11, real_time_factor=10.0) as bench:
            heard = bench.hear(LaserScan, "/rabbit/scan", RELIABLE)
            bench.until(lambda heard=heard: heard and stamps(heard)[-1] > 10 * SECOND, "ten seconds")
            scans.append({stamp: list(scan.ranges) for stamp, scan in zip(stamps(heard), heard, strict=True)})
    common = scans[0].keys() & scans[1].keys()
    assert common
    for stamp in common:
        assert scans[0][stamp] == scans[1][stamp]


@needs_graphics
def test_a_rendered_camera_sends_pictures_in_which_the_detector_finds_the_rabbit():
    with arena(*EMPTY_ROOM, "camera=rendered") as bench:
        images = bench.hear(Image, "/wolf/oakd/rgb/preview/image_raw", RELIABLE)
        infos = bench.hear(CameraInfo, "/wolf/oakd/rgb/preview/camera_info", RELIABLE)
        bench.until(lambda: len(images) > 10 and len(infos) > 10, "pictures")
    assert (images[-1].width, images[-1].height, images[-1].encoding, images[-1].step) == (250, 250, "bgr8", 750)
    assert images[-1].header.frame_id == "oakd_rgb_camera_optical_frame"
    assert rate(images) == pytest.approx(30.0, rel=0.1)
    assert set(stamps(infos)) & set(stamps(images))
    message = images[-1]
    picture = perception_image.Image(
        0, 0, 0, message.width, message.height, message.encoding, message.step, message.data
    )  # fmt: skip
    found = OnnxSignDetector().detect(picture.rgb())
    assert [box.label for box in found] == ["rabbit_sign"]
    assert found[0].x == pytest.approx(125.0, abs=8.0)
