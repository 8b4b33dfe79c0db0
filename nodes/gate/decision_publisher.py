"""Publishes what the velocity gate decides, for recordings and viewers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from std_msgs.msg import String

from arena_trees.nodes.runtime.contained_publishing import ContainedPublishing
from arena_trees.nodes.runtime.qos import EVENTS, LATCHED
from arena_trees.robot.ports import GateDecision
from arena_trees.robot.ros_messages.gate_decisions import DECISIONS, GATE_INFO, DecisionEncoder, RecordedDecision
from arena_trees.safety.guard import Guard
from arena_trees.safety.parameters import GateParameters

__all__ = ["DecisionPublisher"]

_TOGETHER = 5
"""Steps in one message: at most ten messages a second."""


class DecisionPublisher:
    """Publishes the gate's decisions, several together; those of its steps that are news.

    Whatever goes wrong in it costs the gate no step.

    Topics:
        * ``velocity_gate/recording`` (std_msgs/String, LATCHED) [published at the start and after a change]: the
          gate's parameters as JSON
        * ``velocity_gate/decisions`` (std_msgs/String, EVENTS) [published up to ten times a second]: lines of
          :class:`~arena_trees.robot.ros_messages.gate_decisions.DecisionEncoder`, by the node's ROS clock

    Args:
        node: whose publishers they are
    """

    def __init__(self, node: Any) -> None:
        self._clock = node.get_clock()
        self._info = node.create_publisher(String, GATE_INFO, LATCHED)
        self._decisions = node.create_publisher(String, DECISIONS, EVENTS)
        self._contained = ContainedPublishing(node, "decisions")
        self._encoder = DecisionEncoder()
        self._steps = 0
        self._lines: list[str] = []

    def describe(self, parameters: GateParameters) -> None:
        """Publish the gate's parameters."""
        self._contained.call(lambda: self._info.publish(String(data=parameters.model_dump_json())))

    def step(self, sent: GateDecision, guard: Guard) -> None:
        """Publish a decision, together with others.

        Args:
            sent: what was sent to the base
            guard: that decided, and knows why the robot is stopped altogether
        """
        # Where the gate was held up, or raised, what was sent is a bare zero.
        decision = replace(sent, reasons=sent.reasons or guard.standing, latched=guard.gate.latched)
        self._contained.call(lambda: self._write(RecordedDecision(int(self._clock.now().nanoseconds), decision)))

    def end(self) -> None:
        """Publish the decisions that wait for others."""
        self._contained.call(self._publish)

    def _write(self, made: RecordedDecision) -> None:
        line = self._encoder.encode(made)
        if line is not None:
            self._lines.append(line)
        self._steps += 1
        if self._steps % _TOGETHER == 0:
            self._publish()

    def _publish(self) -> None:
        if self._lines:
            self._decisions.publish(String(data="\n".join(self._lines)))
            self._lines = []
