"""What ``arena-trees bench`` measures where nothing else is asked for: ``config/bench.yaml``."""

from __future__ import annotations

from typing import Any

from arena_trees.robot.configuration.resources import resource_path
from arena_trees.robot.configuration.yaml_files import load_yaml

__all__ = ["bench_plan"]


def bench_plan() -> dict[str, Any]:
    """Return ``scenario``, the changes ``ros_set`` that it has on ROS, and the scenario ``faults`` as a mapping."""
    plan: dict[str, Any] = load_yaml(resource_path("config", "bench.yaml"))
    return plan
