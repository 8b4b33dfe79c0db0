"""``arena-trees doctor`` where it cannot work; where it can, tests/ros holds its tests."""

from __future__ import annotations

import subprocess
import sys

import pytest

from arena_trees.cli import main


def test_without_ros_it_names_what_to_install():
    script = "import sys; sys.modules['rclpy'] = None; from arena_trees.cli import main; main(['doctor'])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "ros-jazzy-ros-base" in done.stderr and "arena-trees[ros]" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--namespace", "/wolf-1"], "--namespace: is no namespace"),
        (["--seconds", "nan"], "seconds"),
        (["--seconds", "0"], "seconds"),
    ],
)
def test_bad_options_are_one_line(capsys, arguments, named):
    with pytest.raises(SystemExit) as ended:
        main(["doctor", *arguments])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1 and named in said
