"""Diagnostics of a node on ``/diagnostics``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

__all__ = ["ERROR", "OK", "STALE", "WARN", "Diagnostics"]

OK = DiagnosticStatus.OK
WARN = DiagnosticStatus.WARN
ERROR = DiagnosticStatus.ERROR
STALE = DiagnosticStatus.STALE


class Diagnostics:
    """Publishes the state of one node; the node calls it once a second.

    Topics:
        * ``/diagnostics`` (diagnostic_msgs/DiagnosticArray, reliable, keep last 10) [published]

    Args:
        node: whose state it is
        name: of the status, shown after the node's full name
    """

    def __init__(self, node: Any, name: str) -> None:
        self._node = node
        self._name = f"{node.get_fully_qualified_name().lstrip('/')}: {name}"
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", 10)

    def publish(self, level: bytes, message: str, values: Mapping[str, str]) -> None:
        """Publish the state.

        Args:
            level: OK, WARN, ERROR or STALE of this module
            message: the state in a few words
            values: further details; ``use_sim_time`` of the node is added
        """
        sim_time = str(self._node.get_parameter("use_sim_time").value).lower()
        status = DiagnosticStatus(
            level=level,
            name=self._name,
            message=message,
            hardware_id=self._node.get_namespace().strip("/"),
            values=[KeyValue(key=key, value=value) for key, value in {**values, "use_sim_time": sim_time}.items()],
        )
        array = DiagnosticArray(status=[status])
        array.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(array)
