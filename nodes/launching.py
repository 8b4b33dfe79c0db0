"""How launch files start a node of ours, wherever it is installed.

Imported by the Python of ``ros2 launch``, which need not be the one that the nodes run in: nothing
but the standard library and launch may be imported here.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch_ros.actions import Node

__all__ = ["ros_node"]

_PACKAGE = "arena_trees"


def ros_node(module: str, **options: Any) -> Node:
    """Return the action that starts a node.

    In a ROS workspace that is the program in ``lib/arena_trees``, whose first line names its own
    Python; elsewhere the module, run by this Python.

    Args:
        module: of ``arena_trees.nodes``, which is the program's name too
        **options: of :class:`launch_ros.actions.Node`
    """
    if (_libexec() / module).is_file():
        return Node(package=_PACKAGE, executable=module, **options)
    return Node(executable=sys.executable, arguments=["-m", f"{_PACKAGE}.nodes.{module}"], **options)


def _libexec() -> Path:
    """Return the folder in which ROS looks for our programs; it need not exist."""
    try:
        prefix = get_package_prefix(_PACKAGE)
    except (PackageNotFoundError, LookupError, OSError):
        # OSError, a bare one, where no AMENT_PREFIX_PATH is set.
        prefix = sys.prefix
    return Path(prefix) / "lib" / _PACKAGE
