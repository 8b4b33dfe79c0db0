"""Marks tests that render: skipped, with the reason, where no graphics library can be loaded."""

import pytest

from arena_trees.simulation.rendering.graphics import graphics_problem

_PROBLEM = graphics_problem()

needs_graphics = pytest.mark.skipif(_PROBLEM is not None, reason=_PROBLEM or "")
