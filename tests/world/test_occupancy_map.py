"""Occupancy maps: modes and thresholds, frames, clearance, bad files; those that ship, and where a robot starts."""

import math
import runpy
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from helpers.maps import drawn, grey, write_map
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.world.maps.map_files import START_CLEARANCE, find_map, map_names, start_pose
from arena_trees.world.maps.occupancy_map import OccupancyMap, load_map

STEPS = np.array([[0, 60, 100, 150, 205, 230, 255]], np.uint8)


def states(area: OccupancyMap) -> str:
    """Return row 0 in letters: free, unknown, or neither."""
    return "".join(
        "." if free else "?" if unknown else "#" for free, unknown in zip(area.free[0], area.unknown[0], strict=True)
    )


def test_the_top_line_is_the_last_row(tmp_path: Path) -> None:
    area = load_map(write_map(tmp_path, grey("##. ..# ???")))
    assert area.free.tolist() == [[False, False, False], [True, True, False], [False, False, True]]
    assert area.unknown.tolist() == [[True, True, True], [False] * 3, [False] * 3]
    assert area.free_area == pytest.approx(0.03)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        # Occupancy of the pixels: 1.00, 0.76, 0.61, 0.41, 0.196, 0.10, 0.00.
        ({}, "##???.."),
        ({"mode": "trinary"}, "##???.."),
        ({"negate": 1}, ".???###"),
        ({"negate": "true", "free_thresh": 0.3}, "..??###"),
        ({"occupied_thresh": 0.5, "free_thresh": 0.45}, "###.?.."),
        ({"mode": "scale"}, "#####.."),
        ({"mode": "scale", "free_thresh": 0.25}, "####..."),
        # 0, 60 and 100 per cent, and no values.
        ({"mode": "raw"}, ".##????"),
        ({"mode": "raw", "free_thresh": 0.7, "occupied_thresh": 0.8}, "..#????"),
        # What map_saver means by 205 stays unknown, whatever the threshold.
        ({"free_thresh": 0.25}, "##???.."),
    ],
)
def test_modes_and_thresholds(tmp_path: Path, values: dict[str, object], expected: str) -> None:
    assert states(load_map(write_map(tmp_path, STEPS, **values))) == expected


def test_alpha_counts_in_trinary_and_hides_in_scale(tmp_path: Path) -> None:
    pixels = np.full((1, 3, 4), 255, np.uint8)
    pixels[0, 1, 3] = 128  # Occupancy 0.12 with alpha among four channels.
    pixels[0, 2, 3] = 0  # 0.25.
    (tmp_path / "alpha.png").write_bytes(cv2.imencode(".png", pixels)[1].tobytes())
    assert states(load_map(write_map(tmp_path, STEPS, image="alpha.png"))) == "..?"
    assert states(load_map(write_map(tmp_path, STEPS, image="alpha.png", mode="scale"))) == ".??"


def test_colours_are_averaged(tmp_path: Path) -> None:
    pixels = np.zeros((1, 2, 3), np.uint8)
    pixels[0, 1] = (255, 255, 200)
    (tmp_path / "colour.png").write_bytes(cv2.imencode(".png", pixels)[1].tobytes())
    area = load_map(write_map(tmp_path, STEPS, image="colour.png"))
    assert states(area) == "#."
    assert area.occupancy[0, 1] == pytest.approx(1.0 - 710 / 765, abs=1e-6)


@given(
    x=st.floats(-1e3, 1e3),
    y=st.floats(-1e3, 1e3),
    yaw=st.floats(-7.0, 7.0),
    resolution=st.floats(0.01, 2.0),
    row=st.integers(0, 8),
    column=st.integers(0, 6),
)
def test_the_centre_of_a_cell_lies_in_it(x, y, yaw, resolution, row, column):
    area = OccupancyMap.build(np.ones((9, 7), np.bool_), resolution, Pose2D(x, y, yaw))
    place = area.world(row, column)
    assert area.cell(*place) == (row, column)
    middle = (column + 0.5) * resolution, (row + 0.5) * resolution
    expected = Pose2D(x, y, yaw).compose(Pose2D(*middle))
    assert place == pytest.approx((expected.x, expected.y), abs=1e-6)
    outside = area.world(row + 9, column)
    assert area.clearance_at(*outside) == 0.0


@settings(deadline=None, max_examples=50)
@given(data=st.data(), rows=st.integers(1, 12), columns=st.integers(1, 12))
def test_clearance_is_the_distance_to_the_nearest_face(data: st.DataObject, rows: int, columns: int) -> None:
    cells = st.lists(st.booleans(), min_size=rows * columns, max_size=rows * columns)
    free = np.array(data.draw(cells)).reshape(rows, columns)
    area = OccupancyMap.build(free, 0.05)
    walls = np.argwhere(~np.pad(free, 1)) - 1
    for row in range(rows):
        for column in range(columns):
            gaps = np.maximum(np.abs(walls - (row, column)) - 0.5, 0.0)
            exact = float(np.hypot(*gaps.T).min()) * 0.05 if free[row, column] else 0.0
            found = area.clearance_at(*area.world(row, column))
            assert exact - 1e-6 <= found <= exact + 0.21 * 0.05


def test_a_turned_map_has_the_same_clearance() -> None:
    straight, turned = (
        drawn("###### #....# #....# ######"),
        drawn("###### #....# #....# ######", origin=Pose2D(3, 2, 1)),
    )
    assert np.array_equal(straight.clearance, turned.clearance)
    x, y = turned.world(1, 2)
    assert math.dist((x, y), (3, 2)) == pytest.approx(math.dist(straight.world(1, 2), (0, 0)))
    assert turned.clearance_at(x, y) == straight.clearance_at(*straight.world(1, 2)) > 0.0


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"image": "none.pgm"}, ("image", "none.pgm", "no such file")),
        ({"image": "''"}, ("image", "at least 1")),
        ({"image": '"a\\0b"'}, ("image",)),
        ({"image": "room.yaml"}, ("image", "neither")),
        ({"image": None}, ("image", "required")),
        ({"resolution": None}, ("resolution", "required")),
        ({"resolution": 0}, ("resolution", "0")),
        ({"resolution": -0.05}, ("resolution", "-0.05")),
        ({"resolution": ".nan"}, ("resolution", "nan")),
        ({"resolution": "fine"}, ("resolution", "fine")),
        ({"origin": "[0.0, 0.0]"}, ("origin",)),
        ({"origin": "[0.0, .inf, 0.0]"}, ("origin", "inf")),
        ({"origin": "[0.0, 1e9, 0.0]"}, ("origin", "1e+06")),
        ({"negate": 2}, ("negate", "2")),
        ({"mode": "colour"}, ("mode", "colour")),
        ({"free_thresh": 0.7}, ("free_thresh", "occupied_thresh", "0.7")),
        ({"occupied_thresh": 1.5}, ("occupied_thresh", "1.5")),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, values: dict[str, object], words: tuple[str, ...]) -> None:
    path = write_map(tmp_path, STEPS, **values)
    with pytest.raises(ConfigError) as refused:
        load_map(path)
    text = str(refused.value)
    assert "\n" not in text
    assert str(path) in text
    for word in words:
        assert word in text


def test_keys_that_map_server_does_not_know_are_passed_over(tmp_path: Path) -> None:
    assert load_map(write_map(tmp_path, STEPS, map_type="occupancy")).shape == (1, 7)


NUMBER = st.one_of(st.floats(), st.integers(-3, 300), st.sampled_from(["x", "[]", "~", "true", "1e400", "-0.0"]))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=st.fixed_dictionaries(
        {},
        optional={
            "resolution": NUMBER,
            "origin": st.lists(NUMBER, min_size=2, max_size=4).map(lambda items: f"[{', '.join(map(str, items))}]"),
            "negate": NUMBER,
            "occupied_thresh": NUMBER,
            "free_thresh": NUMBER,
            "mode": st.sampled_from(["trinary", "scale", "raw", "RAW", "3"]),
        },
    )
)
@example(values={"resolution": 1e-50})
def test_any_file_gives_a_sound_map_or_one_line(tmp_path: Path, values: dict[str, object]) -> None:
    path = write_map(tmp_path, STEPS, **values)
    try:
        area = load_map(path)
    except ConfigError as refused:
        assert str(path) in str(refused)
        assert "\n" not in str(refused)
        return
    assert area.shape == (1, 7)
    assert area.origin.is_finite
    assert area.resolution > 0.0
    assert not (area.free & area.unknown).any()
    assert ((area.occupancy >= 0.0) & (area.occupancy <= 1.0)).all()
    assert np.isfinite(area.points([0], [6])).all()
    assert ((area.clearance > 0.0) == area.free).all()


ROOT = Path(__file__).resolve().parents[2]


def room(folder: Path, **values: object) -> Path:
    pixels = np.kron(grey("#### #..# #..# ####"), np.ones((10, 10), np.uint8))
    pixels[15, 15] = 0
    return write_map(folder, pixels, resolution=0.05, **values)


def test_the_shipped_maps_are_what_the_script_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["make_maps.py", str(tmp_path)])
    runpy.run_path(str(ROOT / "scripts" / "make_maps.py"), run_name="__main__")
    made = sorted(path.name for path in tmp_path.iterdir())
    assert len(made) == 6
    assert made == sorted(path.name for path in (ROOT / "config" / "pacman" / "maps").iterdir())
    for name in made:
        assert (tmp_path / name).read_bytes() == (ROOT / "config" / "pacman" / "maps" / name).read_bytes()


def test_shipped_maps_are_found_by_name() -> None:
    assert map_names() == ["flat", "maze"]
    for name in map_names():
        path = find_map(name)
        area, start = load_map(path), start_pose(path, load_map(path))
        assert start.distance_to(0.0, 0.0) == 0.0
        assert area.clearance_at(start.x, start.y) >= 0.45


def test_a_file_is_found_by_its_path_and_nothing_else_is(tmp_path: Path) -> None:
    path = room(tmp_path)
    assert find_map(str(path)) == path
    with pytest.raises(ConfigError, match=r"none\.yaml: there is no such file"):
        find_map(str(tmp_path / "none.yaml"))
    with pytest.raises(ConfigError, match=r"did you mean flat\?"):
        find_map("flatt")


def test_without_word_the_start_is_where_most_room_is(tmp_path: Path) -> None:
    path = room(tmp_path, origin="[1.0, 2.0, 0.5]")
    area = load_map(path)
    start = start_pose(path, area)
    assert area.clearance_at(start.x, start.y) == area.clearance.max() >= START_CLEARANCE


def test_the_start_is_where_most_can_be_reached_from(tmp_path: Path) -> None:
    pixels = np.zeros((60, 120), np.uint8)
    # A closed hall with more clearance than the flat beside it, which is larger: two rooms and a door of 0.6 m.
    pixels[5:35, 5:35] = 254
    pixels[5:25, 40:75] = pixels[5:25, 80:115] = pixels[8:20, 75:80] = 254
    path = write_map(tmp_path, pixels, resolution=0.05)
    area = load_map(path)
    start = start_pose(path, area)
    assert start.x > 2.0
    assert area.clearance_at(start.x, start.y) < area.clearance.max()


def test_the_file_beside_the_map_says_where_the_start_is(tmp_path: Path) -> None:
    path = room(tmp_path)
    path.with_name("room.arena.yaml").write_text("start: [1.0, 0.9, -1.5]\n")
    assert start_pose(path, load_map(path)) == Pose2D(1.0, 0.9, -1.5)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("start: [0.6, 0.6, 0.0]", ("start", "0.25 m", "0.6")),
        ("start: [50.0, 0.6, 0.0]", ("start", "outside")),
        ("start: [.nan, 0.6, 0.0]", ("start", "nan")),
        ("start: [1.0, 1.0]", ("start",)),
        ("begin: [1.0, 1.0, 0.0]", ("start", "required")),
    ],
)
def test_a_bad_start_is_refused(tmp_path: Path, text: str, words: tuple[str, ...]) -> None:
    path = room(tmp_path)
    beside = path.with_name("room.arena.yaml")
    beside.write_text(text)
    with pytest.raises(ConfigError) as refused:
        start_pose(path, load_map(path))
    for word in (str(beside), *words):
        assert word in str(refused.value)


def test_a_map_without_room_has_no_start(tmp_path: Path) -> None:
    path = write_map(tmp_path, grey("#### #..# ####"))
    with pytest.raises(ConfigError, match="no place"):
        start_pose(path, load_map(path))
