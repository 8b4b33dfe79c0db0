"""Names and keys that nobody gives on purpose: one line, exit code 2, nothing hangs, nothing is written."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import complaint
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_trees.commands.ros import run_ros
from arena_trees.robot.configuration.resources import config_files
from arena_trees.robot.errors import ConfigError

LONG = "n" * 300
DEEP = ".".join("a" * 5000)
NESTED = "{a: " * 5000 + "1" + "}" * 5000


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory) -> Iterator[Path]:
    """A working directory with a folder and a FIFO that nobody writes into; ROS is taken to be there."""
    path, before = tmp_path_factory.mktemp("odd"), Path.cwd()
    (path / "folder").mkdir()
    (path / "folder.yaml").mkdir()
    os.mkfifo(path / "fifo")
    os.mkfifo(path / "fifo.yaml")
    (path / "circle").symlink_to("circle")
    (path / "nested.yaml").write_text(NESTED)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_ros, "check_ros", lambda: None)
        os.chdir(path)
        yield path
        os.chdir(before)


def short(text: str) -> str:
    return text[:24]


LIKE_THEM = [pytest.param(name, marks=pytest.mark.slow) for name in (LONG, f"{LONG}/x.yaml", "x/" * 3000, "fifo")]
READ: tuple[Any, ...] = (
    lambda name: ("check", name),
    lambda name: ("run", name),
    lambda name: ("run", "pacman", "--map", name),
    lambda name: ("run", "wolf_rabbit", "--set", f"arena={name}"),
    lambda name: ("run", "wolf_rabbit", "--set", f"wolf.parameters={name}"),
    lambda name: ("run-ros", name),
    lambda name: ("bench", name),
    lambda name: ("render", name),
    lambda name: ("replay", name),
    lambda name: ("report", name),
    lambda name: ("sample-frames", name, "-o", "out"),
)
WRITTEN: tuple[Any, ...] = (
    lambda name: ("run", "wolf_rabbit", "--json", name),
    lambda name: ("run", "wolf_rabbit", "--plot", name),
    lambda name: ("run", "wolf_rabbit", "--wav", name),
    lambda name: ("run", "wolf_rabbit", "--record", name),
    lambda name: ("render", "wolf", "-o", name),
)


@pytest.mark.parametrize(
    "name", ["fifo.yaml", "folder.yaml", "circle", "/dev/zero", "nested.yaml", *LIKE_THEM], ids=short
)
def test_what_is_no_file_is_not_read(capsys, name: str):
    for command in READ:
        complaint(capsys, *command(name))


@pytest.mark.parametrize("name", [f"{LONG}.json", f"{LONG}/x.json", "x/" * 3000, "circle"], ids=short)
def test_what_can_be_no_file_is_not_written(capsys, name: str):
    for command in WRITTEN:
        complaint(capsys, *command(name))


@pytest.mark.parametrize(
    "key", [DEEP, f"wolf.{DEEP}", f"wolf.gate.{DEEP}", f"rules.{DEEP}", f"robots.wolf.{DEEP}"], ids=short
)
@pytest.mark.parametrize("command", ["run", "run-ros"])
def test_a_key_has_few_parts(capsys, command: str, key: str):
    assert "parts" in complaint(capsys, command, "wolf_rabbit", "--set", f"{key}=1")


@pytest.mark.parametrize("text", [f"set: {{{DEEP}: 1}}", f"gate: {{{DEEP}: 1}}", f"start: {NESTED}"], ids=short)
def test_a_key_in_a_file_has_few_parts(capsys, folder: Path, text: str):
    file = folder / "bad.yaml"
    robots = f"robots: {{wolf: {{role: wolf, {text}}}, rabbit: {{role: rabbit}}}}"
    file.write_text(f"game: wolf_rabbit\narena: arena_4x4.yaml\n{robots}\n")
    for command in ("check", "run", "run-ros"):
        complaint(capsys, command, "bad.yaml")
    file.unlink()


def test_deep_values_and_what_is_no_text(capsys):
    assert "nesting" in complaint(capsys, "run", "wolf_rabbit", "--set", f"rules={NESTED}")
    assert "UTF-8" in complaint(capsys, "check", "a\udcff.yaml")


def test_a_suffix_is_no_pattern():
    assert config_files("maps", suffix=".**") == {}
    assert config_files("maps", suffix=".y*") == {}


def test_a_message_is_short_whatever_it_names():
    text = str(ConfigError("is wrong", file="f" * 9000, key="k" * 9000, value="v" * 9000))
    assert len(text) < 600


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=300).filter(
    lambda name: not name.startswith("-") and name not in (".", "..")
)
KEYS = st.lists(st.text("ab.wolf_ {[:'\"", max_size=6), max_size=60).map(".".join)


def all_refused(capsys, most: int, of: st.SearchStrategy[Any], *commands: Any) -> None:
    """Try so many names or keys, the same each time."""

    @given(of)
    @settings(max_examples=most, deadline=None, derandomize=True, database=None)
    def try_one(odd: Any) -> None:
        for command in commands:
            complaint(capsys, *command(odd))

    try_one()


@pytest.mark.parametrize("most", [4, pytest.param(100, marks=pytest.mark.slow)])
def test_any_name_is_refused_in_a_line(capsys, most: int):
    all_refused(capsys, most, NAMES, READ[0], READ[1], READ[8])


@pytest.mark.parametrize("most", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_any_key_is_refused_in_a_line(capsys, most: int):
    # What is good in it meets the last check of all.
    all_refused(
        capsys,
        most,
        st.tuples(KEYS, NAMES),
        lambda pair: ("run", "wolf_rabbit", "--jobs", "0", "--set", f"{pair[0]}={pair[1]}"),
    )
