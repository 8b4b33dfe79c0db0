"""What every test shares."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager

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
