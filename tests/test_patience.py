"""The tests' patience ends, and a program that a test runs ends with it."""

import sys

import pytest
from helpers import patience


def test_what_comes_in_time_is_returned():
    looks = iter([0, None, "", 7])
    assert patience.until(lambda: next(looks), "a number") == 7


def test_a_program_is_run_to_its_end():
    done = patience.run([sys.executable, "-c", "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"])
    assert (done.returncode, done.stdout, done.stderr) == (3, "out\n", "err\n")


def test_a_program_that_does_not_end_is_killed(monkeypatch):
    monkeypatch.setattr(patience, "LIMIT_S", 0.2)
    with pytest.raises(AssertionError, match="waited in vain for the end of"):
        patience.run([sys.executable, "-c", "import time; time.sleep(3600)"])
