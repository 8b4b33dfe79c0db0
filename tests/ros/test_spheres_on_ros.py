"""Spheres on ROS: the arena's circles and pictures, the detector that looks at these, and what a tree reads of it."""

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("tf2_msgs.msg", reason="tf2_msgs is not installed")
pytest.importorskip("vision_msgs.msg", reason="vision_msgs is not installed")

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, PointStamped
from helpers.ball_pictures import PINHOLE, ball, picture
from helpers.graphics import needs_graphics
from helpers.node_bench import NodeBench, QuietNode
from rclpy.qos import QoSProfile
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header, String
from vision_msgs.msg import Detection2DArray

from arena_trees.nodes.adapters import convert
from arena_trees.nodes.adapters.arena_messages import camera_info_message, image_message
from arena_trees.nodes.adapters.sensors import Sensors
from arena_trees.nodes.adapters.timelines import RosTimeline, nanoseconds, stamp_message
from arena_trees.nodes.arena_simulator import ArenaSimulator
from arena_trees.nodes.runtime.qos import LATCHED
from arena_trees.nodes.sphere_detector import SphereDetectorNode
from arena_trees.perception.image import Image as Picture
from arena_trees.robot.circles import Circle, Circles
from arena_trees.robot.errors import ConfigError
from arena_trees.sensors.circles.sensor import SENSOR
from arena_trees.simulation.sensors.sphere_camera import SphereCameraParameters
from arena_trees.world.body import TURTLEBOT4

RELIABLE = QoSProfile(depth=1000)
BALL = ball(2.0, 0.1, 0.05)
PICTURE = picture(BALL)


def in_image(found: Any, optics: Any) -> Circles:
    """Return the circles of a message that was found in an image of those optics."""
    join = SENSOR.ros.joiner(TURTLEBOT4)
    parts = zip(SENSOR.ros.topics(TURTLEBOT4), (optics, found), strict=True)
    *_, circles = [join(topic.reading(message, (0, 0, 0))) for topic, message in parts]
    return circles


class Camera:
    """A camera that numbers its images by their stamps, and what is found in them."""

    def __init__(self, bench: NodeBench) -> None:
        self.bench = bench
        self.sent = 0
        self.circles = bench.hear(Detection2DArray, "/wolf/circles")
        self.infos = bench.hear(CameraInfo, "/wolf/circles/camera_info")
        self.features = bench.hear(String, "/wolf/image_features")
        self._images = bench.speaker(Image, "/wolf/oakd/rgb/preview/image_raw", 1)
        self._optics = bench.speaker(CameraInfo, "/wolf/oakd/rgb/preview/camera_info", 1)

    def tell_optics(self, pinhole: Any = PINHOLE) -> None:
        self._optics.publish(camera_info_message(pinhole, 0))

    def send(self, shown: np.ndarray) -> None:
        self.sent += 1
        height, width = shown.shape[:2]
        stamp = nanoseconds(Time(sec=self.sent, nanosec=7))
        pixels = np.ascontiguousarray(shown)
        self._images.publish(image_message(Picture(stamp, stamp, 0, width, height, "rgb8", 3 * width, pixels)))

    def look(self, shown: np.ndarray) -> tuple[Circles, dict[str, Any]]:
        """Return what is found in a picture, and its features."""
        first = self.sent + 1

        def both() -> None:
            self.tell_optics()
            self.send(shown)

        def answer() -> tuple[Any, Any, Any] | None:
            infos = {info.header.stamp.sec: info for info in self.infos}
            features = {json.loads(one.data)["stamp"] // 10**9: json.loads(one.data) for one in self.features}
            for found in self.circles:
                number = found.header.stamp.sec
                if number >= first and number in infos and number in features:
                    return found, infos[number], features[number]
            return None

        found, info, features = self.bench.until(answer, "circles", both)
        assert found.header == info.header and info.k[0] == pytest.approx(PINHOLE.focal_length)
        return in_image(found, info), features


@pytest.fixture(params=["arena", "source"])
def camera(request):
    arguments = ("-r", "__ns:=/wolf", "-p", f"detector:={request.param}", "-p", "camera_above_barrel:=0.035")
    with NodeBench(SphereDetectorNode, *arguments) as bench:
        yield Camera(bench)


def test_a_ball_is_a_circle_and_nothing_an_empty_array(camera):
    found, features = camera.look(PICTURE)
    true = BALL.circle(PINHOLE)
    (circle,) = found.circles
    assert (circle.x, circle.y, circle.radius) == pytest.approx((true.x, true.y, true.radius), abs=4.0)
    assert features["circle"] == [circle.x, circle.y, circle.radius]
    assert features["distance"] == pytest.approx(2.0, rel=0.12)
    assert features["barrel"] == pytest.approx([320.0, 180.0 + 0.035 * PINHOLE.focal_length])
    found, features = camera.look(picture())
    assert found.circles == () and features["circle"] is features["distance"] is None


def differs(before: Image, after: Image) -> set[str]:
    """Return the corners, of top and bottom right, where two pictures differ."""
    one, other = (
        np.frombuffer(image.data, np.uint8).reshape(image.height, image.width, 3) for image in (before, after)
    )
    changed = np.argwhere((one != other).any(axis=2))
    assert (changed[:, 1] > before.width / 2).all()
    return {"top" if row < before.height / 2 else "bottom" for row in changed[:, 0]}


@pytest.mark.parametrize("camera", ["arena"], indirect=True)
def test_the_picture_shows_what_was_found_and_what_the_tree_does_and_by_how_much_the_distance_is_wrong(camera):
    shown = camera.bench.hear(Image, "/wolf/image_annotated")
    active = camera.bench.speaker(String, "/wolf/tree/active", LATCHED)
    truths = camera.bench.speaker(PointStamped, "/wolf/circles/ground_truth")

    def picture_of(leaf: str, true: float | None) -> Image:
        """Return a picture of after the tree and the truth were heard of."""
        if leaf:
            active.publish(String(data=leaf))
            camera.bench.until(lambda: camera.bench.node._state == leaf, "the leaf")
        number = camera.sent = camera.sent + 1
        stamp = Time(sec=number, nanosec=7)
        if true is not None:
            truths.publish(PointStamped(header=Header(stamp=stamp), point=Point(x=0.0, y=0.6 * true, z=0.8 * true)))
            camera.bench.until(lambda: nanoseconds(stamp) in camera.bench.node._true, "the truth")

        def send() -> None:
            camera.sent = number - 1
            camera.tell_optics()
            camera.send(PICTURE)

        fresh = lambda: [image for image in shown if image.header.stamp == stamp]  # noqa: E731
        return camera.bench.until(fresh, "an annotated image", send)[0]

    plain, named = picture_of("", None), picture_of("Tracking", None)
    drawn = np.frombuffer(plain.data, np.uint8).reshape(plain.height, plain.width, 3).astype(int)
    assert plain.encoding == "rgb8"
    assert ((drawn[..., 1] - np.maximum(drawn[..., 0], drawn[..., 2])) > 80).sum() > 100, "what was found"
    assert differs(plain, named) == {"top"}
    far, near = picture_of("", 3.0), picture_of("", 1.0)
    assert differs(named, far) == differs(far, near) == {"bottom"}


@pytest.mark.parametrize("camera", ["arena"], indirect=True)
def test_images_are_refused_until_their_optics_are_known_and_where_they_do_not_fit(camera):
    camera.bench.until(
        lambda: "optics are not known" in camera.bench.state(), "a refusal", lambda: camera.send(PICTURE)
    )
    assert not camera.circles
    camera.look(PICTURE)
    camera.bench.until(
        lambda: "100 x 80" in camera.bench.state(), "another refusal", lambda: camera.send(PICTURE[:80, :100])
    )
    assert all(info.width == 640 for info in camera.infos)


def test_a_detector_that_there_is_not_is_refused():
    with pytest.raises(ConfigError, match="detector"):
        NodeBench(SphereDetectorNode, "-p", "detector:=eagle")


class Looking(QuietNode):
    """A node that listens to circles."""

    def __init__(self) -> None:
        super().__init__("looking", namespace="wolf")
        self.sensors = Sensors(self, RosTimeline(self), frozenset({"circles"}))


def test_circles_are_read_as_they_were_published():
    sent = (Circle(100.25, 80.5, 20.125, 0.75, 0.1), Circle(3.1, -4.2, 2.7, 1.0, 0.0))
    with NodeBench(Looking) as bench:
        circles = bench.speaker(Detection2DArray, "/wolf/circles")
        optics = bench.speaker(CameraInfo, "/wolf/circles/camera_info")

        def publish() -> None:
            stamp = bench.observer.get_clock().now().nanoseconds
            header = Header(stamp=stamp_message(stamp), frame_id="camera")
            optics.publish(CameraInfo(header=header, width=250, height=240))
            _, array = SENSOR.ros.topics(TURTLEBOT4)
            circles.publish(
                convert.sensor_message(array, Circles(stamp, 0, 0, 250, 240, sent), Detection2DArray, header)
            )

        found = bench.until(lambda: bench.node.sensors.read().circles, "circles", publish)
    assert (found.image_width, found.image_height, found.circles) == (250, 240, sent)


def arena(kind: str, *changes: str) -> NodeBench:
    given = (
        "arena_set={random_boxes: {count: 0}, start_distance: 0.5}",
        "wolf.start={x: 0.0, y: -0.5, yaw_deg: 0.0}",
        "rabbit.start={x: 1.5, y: -0.5, yaw_deg: 180.0}",
        "rabbit.body={height: 0.19, sphere: {diameter: 0.3, height: 0.35}}",
        f"wolf.sensors.sphere_camera.kind={kind}",
        *changes,
    )
    joined = ", ".join(f"'{change}'" for change in given)
    return NodeBench(ArenaSimulator, "-p", f"set:=[{joined}]", "-p", "scenario:=wolf_rabbit")


def stamps(heard: list[Any]) -> set[int]:
    """Return the stamps of messages, in nanoseconds, while more may come in."""
    return {nanoseconds(one.header.stamp) for one in list(heard)}


def test_the_arena_publishes_reckoned_circles_with_the_stamp_of_their_exposure():
    with arena("parametric") as bench:
        circles = bench.hear(Detection2DArray, "/wolf/circles", RELIABLE)
        infos = bench.hear(CameraInfo, "/wolf/circles/camera_info", RELIABLE)
        truths = bench.hear(PointStamped, "/wolf/circles/ground_truth", RELIABLE)
        # One of them is heard a little sooner.
        together = lambda: stamps(circles) & stamps(infos) & stamps(truths)  # noqa: E731
        bench.until(lambda: len(together()) > 5, "circles, infos and truths of equal stamps")
    shared, heard = together(), stamps(circles) | stamps(infos) | stamps(truths)
    assert {one for one in heard if min(shared) <= one <= max(shared)} == shared
    camera, point = SphereCameraParameters().mount(TURTLEBOT4), truths[0].point
    assert (point.x, point.y, point.z) == pytest.approx((0.0, camera.z - 0.35, 1.5 - camera.x))
    found = in_image(circles[-1], infos[-1])
    focal = 125.0 / math.tan(math.radians(21.0))
    assert infos[-1].k[0] == pytest.approx(focal)
    assert found.largest.radius == pytest.approx(focal * 0.15 / 1.56, rel=0.1)


@needs_graphics
def test_pictures_of_the_arena_become_the_same_circles_in_the_detector():
    with arena("rendered") as bench:
        images = bench.hear(Image, "/wolf/oakd/rgb/preview/image_raw", RELIABLE)
        infos = bench.hear(CameraInfo, "/wolf/oakd/rgb/preview/camera_info", RELIABLE)
        # One of them is heard a little sooner.
        together = lambda: stamps(images) & stamps(infos)  # noqa: E731
        bench.until(lambda: len(together()) > 2, "pictures and infos of equal stamps")
    shared, heard = together(), stamps(images) | stamps(infos)
    assert {one for one in heard if min(shared) <= one <= max(shared)} == shared
    # Noise hides the circle in one picture of fifty.
    shown = itertools.cycle(np.frombuffer(one.data, np.uint8).reshape(250, 250, 3)[..., ::-1] for one in list(images))
    with NodeBench(SphereDetectorNode, "-r", "__ns:=/wolf") as bench:
        camera = Camera(bench)

        def send() -> None:
            camera._optics.publish(infos[-1])
            camera.send(next(shown))

        found = bench.until(lambda: [one for one in camera.circles if one.detections], "a circle", send)
    circle = in_image(found[0], infos[-1]).largest
    assert circle.radius == pytest.approx(infos[-1].k[0] * 0.15 / 1.56, rel=0.05)
    assert circle.x == pytest.approx(125.0, abs=3.0)
