"""A test that leaves something behind fails by its name; one without end is ended, and shows where it stood."""

import os
import re
import sys
from pathlib import Path

import pytest
from helpers import patience
from helpers.graphics import needs_graphics

TESTS = Path(__file__).resolve().parent
BEGIN = """
import ctypes, os, subprocess, sys, threading, time
from helpers import leftovers, time_limit

leftovers.LEAST_S = 0.2
time_limit.GRACE_S = 1.0
kept = []
"""
LEFT = {
    "thread": "threading.Thread(target=time.sleep, args=(60,), name='forgotten', daemon=True).start()",
    "process": "kept.append(subprocess.Popen(['sleep', '5']))",
    "file": "kept.append(os.open('/etc/hostname', os.O_RDONLY))",
    "graphics": "from arena_trees.simulation.rendering.graphics import OffscreenContext as Context;"
    " kept.append(Context(16, 16))",
    "node": "import rclpy; rclpy.init(); kept.append(rclpy.create_node('forgotten'))",
}
NAMED = {
    "thread": r"thread forgotten \(\d+\)",
    "process": r"process \d+ sleep 5",
    "file": "file /etc/hostname",
    "graphics": r"graphics context \d+",
    "node": r"DDS participant \(dds\.ev\.",
}


def play(folder: Path, tests: str, *options: str) -> str:
    """Return what pytest prints of tests that are run with what ours share."""
    (folder / "test_planted.py").write_text(BEGIN + tests)
    command = [sys.executable, "-m", "pytest", "-c", str(TESTS.parent / "pyproject.toml"), f"--rootdir={folder}"]
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    done = patience.run([*command, "-p", "conftest", "-q", *options, "test_planted.py"], cwd=folder, env=environment)
    return done.stdout + done.stderr


@needs_graphics
def test_what_is_left_behind_fails_its_test_by_name(tmp_path):
    pytest.importorskip("rclpy", reason="there is no ROS here")
    cases = [f"def test_{name}():\n    {line}\n" for name, line in LEFT.items()]
    said = play(tmp_path, "\n".join(["def test_clean():\n    pass\n", *cases]))
    for name, left in NAMED.items():
        assert re.search(rf"ERROR at teardown of test_{name} _", said), said
        assert re.search(rf"left behind: [^\n]*{left}", said), (name, said)
    assert "ERROR at teardown of test_clean" not in said


def test_a_test_without_end_shows_all_stacks_and_fails_and_the_run_goes_on(tmp_path):
    tests = """
def test_endless():
    code = "import time\\ndef asleep():\\n    time.sleep(60)\\nasleep()"
    with subprocess.Popen([sys.executable, "-c", code]) as child:
        try:
            while True:
                time.sleep(0.01)
        finally:
            child.kill()

def test_stuck_in_compiled_code():
    while True:
        ctypes.PyDLL(None).sleep(60)

def test_clean():
    pass
"""
    said = play(tmp_path, tests, "-n", "1", "--timeout", "2")
    assert "test_planted.py::test_endless: longer than 2 s" in said
    assert "in test_endless" in said, "the test's own stack"
    stack = re.search(r"asleep \(<string>:\d+\)", said)
    assert stack or "Permission denied" in said, f"the stack of its child\n{said}"
    assert "in test_stuck_in_compiled_code" in said
    assert re.search(r"2 failed, 1 passed", said), said
