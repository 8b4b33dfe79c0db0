"""What every test shares."""

import multiprocessing.resource_tracker
import signal
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import hypothesis
import py_trees
import pytest
from helpers.file_scheduling import pytest_xdist_make_scheduler as pytest_xdist_make_scheduler
from helpers.leftovers import nothing_left
from helpers.time_limit import TimeLimit
from joblib.externals import loky

# A shell that starts a run in the background has it ignore SIGINT, and programs that tests start would ignore it too.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No example has a deadline: a test machine may be busy with other things. A run is as the one before; make test-all
# explores, and what it finds becomes an example.
hypothesis.settings.register_profile("repeatable", deadline=None, derandomize=True)
hypothesis.settings.register_profile("exploring", deadline=None)
hypothesis.settings.load_profile("repeatable")


@pytest.fixture(autouse=True, scope="module")
def module_leaves_nothing() -> Iterator[None]:
    """Fail where fixtures of a module leave behind what nobody ends."""
    with nothing_left():
        yield


@pytest.fixture(autouse=True)
def leaves_nothing(module_leaves_nothing: None) -> Iterator[None]:
    """Fail a test that leaves a thread, a process, a file, a DDS participant or a graphics context behind."""
    with nothing_left():
        yield


@pytest.fixture(autouse=True)
def own_blackboard(leaves_nothing: None) -> Iterator[None]:
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


def pytest_configure(config: pytest.Config) -> None:
    """Give each test a limit, and start what multiprocessing and loky keep for as long as the process lives."""
    multiprocessing.resource_tracker.ensure_running()
    loky.backend.resource_tracker.ensure_running()
    limit = TimeLimit()
    config.pluginmanager.register(limit, "time limit")
    config.add_cleanup(limit.close)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Name each test's tier, and spread the files of ROS among the others: they wait while those compute."""
    for item in items:
        if not any(item.get_closest_marker(tier) for tier in ("slow", "alone")):
            item.add_marker(pytest.mark.fast)
    files = list(dict.fromkeys(item.path for item in items))
    ros = [file for file in files if "ros" in file.parts]
    others = [file for file in files if "ros" not in file.parts]
    # Those of ROS are over a little sooner: some are long, and the last file should be a short one.
    turns = {file: _ROS_SHARE * turn / len(ros) for turn, file in enumerate(ros)}
    turns |= {file: turn / len(others) for turn, file in enumerate(others)}
    items.sort(key=lambda item: (turns[item.path], item.path))


_ROS_SHARE = 0.9
"""Share of the other files among which those of ROS are spread."""
_begun: dict[str, float] = {}
"""When each test was begun, by any process."""
_crashed: list[str] = []
"""Tests that a process died in, and that were played again."""


def pytest_runtest_logstart(nodeid: str) -> None:
    """Note when a test begins."""
    _begun[nodeid] = time.monotonic()


@pytest.hookimpl(optionalhook=True)
def pytest_handlecrashitem(crashitem: str, report: pytest.TestReport, sched: Any) -> None:
    """Give a test of ROS whose process died a second chance.

    rclpy's compiled part or Fast DDS was seen to die by a segmentation fault when a participant ends, once in some
    thousand tests. xdist runs the test again in a new process, as it does all tests of its group that were not over;
    where that one dies too, or where the test's time was over, the test has failed.
    """
    in_time = time.monotonic() - _begun.get(crashitem, 0.0) < sched.config._env_timeout
    if crashitem.startswith("tests/ros/") and in_time and crashitem not in _crashed:
        _crashed.append(crashitem)
        report.outcome = "played again"  # type: ignore[assignment]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the tests that had a second chance."""
    for test in _crashed:
        terminalreporter.write_line(f"PLAYED AGAIN {test}: its process died")
