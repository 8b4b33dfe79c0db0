"""The lane camera: a simulated robot's pictures of the road, read by the real detectors."""

import itertools
import math
from contextlib import ExitStack, closing

import pytest
from helpers.graphics import needs_graphics
from helpers.networks import write_network
from helpers.no_graphics import no_graphics
from small_world import QUIET

from arena_trees.games.crossroads.layout.floor import CrossingFloor
from arena_trees.games.crossroads.layout.section import crossing_of
from arena_trees.perception.lanes.calibration import load_calibration
from arena_trees.perception.lanes.lines import LaneDetector, LaneParameters
from arena_trees.perception.lanes.tracker import LaneWatch
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.configuration.resources import config_path
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.simulation.physics.arena import Arena
from arena_trees.simulation.physics.robot import RobotSpec
from arena_trees.simulation.rendering import graphics
from arena_trees.simulation.sensors import lane_camera
from arena_trees.simulation.sensors.lane_camera import LaneCameraParameters
from arena_trees.simulation.sensors.rendered_camera import check_rendering
from arena_trees.simulation.sensors.sign_camera import CameraParameters
from arena_trees.world.arena_file import load_arena
from arena_trees.world.layout import generate_layout

ARENA = load_arena(config_path("arenas", "crossing_4.yaml"))
LANE, STOP_LINE = 0.3, 0.7
WATCHING = QUIET.with_changes({"lanes.kind": "rendered"})
PLAIN = WATCHING.with_changes(
    {
        "lanes.light.brightness_low": 1.0,
        "lanes.light.brightness_high": 1.0,
        "lanes.light.glare": 0.0,
        "lanes.light.shadow": 0.0,
    }
)

_open = ExitStack()


@pytest.fixture(autouse=True)
def arenas_end():
    """Close every arena that a test has made."""
    yield
    _open.close()


def crossing(*specs, seed=1000, pictures=False):
    return _open.enter_context(closing(Arena(generate_layout(ARENA, RandomStreams(seed)), list(specs), seed, pictures)))


def robot(pose, sensors=WATCHING, name="robot_1"):
    return RobotSpec(name, None, pose, sensors)


def watch(arena, seconds, twist=ZERO, name="robot_1"):
    """Return each lane reading with the instant at which it was first read and the true pose at its stamp."""
    found, poses = {}, {}
    for _ in range(round(seconds * 50)):
        arena.robots[name].drive(twist)
        arena.step()
        poses[arena.now] = arena.true_pose(name)
        lane = arena.robots[name].read().lane
        if lane is not None and lane.sequence not in found:
            found[lane.sequence] = (lane, arena.now, poses[lane.stamp])
    return list(found.values())


@needs_graphics
@pytest.mark.parametrize("seed", [1000, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1001, 1002))])
@pytest.mark.parametrize(("aside", "turned"), [(0.0, 0.0), (0.06, 0.05), (-0.05, 0.08)])
def test_a_robot_at_a_known_place_sees_its_lane_and_its_stop_line(aside, turned, seed):
    pose = Pose2D(LANE - aside, -2.0, math.pi / 2 + turned)
    arena = crossing(robot(pose, PLAIN), seed=seed)
    seen = watch(arena, 0.5)
    assert len(seen) >= 2
    for lane, _, _ in seen:
        assert lane.offset == pytest.approx(-aside, abs=0.015)
        assert lane.heading == pytest.approx(-turned, abs=math.radians(1.0))
        assert lane.stop_distance == pytest.approx(2.0 - STOP_LINE, abs=0.02)


@needs_graphics
def test_readings_come_at_the_rate_after_the_latency_while_the_light_changes():
    arena = crossing(robot(Pose2D(LANE, -2.7, math.pi / 2)))
    seen = watch(arena, 3.0, Twist2D(0.2, 0.0))
    # 30 in 3 s, of which the last 0.15 s are on their way.
    assert 27 <= len(seen) <= 30
    assert [lane.sequence for lane, _, _ in seen] == list(range(1, len(seen) + 1))
    for lane, read, _ in seen:
        assert lane.arrival == lane.stamp + from_seconds(0.15)
        assert 0 <= read - lane.arrival < from_seconds(0.02)
    gaps = {second[0].stamp - first[0].stamp for first, second in itertools.pairwise(seen)}
    assert gaps == {from_seconds(0.1)}
    errors = [abs(lane.offset - (pose.x - LANE)) for lane, _, pose in seen if lane.offset is not None]
    assert len(errors) > 15
    assert sorted(errors)[len(errors) // 2] < 0.01


@needs_graphics
def test_equal_seeds_give_equal_readings_and_others_others():
    films = []
    for seed in (5, 5, 6):
        arena = crossing(robot(Pose2D(LANE, -2.5, math.pi / 2)), seed=seed)
        films.append([lane for lane, _, _ in watch(arena, 0.5, Twist2D(0.1, 0.05))])
    assert films[0] == films[1]
    assert films[0] != films[2]


@needs_graphics
def test_its_pictures_show_a_detector_that_is_elsewhere_the_same():
    spec = robot(Pose2D(LANE, -2.5, math.pi / 2), WATCHING.with_changes({"lanes.frame_dropout": 0.3}))
    arena = crossing(spec)
    seen = [lane for lane, _, _ in watch(arena, 1.0)]
    detector = LaneDetector(load_calibration("robot_1"), LaneParameters())
    eye, found = LaneWatch(detector), []
    arena = crossing(spec, pictures=True)
    for _ in range(50):
        arena.step()
        assert arena.robots["robot_1"].read().lane is None
        image = arena.robots["robot_1"].image()
        if image is not None and image.sequence > len(found):
            found.append(eye.observe(image, Pose2D()))
    assert len(seen) > 3
    keys = [(one.stamp, one.arrival, one.sequence, one.red, one.black, one.stop_distance) for one in found]
    assert keys == [(one.stamp, one.arrival, one.sequence, one.red, one.black, one.stop_distance) for one in seen]


@needs_graphics
def test_it_disturbs_no_other_sensor():
    readings = []
    for sensors in (QUIET, WATCHING):
        sensors = sensors.with_changes({"lidar.noise_m": 0.01, "odometry.yaw_walk": 0.01, "camera.false_alarms": 0.5})
        arena = crossing(robot(Pose2D(LANE, -2.5, math.pi / 2), sensors))
        watch(arena, 1.0, Twist2D(0.1, 0.0))
        last = arena.robots["robot_1"].read()
        assert (last.lane is None) == (sensors.lanes.kind == "none")
        readings.append((last.scan.ranges.tolist(), last.odometry, last.pose, last.detections))
    assert readings[0] == readings[1]


@needs_graphics
def test_lost_frames_are_not_counted():
    arena = crossing(robot(Pose2D(LANE, -2.5, math.pi / 2), WATCHING.with_changes({"lanes.frame_dropout": 0.5})))
    seen = watch(arena, 3.0)
    assert 5 < len(seen) < 25
    assert [lane.sequence for lane, _, _ in seen] == list(range(1, len(seen) + 1))


@needs_graphics
def test_it_is_told_where_its_robot_reckons_to_be(monkeypatch):
    bases = {}
    look = lane_camera.LaneCamera.expose

    def expose(self, now, pose, base):
        bases[now] = base
        look(self, now, pose, base)

    monkeypatch.setattr(lane_camera.LaneCamera, "expose", expose)
    start = Pose2D(LANE, -2.5, math.pi / 2)
    arena = crossing(robot(start))
    seen = watch(arena, 1.0, Twist2D(0.2, 0.1))
    for lane, _, pose in seen:
        moved = start.relative(pose)
        base = bases[lane.stamp]
        assert (base.x, base.y, base.yaw) == pytest.approx((moved.x, moved.y, moved.yaw), abs=1e-6)


@needs_graphics
def test_markers_are_found_where_they_are_asked_for():
    pose = Pose2D(LANE, -2.5, math.pi / 2 + 0.12)
    arena = crossing(robot(pose, PLAIN.with_changes({"lanes.markers": True})))
    watch(arena, 0.5)
    markers = arena.robots["robot_1"].read().markers
    truth = next(marker for marker in CrossingFloor(crossing_of(ARENA).plan).markers if marker.number == 0).pose
    found = next(marker for marker in markers.markers if marker.number == 0)
    assert found.pin(pose) == pytest.approx((truth.x, truth.y), abs=0.2)


@needs_graphics
def test_a_robot_may_have_both_rendered_cameras_and_each_its_own_optics(tmp_path):
    network = str(write_network(tmp_path / "net.onnx", [[128, 128, 40, 40, 0, 0.9, 0]]))
    both = PLAIN.with_changes(
        {"camera.kind": "rendered", "camera.model": network, "camera.width": 64, "camera.height": 48}
    )
    lanes = []
    for sensors in (PLAIN, both):
        arena = crossing(robot(Pose2D(LANE, -2.3, math.pi / 2), sensors))
        lanes.append([lane for lane, _, _ in watch(arena, 0.5)])
        detections = arena.robots["robot_1"].read().detections
    assert lanes[0] == lanes[1]
    assert (detections.image_width, detections.image_height) == (64, 48)
    assert detections.boxes


@needs_graphics
def test_a_robot_ahead_is_seen():
    pose = Pose2D(LANE, -2.5, math.pi / 2)
    other = robot(Pose2D(LANE, -1.7, math.pi / 2), QUIET, "robot_2")
    pictures = []
    for specs in ([robot(pose)], [robot(pose), other]):
        arena = crossing(*specs)
        pictures.append(arena._studio.road_picture("robot_1", pose).copy())
    assert (pictures[0] != pictures[1]).mean() > 0.01


def test_without_a_lane_camera_nothing_is_rendered():
    arena = crossing(robot(Pose2D(LANE, -2.5, math.pi / 2), QUIET))
    arena.step()
    assert arena._studio is None
    assert arena.robots["robot_1"].read().lane is None


@needs_graphics
def test_it_needs_no_sign_detector():
    broken = CameraParameters().with_changes({"model": "/nowhere/net.onnx"})
    check_rendering([broken], [], ["robot_1"])
    with pytest.raises(ConfigError, match="must name a robot"):
        check_rendering([broken], [], [""])


def test_without_a_graphics_library_it_is_refused_before_anything_is_played(monkeypatch):
    with no_graphics(monkeypatch):
        check_rendering([CameraParameters()], [])
        with pytest.raises(graphics.GraphicsError, match="libosmesa6"):
            check_rendering([CameraParameters()], [], ["robot_1"])


@pytest.mark.parametrize("key", ["rate_hz", "latency_s", "lane_width", "light.glare"])
def test_what_no_camera_can_have_is_refused(key):
    for value in (math.nan, math.inf, -1.0):
        with pytest.raises(ConfigError, match=key.replace(".", r"\.")):
            LaneCameraParameters().with_changes({key: value})


@needs_graphics
def test_the_masks_read_what_brightness_and_contrast_have_made_of_a_picture():
    pose = Pose2D(LANE, -2.2, math.pi / 2)
    plain, dark, bright = (
        watch(crossing(robot(pose, PLAIN.with_changes(light))), 0.3)[0][0]
        for light in ({}, {"lanes.brightness": -150.0}, {"lanes.brightness": 100.0})
    )
    assert plain.near_slice.red == pytest.approx(plain.near_slice.half_lane, abs=0.02)
    assert plain.near_slice.black == pytest.approx(-plain.near_slice.half_lane, abs=0.02)
    assert (dark.near_slice.red, bright.near_slice.black) == (None, None)
