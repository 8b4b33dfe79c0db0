"""The error of a command that needs ROS 2 where it is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from arena_trees.robot.errors import ArenaTreesError

__all__ = ["ros_needed"]


@contextmanager
def ros_needed(who: str) -> Iterator[None]:
    """Import in here what needs ROS 2.

    Args:
        who: needs it, as the subject of a sentence

    Raises:
        ArenaTreesError: a package of ROS is missing
    """
    try:
        yield
    except ModuleNotFoundError as error:
        top = (error.name or "").split(".")[0]
        if top == "arena_trees":
            raise
        raise ArenaTreesError(
            f"{who} needs ROS 2, and there is no {top} here: source /opt/ros/jazzy/setup.bash "
            f"(apt install ros-jazzy-ros-base), or pip install 'arena-trees[ros]'"
        ) from error
