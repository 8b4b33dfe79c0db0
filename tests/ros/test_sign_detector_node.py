"""The sign detector on ROS: real images in, real boxes out, and hostile images refused."""

import array

import cv2
import numpy as np
import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("vision_msgs.msg", reason="vision_msgs is not installed")

from builtin_interfaces.msg import Time
from helpers.node_bench import NodeBench
from sensor_msgs.msg import CameraInfo, Image
from std_srvs.srv import SetBool
from vision_msgs.msg import Detection2DArray

from arena_trees.nodes.sign_detector import SignDetectorNode
from arena_trees.robot.errors import ConfigError
from arena_trees.sensors.detections import sensor as signs
from arena_trees.simulation.rendering.appearance import sign_picture


def blank() -> np.ndarray:
    return np.full((250, 250, 3), 110, np.uint8)


def drawn(label: str) -> np.ndarray:
    """Return a picture with a sign of 80 px in it, its centre at (140, 100)."""
    picture = blank()
    picture[60:140, 100:180] = cv2.resize(sign_picture(label), (80, 80), interpolation=cv2.INTER_AREA)
    return picture


class Camera:
    """A camera that numbers its images by their stamps, and what comes back of them."""

    def __init__(self, bench: NodeBench) -> None:
        self.bench = bench
        self.sent = 0
        self.detections = bench.hear(Detection2DArray, "/wolf/detections")
        self.infos = bench.hear(CameraInfo, "/wolf/detections/camera_info")
        self._publisher = bench.speaker(Image, "/wolf/oakd/rgb/preview/image_raw", 1)

    def message(self, picture: np.ndarray, **changes: object) -> Image:
        height, width = picture.shape[:2]
        message = Image(height=height, width=width, encoding="bgr8", step=3 * width)
        message.header.frame_id = "some_frame"
        message.data = array.array("B", np.ascontiguousarray(picture[..., ::-1]).tobytes())
        for key, value in changes.items():
            setattr(message, key, value)
        return message

    def send(self, message: Image) -> int:
        self.sent += 1
        message.header.stamp = Time(sec=self.sent, nanosec=5)
        self._publisher.publish(message)
        return self.sent

    def observe(self, picture: np.ndarray) -> tuple[Detection2DArray, CameraInfo]:
        """Return the answer to a picture, which is sent again where best effort lost it."""
        message = self.message(picture)
        first = self.sent + 1

        def answer() -> tuple[Detection2DArray, CameraInfo] | None:
            infos = {info.header.stamp.sec: info for info in self.infos}
            found = [d for d in self.detections if d.header.stamp.sec >= first and d.header.stamp.sec in infos]
            return (found[0], infos[found[0].header.stamp.sec]) if found else None

        return self.bench.until(answer, "detections", lambda: self.send(message))


@pytest.fixture
def camera(request):
    with NodeBench(SignDetectorNode, "-r", "__ns:=/wolf", reports_s=getattr(request, "param", 0.1)) as bench:
        yield Camera(bench)


def reported(camera: Camera, key: str) -> int:
    """Return a number of the newest diagnostics."""
    return int(camera.bench.value(key) or 0)


def test_it_finds_a_drawn_sign_and_tells_the_size_of_the_image(camera):
    answer, info = camera.observe(drawn("wolf_sign"))
    assert answer.header.frame_id == info.header.frame_id == "some_frame"
    assert answer.header == info.header
    assert (info.width, info.height) == (250, 250)
    (box,) = signs.found(answer, (0, 0, 0)).boxes
    assert box.label == "wolf_sign"
    assert (box.x, box.y, box.width, box.height) == pytest.approx((140.0, 100.0, 80.0, 80.0), abs=4.0)
    assert 0.5 < box.confidence <= 1.0


def test_nothing_seen_is_an_empty_array_and_the_width_is_the_live_one(camera):
    wide = np.full((240, 320, 3), 110, np.uint8)
    for picture in (blank(), wide, blank()):
        answer, info = camera.observe(picture)
        assert list(answer.detections) == []
        assert (info.height, info.width) == picture.shape[:2]


HOSTILE = {
    "an absurd size": {"width": 65535, "height": 65535, "step": 196605},
    "no size": {"width": 0, "height": 0, "step": 0},
    "too few bytes": {"height": 251},
    "rows that overlap": {"step": 10},
    "rows beyond the end": {"step": 4000},
    "an unknown encoding": {"encoding": "yuv422"},
    "an encoding that is no word": {"encoding": "\x00" * 5000},
    "no pixels": {"data": array.array("B")},
}


def test_hostile_images_are_refused_and_counted_and_the_next_good_one_is_looked_at(camera):
    for name, changes in HOSTILE.items():
        before = reported(camera, "refused")
        message = camera.message(blank(), **changes)
        camera.bench.until(
            lambda before=before: reported(camera, "refused") > before,
            name,
            lambda message=message: camera.send(message),
        )
        assert camera.bench.state().startswith("image refused: ")
        assert len(camera.bench.state()) < 200
    assert camera.detections == []
    assert camera.infos == []
    answer, _ = camera.observe(drawn("rabbit_sign"))
    assert answer.detections[0].results[0].hypothesis.class_id == "rabbit_sign"


def test_it_can_be_switched_off_and_on(camera):
    camera.observe(blank())
    answer = camera.bench.ask(SetBool, "/wolf/sign_detector/enable", SetBool.Request(data=False))
    assert answer.success
    count = len(camera.bench.diagnostics)
    before, off = len(camera.detections), camera.sent
    message = camera.message(blank())
    camera.bench.until(
        lambda: len(camera.bench.diagnostics) > count + 1 and camera.sent > off + 20,
        "two reports and twenty images",
        lambda: camera.send(message),
    )
    assert camera.bench.state() == "disabled"
    # Answers to what was sent before may have been on their way.
    assert all(answer.header.stamp.sec <= off for answer in camera.detections[before:])
    camera.bench.ask(SetBool, "/wolf/sign_detector/enable", SetBool.Request(data=True))
    camera.observe(blank())


@pytest.mark.parametrize("camera", [1.0], indirect=True, ids=["each second"])
def test_no_more_images_are_looked_at_than_it_may_and_the_limit_may_change_while_it_runs(camera):
    refusal = camera.bench.set_parameter("max_fps", 0.0)
    assert not refusal.successful
    assert refusal.reason
    assert not camera.bench.set_parameter("model", "/other.onnx").successful
    assert camera.bench.set_parameter("max_fps", 4.0).successful
    message = camera.message(blank())
    camera.bench.until(
        lambda: 3 <= reported(camera, "images a second") <= 5 and reported(camera, "left out a second") >= 5,
        "a second with four images",
        lambda: camera.send(message),
    )


def test_a_model_that_is_not_there_is_named():
    with pytest.raises(ConfigError, match=r"nothing\.onnx: there is no such model"):
        NodeBench(SignDetectorNode, "-p", "model:=nothing.onnx")
    with pytest.raises(ConfigError, match="detector"):
        NodeBench(SignDetectorNode, "-p", "detector:=other")
