"""Marks tests that play in the arena in other processes: skipped where there is no MuJoCo, as for Python 3.10."""

from importlib.util import find_spec

import pytest

needs_arena = pytest.mark.skipif(find_spec("mujoco") is None, reason="there is no MuJoCo here")
