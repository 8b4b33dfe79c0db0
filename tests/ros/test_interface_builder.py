"""The script that builds the interface packages: what it says where it cannot, and that it does nothing twice."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "build_ros_interfaces.py"


def build(*options, **environment):
    return subprocess.run(
        [sys.executable, str(SCRIPT), *options],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("options", "code"), [((), 2), (("--if-possible",), 0)])
def test_without_a_compiler_it_says_so(tmp_path, options, code):
    done = build(*options, PATH=str(tmp_path))
    assert done.returncode == code
    assert "there is no g++" in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")
@pytest.mark.skipif(importlib.util.find_spec("rosidl_generator_py") is None, reason="the generators are not installed")
def test_it_says_what_it_has_built_and_how_much_is_left(tmp_path):
    for package in ("first_msgs", "second_msgs"):
        definition = tmp_path / "sources" / package / "msg" / "Word.msg"
        definition.parent.mkdir(parents=True)
        definition.write_text("string text\n")
    options = ("--from", str(tmp_path / "sources"), "--into", str(tmp_path / "site"))
    done = build(*options)
    assert done.returncode == 0, done.stderr
    begin, *steps = done.stdout.splitlines()
    assert begin.startswith("Building first_msgs, second_msgs")
    assert [step.split(",")[0].split()[0] for step in steps] == ["1/2", "2/2"]
    code = "from second_msgs.msg import Word; assert Word(text='here').text == 'here'"
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(tmp_path / "site")}, check=True)
    assert build(*options).stdout == "", "nothing is built twice"


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")
@pytest.mark.skipif(importlib.util.find_spec("vision_msgs") is None, reason="the interface packages are not built")
def test_what_is_there_is_not_built_again():
    done = build()
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
