"""Arena files and layouts: what is refused and how, and what chance may do."""

import copy
import itertools
import math

import pytest
import shapely

from arena_trees.robot.configuration.resources import resource_path
from arena_trees.robot.configuration.yaml_files import load_yaml, validate
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.world.arena_file import ArenaFile, load_arena
from arena_trees.world.layout import generate_layout

ARENA = "config/wolf_rabbit/arenas/arena_4x4.yaml"

GOOD = {
    "name": "small",
    "walls": [{"name": "wall_1", "start": [-3, 3], "end": [3, 3]}],
    "boxes": [{"name": "crate", "pose": [1.0, 1.0, 0.0], "size": [0.4, 0.4, 0.4]}],
    "fences": {"wolf": [[-2, -2], [2, -2], [2, 2], [-2, 2]]},
    "starts": {"wolf": {"position": [0, 0], "yaw": 0.5}},
}


def changed(path, value):
    """Return the good arena's values with one of them changed; None removes it."""
    values = copy.deepcopy(GOOD)
    target = values
    *groups, last = path
    for group in groups:
        target = target[group]
    if value is None:
        del target[last]
    else:
        target[last] = value
    return values


def test_the_good_arena_is_good():
    arena = validate(ArenaFile, GOOD, "small.yaml")
    layout = generate_layout(arena, RandomStreams(0))
    assert layout.starts["wolf"].yaw == 0.5
    assert [solid.name for solid in layout.solids] == ["wall_1", "crate"]


@pytest.mark.parametrize(
    ("path", "value", "key", "words"),
    [
        (["wals"], [], "wals", "unknown key"),
        (["name"], "Big Room", "name", "small letters"),
        (["walls", 0, "taste"], "red", "walls.0.taste", "unknown key"),
        (["walls", 0, "colour"], "red", "walls.0.colour", "#rrggbb"),
        (["walls", 0, "end"], [-3, 3], "walls.0.end", "no length"),
        (["walls", 0, "end"], [math.nan, 3], "walls.0.end.0", "finite"),
        (["walls", 0, "end"], [3], "walls.0.end.1", "required"),
        (["walls", 0, "thickness"], 0, "walls.0.thickness", "greater than 0"),
        (["walls", 0, "height"], -1.0, "walls.0.height", "greater than 0"),
        (["walls", 0, "surface"], "mirror", "walls.0.surface", "glass"),
        (["boxes", 0, "size"], [0.4, 0.0, 0.4], "boxes.0.size", "above 0"),
        (["boxes", 0, "pose"], [1.0, 1.0, math.inf], "boxes.0.pose.2", "finite"),
        (["boxes", 0, "name"], "wall_1", "boxes.0.name", "taken"),
        (["boxes", 0, "name"], "wolf", "boxes.0.name", "taken"),
        (["fences", "wolf"], [[0, 0], [1, 0]], "fences.wolf", ""),
        (["fences", "wolf"], [[-2, -2], [2, 2], [2, -2], [-2, 2]], "fences.wolf", ""),
        (["fences", "wolf"], [[-2, -2], [2, -2], [math.nan, 2]], "fences.wolf.2.0", "finite"),
        (["fences", "wolf"], [[0, 0], [0.3, 0], [0.3, 0.3], [0, 0.3]], "fences.wolf", "fit"),
        (["fences", "wolf"], "square", "fences.wolf", "list"),
        (["fences"], {}, "fences", "at least one"),
        (["starts"], {}, "starts.wolf", "required"),
        (["starts", "fox"], {"position": [0, 0]}, "starts.fox", "no fence"),
        (["homes"], {"fox": [0, 0]}, "homes.fox", "no fence"),
        (["homes"], {"wolf": [9, 0]}, "homes.wolf", "outside"),
        (["homes"], {"wolf": "here"}, "homes.wolf", "start"),
        (["starts", "wolf", "position"], [1.3, 1.0], "starts.wolf.position", "inside crate"),
        (["starts", "wolf", "position"], [0.0, 2.9], "starts.wolf.position", "inside wall_1"),
        (["starts", "wolf", "position"], [-2.5, 0.0], "starts.wolf.position", "outside the fence"),
        (["starts", "wolf", "yaw"], "north", "starts.wolf.yaw", "random"),
        (["starts", "wolf", "yaw"], math.nan, "starts.wolf.yaw", "random"),
        (["random_boxes"], {"count": -1}, "random_boxes.count", "greater than or equal to 0"),
        (["random_boxes"], {"count": 2, "length": [0.4, 0.2]}, "random_boxes.length", "smallest"),
        (["carrots"], [{"pose": [0, 0, 0], "size": 0}], "carrots.0.size", "greater than 0"),
        (["start_distance"], "far", "start_distance", "number"),
    ],
)
def test_bad_values_are_refused_by_file_key_and_value(path, value, key, words):
    with pytest.raises(ConfigError) as caught:
        validate(ArenaFile, changed(path, value), "small.yaml")
    text = str(caught.value)
    assert text.startswith(f"small.yaml: {key}"), text
    assert words in text
    assert "\n" not in text


def test_the_shipped_arena_keeps_its_promises():
    arena = load_arena(resource_path(ARENA))
    assert arena.name == "wolf_rabbit_4x4"
    for points in arena.fences.values():
        fence = shapely.Polygon(points)
        assert fence.bounds == (-2.0, -2.0, 2.0, 2.0)
        for wall in arena.walls:
            assert wall.solid().polygon().distance(fence) >= 0.6 - 1e-9


def test_layouts_keep_every_clearance():
    arena = load_arena(resource_path(ARENA))
    fence = shapely.Polygon(arena.fences["wolf"])
    for seed in range(40):
        layout = generate_layout(arena, RandomStreams(1000 + seed))
        wolf, rabbit = layout.starts["wolf"], layout.starts["rabbit"]
        boxes = [solid for solid in layout.solids if solid.name.startswith("box")]
        assert len(boxes) == 4
        assert rabbit.distance_to(0.0, 0.0) <= 0.7
        assert layout.homes["rabbit"] == (rabbit.x, rabbit.y)
        assert max(abs(wolf.x), abs(wolf.y)) <= 1.5 + 1e-9
        assert wolf.distance_to(rabbit.x, rabbit.y) >= 1.5
        for one, other in itertools.combinations(boxes, 2):
            assert one.polygon().distance(other.polygon()) >= 0.65
        for box in boxes:
            assert fence.exterior.distance(box.polygon()) >= 0.65
            assert box.distance_to(wolf.x, wolf.y) >= 0.5
            assert box.distance_to(rabbit.x, rabbit.y) >= 0.5
            assert box.height > 0.193


def test_an_arena_and_starts_without_room_are_refused():
    values = load_yaml(resource_path(ARENA))
    values["random_boxes"]["count"] = 40
    arena = validate(ArenaFile, values, "full.yaml")
    with pytest.raises(ConfigError, match=r"random_boxes.count: no room found .* \(got 40\)"):
        generate_layout(arena, RandomStreams(1))
    arena = validate(ArenaFile, changed(["starts", "wolf"], {"fence_margin": 2.5}), "small.yaml")
    with pytest.raises(ConfigError, match="starts: no room found"):
        generate_layout(arena, RandomStreams(1))


@pytest.mark.parametrize("change", ["random_boxes.count", "start_distance"])
def test_an_arena_takes_changes_by_dotted_keys(change):
    arena = load_arena(resource_path(ARENA))
    assert arena.with_changes({change: 2}) != arena
    open_arena = arena.with_changes({"random_boxes.count": 0})
    assert len(generate_layout(open_arena, RandomStreams(1)).solids) == 4


SLOTS = {
    "name": "hall",
    "fences": {
        "wolf": [[-2, -2], [2, -2], [2, 2], [-2, 2]],
        "rabbit": [[-1.8, -1.8], [1.8, -1.8], [1.8, 1.8], [-1.8, 1.8]],
    },
    "slots": [{"position": [1.0, 1.0]}, {"role": "wolf", "position": [-1.0, -1.0]}, {"position": [-1.0, 1.0]}],
    "homes": {"rabbit": "start"},
}


def test_robots_take_slots_in_their_order_those_of_their_role_first():
    arena = validate(ArenaFile, SLOTS, "hall.yaml")
    placed = arena.for_robots({"bunny": "rabbit", "grey": "wolf", "black": "wolf"})
    assert {name: start.position for name, start in placed.starts.items()} == {
        "bunny": (1.0, 1.0),
        "grey": (-1.0, -1.0),
        "black": (-1.0, 1.0),
    }
    assert placed.fences["bunny"] == arena.fences["rabbit"]
    assert placed.fences["black"] == arena.fences["wolf"]
    assert placed.homes == {"bunny": "start"}
    validate(ArenaFile, placed.model_dump(), "hall.yaml")
    with pytest.raises(ConfigError, match=r"robots\.d: hall has 3 starts, for 4 robots; slots"):
        arena.for_robots(dict.fromkeys("abcd", "wolf"))
    assert "d" in arena.for_robots(dict.fromkeys("abcd", "wolf"), {"d"}).starts
    with pytest.raises(ConfigError, match=r"robots\.cat: hall has no fence of its name or role"):
        arena.for_robots({"cat": "cat"})


def test_the_start_of_a_role_serves_any_number_of_robots_unless_it_is_a_fixed_place():
    arena = load_arena(resource_path(ARENA))
    placed = arena.for_robots({"grey": "wolf", "black": "wolf", "bunny": "rabbit"})
    assert set(placed.starts) == {"grey", "black", "bunny"} == set(placed.fences)
    layout = generate_layout(placed, RandomStreams(3))
    assert len({(pose.x, pose.y) for pose in layout.starts.values()}) == 3
    fixed = validate(ArenaFile, GOOD, "small.yaml")
    with pytest.raises(ConfigError, match=r"robots\.black: small has 1 starts, for 2 robots"):
        fixed.for_robots({"grey": "wolf", "black": "wolf"})


@pytest.mark.parametrize(
    ("slot", "key"),
    [
        ({"role": "cat", "position": [0, 0]}, "slots.0.role"),
        ({"role": "wolf", "position": [5, 0]}, "slots.0.position"),
        ({"position": [math.nan, 0]}, "slots.0.position.0"),
    ],
)
def test_a_bad_slot_is_named(slot: dict[str, object], key: str):
    with pytest.raises(ConfigError, match=key.replace(".", r"\.")):
        validate(ArenaFile, {**SLOTS, "slots": [slot]}, "hall.yaml")
