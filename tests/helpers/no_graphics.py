"""A machine on which no graphics library can be loaded."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from arena_trees.simulation.rendering import graphics


@contextmanager
def no_graphics(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let no graphics library be found."""
    graphics._backend.cache_clear()
    monkeypatch.setattr(graphics, "_load", lambda name: None)
    monkeypatch.delenv("PYOPENGL_PLATFORM", raising=False)
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    try:
        yield
    finally:
        graphics._backend.cache_clear()
