"""A process whose work is done ends, whatever holds it."""

from __future__ import annotations

import subprocess
import sys
import time

STUCK = """
import ctypes
from arena_trees.nodes.runtime.exit_watchdog import end_within
end_within({seconds})
# Sleeps with Python's lock held: no other thread of Python runs meanwhile.
ctypes.PyDLL(None).sleep({sleep})
raise SystemExit(3)
"""


def run(seconds: float, sleep: int) -> int:
    command = [sys.executable, "-c", STUCK.format(seconds=seconds, sleep=sleep)]
    return subprocess.run(command, check=False, timeout=60).returncode


def test_one_that_is_stuck_ends_well():
    begun = time.monotonic()
    assert run(0.3, 60) == 0
    assert time.monotonic() - begun < 50


def test_one_that_ends_by_itself_keeps_its_own_code():
    assert run(60.0, 0) == 3
