"""MuJoCo, imported without its window: the arena chooses its graphics itself, and most games need none.

MuJoCo loads the library that MUJOCO_GL names when it is imported, and fails with it; here only a
rendered camera needs one, and :mod:`arena_trees.simulation.graphics` says in one line which is missing.
"""

from __future__ import annotations

import os

_ASKED = os.environ.get("MUJOCO_GL")
os.environ["MUJOCO_GL"] = "disable"
try:
    import mujoco
finally:
    if _ASKED is None:
        del os.environ["MUJOCO_GL"]
    else:
        os.environ["MUJOCO_GL"] = _ASKED

__all__ = ["mujoco"]
