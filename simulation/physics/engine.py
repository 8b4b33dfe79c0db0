"""MuJoCo, imported when it is first used, and without its window: the arena chooses its graphics itself.

A plan of a scenario is made on robots, too, where there is no MuJoCo. MuJoCo loads the library that MUJOCO_GL names
when it is imported, and fails with it; here only a rendered camera needs one, and
:mod:`arena_trees.simulation.rendering.graphics` reports in one line which is missing.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

__all__ = ["load_engine", "mujoco"]


class _Engine:
    """Stands for the module: what is asked for once is an attribute from then on."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(load_engine(), name)
        setattr(self, name, value)
        return value


def load_engine() -> Any:
    """Return MuJoCo itself.

    Raises:
        ModuleNotFoundError: it is not installed
    """
    asked = os.environ.get("MUJOCO_GL")
    os.environ["MUJOCO_GL"] = "disable"
    try:
        return import_module("mujoco")
    finally:
        if asked is None:
            del os.environ["MUJOCO_GL"]
        else:
            os.environ["MUJOCO_GL"] = asked


mujoco: Any = _Engine()
