"""Every test process has a ROS domain of its own, on this machine only; nodes that it starts end with it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

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
