"""What every test shares."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import hypothesis
import py_trees
import pytest

# No example has a deadline: a test machine may be busy with other things.
hypothesis.settings.register_profile("unhurried", deadline=None)
hypothesis.settings.load_profile("unhurried")


@pytest.fixture(autouse=True)
def own_blackboard() -> Iterator[None]:
    """Leave nothing on py_trees' blackboard, which all tests of a process share."""
    yield
    py_trees.blackboard.Blackboard.clear()
    py_trees.blackboard.Blackboard.metadata.clear()
    py_trees.blackboard.Blackboard.clients.clear()


@contextmanager
def _skipped_without_the_arena() -> Iterator[None]:
    """Skip a test for which the arena's MuJoCo is missing, as it is for Python 3.10."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != "mujoco":
            raise
        pytest.skip("there is no MuJoCo here")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None, object, object]:
    """Skip a test with a fixture that needs the arena where there is none."""
    with _skipped_without_the_arena():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    """Skip a test that needs the arena where there is none."""
    with _skipped_without_the_arena():
        return (yield)


_crashed: set[str] = set()


@pytest.hookimpl(optionalhook=True)
def pytest_handlecrashitem(crashitem: str, report: pytest.TestReport, sched: Any) -> None:
    """Give a test of ROS whose process died a second chance.

    rclpy's compiled part or Fast DDS was seen to die by a segmentation fault when a participant ends, once in some
    thousand tests. xdist runs the test again in a new process, as it does all tests of its group that were not over;
    where that one dies too, the test has failed.
    """
    if crashitem.startswith("tests/ros/") and crashitem not in _crashed:
        _crashed.add(crashitem)
        report.outcome = "rerun"  # type: ignore[assignment]  # as pytest-rerunfailures names it
