"""Maps that ship with the code, and where a robot starts on a map."""

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
from helpers.maps import grey, write_map

from arena_trees.control.navigation.map_files import START_CLEARANCE, find_map, map_names, start_pose
from arena_trees.control.navigation.occupancy_map import load_map
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D

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
