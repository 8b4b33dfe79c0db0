"""Watches a game on ROS from outside, and begins it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from nav_msgs.msg import Odometry
from rclpy.context import Context
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String
from std_srvs.srv import Trigger

from arena_trees.experiments.plan import TrialPlan, draw_world
from arena_trees.games.contacts import CONTACTS_TOPIC, read_contacts
from arena_trees.games.game_end import END_TOPIC, read_end
from arena_trees.nodes.adapters.message_port import RosMessagePort
from arena_trees.nodes.adapters.timelines import nanoseconds
from arena_trees.nodes.adapters.weapons import listen_to_weapons
from arena_trees.nodes.monitors.game_recorder import GameRecorder
from arena_trees.nodes.programs.game_programs import GAME, TrialRequest, make_rules
from arena_trees.nodes.programs.processes import ProcessError
from arena_trees.nodes.runtime.answers import refusal
from arena_trees.nodes.runtime.executor import make_executor
from arena_trees.nodes.runtime.qos import EVENTS, LATCHED, RECENT
from arena_trees.recording.info import game_info
from arena_trees.recording.judging.observed_game import ObservedGame
from arena_trees.recording.traces.decoder import MalformedError, TickDecoder, decode_tree
from arena_trees.recording.traces.encoder import TICKS, TREE
from arena_trees.recording.traces.tick import Tick
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.messaging.json_text import JsonError
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.ros_messages import layout
from arena_trees.robot.ros_messages.gate_decisions import DECISIONS, RecordedDecision, decode_decision
from arena_trees.robot.timing import TICK
from arena_trees.safety.reasons import GateReason
from arena_trees.sensors.turret.sensor import TurretState

__all__ = ["GameWatch"]

DatedT = TypeVar("DatedT", Tick, RecordedDecision)

# A hidden name: the velocity gates do not take it for a base.
_NAME = "_game_watch"
_GAME_NAMESPACE = "/arena"
_BEFORE = from_seconds(0.1)
"""The rules begin so long (ns) before the trial is judged, so that their time is up before the judge's."""
_PATIENCE_S = 10.0
"""Longest wait for the answer of a node that is there, where nobody knows how busy the machine is."""
_OK = "ok"


class GameWatch:
    """A node outside the game that sees what it publishes; a context manager.

    Attributes:
        context: of ROS, for further nodes
        now: the newest time of the simulated clock, ns
        clock_arrival: when that arrived, monotonic clock, ns
        states: robot to the state of its velocity gate
        dropped: texts on how the game ended, on contacts and of ticks that were none
        patience: longest wait for the answer of a node that is there, s

    Args:
        order: what is played
        domain: ROS domain of the game
    """

    def __init__(self, order: TrialRequest, domain: int) -> None:
        self.now = self.clock_arrival = self.dropped = 0
        self.states: dict[str, str] = {}
        self.patience = _PATIENCE_S
        self._order = order
        self._plan = plan = order.plan
        self._began: int | None = None
        self._record: ObservedGame | None = None
        self._recorder: GameRecorder | None = None
        self.context = Context()
        with _this_machine_alone():
            rclpy.init(context=self.context, domain_id=domain, signal_handler_options=SignalHandlerOptions.NO)
        self._node = Node(_NAME, context=self.context, enable_rosout=False, start_parameter_services=False)
        self._executor = make_executor(self.context)
        self._executor.add_node(self._node)
        self._rules = make_rules(plan, order.index) is not None
        # A node answers nobody whom it has not found yet. It finds these clients before the subscriptions below, so
        # whoever has published answers.
        self._clients: dict[str, Any] = {}
        self._client(Trigger, f"/{GAME}/start")
        for robot in plan.robots:
            self._client(ChangeState, f"/{robot}/tree/change_state")
        self._rules_topics = set(plan.game.sent_by_rules)
        topics = [message.topic for message in plan.game.messages]
        self._messages = RosMessagePort(self._node, _NAME, plan.game, (), topics, plan.robots_topics, _GAME_NAMESPACE)
        self._truths: set[str] = set()
        self._trees: set[str] = set()
        self._hosted = self._ruled = False
        self._node.create_subscription(Clock, "/clock", self._on_clock, EVENTS)
        self._node.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, EVENTS)
        self._node.create_subscription(
            String, f"{_GAME_NAMESPACE}/{CONTACTS_TOPIC}", self._counted(self._on_contacts), EVENTS
        )
        self._node.create_subscription(String, f"{_GAME_NAMESPACE}/{END_TOPIC}", self._counted(self._on_end), LATCHED)
        bodies = {name: robot.body for name, robot in plan.robots.items()}
        listen_to_weapons(self._node, bodies, self._on_turret, self._on_shot)
        for robot in plan.robots:
            self._subscribe(robot)
            self._subscribe_tree(robot)

    def __enter__(self) -> GameWatch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._executor.shutdown()
        if self._recorder is not None:
            self._recorder.end({} if self._record is None else self._record.ended)
        self._node.destroy_node()
        rclpy.shutdown(context=self.context)

    def record(self, path: Path) -> None:
        """Record what is published from now on.

        Args:
            path: of the rosbag2 directory, which must not exist

        Raises:
            RecordingError: it exists, or cannot be made
        """
        order = self._order
        plan, index = order.plan, order.index
        info = game_info(plan, index, Path(order.scenario).stem, "", plan.arena.name)
        self._recorder = GameRecorder(self._node, plan, index, _GAME_NAMESPACE, path, lambda: self.now, info)

    @property
    def elapsed(self) -> int | None:
        """Simulated time since the round began, ns; None before."""
        return None if self._began is None else self.now - self._began

    def add(self, node: Node) -> None:
        """Have a further node of the context take its messages, too, when this one does."""
        self._executor.add_node(node)

    def turn(self, seconds: float = 0.1) -> None:
        """Take the messages that have come, or wait for them so long."""
        self._executor.spin_once(timeout_sec=seconds)
        for message in map(self._message_dated, self._messages.receive()):
            self._ruled = self._ruled or message.topic in self._rules_topics
            if self._record is not None:
                self._record.note_message(message)

    def until(self, missing: Callable[[], str], seconds: float, check: Callable[[], None]) -> None:
        """Listen until nothing is missing any more.

        Args:
            missing: returns what is missing; nothing if it is empty
            seconds: longest wait while the same is missing
            check: called all the time; raises if there is no use in waiting

        Raises:
            ProcessError: something is still missing then
        """
        before, since = "", time.monotonic()
        while what := missing():
            check()
            if what != before:
                before, since = what, time.monotonic()
            if time.monotonic() > since + seconds:
                raise ProcessError(f"after {seconds:.0f} s there is still no {what}")
            self.turn()

    def missing(self) -> str:
        """Return what must still be received before the game can begin; nothing if all is there."""
        if not self.now:
            return "clock"
        for robot in self._plan.robots:
            if robot not in self._truths:
                return f"ground truth of {robot}"
            if self.states.get(robot) not in (GateReason.NO_COMMAND, _OK):
                return f"velocity gate of {robot} that waits for nothing but commands ({self.states.get(robot, '')})"
            if robot not in self._trees:
                return f"diagnostics of the tree of {robot}"
        ruled = self._hosted and (self._ruled or not self._rules_topics)
        return "word of the rules" if self._rules and not ruled else ""

    def begin(self, check: Callable[[], None]) -> ObservedGame:
        """Set the trees up, begin the round and let all trees tick from one time on; return the game's record.

        Args:
            check: called all the time; raises if there is no use in waiting

        Raises:
            ProcessError: somebody refuses or does not answer
        """
        self._transit(Transition.TRANSITION_CONFIGURE, check)
        if self._rules:
            self.insist(f"/{GAME}/start", check)
            begun = self.now
            self.until(lambda: "" if self.now >= begun + _BEFORE else "later time", self.patience, check)
        self._began = self.now
        self._record = _observed(self._plan, self._order.index, self.now)
        self._transit(Transition.TRANSITION_ACTIVATE, check)
        return self._record

    def insist(self, service: str, check: Callable[[], None]) -> None:
        """Call a ``std_srvs/Trigger`` until it does not refuse any more.

        Raises:
            ProcessError: it is not there, does not answer, or refuses for too long
        """
        end = time.monotonic() + self.patience
        while refusals := self._ask(((Trigger, service, Trigger.Request()),), check):
            if time.monotonic() > end:
                raise ProcessError(refusals[0])

    def _transit(self, transition: int, check: Callable[[], None]) -> None:
        """Take all trees through a transition of their lifecycle."""
        request = ChangeState.Request(transition=Transition(id=transition))
        refusals = self._ask([(ChangeState, f"/{one}/tree/change_state", request) for one in self._plan.robots], check)
        if refusals:
            raise ProcessError("; ".join(refusals))

    def _ask(self, questions: Sequence[tuple[Any, str, Any]], check: Callable[[], None]) -> list[str]:
        """Call services (type, name, request) all at once; return the refusals."""
        clients = [self._client(kind, name) for kind, name, _ in questions]
        pairs = list(zip(clients, questions, strict=True))
        lacking = lambda: _first(not one.service_is_ready() and one.srv_name for one in clients)  # noqa: E731
        self.until(lacking, self.patience, check)
        answers = {client.srv_name: client.call_async(request) for client, (_, _, request) in pairs}
        silent = lambda: _first(not one.done() and f"answer of {name}" for name, one in answers.items())  # noqa: E731
        self.until(silent, self.patience, check)
        return [text for name, answer in answers.items() if (text := refusal(name, answer.result()))]

    def _client(self, kind: Any, service: str) -> Any:
        if service not in self._clients:
            self._clients[service] = self._node.create_client(kind, service)
        return self._clients[service]

    def _subscribe(self, robot: str) -> None:
        def on_truth(message: Any) -> None:
            self._truths.add(robot)
            if self._record is not None:
                stamp = nanoseconds(message.header.stamp)
                self._record.note_truth(robot, stamp, layout.pose(message), layout.twist(message.twist))

        def on_state(message: Any) -> None:
            self.states[robot] = message.data
            if self._record is not None and message.data.startswith("latched"):
                self._record.note_fault(robot, message.data)

        create = self._node.create_subscription
        create(Odometry, f"/{robot}/ground_truth", on_truth, EVENTS)
        create(String, f"/{robot}/velocity_gate/state", on_state, LATCHED)

    def _subscribe_tree(self, robot: str) -> None:
        decoders: dict[str, TickDecoder] = {}

        def on_tree(message: Any) -> None:
            decoders[robot] = TickDecoder(len(decode_tree(message.data)))

        def on_ticks(message: Any) -> None:
            for age, line in from_oldest(message.data):
                # A tree that is not known yet does not tick yet.
                tick = decoders[robot].decode(line) if robot in decoders else None
                if self._record is not None and tick is not None:
                    self._record.note_tick(robot, self._dated(robot, tick, age))

        def on_decisions(message: Any) -> None:
            for age, line in from_oldest(message.data):
                decision = decode_decision(line)
                if self._record is not None:
                    self._record.note_decision(robot, self._dated(robot, decision, age))

        def from_oldest(text: str) -> Iterator[tuple[int, str]]:
            """Yield each line, after how many ticks before the last one it is of."""
            lines = text.split("\n")
            yield from zip(range(len(lines) - 1, -1, -1), lines, strict=True)

        create = self._node.create_subscription
        create(String, f"/{robot}/{TREE}", self._counted(on_tree), LATCHED)
        create(String, f"/{robot}/{TICKS}", self._counted(on_ticks), RECENT)
        create(String, f"/{robot}/{DECISIONS}", self._counted(on_decisions), EVENTS)

    def _counted(self, take: Callable[[Any], None]) -> Callable[[Any], None]:
        """Return what takes a message, and counts one that is malformed."""

        def called(message: Any) -> None:
            try:
                take(message)
            except (MalformedError, JsonError):
                self.dropped += 1

        return called

    def _dated(self, robot: str, one: DatedT, age: int) -> DatedT:
        """Return a tick or decision, so many ticks old; of a robot with a faulty clock by when it came."""
        return replace(one, now=self.now - TICK * age) if self._plan.has_faulty_clock(robot) else one

    def _message_dated(self, message: Message) -> Message:
        """Return a message; of a robot with a faulty clock, by when it came."""
        sender = message.sender
        faulty = sender in self._plan.robots and self._plan.has_faulty_clock(sender)
        return replace(message, stamp=self.now) if faulty else message

    def _on_turret(self, robot: str, state: TurretState) -> None:
        if self._plan.has_faulty_clock(robot):
            state = replace(state, stamp=self.now)
        if self._record is not None:
            self._record.note_turret(robot, state)

    def _on_shot(self, robot: str) -> None:
        if self._record is not None:
            self._record.note_shot(robot)

    def _on_clock(self, message: Any, info: Any) -> None:
        # DDS knows when it came, by the system clock; this process may have been busy.
        self.now, self.clock_arrival = (
            nanoseconds(message.clock),
            time.monotonic_ns() - time.time_ns() + info["received_timestamp"],
        )
        if self._record is not None:
            self._record.note_time(self.now)

    def _on_diagnostics(self, message: Any) -> None:
        for status in message.status:
            values = {item.key: item.value for item in status.values}
            robot = status.hardware_id
            if robot in self._plan.robots and "active" in values:
                self._trees.add(robot)
                if self._record is not None and values["fault"]:
                    self._record.note_fault(robot, values["fault"])

    def _on_contacts(self, message: Any) -> None:
        stamp, pairs = read_contacts(message.data)
        if self._record is not None:
            self._record.note_contacts(stamp, pairs)

    def _on_end(self, message: Any) -> None:
        end = read_end(message.data)
        self._hosted = True
        if self._record is not None:
            self._record.note_end(end)


def _observed(plan: TrialPlan, index: int, start: int) -> ObservedGame:
    """Return what judges a trial from an instant on (ns)."""
    world = draw_world(plan, index)
    context = plan.context(index, {spec.name: spec.start for spec in world.specs})
    return ObservedGame(plan.game, context, start, index, world.layout)


def _first(texts: Iterable[str | bool]) -> str:
    """Return the first text that is one, or none at all."""
    return next((text for text in texts if isinstance(text, str) and text), "")


@contextmanager
def _this_machine_alone() -> Iterator[None]:
    """Keep what is initialised in here from looking for other machines; ROS reads that from the environment."""
    before = os.environ.get(key := "ROS_AUTOMATIC_DISCOVERY_RANGE")
    os.environ[key] = "LOCALHOST"
    try:
        yield
    finally:
        if before is None:
            del os.environ[key]
        else:
            os.environ[key] = before
