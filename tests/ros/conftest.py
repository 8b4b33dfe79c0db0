"""Every test process has a ROS domain of its own, on this machine only; nodes that it starts end with it."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from arena_trees.nodes.programs.domains import reserved_domain
from arena_trees.nodes.runtime.parent import child_environment

# Kept until the process ends.
_domain = ExitStack()

# Before any message type is imported and any node made. A domain that is set already is not used:
# real robots may be in it.
os.environ["ROS_DOMAIN_ID"] = str(_domain.enter_context(reserved_domain()))
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
os.environ["ROS_PYTHON_CHECK_FIELDS"] = "1"
os.environ.update(child_environment())
os.environ["FASTRTPS_DEFAULT_PROFILES_FILE"] = str(Path(__file__).with_name("fastdds.xml"))


@pytest.fixture(autouse=True, scope="session")
def watchdog_of_dds() -> Iterator[None]:
    """Begin with one participant: with the first comes what Fast DDS keeps for as long as the process lives."""
    if find_spec("rclpy") is not None:
        import rclpy

        with rclpy.Context() as context:
            rclpy.create_node("first", context=context).destroy_node()
    yield


@pytest.fixture
def spawn() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts nodes as programs, by the names of their modules and what follows ``--ros-args``; kills what is left."""
    started: list[subprocess.Popen[str]] = []

    def start(module: str, *arguments: str, **options: Any) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", f"arena_trees.nodes.{module}", "--ros-args", *arguments]
        started.append(subprocess.Popen(command, text=True, **options))
        return started[-1]

    yield start
    for process in started:
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.communicate()


@pytest.fixture
def watcher() -> Iterator[Any]:
    """A node beside those that are programs; its ``spin`` hears what has come."""
    import rclpy
    from helpers.node_bench import end_executor, end_node
    from rclpy.executors import SingleThreadedExecutor

    with rclpy.Context() as context:
        node = rclpy.create_node("watcher", context=context)
        executor = SingleThreadedExecutor(context=context)
        executor.add_node(node)
        node.spin = lambda: executor.spin_once(timeout_sec=0.05)
        yield node
        end_executor(executor)
        end_node(node)
