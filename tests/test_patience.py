"""The tests' patience: it ends by what the machine has done meanwhile, and costs nothing where it is not needed."""

from __future__ import annotations

import sys

import pytest
from helpers import patience


@pytest.fixture
def started(monkeypatch):
    """Programs that were started to see how busy the machine is, without any seconds before them."""
    programs = []
    monkeypatch.setattr(patience, "LEAST_S", 0.0)
    monkeypatch.setattr(patience.subprocess, "run", lambda *given, **options: programs.append(given))
    return programs


def test_a_wait_in_vain_ends_after_so_many_programs(started):
    vain = patience.Patience(lambda: "Godot", starts=3)
    with pytest.raises(AssertionError, match="waited in vain for Godot"):
        while True:
            vain.check()
    assert len(started) == 3


def test_what_comes_in_time_starts_no_program(started, monkeypatch):
    monkeypatch.setattr(patience, "LEAST_S", 3600.0)
    looks = iter([0, None, "", 7])
    assert patience.until(lambda: next(looks), "a number") == 7
    assert not started


def test_a_program_is_run_to_its_end():
    done = patience.run([sys.executable, "-c", "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"])
    assert (done.returncode, done.stdout, done.stderr) == (3, "out\n", "err\n")


def test_a_program_that_does_not_end_is_killed(started):
    with pytest.raises(AssertionError, match="the end of"):
        patience.run([sys.executable, "-c", "import time; time.sleep(3600)"])
    assert len(started) == patience.STARTS
