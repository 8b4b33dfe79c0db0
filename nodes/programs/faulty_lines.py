"""Faults of the lines between robots, on ROS: a node in between that loses, doubles, delays and reorders messages."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.context import Context
from rclpy.node import Node
from std_msgs.msg import String

from arena_trees.experiments.plan import TrialPlan
from arena_trees.nodes.programs.program import Program
from arena_trees.nodes.runtime.qos import EVENTS
from arena_trees.robot.messaging.json_text import JsonError
from arena_trees.robot.messaging.message_text import message_from_text
from arena_trees.robot.messaging.message_topics import message_topic
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.simulation.faults.fault import drawn_faults
from arena_trees.simulation.faults.line_faults import LineFaults

__all__ = ["FaultyLines"]

# A hidden name: it is no part of the game.
_NAME = "_faulty_lines"
_FLUSH_S = 0.01


class FaultyLines(Node):
    """Carries the messages to and from robots whose line is faulty, as their faults leave them.

    The nodes of such a robot send and receive on topics of their own (:meth:`remapped`), below
    ``/faulty_lines/<robot>``. What a robot sends has one fate for all who receive it: its line is the one to the
    network. Before the game begins lines are healthy. What is no message is passed on.

    Topics, of each message that the robot sends and receives:
        * ``/faulty_lines/<robot>/<topic>`` (std_msgs/String, EVENTS) [subscribed where the robot sends it, published
          where it receives it]
        * ``<topic>`` (std_msgs/String, EVENTS) [the other way round]

    Args:
        context: of ROS
        plan: what is played
        seed: of the trial
        elapsed: returns the time since the game began, ns; None before
    """

    def __init__(self, context: Context, plan: TrialPlan, seed: int, elapsed: Callable[[], int | None]) -> None:
        super().__init__(_NAME, context=context, enable_rosout=False, start_parameter_services=False)
        self._elapsed = elapsed
        self._held: list[tuple[int, int, Any, Any]] = []
        self._count = count()
        self._topics: dict[str, dict[str, str]] = {}
        faults = [fault for fault in drawn_faults(plan.scenario.faults, seed) if fault.part == "line"]
        for robot in dict.fromkeys(fault.robot for fault in faults):
            own = [fault for fault in faults if fault.robot == robot]
            line = LineFaults(own, RandomStreams(seed).child(f"line of {robot}"))
            sent = [message_topic(topic, robot) for topic in plan.robots_topics[robot]]
            received = [message_topic(topic) for topic in plan.game.sent_by_rules]
            received += [message_topic(topic, other) for other, topic in plan.received_by(robot) if other != robot]
            self._topics[robot] = {topic: f"/faulty_lines/{robot}{topic}" for topic in (*sent, *received)}
            for topic in sent:
                self._carry(robot, line, self._topics[robot][topic], topic)
            for topic in received:
                self._carry(robot, line, topic, self._topics[robot][topic])
        self.create_timer(_FLUSH_S, self._flush, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def remapped(self, program: Program) -> Program:
        """Return a program whose node sends and receives by this one, where its robot's line is faulty."""
        topics = self._topics.get(program.namespace.lstrip("/"))
        return program if topics is None else replace(program, remaps={**program.remaps, **topics})

    def _carry(self, robot: str, line: LineFaults, origin: str, target: str) -> None:
        publisher = self.create_publisher(String, target, EVENTS)
        self.create_subscription(String, origin, partial(self._take, robot, line, publisher), EVENTS)

    def _take(self, robot: str, line: LineFaults, publisher: Any, text: Any) -> None:
        now = self._elapsed()
        try:
            message = message_from_text(text.data)
        except JsonError:
            now = None
        if now is None:
            publisher.publish(text)
            return
        for arrival in line(replace(message, stamp=now), robot, [now]):
            heapq.heappush(self._held, (arrival, next(self._count), publisher, text))
        self._flush()

    def _flush(self) -> None:
        """Publish what has been held for long enough."""
        now = self._elapsed()
        while self._held and now is not None and self._held[0][0] <= now:
            _, _, publisher, text = heapq.heappop(self._held)
            publisher.publish(text)
