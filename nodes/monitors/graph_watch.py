"""Watches the robots of a ROS graph from outside, and acts on them by services and parameters alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import rclpy
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.srv import SetParametersAtomically
from rclpy.context import Context
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import String
from std_srvs.srv import Trigger

from arena_trees.nodes.monitors.graph_recorder import GraphRecorder
from arena_trees.nodes.monitors.lifecycle_managers import LifecycleManagers
from arena_trees.nodes.runtime.answers import refusal
from arena_trees.nodes.runtime.executor import make_executor
from arena_trees.nodes.runtime.parameters import change_request
from arena_trees.nodes.runtime.qos import EVENTS, LATCHED
from arena_trees.robot.configuration.parameters import Parameters

__all__ = ["LATCHED_GATE", "GraphWatch"]

# A hidden name: the velocity gates do not take it for a base.
_NAME = "_graph_watch"
LATCHED_GATE = "latched: "
"""How a velocity gate begins to say that it is latched."""
_RULES = "game"
"""Node that hosts the rules."""
_SERVICES = {
    "velocity_gate/stop": Trigger,
    "velocity_gate/reset": Trigger,
    "tree/reset": Trigger,
    "tree/change_state": ChangeState,
    "tree/set_parameters_atomically": SetParametersAtomically,
}
"""Services of a robot and their types, by their names in its namespace."""

OnDone = Callable[[str], object]
"""Called with why something was refused; with an empty text where it was done."""
_Calls = list[tuple[Any, Any]]


@dataclass(slots=True)
class _Errand:
    """Calls of services, stage by stage.

    Attributes:
        stages: clients and requests; those of a stage are called when all of the stage before have answered
        on_done: called when all have, or some have refused
        waiting: answers that are waited for, by service
        refusals: why services refused
    """

    stages: list[_Calls]
    on_done: OnDone
    waiting: dict[str, Any] = field(default_factory=dict)
    refusals: list[str] = field(default_factory=list)


class GraphWatch:
    """A node in a context of its own, in the domain of the environment.

    It publishes settings of rules, and cues that robots are given; never a velocity.

    Attributes:
        recorder: records the robots
        gates: robot to what its velocity gate reported last of itself
        managers: Nav2's lifecycle managers of the robots
        domain: ROS domain
    """

    def __init__(self) -> None:
        self._context = Context()
        rclpy.init(context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        self._node = Node(_NAME, context=self._context, enable_rosout=False, start_parameter_services=False)
        self._executor = make_executor(self._context)
        self._executor.add_node(self._node)
        self.domain = int(self._context.get_domain_id())
        self.recorder = GraphRecorder(self._node)
        self.gates: dict[str, str] = {}
        self.managers = LifecycleManagers(self._node)
        self._clients: dict[str, dict[str, Any]] = {}
        self._errands: list[_Errand] = []
        self._controls: dict[str, Any] = {}
        self._settings: dict[str, Any] = {}
        self._cues: dict[str, Any] = {}

    @property
    def now(self) -> int:
        """The node's clock, ns; 0 until a simulated one has been received."""
        return int(self._node.get_clock().now().nanoseconds)

    def look(self) -> None:
        """Look who is there; called about once a second."""
        self.recorder.look()
        for robot, namespace in self.recorder.robots.items():
            if robot not in self._clients:
                # Now, for a service is found some time after its client is made.
                self._clients[robot] = {
                    name: self._node.create_client(kind, f"{namespace}/{name}") for name, kind in _SERVICES.items()
                }
                self._cues[robot] = self._node.create_publisher(String, f"{namespace}/cues", EVENTS)
                self._listen(robot, f"{namespace}/velocity_gate/state")
                self.managers.add(robot, namespace)
        self.managers.look()

        for service, kinds in self._node.get_service_names_and_types():
            name = service.removeprefix(f"/{_RULES}/")
            if name not in (service, *self._controls) and kinds == ["std_srvs/srv/Trigger"]:
                self._controls[name] = self._node.create_client(Trigger, service)
        for topic, _ in self._node.get_topic_names_and_types():
            name = topic.removeprefix(f"/{_RULES}/")
            found = self._node.get_subscriptions_info_by_topic(topic) if name not in (topic, *self._settings) else ()
            if any(one.node_name == _RULES and one.topic_type == "std_msgs/msg/String" for one in found):
                self._settings[name] = self._node.create_publisher(String, topic, EVENTS)

    def turn(self, seconds: float) -> None:
        """Take what has come, or wait for it so long (s); go on with what was ordered."""
        self._executor.spin_once(timeout_sec=seconds)
        for errand in list(self._errands):
            self._go_on(errand)

    @property
    def controls(self) -> tuple[str, ...]:
        """Names of what people may do to the rules of the game that is hosted."""
        return tuple(self._controls)

    @property
    def settings(self) -> tuple[str, ...]:
        """Names of the values of these rules that people may set."""
        return tuple(self._settings)

    def control(self, name: str, on_done: OnDone) -> None:
        """Do something to the rules, by one of :attr:`controls`."""
        self._begin([[(self._controls[name], Trigger.Request())]], on_done)

    def set(self, name: str, value: Any, on_done: OnDone) -> None:
        """Change a value of the rules, by one of :attr:`settings`; what they refuse is in the log of their node."""
        self._settings[name].publish(String(data=json.dumps(value, allow_nan=False)))
        on_done("")

    def cue(self, robot: str, cue: str, on_done: OnDone) -> None:
        """Give a robot a cue, as its tree would; without its node ``feedback`` it is shown by those who watch alone."""
        self._cues[robot].publish(String(data=cue))
        on_done("")

    def start(self, robot: str, stack: str, on_done: OnDone) -> None:
        """Start what a robot's lifecycle manager manages.

        Args:
            robot: its name
            stack: ``localization`` or ``navigation``
            on_done: called when that is done
        """
        call = self.managers.start(robot, stack)
        if call is None:
            on_done(f"{robot} has no {stack} that waits for its start")
        else:
            self._begin([[call]], on_done)

    def stop(self, on_done: OnDone) -> None:
        """Latch every gate."""
        self._begin([self._triggers("velocity_gate/stop", self._clients)], on_done)

    def reset(self, trees: Collection[str], on_done: OnDone) -> None:
        """Clear the latch of every gate that has one, and those of trees.

        Args:
            trees: robots whose trees are latched; they are inactive after their reset, and activated again
            on_done: called when that is done
        """
        gates = [robot for robot, state in self.gates.items() if state.startswith(LATCHED_GATE)]
        activate = ChangeState.Request(transition=Transition(id=Transition.TRANSITION_ACTIVATE))
        resets = self._triggers("velocity_gate/reset", gates) + self._triggers("tree/reset", trees)
        self._begin([resets, [(self._clients[robot]["tree/change_state"], activate) for robot in trees]], on_done)

    def set_parameters(self, robot: str, model: type[Parameters], changes: Mapping[str, Any], on_done: OnDone) -> None:
        """Change parameters of a robot's tree, whole or not at all.

        Args:
            robot: its name
            model: of the parameters
            changes: key to value, as JSON has it
            on_done: called when that is done
        """
        request = change_request(model, changes)
        self._begin([[(self._clients[robot]["tree/set_parameters_atomically"], request)]], on_done)

    def close(self) -> None:
        """End the node."""
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.shutdown(context=self._context)

    def _listen(self, robot: str, topic: str) -> None:
        def on_state(message: Any) -> None:
            self.gates[robot] = message.data

        self._node.create_subscription(String, topic, on_state, LATCHED)

    def _triggers(self, service: str, robots: Collection[str]) -> _Calls:
        return [(self._clients[robot][service], Trigger.Request()) for robot in robots]

    def _begin(self, stages: Sequence[_Calls], on_done: OnDone) -> None:
        self._errands.append(_Errand(list(stages), on_done))

    def _go_on(self, errand: _Errand) -> None:
        """Take the answers that have come, and call the next stage."""
        for service, future in list(errand.waiting.items()):
            if future.done():
                del errand.waiting[service]
                refused = refusal(service, future.result())
                errand.refusals += [refused] if refused else []
        if errand.waiting:
            return
        if errand.refusals or not errand.stages:
            self._errands.remove(errand)
            errand.on_done("; ".join(errand.refusals))
            return
        for client, request in errand.stages.pop(0):
            if client.service_is_ready():
                errand.waiting[client.srv_name] = client.call_async(request)
            else:
                errand.refusals.append(f"there is no service {client.srv_name}")
