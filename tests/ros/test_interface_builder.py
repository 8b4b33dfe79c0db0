"""The script that builds the interface packages: what it says where it cannot, and that it does nothing twice."""

from __future__ import annotations

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


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")
@pytest.mark.skipif(importlib.util.find_spec("vision_msgs") is None, reason="the interface packages are not built")
def test_what_is_there_is_not_built_again():
    done = build()
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
