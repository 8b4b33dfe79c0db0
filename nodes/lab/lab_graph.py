"""The robots of an experiment on a ROS graph, and the rules of its game, as who conducts it sees and handles them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import rclpy
from geometry_msgs.msg import PoseWithCovarianceStamped
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.srv import SetParametersAtomically
from rclpy.context import Context
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import String
from std_srvs.srv import Trigger

from arena_trees.experiments.plan import TrialPlan
from arena_trees.games.game_end import END_TOPIC, read_end
from arena_trees.games.truth import End
from arena_trees.nodes.adapters.pose_sources import Source, known_pose, pose_sources
from arena_trees.nodes.adapters.timelines import RosTimeline, stamp_message
from arena_trees.nodes.diagnosis.graph_probe import GraphProbe
from arena_trees.nodes.diagnosis.judgement import diagnose
from arena_trees.nodes.monitors.graph_watch import LATCHED_GATE
from arena_trees.nodes.programs.played import TrialParameters
from arena_trees.nodes.runtime.answers import refusal
from arena_trees.nodes.runtime.executor import make_executor
from arena_trees.nodes.runtime.parameters import change_request
from arena_trees.nodes.runtime.qos import EVENTS, LATCHED
from arena_trees.nodes.runtime.simulated_clock import follow_clock
from arena_trees.nodes.runtime.tree_parameters import TreeSeed
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.json_text import JsonError
from arena_trees.robot.ros_messages.layout import MAP_FRAME
from arena_trees.robot.ros_messages.quaternions import turn

__all__ = ["LabError", "LabGraph"]

# A hidden name: the velocity gates do not take it for a base.
_NAME = "_lab"
_ANSWER_S = 15.0
"""Longest wait for the answer of a service."""
_POSE_S = 1.0
"""Age above which a pose tells nothing of where a robot stands."""
_PLACED_M, _PLACED_RAD = 0.05, math.radians(5.0)
"""How well robots are put in place, one sigma."""
_RULES = "game"
_LISTENS_S = 3.0
"""So long the doctor listens to robots."""
_OF_WAITING = frozenset(
    ("tree_inactive", "tree_silent", "tree_latched", "gate_latched", "gate_stops", "game_over", "slow")
)
"""Findings about robots whose trees wait to be begun, or that a round may be played with."""
_SET = "set_parameters_atomically"
_SET_TREE = f"tree/{_SET}"
_SERVICES = {
    "tree/change_state": ChangeState,
    _SET_TREE: SetParametersAtomically,
    "velocity_gate/reset": Trigger,
}
"""Services of a robot and their types, by their names in its namespace."""


class LabError(ArenaTreesError):
    """Robots or rules do not do what a trial needs; the text is one line."""


class LabGraph:
    """A node in a context of its own, in the domain of the environment; a context manager.

    Trees and rules are begun and ended by their services, and a robot is moved by its tree alone.

    Topics, for each robot:
        * ``/<robot>/initialpose`` (geometry_msgs/PoseWithCovarianceStamped, EVENTS) in map [published]: where it
          was put, for its localisation

    Attributes:
        end: how the rules ended the game; None while it is played, or where nobody has begun one

    Args:
        plan: of the experiment's scenario, whose robots are there by the names of their namespaces
        source: where robots are, by which it is seen how they are placed
    """

    def __init__(self, plan: TrialPlan, source: Source) -> None:
        self.end: End | None = None
        self._plan = plan
        self._robots = tuple(plan.robots)
        self._context = Context()
        rclpy.init(context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        self._node = Node(_NAME, context=self._context, enable_rosout=False, start_parameter_services=False)
        self._executor = make_executor(self._context)
        self._executor.add_node(self._node)
        self._timeline = RosTimeline(self._node)
        self._sources = pose_sources(self._node, self._timeline, self._robots, source)
        self._ruled = not plan.scenario.isolated
        create = self._node.create_client
        self._clients: dict[str, Any] = {
            f"/{robot}/{name}": create(kind, f"/{robot}/{name}")
            for robot in self._robots
            for name, kind in _SERVICES.items()
        }
        if self._ruled:
            kinds = {"start": Trigger, "stop": Trigger, _SET: SetParametersAtomically}
            self._clients |= {f"/{_RULES}/{name}": create(kind, f"/{_RULES}/{name}") for name, kind in kinds.items()}
        self._places = {
            robot: self._node.create_publisher(PoseWithCovarianceStamped, f"/{robot}/initialpose", EVENTS)
            for robot in self._robots
        }
        self._gates: dict[str, str] = {}
        # One for all looks: it takes its time until a node has found all others.
        self._probe = GraphProbe()
        self._node.create_subscription(String, f"/arena/{END_TOPIC}", self._on_end, LATCHED)
        for robot in self._robots:
            self._listen(robot)

    def __enter__(self) -> LabGraph:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def now_s(self) -> float:
        """The time of the robots, s: simulated where there is ``/clock``."""
        return to_seconds(self._timeline.now())

    def turn(self, seconds: float) -> None:
        """Receive for so long (s)."""
        follow_clock(self._node)
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0.0:
            self._executor.spin_once(timeout_sec=left)

    def poses(self) -> dict[str, Pose2D]:
        """Return where robots are that are seen now, map frame."""
        now = self._timeline.now()
        poses = {robot: known_pose(source(), now, from_seconds(_POSE_S)) for robot, source in self._sources.items()}
        return {robot: pose for robot, pose in poses.items() if pose is not None}

    def missing(self) -> list[str]:
        """Return in words what is not there of trees, gates and rules."""
        return [
            f"{name.rpartition('/')[0]} does not answer (no service {name})"
            for name, client in self._clients.items()
            if not client.service_is_ready()
        ]

    def diagnose(self) -> dict[str, str]:
        """Look for some seconds, and return in words what keeps each robot from moving, but that its tree waits.

        Robots have to be localised. Nothing is received meanwhile but by the doctor.
        """
        found = self._findings()
        if found:
            # On a busy machine one look alone may miss what is there.
            found &= self._findings()
        return {
            robot: "; ".join(sorted(words for one, words in found if one == robot))
            for robot in self._robots
            if any(one == robot for one, _ in found)
        }

    def _findings(self) -> set[tuple[str, str]]:
        """Return the doctor's findings of one look: robot, and what is wrong with what remedy."""
        states = self._probe.observe([f"/{robot}" for robot in self._robots], _LISTENS_S)
        return {
            (robot, f"{finding.wrong}; {finding.remedy}")
            for robot, state in zip(self._robots, states, strict=True)
            for finding in diagnose(state)
            if finding.name not in _OF_WAITING
        }

    def stopped(self) -> dict[str, str]:
        """Return the robots whose gates are latched, and why."""
        return {robot: state for robot, state in self._gates.items() if state.startswith(LATCHED_GATE)}

    def locate(self, poses: Mapping[str, Pose2D]) -> None:
        """Have each robot's localisation know where it stands, map frame, to about 5 cm and 5 degrees."""
        for robot, pose in poses.items():
            message = PoseWithCovarianceStamped()
            message.header.frame_id, message.header.stamp = MAP_FRAME, stamp_message(self._timeline.now())
            message.pose.pose.position.x, message.pose.pose.position.y = pose.x, pose.y
            message.pose.pose.orientation.z, message.pose.pose.orientation.w = turn(pose.yaw)
            for place, deviation in ((0, _PLACED_M), (7, _PLACED_M), (35, _PLACED_RAD)):
                message.pose.covariance[place] = deviation**2
            self._places[robot].publish(message)

    def prepare(self, seed: int, changes: Mapping[str, Mapping[str, Any]]) -> None:
        """Have every robot stand with a new tree that waits for its begin, by given parameters.

        Args:
            seed: of the trial, which trees and rules draw from
            changes: robot name to parameters of its tree that are changed, key to value

        Raises:
            LabError: somebody refuses, or does not answer
        """
        self.rest()
        if self._ruled:
            # There may be no round to stop.
            self._ask([(f"/{_RULES}/stop", Trigger.Request())])
        self._transit(Transition.TRANSITION_CLEANUP, strict=False)
        # What shapes a tree can be changed while there is none, and a trial while none is played.
        requests = [
            (f"/{robot}/{_SET_TREE}", self._change(robot, seed, changes.get(robot, {}))) for robot in self._robots
        ]
        if self._ruled:
            requests.append((f"/{_RULES}/{_SET}", change_request(TrialParameters, {"seed": seed})))
        self._insist(requests)
        self._transit(Transition.TRANSITION_CONFIGURE)

    def begin(self) -> None:
        """Begin the round, and have all trees tick.

        Raises:
            LabError: somebody refuses, or does not answer
        """
        latched = self.stopped()
        self._insist([(f"/{robot}/velocity_gate/reset", Trigger.Request()) for robot in latched])
        if self._ruled:
            self._insist([(f"/{_RULES}/start", Trigger.Request())])
        self.end = None
        self._transit(Transition.TRANSITION_ACTIVATE)

    def rest(self) -> None:
        """Have every robot stand: its tree is deactivated where it is active."""
        self._transit(Transition.TRANSITION_DEACTIVATE, strict=False)

    def close(self) -> None:
        """Leave the graph."""
        self._probe.close()
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.shutdown(context=self._context)

    def _change(self, robot: str, seed: int, values: Mapping[str, Any]) -> SetParametersAtomically.Request:
        """Return what has a robot's tree changed."""
        request = change_request(type(self._plan.robots[robot].parameters), values)
        request.parameters = [*request.parameters, *change_request(TreeSeed, {"seed": seed}).parameters]
        return request

    def _transit(self, transition: int, strict: bool = True) -> None:
        """Take all trees through a transition of their lifecycle; one that is not in its state refuses."""
        request = ChangeState.Request(transition=Transition(id=transition))
        refusals = self._ask([(f"/{robot}/tree/change_state", request) for robot in self._robots])
        if refusals and strict:
            raise LabError("; ".join(refusals))

    def _insist(self, questions: Sequence[tuple[str, Any]]) -> None:
        refusals = self._ask(questions)
        if refusals:
            raise LabError("; ".join(refusals))

    def _ask(self, questions: Sequence[tuple[str, Any]]) -> list[str]:
        """Call services (name, request) all at once; return the refusals.

        Raises:
            LabError: one does not answer
        """
        self._until(lambda: all(self._clients[name].service_is_ready() for name, _ in questions), questions)
        futures = {name: self._clients[name].call_async(request) for name, request in questions}
        self._until(lambda: all(future.done() for future in futures.values()), questions)
        return [text for name, future in futures.items() if (text := refusal(name, future.result()))]

    def _until(self, done: Callable[[], bool], questions: Sequence[tuple[str, Any]]) -> None:
        end = time.monotonic() + _ANSWER_S
        while not done():
            if time.monotonic() > end:
                names = [name for name, _ in questions]
                silent = [name for name in names if not self._clients[name].service_is_ready()] or names
                raise LabError(f"no answer in {_ANSWER_S:.0f} s of {', '.join(silent)}")
            self.turn(0.05)

    def _listen(self, robot: str) -> None:
        def on_state(message: Any) -> None:
            self._gates[robot] = message.data

        self._node.create_subscription(String, f"/{robot}/velocity_gate/state", on_state, LATCHED)

    def _on_end(self, message: Any) -> None:
        try:
            end = read_end(message.data)
        except JsonError:
            return
        # Before anybody has begun the game, it has an end without an outcome.
        self.end = end if end is not None and end.outcome else None
