"""The name of the robot that a node belongs to."""

from __future__ import annotations

from typing import Any

from arena_trees.robot.errors import ConfigError

__all__ = ["robot_name"]


def robot_name(node: Any, given: str = "") -> str:
    """Return the name of a node's robot.

    Args:
        node: the node
        given: by a parameter; empty for the last part of the node's namespace

    Raises:
        ConfigError: there is no name, or it is no plain word
    """
    name = given or str(node.get_namespace()).rsplit("/", 1)[-1]
    where = node.get_fully_qualified_name()
    if not name:
        raise ConfigError("is required where the node has no namespace", file=where, key="robot")
    if not (name.isascii() and name.isidentifier()):
        raise ConfigError("must be a plain word", file=where, key="robot", value=name)
    return name
