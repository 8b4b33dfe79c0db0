"""The commands that need ROS: what they say where something is missing or wrong, before anything is started."""

from __future__ import annotations

import sys

import pytest

from arena_trees.cli import main
from arena_trees.commands.ros import run_ros


def refused(capsys, *arguments):
    """Return the one line that a command is refused with."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    said = capsys.readouterr()
    assert ended.value.code == 2
    (line,) = said.err.splitlines()
    return line


def test_without_ros_the_extra_is_named(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "rclpy", None)
    assert "pip install 'arena-trees[ros]'" in refused(capsys, "run-ros", "wolf_rabbit")


def test_without_interface_packages_they_are_named(capsys, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name.endswith("_msgs") else object())
    line = refused(capsys, "run-ros", "wolf_rabbit")
    assert "ros-jazzy-tf2-msgs ros-jazzy-vision-msgs" in line
    assert "make ros" in line


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run-ros", "nowhere"), "nowhere"),
        (("sros2-policy", "nowhere"), "nowhere"),
        (("sros2-policy", "pacman", "--navigation", "by_heart"), "by_heart"),
        (("run-ros", "breach_recovery"), "rules.recovery"),
        (("run-ros", "error_analysis"), "variants"),
        (("run-ros", "wolf_rabbit", "--trials", "0"), "trials"),
        (("run-ros", "wolf_rabbit", "--set", "wolf.wings=2"), "wings"),
        (("run-ros", "wolf_rabbit", "--set", "wolf.gate.obstacle_margin=0"), "--allow-loose-gate"),
        (("run-ros", "wolf_rabbit", "--set", "wolf.gate.obstacles=false"), "looser than the default true: needs"),
    ],
)
def test_what_cannot_be_played_is_refused(capsys, monkeypatch, arguments, said):
    monkeypatch.setattr(run_ros, "check_ros", lambda: None)
    assert said in refused(capsys, *arguments)


@pytest.mark.parametrize(
    ("cores", "options", "warns"), [(1, (), True), (2, (), False), (1, ("--quiet",), False)], ids=["small", "", "quiet"]
)
def test_a_machine_with_fewer_cores_than_robots_is_said_to_be_too_small(
    capsys, monkeypatch, tmp_path, cores, options, warns
):
    monkeypatch.setattr(run_ros, "check_ros", lambda: None)
    monkeypatch.setattr(run_ros, "_play", lambda *_: None)
    monkeypatch.setattr("joblib.cpu_count", lambda: cores)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(("run-ros", "wolf_rabbit", *options))
    assert not ended.value.code
    said = capsys.readouterr().err
    assert ("warning: this machine is too small for 2 robots" in said) is warns
    assert ("arena-trees run wolf_rabbit" in said) is warns
