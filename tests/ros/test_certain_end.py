"""A process whose work is done ends, whatever holds it."""

import subprocess
import sys

from helpers.patience import exit_code

STUCK = """
import ctypes
from arena_trees.nodes.runtime.exit_watchdog import end_within
end_within({seconds})
# Sleeps with Python's lock held: no other thread of Python runs meanwhile.
ctypes.PyDLL(None).sleep({sleep})
raise SystemExit(3)
"""


AN_HOUR = 3600


def run(seconds: float, sleep: int) -> int:
    with subprocess.Popen([sys.executable, "-c", STUCK.format(seconds=seconds, sleep=sleep)]) as process:
        try:
            return exit_code(process)
        finally:
            process.kill()


def test_one_that_is_stuck_ends_well():
    assert run(0.3, AN_HOUR) == 0


def test_one_that_ends_by_itself_keeps_its_own_code():
    assert run(AN_HOUR, 0) == 3
