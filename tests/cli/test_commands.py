"""The commands as a user meets them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from helpers.arena import needs_arena

from arena_trees import __version__
from arena_trees.cli import app, main
from arena_trees.commands import help_groups
from arena_trees.robot.errors import ConfigError
from arena_trees.simulation.experiments.scenario import scenario_names


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return what a command prints when all is well."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    said = capsys.readouterr()
    assert ended.value.code == 0, said.err
    return said.out


def test_version_help_and_nothing(capsys: pytest.CaptureFixture[str]):
    assert call(capsys, "--version") == f"arena-trees {__version__}\n"
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 2


def test_help_lists_each_command_under_a_heading_on_one_line_of_80_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("COLUMNS", "80")
    said = call(capsys, "--help")
    headings = [line for line in said.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings[1:] == [
        "Play:",
        "Look at what was played:",
        "Robots on ROS 2:",
        "Signs and their detector:",
        "Games' own commands (arena-trees GAME --help):",
    ]
    names = [line.split()[0] for line in said.splitlines() if line.startswith("  ") and "--" not in line]
    assert set(names) >= {command.name for command in app.registered_commands} | {"pacman", "crossroads"}
    assert "..." not in said.replace("[ARGS]...", "")
    assert max(map(len, said.splitlines())) <= 80


def test_a_game_that_cannot_be_loaded_leaves_the_help_readable(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    def broken(name: str) -> None:
        raise ConfigError("it is broken", key="game", value=name)

    monkeypatch.setattr(help_groups, "find_game", broken)
    assert "pacman       cannot be loaded: arena-trees run says why" in call(capsys, "--help")


def test_list_names_every_scenario(capsys: pytest.CaptureFixture[str]):
    said = call(capsys, "list")
    assert len(scenario_names()) >= 6
    for name in scenario_names():
        assert name in said


@pytest.mark.parametrize("role", ["wolf", "rabbit"])
def test_render(capsys: pytest.CaptureFixture[str], tmp_path: Path, role: str):
    text = call(capsys, "render", role)
    names = [line.split(maxsplit=1)[1] for line in text.splitlines()]
    assert "digraph" in call(capsys, "render", role, "--format", "dot")
    file = tmp_path / "pictures" / "tree.svg"
    assert call(capsys, "render", role, "--format", "svg", "-o", str(file)) == ""
    root = ElementTree.parse(file).getroot()
    labels = [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]
    # A sign stands before a composite's name; the title and the legend name no node.
    named = [label.rpartition("  ")[2] for label in labels]
    assert [label for label in named if label in names] == names


def test_the_two_strategies_of_the_wolf_are_two_trees(capsys: pytest.CaptureFixture[str]):
    assert call(capsys, "render", "wolf") != call(capsys, "render", "wolf", "--strategy", "source")


@needs_arena
def test_run_leaves_results_and_a_picture(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    said = call(
        capsys, "run", "wolf_rabbit", "--trials", "2", "--seed", "300", "--jobs", "1", "--set", "duration_s=1.5"
    )
    assert "catch_rate" in said
    assert "2/2 seed 301: survived after 1.5 s" in said
    assert sorted(path.name for path in (tmp_path / "results").iterdir()) == ["wolf_rabbit.json", "wolf_rabbit.png"]
    assert (tmp_path / "results" / "wolf_rabbit.png").read_bytes().startswith(b"\x89PNG")
    results = json.loads((tmp_path / "results" / "wolf_rabbit.json").read_text())
    assert (results["scenario"], results["version"], results["seed"]) == ("wolf_rabbit", __version__, 300)
    assert [trial["seed"] for trial in results["trials"]] == [300, 301]
    assert results["complete"]
    assert results["settings"] == {"trials": 2, "seed": 300, "duration_s": 1.5}
    assert set(results["summary"]["catch_rate"]) == {"rate", "low", "high", "n"}
    assert {"mean", "low", "high", "n"} <= set(results["summary"]["collisions"])


@needs_arena
def test_compare_and_quiet(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    json_file, plot_file = tmp_path / "a" / "c.json", tmp_path / "a" / "c.png"
    arguments = ("--trials", "2", "--seed", "310", "--jobs", "1", "--set", "duration_s=1.0", "--quiet")
    files = ("--json", str(json_file), "--plot", str(plot_file))
    assert call(capsys, "run", "wolf_rabbit", "--compare", "source", *arguments, *files) == ""
    results = json.loads(json_file.read_text())
    assert results["arm"] == "arena"
    other = results["arms"]["source"]
    assert [trial["seed"] for trial in other["trials"]] == [310, 311]
    assert other["difference"]["catch_rate"]["n"] == 2
    assert plot_file.stat().st_size > 10_000


@needs_arena
def test_bench(capsys: pytest.CaptureFixture[str]):
    said = call(capsys, "bench", "--seconds", "1")
    assert "times real time" in said
    assert "bare MuJoCo" in said


@needs_arena
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_saves_what_is_finished(tmp_path: Path, jobs: str):
    command = [sys.executable, "-m", "arena_trees", "run", "wolf_rabbit_isolated", "--trials", "500"]
    command += ["--seed", "320", "--set", "duration_s=1.0", "--jobs", jobs]
    # A group of its own, to which the interrupt goes as a terminal's does.
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, start_new_session=True
    )
    assert process.stdout is not None
    for _ in range(3):
        assert "seed 32" in process.stdout.readline()
    os.killpg(process.pid, signal.SIGINT)
    begun = time.monotonic()
    _, errors = process.communicate(timeout=30)
    assert time.monotonic() - begun < 20
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    results = json.loads((tmp_path / "results" / "wolf_rabbit_isolated.json").read_text())
    assert not results["complete"]
    assert 3 <= len(results["trials"]) < 500
    assert [trial["seed"] for trial in results["trials"]] == sorted(trial["seed"] for trial in results["trials"])
