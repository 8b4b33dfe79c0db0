"""Which clock a node takes that looks on from outside: a simulated one where there is one."""

from __future__ import annotations

from typing import Any

from rclpy.parameter import Parameter

__all__ = ["follow_clock"]


def follow_clock(node: Any) -> bool:
    """Have a node take simulated time where somebody publishes ``/clock``, and else not; return whether that is new."""
    simulated = node.count_publishers("/clock") > 0
    if simulated == node.get_parameter("use_sim_time").value:
        return False
    node.set_parameters([Parameter("use_sim_time", value=simulated)])
    return True
