"""Every test process has a ROS domain of its own, on this machine only; nodes that it starts end with it."""

from __future__ import annotations

import os
from contextlib import ExitStack
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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give a test of ROS a second chance where it waited in vain: discovery misses an endpoint now and then.

    That happens to Fast DDS on a machine that is busy for minutes, and then for good. What fails for another reason
    fails at once, and the summary names every test that was run again.
    """
    again = pytest.mark.flaky(reruns=1, only_rerun=["waited in vain"])
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(again)
