"""A run goes on, and ends, after one of its processes has died."""

import os
import subprocess
import sys
from pathlib import Path

_WELL = """
import time
import pytest

@pytest.mark.parametrize("number", range(3))
def test_it(number):
    time.sleep(0.05)
"""
_DIES = """
import os
import signal
from pathlib import Path

def test_one():
    pass

def test_dies_once():
    flag = Path(__file__).with_name("died")
    if not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)

def test_two():
    pass
"""


def test_a_run_ends_although_a_worker_died_that_had_played_whole_files(tmp_path):
    for number in range(8):
        (tmp_path / f"test_a{number}.py").write_text(_WELL)
    (tmp_path / "test_b.py").write_text(_DIES)
    here = Path(__file__).parent
    outer = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    environment = {**outer, "PYTHONPATH": os.pathsep.join((str(here), os.environ.get("PYTHONPATH", "")))}
    options = ("-q", "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder", "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", *options, "-p", "helpers.file_scheduling", "--rootdir", ".", "."]
    result = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=100
    )
    assert "1 failed, 27 passed" in result.stdout, result.stdout + result.stderr
    assert "crashed while running 'test_b.py::test_dies_once'" in result.stdout
