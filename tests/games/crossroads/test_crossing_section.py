"""The crossing as an arena, and what a rendered camera sees of it."""

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
import yaml
from helpers.graphics import needs_graphics
from helpers.road_pictures import Road, as_image, brighten

from arena_trees.games.crossroads.layout.floor import BLACK, GREEN, RED
from arena_trees.games.crossroads.layout.section import crossing_of
from arena_trees.perception.lanes.floor_camera import CameraPlace, FloorCamera
from arena_trees.perception.lanes.lines import LaneDetector
from arena_trees.perception.markers import MarkerDetector
from arena_trees.robot.configuration.resources import config_path
from arena_trees.robot.configuration.yaml_files import validate
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.simulation.rendering.appearance import draw_appearance
from arena_trees.simulation.rendering.scene import build_scene
from arena_trees.simulation.rendering.scene_renderer import SceneRenderer
from arena_trees.simulation.sensors.sign_camera import CameraParameters
from arena_trees.world.arena_file import ArenaFile, load_arena
from arena_trees.world.arenas import load_fence
from arena_trees.world.body import TURTLEBOT4
from arena_trees.world.layout import generate_layout

ARENA = load_arena(config_path("arenas", "crossing_4.yaml"))
PINHOLE = CameraParameters().pinhole()


def small(**crossing: object) -> dict[str, object]:
    return {
        "name": "crossing",
        "fenced": False,
        "crossing": crossing,
        "starts": {"robot_1": {"position": [0.3, -1.5], "yaw": 1.57}},
    }


def test_the_shipped_arena_has_walls_posts_and_robots_in_their_lanes():
    names = [solid.name for solid in ARENA.solids()]
    assert len(names) == len(set(names)) == 12
    assert sum("post" in name for name in names) == 4
    layout = generate_layout(ARENA, RandomStreams(1000))
    assert layout.decor.side == 6.0
    assert [panel.name for panel in layout.decor.panels] == [f"marker_{number}" for number in range(4)]
    for pose in layout.starts.values():
        lane = Pose2D(0.0, 0.0, pose.yaw).relative(Pose2D(pose.x, pose.y))
        assert lane.y == pytest.approx(-0.3, abs=1e-3)
        assert lane.x < -2.0


def test_an_arena_may_have_a_t_and_its_own_walls():
    values = small(plan={"approaches": 3, "size": 2.0})
    values["walls"] = [{"name": "wall_end", "start": [-1.0, -2.5], "end": [1.0, -2.5]}]
    arena = validate(ArenaFile, values, "test")
    assert sum("post" in solid.name for solid in arena.solids()) == 3
    assert arena.solids()[-1].name == "wall_end"


@pytest.mark.parametrize(
    ("crossing", "key"),
    [
        ({"plan": {"size": 0.6}}, "size"),
        ({"plan": {"lane_width": math.nan}}, "crossing.plan.lane_width"),
        ({"floor": {"marker_size": -1.0}}, "crossing.floor.marker_size"),
        ({"roundabout": True}, "crossing.roundabout"),
    ],
)
def test_crossings_that_cannot_be_are_refused(crossing, key):
    with pytest.raises(ConfigError) as refused:
        validate(ArenaFile, small(**crossing), "test")
    assert key in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("key", ["roundabout", "sections", "crossings"])
def test_a_section_that_nobody_knows_is_refused(key: str):
    values = small()
    values[key] = {"plan": {}}
    with pytest.raises(ConfigError, match=f"^test: {key}: unknown key"):
        validate(ArenaFile, values, "test")


@pytest.mark.parametrize("value", [3, [], "round"])
def test_a_section_that_is_no_map_is_refused(value: object):
    values = small()
    values["crossing"] = value
    with pytest.raises(ConfigError, match=r"^test: crossing: must be a map"):
        validate(ArenaFile, values, "test")


def test_an_arena_is_written_as_it_was_read():
    written = yaml.safe_load(yaml.safe_dump(ARENA.model_dump(mode="json", exclude_none=True)))
    assert set(written["crossing"]) == {"plan", "floor"}
    assert validate(ArenaFile, written, "test") == ARENA
    assert pickle.loads(pickle.dumps(ARENA)) == ARENA
    assert crossing_of(ARENA.with_changes({"crossing.plan.size": 4.0})).plan.size == 4.0
    plain = load_arena(config_path("arenas", "arena_4x4.yaml"))
    assert plain.sections == {}
    assert crossing_of(plain) is None
    with pytest.raises(ConfigError, match="unknown key"):
        plain.with_changes({"crossing.plan.size": 4.0})


def test_a_crossing_has_no_fences():
    assert load_fence("crossing_4", "robot_1") is None


def test_names_of_its_walls_are_taken_and_no_robot_starts_in_them():
    values = small()
    values["boxes"] = [{"name": "crossing_wall_south_left", "pose": [0.3, 0.0, 0.0], "size": [0.1, 0.1, 0.1]}]
    with pytest.raises(ConfigError, match="taken"):
        validate(ArenaFile, values, "test")
    values = small()
    values["starts"] = {"robot_1": {"position": [0.7, -1.5], "yaw": 0.0}}
    with pytest.raises(ConfigError, match="crossing_wall_south_right"):
        validate(ArenaFile, values, "test")


@pytest.fixture(scope="module")
def camera():
    """Returns what a robot's camera sees from a pose."""
    layout = generate_layout(ARENA, RandomStreams(1000))
    scene = build_scene(layout, {"robot_1": TURTLEBOT4}, [], {"robot_1": PINHOLE}, draw_appearance(RandomStreams(1000)))
    renderer = SceneRenderer(scene, {"robot_1": PINHOLE})
    yield lambda pose: renderer.render("robot_1", {"robot_1": pose}).copy()
    renderer.close()


@needs_graphics
def test_the_floor_is_rendered_where_it_is(camera):
    pose = Pose2D(0.3, -2.2, math.pi / 2)
    pixels = camera(pose).astype(int)
    optics = FloorCamera(CameraPlace(), 250, 250)
    for place, ink in (((0.0, -1.0), RED), ((0.6, -1.0), BLACK), ((0.3, -0.7), GREEN)):
        local = pose.relative(Pose2D(*place))
        column, row = np.rint(optics.to_pixels(np.array([[local.x, local.y]]))[0]).astype(int)
        seen = pixels[row, column]
        # Which colour leads tells the inks apart in any light.
        assert seen.argmax() == np.argmax(ink) or ink == BLACK
        assert seen.max() < 120 or ink != BLACK
    lane = optics.to_pixels(np.array([[1.0, 0.0]]))[0]
    assert np.ptp(pixels[int(lane[1]), int(lane[0])]) < 40


@needs_graphics
@pytest.mark.parametrize("gain", [0.6, 1.0, 1.4])
def test_lines_and_markers_are_found_in_rendered_pictures(camera, gain):
    detector, markers = LaneDetector(), MarkerDetector()
    for aside, turned in ((0.0, 0.0), (0.05, 0.04), (-0.05, 0.06)):
        pose = Pose2D(0.3, -2.3, math.pi / 2).compose(Pose2D(0.0, aside, turned))
        image = as_image(brighten(camera(pose), gain))
        seen = detector.detect(image)
        assert seen.offset == pytest.approx(-aside, abs=0.015)
        assert seen.heading == pytest.approx(-turned, abs=math.radians(1.0))
        assert seen.stop_distance == pytest.approx(1.6, abs=0.03)
        found = [marker for marker in markers.detect(image).markers if marker.number == 0]
        # Straight ahead it is at the image's edge, with no white left of it.
        for marker in found:
            truth = Road().floor.markers[0].pose
            assert marker.pin(pose) == pytest.approx((truth.x, truth.y), abs=0.2)
        assert found or turned < 0.05


@needs_graphics
def test_decor_changes_nothing_but_the_floor():
    layout = generate_layout(ARENA, RandomStreams(1000))
    plain = replace(layout, decor=None)
    pose = Pose2D(0.3, -2.2, math.pi / 2)
    pictures = []
    for world in (plain, layout):
        scene = build_scene(
            world, {"robot_1": TURTLEBOT4}, [], {"robot_1": PINHOLE}, draw_appearance(RandomStreams(1000))
        )
        renderer = SceneRenderer(scene, {"robot_1": PINHOLE})
        pictures.append(renderer.render("robot_1", {"robot_1": pose}).copy())
        renderer.close()
    bare, decorated = pictures
    horizon = PINHOLE.height // 2 - 40
    assert np.array_equal(bare[:horizon], decorated[:horizon])
    assert not np.array_equal(bare[horizon:], decorated[horizon:])
