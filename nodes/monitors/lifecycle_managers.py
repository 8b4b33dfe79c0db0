"""Nav2's lifecycle managers of robots: what they have started, what they can be asked to start, and what is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from std_srvs.srv import Trigger

from arena_trees.nodes.runtime.optional_types import optional_type

__all__ = ["LifecycleManagers", "Stack"]

_NEEDED_BY = {"localization": None, "navigation": "cmd_vel_nav"}
"""Name of each manager, to the topic of the robot that its tree subscribes to where it needs what is managed."""
_LAUNCH = {
    "localization": "ros2 launch turtlebot4_navigation localization.launch.py namespace:={} map:=MAP.yaml",
    "navigation": "ros2 launch arena_trees nav2.launch.py namespace:={}",
}
_NO_POSE = "it knows no pose yet: 2D Pose Estimate in RViz gives it one"
_PATIENCE = 10
"""Looks for which an answer is waited for: a manager that starts its nodes answers nothing else meanwhile."""


class Stack(NamedTuple):
    """What one of a robot's managers manages.

    Attributes:
        robot: its name
        name: ``localization`` or ``navigation``
        state: ``active``, ``inactive`` (it can be started), ``unknown`` (the manager has not answered) or ``absent``
        remedy: what to do about it; empty where nothing is
    """

    robot: str
    name: str
    state: str
    remedy: str = ""


@dataclass(slots=True)
class _Manager:
    """The clients of one manager.

    Attributes:
        asker: of its service ``is_active``
        starter: of its service ``manage_nodes``; None where nav2_msgs is not installed
        answer: that is waited for
        looks: for which it is waited for
        state: see :class:`Stack`
    """

    asker: Any
    starter: Any
    answer: Any = None
    looks: int = 0
    state: str = "unknown"


class LifecycleManagers:
    """Asks the managers of robots how they stand.

    Args:
        node: whose clients they are
    """

    def __init__(self, node: Any) -> None:
        self._node = node
        self._type = optional_type(node, "nav2_msgs", "srv", "ManageLifecycleNodes", "start of localisation and Nav2")
        self._robots: dict[str, str] = {}
        self._managers: dict[tuple[str, str], _Manager] = {}

    def add(self, robot: str, namespace: str) -> None:
        """Ask the managers of a robot, too."""
        self._robots[robot] = namespace
        for name in _NEEDED_BY:
            base = f"{namespace}/lifecycle_manager_{name}"
            starter = None if self._type is None else self._node.create_client(self._type, f"{base}/manage_nodes")
            self._managers[robot, name] = _Manager(self._node.create_client(Trigger, f"{base}/is_active"), starter)

    def look(self) -> None:
        """Ask again; called about once a second."""
        for manager in self._managers.values():
            if manager.answer is not None:
                manager.looks += 1
                if manager.answer.done():
                    manager.state = "active" if manager.answer.result().success else "inactive"
                elif manager.looks <= _PATIENCE:
                    continue
                else:
                    manager.asker.remove_pending_request(manager.answer)
                    manager.state = "unknown"
                manager.answer = None
            if manager.asker.service_is_ready():
                manager.answer, manager.looks = manager.asker.call_async(Trigger.Request()), 0
            else:
                manager.state = "absent"

    def stacks(self, located: frozenset[str]) -> tuple[Stack, ...]:
        """Return what is managed, and what robots need and nobody manages.

        Args:
            located: robots that know where they are, from whatever source
        """
        stacks = []
        for (robot, name), manager in self._managers.items():
            namespace, needed_by = self._robots[robot], _NEEDED_BY[name]
            if needed_by is None:
                is_needed = robot not in located
            else:
                is_needed = bool(self._node.get_subscriptions_info_by_topic(f"{namespace}/{needed_by}"))
            if manager.state == "absent":
                if is_needed:
                    stacks.append(Stack(robot, name, "absent", _LAUNCH[name].format(namespace or "/")))
            elif manager.state == "inactive" and manager.starter is None:
                stacks.append(Stack(robot, name, "inactive", "the console needs nav2_msgs to start it"))
            elif manager.state == "active" and needed_by is None and is_needed:
                stacks.append(Stack(robot, name, "active", _NO_POSE))
            else:
                stacks.append(Stack(robot, name, manager.state))
        return tuple(stacks)

    def start(self, robot: str, name: str) -> tuple[Any, Any] | None:
        """Return the client and the request that start what is managed; None where there is no such thing to start."""
        manager = self._managers.get((robot, name))
        if self._type is None or manager is None or manager.state != "inactive":
            return None
        return manager.starter, self._type.Request(command=self._type.Request.STARTUP)
