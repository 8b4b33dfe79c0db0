"""The commands that need ROS: what they say where something is missing or wrong, before anything is started."""

import subprocess
import sys

import pytest
from helpers.commands import refused

from arena_trees.cli import main
from arena_trees.commands.ros import run_ros


def test_without_ros_the_extra_is_named(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "rclpy", None)
    assert "pip install 'arena-trees[ros]'" in refused(capsys, "run-ros", "wolf_rabbit")


def test_without_ros_the_doctor_names_what_to_install():
    script = "import sys; sys.modules['rclpy'] = None; from arena_trees.cli import main; main(['doctor'])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "ros-jazzy-ros-base" in done.stderr and "arena-trees[ros]" in done.stderr


def test_without_interface_packages_they_are_named(capsys, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name.endswith("_msgs") else object())
    line = refused(capsys, "run-ros", "wolf_rabbit")
    assert "ros-jazzy-tf2-msgs ros-jazzy-vision-msgs" in line
    assert "in a checkout, make ros" in line
    assert "after pip alone, clone the repository" in line


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
        (("doctor", "--namespace", "/wolf-1"), "--namespace: is no namespace"),
        (("doctor", "--seconds", "nan"), "seconds"),
        (("doctor", "--seconds", "0"), "seconds"),
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
