"""A library of an extra that is not installed: what works without it, and the one line that is printed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.arena import needs_arena
from PIL import Image

SETUP = (Path(__file__).resolve().parents[2] / "setup.py").read_text(encoding="utf-8")
IN_EXTRAS = ("foxglove", "joblib", "matplotlib", "mujoco", "onnxruntime", "rosbags", "starlette", "uvicorn")

SHORT = ("--set", "duration_s=5")

WITHOUT = """
import importlib.abc, sys

class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {missing!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
from arena_trees.cli import main
for arguments in {commands!r}:
    sys.argv = ["arena-trees", *arguments]
    try:
        main()
    except SystemExit as ended:
        if ended.code:
            raise
"""


def without(missing: tuple[str, ...], *commands: tuple[str, ...], cwd: Path) -> "subprocess.CompletedProcess[str]":
    """Run commands in one process, until one fails, as if some modules were not installed."""
    code = WITHOUT.format(missing=missing, commands=commands)
    return subprocess.run([sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True, check=False)


def test_a_plain_installation_shows_scenarios_parameters_and_trees(tmp_path):
    done = without(IN_EXTRAS, ("--help",), ("list",), ("explain", "wolf"), ("render", "wolf"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for shown in ("Usage", "wolf_rabbit_open", "chase_kp", "Wolf"):
        assert shown in done.stdout, shown


@pytest.mark.parametrize(
    ("missing", "extra", "arguments"),
    [
        ("mujoco", "arena", ("run", "wolf_rabbit", "--trials", "1")),
        pytest.param("joblib", "arena", ("run", "wolf_rabbit", "--trials", "2"), marks=needs_arena),
        pytest.param("matplotlib", "plot", ("run", "crossroads", "--trials", "1", *SHORT), marks=needs_arena),
        pytest.param("rosbags", "record", ("run", "crossroads", "--trials", "1", "--record", "bag"), marks=needs_arena),
        pytest.param("uvicorn", "console", ("console", "--no-browser"), marks=needs_arena),
        pytest.param("foxglove", "view", ("view",), marks=needs_arena),
        ("onnxruntime", "vision", ("evaluate-signs", ".")),
    ],
)
def test_a_missing_library_is_named_with_its_extra(tmp_path, missing, extra, arguments):
    (tmp_path / "images").mkdir()
    Image.new("RGB", (64, 64)).save(tmp_path / "images" / "0.png")
    done = without((missing,), arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-1].endswith(f": pip install 'arena-trees[{extra}]'"), done.stderr
    assert "Traceback" not in done.stderr
    assert "over after" not in done.stdout, "it was played before that was known"
    assert re.search(rf'^    "{extra}": ', SETUP, re.MULTILINE), "there is no such extra"


def test_another_missing_module_is_a_fault_of_ours_and_shows_where(tmp_path):
    done = without(("yaml",), ("list",), cwd=tmp_path)
    assert done.returncode == 1
    assert "Traceback" in done.stderr and "yaml" in done.stderr
