"""What the velocity gate's process needs: no simulator, no trees, no pictures."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")

SCRIPT = """
import sys

from arena_trees.games.crossroads.stop_lines import stop_line_limit
from arena_trees.nodes.velocity_gate import VelocityGateNode
from arena_trees.robot.geometry import ZERO
from arena_trees.robot.percepts import Percepts
from arena_trees.safety.gate import VelocityGate
from arena_trees.safety.guard import Guard
from arena_trees.world.arenas import load_fence
from arena_trees.world.crossing.section import load_crossing

fence = load_fence("arena_4x4", "wolf")
limits = (stop_line_limit("wolf", load_crossing("crossing_4").plan),)
guard = Guard(VelocityGate(fence=fence, limits=limits))
assert guard.step(Percepts(0)).twist == ZERO
heavy = {"mujoco", "cv2", "matplotlib", "onnxruntime", "py_trees", "torch"}
rooms = tuple(f"arena_trees.{room}" for room in ("simulation", "recording", "trees", "behaviours"))
found = [name for name in sys.modules if name in heavy or name.startswith(rooms)]
assert not found, found
"""


def test_the_gate_with_fence_and_stop_lines_needs_no_simulator(tmp_path):
    # Not in the root of the repository, where the rooms would also answer to their short names.
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
