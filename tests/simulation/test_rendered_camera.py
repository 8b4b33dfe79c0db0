"""The rendered camera: its geometry is the pinhole's, its pictures repeat, and it fits into the arena."""

import json
import math

import cv2
import numpy as np
import pytest
from helpers.arena import needs_arena
from helpers.commands import call, refused
from helpers.graphics import needs_graphics
from helpers.networks import write_network
from helpers.no_graphics import no_graphics
from small_world import QUIET, rabbit, room, run, wolf

from arena_trees.control.sign_range import Camera, sign_range
from arena_trees.control.sign_range import Sign as SignShape
from arena_trees.robot.detections import Detection
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.simulation.physics.arena import Arena
from arena_trees.simulation.physics.robot import RobotSpec
from arena_trees.simulation.rendering.appearance import draw_appearance, sign_picture
from arena_trees.simulation.rendering.dataset import write_dataset
from arena_trees.simulation.rendering.scene import build_scene
from arena_trees.simulation.rendering.scene_renderer import SceneRenderer
from arena_trees.simulation.sensors.rendered_camera import check_rendering
from arena_trees.simulation.sensors.sign_camera import CameraParameters
from arena_trees.world.body import TURTLEBOT4
from arena_trees.world.footprint import Solid
from arena_trees.world.layout import CarrotPlace
from arena_trees.world.signs import PlacedSign, Sign, SignParameters

PINHOLE = CameraParameters().pinhole()
SIGN = Sign.carried("rabbit", "rabbit_sign", SignParameters())


@pytest.fixture(scope="module")
def drawings(tmp_path_factory):
    """Signs whose quarters are red, green, blue and white, from the upper left row by row."""
    folder = tmp_path_factory.mktemp("drawings")
    image = np.zeros((64, 64, 3), np.uint8)
    image[:32, :32], image[:32, 32:], image[32:, :32], image[32:, 32:] = (
        (0, 0, 255),
        (0, 255, 0),
        (255, 0, 0),
        (255, 255, 255),
    )
    for label in ("wolf_sign", "rabbit_sign", "carrot"):
        cv2.imwrite(str(folder / f"{label}.png"), image)
    return folder


class Set:
    """A scene with a wolf that looks, and a rabbit."""

    def __init__(self, layout, drawings, pinhole=PINHOLE, seed=1):
        self.layout, self.pinhole = layout, pinhole
        cameras = {"wolf": pinhole}
        look = draw_appearance(RandomStreams(seed))
        self.scene = build_scene(layout, dict.fromkeys(["wolf", "rabbit"], TURTLEBOT4), [SIGN], cameras, look, drawings)
        self.renderer = SceneRenderer(self.scene, cameras)

    def face(self, observer, target, number, name="rabbit"):
        seen = self.renderer.segment("wolf", {"wolf": observer, "rabbit": target})
        return np.argwhere(seen == self.scene.faces[name, number])


@pytest.fixture(scope="module")
def stage(drawings):
    made = Set(room(), drawings)
    yield made
    made.renderer.close()


POSES = [
    (Pose2D(-1.5, 0.3, 0.1), Pose2D(0.2, 0.2, 2.9)),
    (Pose2D(0.0, 0.0, 0.0), Pose2D(0.6, 0.05, 3.3)),
    (Pose2D(-2.2, -2.0, 0.9), Pose2D(1.0, 1.5, 0.4)),
    (Pose2D(1.0, 1.0, -2.0), Pose2D(0.3, 0.1, 1.5)),
    (Pose2D(2.0, 0.0, 3.1), Pose2D(-1.8, 0.4, 1.1)),
]


@needs_graphics
@pytest.mark.parametrize(("observer", "target"), POSES)
def test_signs_are_where_the_pinhole_says(stage, observer, target):
    true = PINHOLE.project(observer, PlacedSign(SIGN, target))
    seen = stage.face(observer, target, true.face)
    assert len(seen) > 50
    (top, left), (bottom, right) = seen.min(axis=0), seen.max(axis=0) + 1
    half_width, half_height = true.width / 2.0, true.height / 2.0
    expected = (true.x - half_width, true.y - half_height, true.x + half_width, true.y + half_height)
    assert (left, top, right, bottom) == pytest.approx(np.clip(expected, 0.0, 250.0), abs=1.2)


@needs_graphics
def test_the_range_of_a_rendered_sign_is_right_within_its_deviation(stage):
    camera, shape = Camera(PINHOLE.hfov, PINHOLE.mount_x, PINHOLE.mount_z), SignShape(SIGN.size, SIGN.height)
    rng = np.random.default_rng(3)
    scores = []
    for _ in range(60):
        distance, bearing = math.exp(rng.uniform(math.log(0.45), math.log(2.4))), float(rng.uniform(-0.35, 0.35))
        target = Pose2D(distance * math.cos(bearing), distance * math.sin(bearing), float(rng.uniform(-3.1, 3.1)))
        true = PINHOLE.project(Pose2D(), PlacedSign(SIGN, target))
        seen = stage.face(Pose2D(), target, true.face)
        if len(seen) < 30 or len(seen) < 0.25 * true.width * true.height:
            continue
        (top, left), (bottom, right) = seen.min(axis=0).tolist(), (seen.max(axis=0) + 1).tolist()
        box = Detection("rabbit_sign", 1.0, (left + right) / 2, (top + bottom) / 2, right - left, bottom - top)
        found = sign_range(box, 250, 250, camera, shape)
        scores.append(abs(found.distance - distance) / found.sigma)
    assert len(scores) > 40
    assert np.mean(np.less(scores, 2.0)) > 0.95
    assert max(scores) < 3.5


@needs_graphics
def test_pictures_on_signs_are_upright_and_not_mirrored(stage):
    observer, target = Pose2D(-1.0, 0.0, 0.0), Pose2D(0.0, 0.0, math.pi)
    picture = stage.renderer.render("wolf", {"wolf": observer, "rabbit": target}).astype(int)
    true = PINHOLE.project(observer, PlacedSign(SIGN, target))
    quarter = true.width / 4.0

    def strongest(x, y):
        pixel = picture[round(true.y + y * quarter), round(true.x + x * quarter)]
        return int(np.argmax(pixel)) if np.ptp(pixel) > 40 else "grey"

    assert (strongest(-1, -1), strongest(1, -1), strongest(-1, 1), strongest(1, 1)) == (0, 1, 2, "grey")


@needs_graphics
def test_carrots_show_both_sides(drawings):
    carrot = CarrotPlace("carrot_1", Pose2D(0.0, 0.0, 0.4), 0.15)
    made = Set(room(carrots=(carrot,)), drawings)
    away = Pose2D(-2.0, -2.0)
    counts = [
        len(made.face(observer, away, face, "carrot_1"))
        for face, observer in ((1, Pose2D(-0.9, 0.0, 0.0)), (0, Pose2D(0.9, 0.0, math.pi)))
    ]
    expected = (PINHOLE.focal_length * 0.15 / 0.96) * (PINHOLE.focal_length * 0.15 * math.cos(0.4) / 0.96)
    made.renderer.close()
    assert counts[0] == pytest.approx(expected, rel=0.12)
    assert counts[1] == pytest.approx(expected, rel=0.12)


@needs_graphics
def test_a_box_hides_a_sign_and_glass_does_not(drawings):
    for surface, seen in (("normal", False), ("glass", True)):
        made = Set(room(Solid("box", Pose2D(0.0, 0.0), 0.1, 1.0, 0.9, surface)), drawings)
        behind, away = (
            made.renderer.render("wolf", {"wolf": Pose2D(-1.0, 0.0), "rabbit": pose}).copy()
            for pose in (Pose2D(1.0, 0.0, math.pi), Pose2D(-2.0, 0.0))
        )
        made.renderer.close()
        assert bool((behind != away).any()) == seen


@needs_graphics
def test_a_robot_does_not_see_itself(drawings):
    sign = Sign.carried("wolf", "wolf_sign", SignParameters())
    cameras = {"wolf": PINHOLE}
    layout = room()
    pictures = []
    for signs in ([], [sign]):
        scene = build_scene(layout, {"wolf": TURTLEBOT4}, signs, cameras, draw_appearance(RandomStreams(2)), drawings)
        renderer = SceneRenderer(scene, cameras)
        pictures.append(renderer.render("wolf", {"wolf": Pose2D()}).copy())
        renderer.close()
    np.testing.assert_array_equal(*pictures)


@needs_graphics
def test_a_sign_without_a_drawing_is_named(drawings):
    with pytest.raises(ConfigError, match=r"dog_sign\.png: label: there is no drawing"):
        sign_picture("dog_sign", drawings)


def test_looks_differ_and_repeat():
    looks = [draw_appearance(RandomStreams(seed)) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(looks[0].floor, looks[1].floor)
    assert looks[0].lights == looks[1].lights
    assert looks[0].ambient != looks[2].ambient


@pytest.fixture
def network(tmp_path):
    """A detector that finds a rabbit in the middle of every picture."""
    return str(write_network(tmp_path / "net.onnx", [[128, 128, 40, 40, 0, 0.9, 0]]))


def rendered(network, **changes):
    return QUIET.with_changes({"camera.kind": "rendered", "camera.model": network, **changes})


@needs_graphics
def test_it_delivers_as_the_pinhole_camera_does(network):
    stamps = []
    for sensors in (QUIET, rendered(network)):
        arena = Arena(room(), [wolf(Pose2D(), sensors), rabbit(Pose2D(1.5, 0.0, math.pi))], 1)
        seen = {}
        for _ in range(40):
            arena.step()
            newest = arena.robots["wolf"].read().detections
            if newest is not None:
                seen[newest.sequence] = (newest.stamp, newest.arrival, newest.image_width, newest.image_height)
        arena.close()
        stamps.append(seen)
    assert stamps[0] == stamps[1]
    assert newest.best("rabbit_sign").x == pytest.approx(125.0)
    assert newest.best("rabbit_sign").width == pytest.approx(40 / 1.024)


@needs_graphics
def test_where_pictures_are_wanted_they_come_as_the_detections_would(network):
    found, pictures = {}, {}
    for wanted in (False, True):
        specs = [wolf(Pose2D(), rendered(network, **{"camera.frame_dropout": 0.3})), rabbit(Pose2D(1.5, 0.0, math.pi))]
        arena = Arena(room(), specs, 1, pictures=wanted)
        robot = arena.robots["wolf"]
        for _ in range(40):
            arena.step()
            detections, image = robot.read().detections, robot.image()
            if detections is not None:
                found[detections.sequence] = (detections.stamp, detections.arrival)
            if image is not None:
                pictures[image.sequence] = (image.stamp, image.arrival)
        arena.close()
    assert found == pictures
    assert image.rgb().shape == (250, 250, 3)
    assert image.rgb().std() > 10.0
    assert detections is None


@needs_graphics
def test_equal_seeds_give_equal_pictures(network):
    films = []
    for seed in (5, 5, 6):
        specs = [wolf(Pose2D(), rendered(network)), rabbit(Pose2D(1.2, 0.1, 2.8), rendered(network))]
        arena = Arena(room(), specs, seed)
        run(arena, 0.2, wolf=Twist2D(0.2, 0.5), rabbit=Twist2D(0.1, -1.0))
        camera = arena.robots["wolf"].camera
        films.append(camera.detector.expose(arena.true_pose("wolf")))
        arena.close()
    np.testing.assert_array_equal(films[0], films[1])
    assert (films[0] != films[2]).mean() > 0.5


@needs_graphics
def test_a_robot_without_a_sign_is_seen_too(network):
    bare = RobotSpec("dog", None, Pose2D(1.0, 0.0), QUIET)
    pictures = []
    for specs in ([wolf(Pose2D(), rendered(network))], [wolf(Pose2D(), rendered(network)), bare]):
        arena = Arena(room(), specs, 1)
        pictures.append(arena._studio.picture("wolf", Pose2D()).copy())
        arena.close()
    assert (pictures[0] != pictures[1]).any()


@needs_graphics
def test_a_run_with_rendered_cameras_is_written_down(capsys, tmp_path, network):
    arguments = ["run", "wolf_rabbit", "--camera", "rendered", "--trials", "1", "--quiet", "--trace"]
    for name in ("wolf", "rabbit"):
        arguments += ["--set", f"{name}.sensors.camera.model={network}"]
    results = []
    for index in range(2):
        files = ["--json", str(tmp_path / f"{index}.json"), "--plot", str(tmp_path / f"{index}.png")]
        call(capsys, *arguments, "--set", "duration_s=1", *files)
        results.append(json.loads((tmp_path / f"{index}.json").read_text()))
    assert results[0]["settings"]["camera"] == "rendered"
    assert results[0]["trials"][0]["trace_sha256"] == results[1]["trials"][0]["trace_sha256"]


@needs_arena
def test_without_a_graphics_library_a_run_does_not_start(monkeypatch, capsys):
    with no_graphics(monkeypatch):
        message = refused(capsys, "run", "wolf_rabbit", "--camera", "rendered", "--trials", "1")
    assert "libosmesa6" in message
    assert "libegl1" in message


@needs_graphics
def test_a_detector_that_is_missing_is_named_before_a_run():
    camera = CameraParameters().with_changes({"kind": "rendered", "model": "/nowhere/net.onnx"})
    with pytest.raises(ConfigError, match=r"net\.onnx: there is no such model"):
        check_rendering([camera], ["wolf_sign"])
    check_rendering([CameraParameters()], ["no_such_sign"])


def test_an_unknown_camera_is_refused(capsys):
    assert "--camera" in call(capsys, "run", "wolf_rabbit", "--camera", "lidar", code=2)


@needs_graphics
def test_a_dataset_repeats_can_be_resumed_and_is_not_mixed(tmp_path, drawings):
    first, second = (tmp_path / "a", 12, 3, drawings), (tmp_path / "b", 12, 3, drawings)
    reported = []
    write_dataset(*first, on_progress=reported.append)
    write_dataset(*second)
    images = sorted((tmp_path / "a" / "images").iterdir())
    assert len(images) == 12
    assert reported == [8, 12]
    lines = []
    for image in images:
        label = tmp_path / "a" / "labels" / f"{image.stem}.txt"
        lines += label.read_text().splitlines()
        assert (tmp_path / "b" / "images" / image.name).read_bytes() == image.read_bytes()
        assert (tmp_path / "b" / "labels" / label.name).read_text() == label.read_text()
    assert len(lines) >= 4
    images[0].write_bytes(b"kept")
    write_dataset(*first)
    assert images[0].read_bytes() == b"kept"
    with pytest.raises(ConfigError, match="holds another dataset"):
        write_dataset(tmp_path / "a", 12, 4, drawings)
