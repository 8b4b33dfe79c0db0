"""The ceiling tracker on ROS: rendered pictures in, robots' poses out; cameras that are pushed, silent or wrong."""

import array
import math
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import cv2
import numpy as np
import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")

from geometry_msgs.msg import PoseWithCovarianceStamped
from helpers.arena import needs_arena
from helpers.graphics import needs_graphics
from helpers.node_bench import NodeBench
from sensor_msgs.msg import CameraInfo, Image
from std_srvs.srv import Trigger

from arena_trees.nodes.adapters.timelines import nanoseconds, stamp_message
from arena_trees.nodes.ceiling_tracker import CeilingTrackerNode
from arena_trees.perception.ceiling.camera import CameraIntrinsics
from arena_trees.perception.ceiling.parameters import CeilingParameters, tag_corners
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.ros_messages import layout
from arena_trees.simulation.rendering.ceiling import CeilingView
from arena_trees.simulation.rendering.ceiling_room import CeilingRoom

pytestmark = [needs_arena, needs_graphics]

LENS = CameraIntrinsics(
    width=960, height=720, fx=440.0, fy=440.0, cx=482.0, cy=357.0, distortion=(-0.06, 0.01, 0.0005, -0.0005, 0.0)
)
VIEWS = {"c1": CeilingView(tilt_deg=3.0, lens=LENS), "c2": CeilingView(x=0.4, yaw_deg=180.0, tilt_deg=5.0, lens=LENS)}
AT = {"robot_1": Pose2D(0.5, 0.2, 0.3), "robot_2": Pose2D(-0.4, -0.9, -2.0)}
PLACES = [AT, {"robot_1": Pose2D(-0.9, 0.3, 3.0), "robot_2": Pose2D(0.6, -0.2, 1.2)}]


@pytest.fixture(scope="module")
def room() -> Iterator[CeilingRoom]:
    room = CeilingRoom(1000, CeilingParameters(), VIEWS)
    yield room
    room.close()


@pytest.fixture(scope="module")
def pictures(room: CeilingRoom) -> dict[tuple[str, int], np.ndarray]:
    """The pictures of each camera of each of PLACES."""
    return {
        (name, index): np.ascontiguousarray(room.take(name, poses))
        for name in VIEWS
        for index, poses in enumerate(PLACES)
    }


class Ceiling:
    """The ceiling's cameras, and what comes back of their images.

    Attributes:
        poses: of each robot, as they are heard
        last: stamp of the newest image, ns
    """

    def __init__(self, bench: NodeBench, cameras: tuple[str, ...]) -> None:
        self.bench = bench
        self.poses = {robot: bench.hear(PoseWithCovarianceStamped, f"/{robot}/ceiling/pose") for robot in AT}
        self.last = 0
        self._images = {name: bench.speaker(Image, f"/ceiling/{name}/image_raw", 1) for name in cameras}
        self._infos = {name: bench.speaker(CameraInfo, f"/ceiling/{name}/camera_info", 1) for name in cameras}
        self._next = 0.0

    def message(self, picture: np.ndarray, **changes: object) -> Image:
        height, width = picture.shape[:2]
        message = Image(height=height, width=width, encoding="bgr8", step=3 * width)
        message.data = array.array("B", np.ascontiguousarray(picture[..., ::-1]).tobytes())
        for key, value in changes.items():
            setattr(message, key, value)
        return message

    def sender(
        self, messages: Mapping[str, Image], lens: CameraIntrinsics = LENS, at: int | None = None
    ) -> Callable[[], None]:
        """Return what sends images as all cameras took them now, or at an instant (ns), ten times a second at most."""

        def send() -> None:
            if time.monotonic() < self._next:
                return
            self._next = time.monotonic() + 0.1
            self.last = self.bench.observer.get_clock().now().nanoseconds if at is None else at
            for name, message in messages.items():
                message.header.stamp = stamp_message(self.last)
                self._infos[name].publish(camera_info(lens))
                self._images[name].publish(message)

        return send

    def show(self, shown: Mapping[str, np.ndarray], done: Callable[[], Any], what: str) -> Any:
        """Show pictures to the cameras until something is true."""
        messages = {name: self.message(picture) for name, picture in shown.items()}
        return self.bench.until(done, what, self.sender(messages))

    def calibrated(self, shown: Mapping[str, np.ndarray]) -> None:
        """Show pictures until all cameras are calibrated and the newest images have been looked at."""
        self.show(shown, lambda: "calibrated, 2 of 4 robots seen" in self.bench.state(), "two robots")

    def newest(self, shown: Mapping[str, np.ndarray], robot: str, count: int = 1) -> list[Any]:
        """Return poses of a robot by pictures that were shown after now."""
        begun = self.bench.observer.get_clock().now().nanoseconds
        new = lambda: [one for one in self.poses[robot] if nanoseconds(one.header.stamp) > begun]  # noqa: E731
        self.show(shown, lambda: len(new()) >= count, f"{robot} by new images")
        return new()


def camera_info(lens: CameraIntrinsics) -> CameraInfo:
    info = CameraInfo(width=lens.width, height=lens.height, distortion_model="plumb_bob", d=list(lens.distortion))
    info.k = lens.matrix.ravel()
    return info


@pytest.fixture
def ceiling(request: pytest.FixtureRequest) -> Iterator[Ceiling]:
    cameras = getattr(request, "param", ("c1",))
    parameters = {"cameras": f"[{', '.join(cameras)}]", "calibrate_images": 3, "moved_images": 3, "silent_s": 1.0}
    given = [word for key, value in parameters.items() for word in ("-p", f"{key}:={value}")]
    with NodeBench(CeilingTrackerNode, *given) as bench:
        yield Ceiling(bench, cameras)


def shown(pictures: Mapping[tuple[str, int], np.ndarray], index: int, *cameras: str) -> dict[str, np.ndarray]:
    return {name: pictures[name, index] for name in cameras}


def error(message: Any, true: Pose2D) -> tuple[float, float]:
    """Return the error of a pose, m and deg."""
    found = layout.pose(message)
    return found.distance_to(true.x, true.y), abs(math.degrees(wrap(found.yaw - true.yaw)))


# On a busy machine DDS loses images of two megabytes, and with two cameras too many of them for a run of every change.
@pytest.mark.parametrize(
    "ceiling",
    [pytest.param(("c1",), id="one camera"), pytest.param(("c1", "c2"), id="two cameras", marks=pytest.mark.slow)],
    indirect=True,
)
def test_robots_are_where_they_are_and_the_covariance_is_honest(ceiling, pictures, request):
    cameras = request.node.callspec.params["ceiling"]
    ceiling.calibrated(shown(pictures, 0, *cameras))
    for index, places in enumerate(PLACES):
        for robot, true in places.items():
            message = ceiling.newest(shown(pictures, index, *cameras), robot)[-1]
            off, turned = error(message, true)
            assert off <= 0.02 and turned <= 2.0
            assert message.header.frame_id == "map"
            covariance = np.reshape(message.pose.covariance, (6, 6))
            assert np.allclose(covariance, covariance.T)
            stated = covariance[np.ix_((0, 1, 5), (0, 1, 5))]
            assert (np.linalg.eigvalsh(stated) > 0.0).all()
            assert off < 4.0 * math.sqrt(stated[0, 0] + stated[1, 1]) < 0.06
            assert math.radians(turned) < 4.0 * math.sqrt(stated[2, 2])
            assert [covariance[row, row] for row in (2, 3, 4)] == [1e6] * 3
    assert "RMS" in ceiling.bench.value("c1: calibration")
    assert 0.0 < float(ceiling.bench.value("c1: rms [px]")) < 1.5
    assert 0.0 < float(ceiling.bench.value("c1: error on the floor [mm]")) < 30.0
    # An image that best effort lost leaves a pose by the other camera.
    by_all = lambda: ceiling.bench.value("robot_1").startswith(f"seen by {', '.join(cameras)} at ")  # noqa: E731
    ceiling.show(shown(pictures, 0, *cameras), by_all, "a pose by all cameras")
    assert ceiling.bench.value("robot_3") == "not seen"


def test_a_covered_tag_and_a_silent_camera_give_no_pose(ceiling, room, pictures):
    ceiling.calibrated(shown(pictures, 0, "c1"))
    covered = pictures["c1", 0].copy()
    tag = room.parameters.robots["robot_1"]
    corners = room.calibrations["c1"].camera.project(tag_corners(AT["robot_1"], tag.size, tag.height))
    cv2.circle(covered, tuple(int(value) for value in corners[:2].mean(axis=0)), 10, (180, 140, 120), -1)
    ceiling.newest({"c1": covered}, "robot_2", 2)
    first = nanoseconds(ceiling.poses["robot_2"][-1].header.stamp)
    ceiling.newest({"c1": covered}, "robot_2", 5)
    assert not [one for one in ceiling.poses["robot_1"] if nanoseconds(one.header.stamp) >= first]
    # No image at all.
    ceiling.bench.until(lambda: ceiling.bench.state() == "no image", "silence")
    heard = len(ceiling.poses["robot_2"])
    count = len(ceiling.bench.diagnostics)
    ceiling.bench.until(lambda: len(ceiling.bench.diagnostics) > count + 5, "five reports")
    assert len(ceiling.poses["robot_2"]) == heard
    assert ceiling.bench.value("robot_2") == "not seen"


@pytest.mark.slow
@pytest.mark.parametrize("ceiling", [("c1", "c2")], indirect=True, ids=[""])
def test_one_camera_of_two_that_falls_silent_is_named_and_the_other_goes_on(ceiling, pictures):
    ceiling.calibrated(shown(pictures, 0, "c1", "c2"))
    alone = lambda: ceiling.bench.value("robot_1").startswith("seen by c1 at")  # noqa: E731
    ceiling.show(shown(pictures, 0, "c1"), lambda: alone() and "c2: silent for" in ceiling.bench.state(), "silence")
    assert error(ceiling.newest(shown(pictures, 1, "c1"), "robot_1")[-1], PLACES[1]["robot_1"])[0] <= 0.02


@pytest.mark.slow
@pytest.mark.parametrize("ceiling", [("c1", "c2")], indirect=True, ids=[""])
def test_cameras_that_contradict_each_other_are_named_and_neither_is_believed(ceiling, pictures):
    ceiling.calibrated(shown(pictures, 0, "c1", "c2"))
    torn = {"c1": pictures["c1", 0], "c2": pictures["c2", 1]}
    said = "robot_1: c1 and c2 are "
    ceiling.show(torn, lambda: said in ceiling.bench.value("disagreements"), "a contradiction")
    assert ceiling.bench.state().startswith("robot_")
    for robot in AT:
        offs = [min(error(one, places[robot])[0] for places in PLACES) for one in ceiling.poses[robot]]
        assert max(offs) <= 0.02, "a pose between the two"


def test_it_goes_on_when_the_clock_went_back(ceiling, pictures):
    ceiling.calibrated(shown(pictures, 0, "c1"))
    message = ceiling.message(pictures["c1", 0])
    for seconds in (5000, 1000):
        ceiling.bench.until(
            lambda seconds=seconds: seconds in {one.header.stamp.sec for one in ceiling.poses["robot_1"]},
            f"a pose at {seconds} s",
            ceiling.sender({"c1": message}, at=seconds * 1_000_000_000),
        )


HOSTILE = {
    "another size": {"height": 719, "data": array.array("B", bytes(960 * 3 * 719))},
    "too few bytes": {"data": array.array("B", bytes(100))},
    "an unknown encoding": {"encoding": "yuv422"},
    "rows that overlap": {"step": 10},
    "no pixels": {"width": 0, "height": 0, "step": 0, "data": array.array("B")},
}


def test_images_that_cannot_be_used_are_counted_and_the_next_good_one_is_looked_at(ceiling, pictures):
    ceiling.calibrated(shown(pictures, 0, "c1"))

    def refused() -> int:
        return int(ceiling.bench.value("c1: refused"))

    for name, changes in HOSTILE.items():
        before = refused()
        message = ceiling.message(pictures["c1", 0], **changes)
        ceiling.bench.until(
            lambda before=before: refused() > before and "c1: image refused: " in ceiling.bench.state(),
            name,
            ceiling.sender({"c1": message}),
        )
    assert error(ceiling.newest(shown(pictures, 0, "c1"), "robot_1")[-1], AT["robot_1"])[0] <= 0.02
    assert ceiling.bench.value("c1: failed") == "0"


def test_a_lens_that_is_not_calibrated_is_named(ceiling, pictures):
    message = ceiling.message(pictures["c1", 0])
    bare = LENS.model_copy(update={"fx": 0.0, "fy": 0.0})
    said = "/ceiling/c1/camera_info"
    ceiling.bench.until(
        lambda: said in ceiling.bench.state(), "a word of the lens", ceiling.sender({"c1": message}, bare)
    )
    assert "calibrate it first" in ceiling.bench.state()
    assert not ceiling.poses["robot_1"]


def test_a_camera_that_is_pushed_is_noticed_gives_no_wrong_pose_and_is_calibrated_anew(ceiling, pictures):
    ceiling.calibrated(shown(pictures, 0, "c1"))
    ceiling.newest(shown(pictures, 0, "c1"), "robot_1")
    pushed = {"c1": np.ascontiguousarray(np.roll(pictures["c1", 0], 12, axis=1))}
    ceiling.show(pushed, lambda: ceiling.bench.value("c1: pushed") == "1", "a push that is noticed")
    noticed = ceiling.last
    ceiling.newest(pushed, "robot_1", 3)
    # Robots and floor have moved in the image alike: in the map they have not.
    for robot, true in AT.items():
        offs = [error(one, true)[0] for one in ceiling.poses[robot]]
        assert max(offs) <= 0.02, "a pose by a camera that is not where it was believed to be"
    assert nanoseconds(ceiling.poses["robot_1"][-1].header.stamp) > noticed
    assert ceiling.bench.value("c1: pushed") == "1"


def test_a_floor_tag_that_is_moved_alone_is_named_and_the_camera_believed(ceiling, room, pictures):
    ceiling.calibrated(shown(pictures, 0, "c1"))
    picture = pictures["c1", 0].copy()
    corners = room.calibrations["c1"].camera.project(room.parameters.floor_corners()[100])
    left, top = (int(value) - 10 for value in corners.min(axis=0))
    right, bottom = (int(value) + 10 for value in corners.max(axis=0))
    picture[top:bottom, left:right] = np.roll(picture[top:bottom, left:right], 5, axis=1)
    ceiling.show({"c1": picture}, lambda: ceiling.bench.value("c1: floor tags moved") == "100", "a tag that was moved")
    assert "tag 100 of the floor was moved" in ceiling.bench.state()
    assert error(ceiling.newest({"c1": picture}, "robot_1")[-1], AT["robot_1"])[0] <= 0.02
    assert ceiling.bench.value("c1: pushed") == "0"


def test_it_calibrates_anew_when_it_is_asked_and_says_why_it_cannot(ceiling, pictures):
    ceiling.calibrated(shown(pictures, 0, "c1"))
    answer = ceiling.bench.ask(Trigger, "/ceiling_tracker/calibrate", Trigger.Request())
    assert answer.success and "c1" in answer.message
    bare = {"c1": np.full((720, 960, 3), 110, np.uint8)}
    ceiling.show(
        bare, lambda: "c1: not calibrated: " in ceiling.bench.state() and "sees 0" in ceiling.bench.state(), "no"
    )
    ceiling.calibrated(shown(pictures, 0, "c1"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("file:=/nowhere.yaml", "nowhere.yaml"),
        ("cameras:=[a, b, c, d, e]", "1 to 4"),
        ("cameras:=[a, a]", "different names"),
        ("cameras:=['a/b']", "plain word"),
    ],
)
def test_what_cannot_be_used_is_refused(given, said):
    with pytest.raises(ConfigError, match=said):
        NodeBench(CeilingTrackerNode, "-p", given)
