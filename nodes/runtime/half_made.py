"""Ends a node that was never finished, which rclpy leaves to the garbage collector."""

from __future__ import annotations

import traceback

from rclpy.lifecycle import LifecycleNode
from rclpy.node import Node

__all__ = ["destroy_half_made"]


def destroy_half_made(error: BaseException) -> None:
    """Destroy the node in whose making an exception was raised, and with it its part in DDS.

    Args:
        error: what was raised, with its traceback
    """
    for frame, _ in traceback.walk_tb(error.__traceback__):
        node = frame.f_locals.get("self")
        if isinstance(node, Node):
            if isinstance(node, LifecycleNode):
                node._state_machine.destroy_when_not_in_use()
            # Its own class's method would look for what is not made yet.
            Node.destroy_node(node)
            return
