"""Subscriptions that hand on messages as they came, serialised, whatever their type."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy

from arena_trees.recording.bags.writer import Topic
from arena_trees.recording.traces.encoder import TICKS

__all__ = ["subscribe_raw"]

_NEVER_LOST = frozenset(("std_msgs/msg/String", "std_msgs/msg/Empty", "tf2_msgs/msg/TFMessage"))
"""Types whose publishers are reliable; those of sensors need not be, and a reliable subscription would miss them."""
_DEPTH = 500


def subscribe_raw(node: Any, topic: Topic, take: Callable[[bytes], object]) -> Any:
    """Subscribe to a topic; return the subscription, or None where the package of its type is not installed.

    Args:
        node: whose subscription it is
        topic: its name, its type, and whether it is latched
        take: called with each message, serialised
    """
    kind = _message_type(topic.type)
    if kind is None:
        return None
    return node.create_subscription(kind, topic.name, take, _profile(topic), raw=True)


def _message_type(name: str) -> Any:
    """Return the class of a message type; None where its package is not installed."""
    package, _, kind = name.split("/")
    try:
        return getattr(import_module(f"{package}.msg"), kind)
    except ImportError:
        return None


def _profile(topic: Topic) -> QoSProfile:
    reliable = topic.latched or topic.type in _NEVER_LOST
    # Ticks are published to whoever comes later, too.
    durable = topic.latched or topic.name.endswith(f"/{TICKS}")
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=_DEPTH,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if durable else DurabilityPolicy.VOLATILE,
    )
