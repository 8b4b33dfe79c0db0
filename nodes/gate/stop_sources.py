"""The stop sources: what latches or holds the velocity gate past all trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sensor_msgs.msg import Joy

from arena_trees.nodes.gate.parameters import VelocityGateParameters
from arena_trees.nodes.runtime.optional_types import optional_type
from arena_trees.nodes.runtime.qos import SENSOR
from arena_trees.safety.guard import Guard

__all__ = ["StopSources"]

_WHEELS_OFF = "wheels disabled (e_stop)"


class StopSources:
    """Hands buttons and the state of the base to the guard.

    A button latches the gate, and so does a base whose wheels are disabled, which is how a Create 3
    reports its ``e_stop``. A robot on its dock is held. Types that are not installed are done without.

    Topics (all best effort, keep last 1) [subscribed]:
        * ``joy`` (sensor_msgs/Joy)
        * ``hmi/buttons`` (turtlebot4_msgs/UserButton)
        * ``interface_buttons`` (irobot_create_msgs/InterfaceButtons)
        * ``wheel_status`` (irobot_create_msgs/WheelStatus)
        * ``dock_status`` (irobot_create_msgs/DockStatus)

    Args:
        node: the node
        guard: receives every signal
        parameters: which buttons
    """

    def __init__(self, node: Any, guard: Guard, parameters: VelocityGateParameters) -> None:
        self._node = node
        self._guard = guard
        self._joy_button = parameters.stop_joy_button
        self._hmi_button = parameters.stop_hmi_button - 1
        self._interface_button = parameters.stop_interface_button
        if self._joy_button >= 0:
            node.create_subscription(Joy, "joy", self._on_joy, SENSOR)
        if self._hmi_button >= 0:
            self._subscribe("turtlebot4_msgs", "UserButton", "hmi/buttons", "stop button at the display", self._on_hmi)
        if self._interface_button != "none":
            topic = "interface_buttons"
            self._subscribe(
                "irobot_create_msgs", "InterfaceButtons", topic, "stop button on the base", self._on_interface
            )
        self._subscribe(
            "irobot_create_msgs", "WheelStatus", "wheel_status", "stop by the base's e_stop", self._on_wheels
        )
        self._subscribe("irobot_create_msgs", "DockStatus", "dock_status", "stop on the dock", self._on_dock)

    def _subscribe(self, package: str, name: str, topic: str, feature: str, callback: Callable[[Any], None]) -> None:
        message = optional_type(self._node, package, "msg", name, feature)
        if message is not None:
            self._node.create_subscription(message, topic, callback, SENSOR)

    def _on_joy(self, message: Any) -> None:
        self._pressed("joystick", f"joystick button {self._joy_button}", message.buttons, self._joy_button)

    def _on_hmi(self, message: Any) -> None:
        self._pressed("display", f"button {self._hmi_button + 1} at the display", message.button, self._hmi_button)

    def _on_interface(self, message: Any) -> None:
        button = getattr(message, self._interface_button)
        self._pressed("base", f"{self._interface_button} on the base", (button.is_pressed,), 0)

    def _on_wheels(self, message: Any) -> None:
        self._guard.alarm("wheels", None if message.wheels_enabled else _WHEELS_OFF)

    def _on_dock(self, message: Any) -> None:
        self._guard.hold("dock", "docked" if message.is_docked else None)

    def _pressed(self, source: str, name: str, buttons: Any, index: int) -> None:
        pressed = index < len(buttons) and bool(buttons[index])
        self._guard.alarm(source, f"operator stop: {name}" if pressed else None)
