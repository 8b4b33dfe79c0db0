"""What the velocity gate's process needs: no simulator, and without a role no trees and no pictures."""

import subprocess
import sys

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")

SCRIPT = """
import sys

from arena_trees.nodes.velocity_gate import VelocityGateNode
from arena_trees.robot.geometry import ZERO
from arena_trees.robot.percepts import Percepts
from arena_trees.safety.gate import VelocityGate
from arena_trees.safety.guard import Guard
from arena_trees.world.arenas import load_fence

def check(heavy, *rooms):
    rooms = tuple(f"arena_trees.{room}" for room in rooms)
    found = [name for name in sys.modules if name in heavy or name.startswith(rooms)]
    assert not found, found

simulator = {"mujoco", "matplotlib", "onnxruntime", "torch"}
guard = Guard(VelocityGate(fence=load_fence("arena_4x4", "wolf")))
assert guard.step(Percepts(0)).twist == ZERO
check({"cv2", "py_trees", *simulator}, "simulation", "recording", "trees", "behaviours")

from arena_trees.nodes.runtime.role_context import known_role

role, context = known_role("robot_1", "crosser", ("localiser.walls=false",), "crossing_4")
guard = Guard(VelocityGate(limits=role.limits(context)))
assert guard.step(Percepts(0)).twist == ZERO
check(simulator, "simulation", "recording")
"""


def test_the_gate_needs_no_simulator():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
