"""Processes that work for another one end with it, at whichever moment it ends."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.patience import exit_code, until

from arena_trees.experiments.workers import Workers, spread

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc")

SLOW_TO_GIVE = """
import time
from pathlib import Path
from arena_trees.experiments.workers import Workers, spread

def jobs():
    yield from ("first", "second")
    time.sleep(600.0)

if __name__ == "__main__":
    with spread(Path.touch, map(Path, jobs()), Workers(2)):
        pass
"""


def players(option: str, number: int) -> set[int]:
    """Return the processes of a group (``-g``) or of a parent (``-P``) that work for another one."""
    command = ["pgrep", option, str(number), "-f", "popen_loky"]
    return {int(line) for line in subprocess.run(command, capture_output=True, text=True).stdout.split()}


def test_a_signal_that_comes_while_the_processes_start_ends_them():
    def jobs() -> Iterator[float]:
        yield from (0.0, 0.0)
        os.kill(os.getpid(), signal.SIGINT)
        yield from [30.0] * 8

    before = players("-P", os.getpid())
    with pytest.raises(KeyboardInterrupt), spread(time.sleep, jobs(), Workers(2)) as results:
        list(results)
    assert players("-P", os.getpid()) <= before


@pytest.mark.slow
def test_a_process_that_waits_for_its_first_job_ends_with_the_one_that_was_killed(tmp_path):
    (tmp_path / "slow_to_give.py").write_text(SLOW_TO_GIVE)
    starter = subprocess.Popen([sys.executable, "slow_to_give.py"], cwd=tmp_path, start_new_session=True)
    held, _ = until(lambda: len(found := sorted(players("-g", starter.pid))) == 2 and found, "two processes")
    # The other one does both jobs.
    os.kill(held, signal.SIGSTOP)
    until(lambda: (tmp_path / "first").exists() and (tmp_path / "second").exists(), "both jobs")
    starter.kill()
    exit_code(starter)
    os.kill(held, signal.SIGCONT)
    until(lambda: not players("-g", starter.pid), "the end of its processes")
