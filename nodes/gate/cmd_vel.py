"""Publishers and subscribers of ``cmd_vel``, and of which type it must be. Pure: no node."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from arena_trees.nodes.diagnosis.graph_state import Endpoint

__all__ = ["PLAIN", "STAMPED", "choose_stamped", "endpoints", "listeners", "others"]

STAMPED = "geometry_msgs/msg/TwistStamped"
PLAIN = "geometry_msgs/msg/Twist"

_PLAIN_DISTRIBUTIONS = frozenset(("foxy", "galactic", "humble", "iron"))
"""Releases of ROS 2 in which a TurtleBot 4 is driven by Twist; later ones have TwistStamped."""


_ONLOOKERS = ("_", "rosbag2", "foxglove_bridge")
"""How the names of nodes begin that listen to anything and drive nothing; ``ros2 topic`` has a hidden name."""


def endpoints(infos: Iterable[Any]) -> tuple[Endpoint, ...]:
    """Return what rclpy knows of a topic's publishers or subscribers."""
    return tuple(
        Endpoint(f"{info.node_namespace.rstrip('/')}/{info.node_name}", info.topic_type, info.qos_profile)
        for info in infos
    )


def listeners(subscribers: Iterable[Endpoint]) -> tuple[Endpoint, ...]:
    """Return the subscribers without mere onlookers, who take whatever type is there: ros2 topic, rosbag2, foxglove."""
    return tuple(end for end in subscribers if not _name(end.node).startswith(_ONLOOKERS))


def others(publishers: Iterable[Endpoint], own: str, allowed: Collection[str] = ()) -> tuple[str, ...]:
    """Return the full names of the nodes other than ours that publish.

    Args:
        publishers: of the topic, with ours among them
        own: our full name; who has the same name is another, of which there must be none
        allowed: names, without namespace, of nodes that may publish too
    """
    names = sorted(end.node for end in publishers if _name(end.node) not in allowed)
    if own in names:
        names.remove(own)
    return tuple(names)


def choose_stamped(setting: str, wanted: Collection[str], present: bool | None, distribution: str) -> tuple[bool, str]:
    """Return whether to publish TwistStamped and not Twist, and by what that was decided.

    Args:
        setting: ``true``, ``false``, or ``auto``: what the subscribers want
        wanted: types of the subscribers
        present: what was decided before, which holds where the subscribers are absent or of two minds
        distribution: ``ROS_DISTRO``, by which to begin
    """
    if setting != "auto":
        return setting == "true", "by parameter"
    stamped, plain = STAMPED in wanted, PLAIN in wanted
    if stamped != plain:
        return stamped, "as its subscriber wants"
    if present is not None:
        return present, "as before"
    if distribution:
        return distribution not in _PLAIN_DISTRIBUTIONS, f"as usual on {distribution}"
    return True, "as usual since Jazzy"


def _name(node: str) -> str:
    return node.rpartition("/")[2]
