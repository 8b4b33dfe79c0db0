"""The arena's cameras on the ceiling and the ceiling tracker together: a robot that drives is found where it is."""

import math
import subprocess
from typing import Any

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("tf2_msgs.msg", reason="tf2_msgs is not installed")
pytest.importorskip("vision_msgs.msg", reason="vision_msgs is not installed")
pytest.importorskip("irobot_create_msgs.msg", reason="irobot_create_msgs is not installed")

from geometry_msgs.msg import PoseWithCovarianceStamped, TwistStamped
from helpers.arena import needs_arena
from helpers.graphics import needs_graphics
from helpers.node_bench import NodeBench
from nav_msgs.msg import Odometry
from rclpy.qos import QoSProfile
from sensor_msgs.msg import CameraInfo, Image

from arena_trees.nodes.adapters.timelines import nanoseconds
from arena_trees.nodes.arena_simulator import ArenaSimulator
from arena_trees.perception.ceiling.camera import CameraIntrinsics
from arena_trees.robot.clock import SECOND
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import wrap
from arena_trees.robot.ros_messages import layout

pytestmark = [needs_arena, needs_graphics]

RELIABLE = QoSProfile(depth=1000)
TAGS = """
floor:
  - {number: 100, x: -1.2, y: 0.9}
  - {number: 101, x: 1.2, y: 0.9}
  - {number: 102, x: 1.2, y: -0.9}
  - {number: 103, x: -1.2, y: -0.9}
robots:
  wolf: {number: 1}
  rabbit: {number: 2}
"""
ROOM = (
    "arena_set={random_boxes: {count: 0}, start_distance: 0.5}",
    "wolf.start={x: 0.0, y: -0.5, yaw_deg: 0.0}",
    "rabbit.start={x: -0.6, y: 0.4, yaw_deg: 180.0}",
)


def arena(*cameras: str, **parameters: Any) -> NodeBench:
    given = {"scenario": "wolf_rabbit", "set": "['" + "', '".join(ROOM) + "']"}
    given |= {"ceiling_cameras": f"[{', '.join(cameras)}]"} if cameras else {}
    arguments = [word for key, value in {**given, **parameters}.items() for word in ("-p", f"{key}:={value}")]
    return NodeBench(ArenaSimulator, *arguments)


@pytest.fixture
def tags(tmp_path):
    path = tmp_path / "tags.yaml"
    path.write_text(TAGS)
    return path


def test_a_robot_that_drives_is_found_where_it_is(spawn, tags):
    """RMS over the poses whose instant the truth is published of, too."""
    small = {"ceiling.image_width": 640, "ceiling.image_height": 480}
    with arena("c1", **{"ceiling.file": tags}, **small) as bench:
        node = spawn(
            "ceiling_tracker",
            *("-p", "cameras:=[c1]", "-p", f"file:={tags}", "-p", "calibrate_images:=3"),
            *("-p", "reliability:=reliable", "-p", "use_sim_time:=true"),
            stderr=subprocess.DEVNULL,
        )
        poses = bench.hear(PoseWithCovarianceStamped, "/wolf/ceiling/pose", RELIABLE)
        truth = bench.hear(Odometry, "/wolf/ground_truth", RELIABLE)
        command = bench.speaker(TwistStamped, "/wolf/cmd_vel")
        drive = TwistStamped()
        drive.twist.linear.x, drive.twist.angular.z = 0.2, 0.5

        def common() -> list[tuple[Any, Any]]:
            true = {nanoseconds(one.header.stamp): one for one in truth}
            found = {nanoseconds(one.header.stamp): one for one in poses}
            return [(layout.pose(found[at]), layout.pose(true[at])) for at in sorted(found.keys() & true.keys())]

        bench.until(lambda: len(common()) >= 15, "poses at instants of the truth", lambda: command.publish(drive))
        assert node.poll() is None
        bench.until(lambda: bench.value("ceiling images") not in ("", "0"), "a count of images")
        pairs = common()
    assert math.dist(*[(true.x, true.y) for _, true in (pairs[0], pairs[-1])]) > 0.2, "it drove"
    assert np.sqrt(np.mean([found.distance_to(true.x, true.y) ** 2 for found, true in pairs])) <= 0.02
    assert math.degrees(np.sqrt(np.mean([wrap(found.yaw - true.yaw) ** 2 for found, true in pairs]))) <= 2.0


def stamps(messages):
    return [nanoseconds(one.header.stamp) for one in list(messages)]


def test_images_come_at_their_rate_with_their_lens_and_none_by_default(tags):
    period = SECOND // 10
    size = {"ceiling.image_width": 320, "ceiling.image_height": 240, "ceiling.distortion": "[-0.1, 0.01, 0.0, 0.0]"}
    with arena("left", "right", **{"ceiling.file": tags}, **size) as bench:
        heard = {
            (name, kind): bench.hear(kind, f"/ceiling/{name}/{topic}", RELIABLE)
            for name in ("left", "right")
            for kind, topic in ((Image, "image_raw"), (CameraInfo, "camera_info"))
        }
        # On a busy machine some are left out, or every other one: the rate is seen where two follow each other.
        bench.until(
            lambda: all(len(one) > 8 and np.diff(stamps(one)).min() <= period for one in heard.values()), "images"
        )
    for (name, kind), messages in heard.items():
        assert {one.header.frame_id for one in messages} == {f"ceiling_{name}"}
        assert {(one.width, one.height) for one in messages} == {(320, 240)}
        # The first is of the arena's first tick, which is not its instant 0.
        assert not [stamp for stamp in stamps(messages) if stamp > period and stamp % period], kind
    image, info = heard["left", Image][-1], heard["left", CameraInfo][-1]
    assert (image.encoding, image.step, len(image.data)) == ("mono8", 320, 320 * 240)
    lens = CameraIntrinsics.from_camera_info(info.width, info.height, info.k, info.d, info.distortion_model, "left")
    assert lens.distortion == (-0.1, 0.01, 0.0, 0.0)
    assert 2.0 * math.degrees(math.atan(160.0 / lens.fx)) == pytest.approx(95.0)
    assert heard["left", Image][-1].data != heard["right", Image][-1].data
    with arena() as bench:
        assert not [one for one in bench.node.publishers if "ceiling" in one.topic_name]


@pytest.mark.parametrize(
    ("cameras", "given", "said"),
    [
        (("a", "a"), {}, "different names"),
        (("a/b",), {}, "plain word"),
        (("a",), {"ceiling.file": "/nowhere.yaml"}, "nowhere.yaml"),
        (("a",), {"ceiling.x": "[0.0, 1.0]"}, "one number a camera"),
        (("a",), {"ceiling.distortion": "[0.1]"}, "0, 4, 5 or 8"),
        (("a",), {"ceiling.fov_deg": 130.0, "ceiling.distortion": "[-0.5, 0.0, 0.0, 0.0]"}, "too wide"),
    ],
)
def test_what_cannot_be_used_is_refused(cameras, given, said):
    with pytest.raises(ConfigError, match=said):
        arena(*cameras, **given)
