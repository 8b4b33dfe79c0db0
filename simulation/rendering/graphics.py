"""The software graphics that rendering needs: found where it is, and named where it is missing."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from arena_trees.robot.errors import ArenaTreesError
from arena_trees.simulation.physics import engine

__all__ = ["GraphicsError", "graphics_problem", "make_context"]

_PACKAGES = {"osmesa": "libosmesa6", "egl": "libegl1"}
"""MuJoCo's off-screen back ends, the preferred first, and the Debian package that each needs.

OSMesa is preferred: it renders in software everywhere, so that equal seeds give equal pictures.
"""


class GraphicsError(ArenaTreesError):
    """No graphics library that renders off screen can be loaded."""


def make_context(width: int, height: int) -> Any:
    """Return a current off-screen GL context of the given size (px); ``free()`` lets go of it.

    The environment variable MUJOCO_GL chooses ``osmesa`` or ``egl``; otherwise the first that works is taken.

    Raises:
        GraphicsError: there is none
    """
    context = _backend()(width, height)
    context.make_current()
    return context


def graphics_problem() -> str | None:
    """Return in one line why nothing can be rendered on this machine, or None where it can."""
    try:
        make_context(16, 16).free()
    except GraphicsError as error:
        return str(error)
    return None


@cache
def _backend() -> Callable[[int, int], Any]:
    asked = os.environ.get("MUJOCO_GL", "").strip().lower()
    # OpenGL's Python bindings are bound to one platform for the life of a process.
    bound = os.environ.get("PYOPENGL_PLATFORM", "").strip().lower()
    names = [name for name in _PACKAGES if asked in ("", name) and bound in ("", name)]
    for name in names or _PACKAGES:
        found = _load(name)
        if found is not None:
            return found
    packages = " or ".join(_PACKAGES[name] for name in names or _PACKAGES)
    raise GraphicsError(
        "rendering needs a software graphics library that is not here: "
        f"on Debian and Ubuntu, sudo apt install {packages}"
    )


def _load(name: str) -> Callable[[int, int], Any] | None:
    """Return the context class of a back end that really gives a context, or None."""
    before = os.environ.get("PYOPENGL_PLATFORM")
    try:
        backend: Callable[[int, int], Any] = import_module(f"{engine.mujoco.__name__}.{name}").GLContext
        context = backend(16, 16)
        context.make_current()
        context.free()
    # A missing library shows as any of ImportError, AttributeError, OSError and RuntimeError.
    except Exception:
        if before is None:
            os.environ.pop("PYOPENGL_PLATFORM", None)
        return None
    return backend
