"""The software graphics that rendering needs: found where it is, and named where it is missing."""

from __future__ import annotations

import atexit
import os
import warnings
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from arena_trees.robot.errors import ArenaTreesError
from arena_trees.simulation.physics import engine

__all__ = ["GraphicsError", "OffscreenContext", "graphics_problem"]

_PACKAGES = {"osmesa": "libosmesa6", "egl": "libegl1"}
"""MuJoCo's off-screen back ends, the preferred first, and the Debian package that each needs.

OSMesa is preferred: it renders in software everywhere, so that equal seeds give equal pictures.
"""


class GraphicsError(ArenaTreesError):
    """No graphics library that renders off screen can be loaded."""


class OffscreenContext:
    """An off-screen GL context, current from the start, and MuJoCo's resources in it.

    Its owner closes it, in the thread that renders. Where that is forgotten a ResourceWarning is issued and the context
    stays until the process ends: the garbage collector runs in any thread and in the midst of any call, where a call of
    GL can wait for ever.

    The environment variable MUJOCO_GL chooses ``osmesa`` or ``egl``; otherwise the first that works is taken.

    Args:
        width: of the largest picture, px
        height: of the largest picture, px

    Raises:
        GraphicsError: there is no graphics library here
    """

    def __init__(self, width: int, height: int) -> None:
        self._parts: list[Any] = []
        gl = _backend()(width, height)
        self._parts.append(gl)
        # These hold the parts of a forgotten context, too.
        _open[id(self._parts)] = self._parts
        gl.make_current()

    def make_resources(self, model: Any) -> Any:
        """Return MuJoCo's resources (``MjrContext``) for rendering a model; they are freed with the context."""
        resources = engine.mujoco.MjrContext(model, engine.mujoco.mjtFontScale.mjFONTSCALE_100.value)
        self._parts.append(resources)
        engine.mujoco.mjr_setBuffer(engine.mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, resources)
        return resources

    def make_current(self) -> None:
        """Let what is rendered next be rendered here."""
        self._parts[0].make_current()

    def close(self) -> None:
        """Free the resources and the context; nothing can be rendered here any more."""
        _close(self._parts)

    def __del__(self) -> None:
        if self._parts:
            warnings.warn(f"a graphics context was not closed: {self!r}", ResourceWarning, stacklevel=2, source=self)


def graphics_problem() -> str | None:
    """Return in one line why nothing can be rendered on this machine, or None where it can."""
    try:
        OffscreenContext(16, 16).close()
    except GraphicsError as error:
        return str(error)
    return None


_open: dict[int, list[Any]] = {}
"""The parts of every open context."""


def _close(parts: list[Any]) -> None:
    """Free a context's parts, the newest first."""
    _open.pop(id(parts), None)
    if parts:
        parts[0].make_current()
    while parts:
        parts.pop().free()


@atexit.register
def _close_forgotten() -> None:
    """Close what is still open when the process ends, in its main thread."""
    for parts in list(_open.values()):
        _close(parts)


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
