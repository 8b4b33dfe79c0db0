"""What ``import arena_trees`` offers."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import arena_trees

FACE = Path(arena_trees.__file__)


def test_every_name_is_what_its_home_has():
    for name, module in arena_trees._MODULE_OF.items():
        assert getattr(arena_trees, name) is getattr(import_module(module), name)
    assert {*arena_trees._MODULE_OF, "__version__"} == set(arena_trees.__all__) <= set(dir(arena_trees))


def test_type_checkers_are_told_the_same():
    tree = ast.parse(FACE.read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    told = {alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert told == arena_trees._MODULE_OF


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'wolves'"):
        arena_trees.wolves  # noqa: B018 - the access is what is tested


def test_importing_it_is_light(tmp_path: Path):
    script = "import sys, arena_trees; print(sorted({'numpy', 'py_trees', 'pydantic', 'mujoco'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_machine_without_mujoco_is_told_so_in_one_line(tmp_path: Path):
    script = "import sys; sys.modules['mujoco'] = None; from arena_trees.cli import main; main(['run', 'wolf_rabbit'])"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: the arena needs MuJoCo")
    assert done.stderr.count("\n") == 1
