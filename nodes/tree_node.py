"""The tree node: one robot's behaviour tree as a managed ROS 2 node."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from typing import Any

import py_trees
from py_trees.common import Access
from rclpy.clock import Clock, ClockType
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.timer import Timer
from std_msgs.msg import String
from std_srvs.srv import Trigger

from arena_trees.games.game import Role
from arena_trees.games.registry import find_role, game_of_role
from arena_trees.nodes.adapters.estimates import EstimatesPublisher
from arena_trees.nodes.adapters.message_port import RosMessagePort
from arena_trees.nodes.adapters.navigation import make_navigator
from arena_trees.nodes.adapters.port import RosPort
from arena_trees.nodes.adapters.sensors import Sensors, wanted_sensors
from arena_trees.nodes.adapters.tick_publisher import TickPublisher
from arena_trees.nodes.adapters.timelines import RosTimeline
from arena_trees.nodes.adapters.transforms import PoseListener
from arena_trees.nodes.gate.forwarding import ForwardingGate
from arena_trees.nodes.gate.heartbeat import GateHeartbeat
from arena_trees.nodes.nav2.bumped_cloud import BumpedCloud
from arena_trees.nodes.runtime import parameters
from arena_trees.nodes.runtime.background_process import ProcessRunner
from arena_trees.nodes.runtime.diagnostics import ERROR, OK, WARN, Diagnostics
from arena_trees.nodes.runtime.names import robot_name
from arena_trees.nodes.runtime.process import run
from arena_trees.nodes.runtime.qos import LATCHED
from arena_trees.nodes.runtime.role_context import known_role
from arena_trees.nodes.runtime.tick_statistics import TickStatistics
from arena_trees.nodes.runtime.tree_parameters import CAMERA, FENCE, VIEWER_PARAMETERS, TreeNodeParameters, TreeSeed
from arena_trees.nodes.runtime.viewed_tree import viewed_tree
from arena_trees.perception.supervisor import GeofenceSupervisor
from arena_trees.perception.writer import PerceptionBlackboardWriter
from arena_trees.recording.info import robot_info
from arena_trees.robot import keys
from arena_trees.robot.clock import STALE, from_seconds
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.errors import ConfigError, format_error
from arena_trees.robot.geometry import ZERO
from arena_trees.robot.loop import LoopState, RobotLoop
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.robot.percepts import Stamped
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.turret import STEADY
from arena_trees.safety.fence_status import FenceParameters
from arena_trees.safety.reasons import GateReason
from arena_trees.world.arenas import load_body, load_fence
from arena_trees.world.body import Body
from arena_trees.world.camera_optics import CameraOptics

__all__ = ["TreeNode", "main"]

PERIOD = 0.02
"""Seconds between two ticks."""

_ZEROS = 5
_BETWEEN_ZEROS = 0.01
"""Seconds; zeros sent at once would overtake each other in a queue of one."""

_ACKNOWLEDGED = 0.5
"""Seconds; how long the last zero may take to reach who listens."""

_SIGHT = (keys.SCAN, "ranges")
"""Sensors without which a robot that has them does not move."""

HUNG = "tree hung"
"""Why a tree is latched that was held up."""

_UNEVEN = 0.05
"""Share by which the tick rate may be off before diagnostics warn."""


_OVERRUNS = 0.05
"""Share of ticks that may overrun before diagnostics warn."""


class TreeNode(LifecycleNode):
    """Ticks the tree of one role at 50 Hz by the steady clock; a tick that comes late is not made up for.

    A tree that was held up for longer than ``hang_timeout`` latches: what it decides then is of a world that it did
    not see change, and nobody expects the robot to move any more.

    Topics, besides those of :class:`~arena_trees.nodes.adapters.sensors.Sensors` (subscribed),
    :class:`~arena_trees.nodes.adapters.port.RosPort`,
    :class:`~arena_trees.nodes.adapters.estimates.EstimatesPublisher`, with ``record``
    :class:`~arena_trees.nodes.adapters.tick_publisher.TickPublisher`,
    :class:`~arena_trees.nodes.adapters.message_port.RosMessagePort` and, with ``navigation: nav2``,
    :class:`~arena_trees.nodes.nav2.navigator.Nav2Navigator` and
    :class:`~arena_trees.nodes.nav2.bumped_cloud.BumpedCloud`:
        * ``/diagnostics`` (diagnostic_msgs/DiagnosticArray) [published at 1 Hz]
        * ``velocity_gate/state`` (std_msgs/String, LATCHED) [subscribed]: while the gate is latched, waits for a
          standstill, or has been silent for 3 s, zeros are commanded; without a gate, all goes on

    Blackboard:
        [w] gate: what the velocity gate reported last of itself, ``gate silent``, or an empty text where there is none

    Parameters: :class:`~arena_trees.nodes.runtime.tree_parameters.TreeNodeParameters`;
    :class:`~arena_trees.nodes.runtime.tree_parameters.TreeSeed`;
    :class:`~arena_trees.safety.fence_status.FenceParameters` under ``fence.``;
    :class:`~arena_trees.world.camera_optics.CameraOptics` under ``camera.``;
    :class:`~arena_trees.nodes.nav2.parameters.Nav2Parameters` under ``nav2.``; the role's, which may be changed while
    the tree runs; those that are read only, and the seed, while the node is not configured. Others are refused.

    Services:
        * ``~/reset`` (std_srvs/Trigger): clear the tree's own latch and leave the node inactive
        * those of a managed node, and of py_trees_ros where it is installed

    Raises:
        ConfigError: a parameter or the arena file cannot be used
    """

    waking_subscriptions = ()
    """It works at a fixed rate: no message wakes it."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("tree", **kwargs)
        parameters.declare(self, TreeNodeParameters)
        self._own = own = parameters.read(self, TreeNodeParameters)
        self._hang_timeout = from_seconds(own.hang_timeout)
        self._role: Role = find_role(own.role)
        parameters.declare(self, self._role.parameters, until_built=True)
        parameters.declare(self, TreeSeed, until_built=True)
        parameters.declare(self, FenceParameters, FENCE, read_only=True)
        parameters.declare(self, CameraOptics, CAMERA, read_only=True)
        self._navigator = make_navigator(self, self._role, own.navigation)
        self._bumped = None if self._navigator is None else BumpedCloud(self, own.base_frame)
        self._tree = viewed_tree(self)
        parameters.refuse_unknown(self, VIEWER_PARAMETERS)
        self._live: Live[Any] = Live(parameters.read(self, self._role.parameters))
        self._seed: Live[TreeSeed] = Live(parameters.read(self, TreeSeed))
        self._note_built(False)
        parameters.accept_changes(self, self._live)
        parameters.accept_changes(self, self._seed)
        self.robot = robot_name(self, own.robot)
        body = load_body(own.arena, self.robot, own.role, own.body)
        self._fence = load_fence(own.arena, own.zone or self.robot, body)
        self._fence_parameters = parameters.read(self, FenceParameters, FENCE)
        camera = parameters.read(self, CameraOptics, CAMERA)
        _, context = known_role(self.robot, own.role, own.rules, own.arena, body=body, camera=camera, fence=self._fence)
        self._robot_context = context
        self._background = ProcessRunner()
        timeline = RosTimeline(self)
        poses = PoseListener(self, timeline, own.map_frame, own.odom_frame, own.base_frame)
        self._wants = _wanted_sensors(self._role, body)
        self._sensors = Sensors(self, timeline, self._wants, poses, body)
        self._port = RosPort(self, self.robot, timeline, self._sensors, body)
        self._messages = None
        if not own.isolated:
            self._messages = self._make_port(own.game_namespace)
        self._estimates = EstimatesPublisher(self, self._role)
        self._recorded = TickPublisher(self, self._role.estimates.keys()) if own.record else None
        self._heartbeat = GateHeartbeat()
        self._gate = ForwardingGate()
        self._board: py_trees.blackboard.Client | None = None
        self.create_subscription(String, "velocity_gate/state", self._on_gate_state, LATCHED)
        self._statistics = TickStatistics(PERIOD)
        self._active_leaf = ""
        self._failure: str | None = None
        self._loop: RobotLoop | None = None
        self._writer: PerceptionBlackboardWriter | None = None
        self._timer: Timer | None = None
        self._ticked: int | None = None
        self._finalised = False
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._diagnostics = Diagnostics(self, "behaviour tree")
        self.create_timer(1.0, self._diagnose, clock=self._steady)
        self.create_service(Trigger, "~/reset", self._reset)
        self._transitions = self._service_change_state.callback
        self._service_change_state.callback = self._change_state
        if own.autostart and self.trigger_configure() is TransitionCallbackReturn.SUCCESS:
            self.trigger_activate()

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Build the tree and set it up."""
        self._failure = None
        try:
            self._loop = loop = self._make_loop()
            if loop.configure(node=self):
                if self._recorded is not None:
                    self._recorded.begin(self._tree.root, self._info)
                self.get_logger().info(f"{self._role.name} {self.robot}: tree is set up")
                return TransitionCallbackReturn.SUCCESS
            self._failure = loop.fault
        except Exception as error:
            self._failure = format_error(error)
        self.get_logger().error(f"{self._role.name} {self.robot}: {self._failure}")
        self._close()
        return TransitionCallbackReturn.FAILURE

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Begin to tick. A latch stays."""
        if self._loop is None:
            return TransitionCallbackReturn.FAILURE
        self._loop.activate()
        self._ticked = None
        self._timer = self.create_timer(PERIOD, self._tick, clock=self._steady)
        return TransitionCallbackReturn.SUCCESS

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop every behaviour, and command the robot to stand."""
        self._stand()
        return TransitionCallbackReturn.SUCCESS

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Take the tree down."""
        self._close()
        return TransitionCallbackReturn.SUCCESS

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stand, and take the tree down for good."""
        self._stand()
        self._close()
        self._finalised = True
        return TransitionCallbackReturn.SUCCESS

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stand, take the tree down and begin anew."""
        self._stand()
        self._close()
        return TransitionCallbackReturn.SUCCESS

    def halt(self) -> None:
        """Stand, and shut down: the process ends."""
        if not self._finalised:
            self.trigger_shutdown()
            self._port.flush(_ACKNOWLEDGED)
            if self._navigator is not None:
                self._navigator.halt()

    def destroy_node(self) -> None:
        """End the state machine, which rclpy leaves where it is, and the node."""
        self._state_machine.destroy_when_not_in_use()
        super().destroy_node()

    def _make_port(self, game_namespace: str) -> RosMessagePort:
        """Return the line to the rules and to other robots.

        Raises:
            ConfigError: the robot has the name under which the rules send
        """
        role, game = self._role, game_of_role(self._role.name)
        if self.robot == game.speaker:
            raise ConfigError("is the name under which the rules of the game send", key="robot", value=self.robot)
        publishes, subscribes = _topics(role.publishes), _topics(role.subscribes)
        return RosMessagePort(self, self.robot, game, publishes, subscribes, game_namespace=game_namespace)

    def _make_loop(self) -> RobotLoop:
        supervisor = None
        if self._fence is not None:
            supervisor = GeofenceSupervisor(self._fence, parameters=self._fence_parameters)
        self._live.swap()
        self._seed.swap()
        self._note_built(True)
        if self._messages is not None:
            # A tree that is built anew numbers its messages anew.
            self._messages.renew()
        self._gate = ForwardingGate(lambda: self._heartbeat.state)
        self._board = py_trees.blackboard.Client(name=f"{self.robot} gate", namespace=keys.namespace(self.robot))
        self._board.register_key(keys.GATE, Access.WRITE)
        self._board.set(keys.GATE, self._heartbeat.state)
        streams = RandomStreams(self._seed.value.seed).child(f"robot.{self.robot}")
        given = dict(self._role.given(self._robot_context, self._background))
        if self._navigator is not None:
            given["navigator"] = self._navigator
        self._tree.root = self._role.create_root(self.robot, self._live, streams, **given)
        self._writer = PerceptionBlackboardWriter(
            self.robot,
            supervisor,
            subscribes=self._role.subscribes,
            known=game_of_role(self._role.name).messages,
        )
        return RobotLoop(
            self._port,
            self._messages,
            self._writer,
            self._tree,
            self._gate,
            between_ticks=self._live.swap,
            publishes=self._role.publishes,
        )

    def _info(self) -> dict[str, Any]:
        """Return what replay needs to know of the robot."""
        context = self._robot_context
        return robot_info(
            self._role.name,
            self._live.value,
            None,
            self._fence_parameters,
            None if self._fence is None else self._fence.points,
            self._seed.value.seed,
            context.body,
            context.camera,
            rules=context.rules,
            isolated=self._own.isolated,
        )

    def _on_gate_state(self, message: Any) -> None:
        if self._heartbeat.state == GateReason.GATE_SILENT:
            self.get_logger().info(f"the velocity gate is back: {message.data}")
        self._heartbeat.hear(message.data)

    def _watch_gate(self) -> None:
        """Look whether the velocity gate is silent, and log that once."""
        before = self._heartbeat.state
        self._heartbeat.look(time.monotonic_ns())
        if self._heartbeat.state == GateReason.GATE_SILENT != before:
            self.get_logger().warning(
                f"{GateReason.GATE_SILENT}: it hangs or has ended; standstill is commanded until it is back"
            )
        if self._board is not None:
            self._board.set(keys.GATE, self._heartbeat.state)

    def _watch_itself(self) -> None:
        """Latch where this tick comes long after the one before."""
        now = time.monotonic_ns()
        if self._ticked is not None and now - self._ticked > self._hang_timeout:
            self._gate.latch(HUNG)
        self._ticked = now

    def _tick(self) -> None:
        if self._loop is None:
            return
        before = self._loop.fault
        self._watch_itself()
        self._statistics.begin()
        self._watch_gate()
        parameters = self._live.value
        record = self._loop.step()
        self._statistics.end()
        self._active_leaf = record.active
        self._estimates.publish(record)
        if self._bumped is not None:
            self._bumped.publish(record)
        if self._recorded is not None:
            if self._live.value is not parameters:
                self._recorded.describe(self._info)
            self._recorded.tick(record)
        if record.fault is not None and record.fault != before:
            self.get_logger().error(f"latched: {record.fault}")

    def _stand(self) -> None:
        """Stop ticking, drive zero at once, stop the behaviours and drive zero some more."""
        if self._timer is None:
            return
        self.destroy_timer(self._timer)
        self._timer = None
        self._rest()
        if self._loop is not None:
            self._loop.deactivate()
        if self._recorded is not None:
            self._recorded.end()
        for _ in range(_ZEROS - 1):
            time.sleep(_BETWEEN_ZEROS)
            self._rest()
        self._statistics.clear()
        self._active_leaf = ""

    def _rest(self) -> None:
        self._port.drive(ZERO)
        self._port.aim(STEADY)

    def _note_built(self, built: bool) -> None:
        self._live.built = self._seed.built = built

    def _close(self) -> None:
        self._note_built(False)
        if self._loop is not None:
            self._loop.close()
            self._loop = None
        self._background.close()
        if self._board is not None:
            self._board.unregister(clear=True)
            self._board = None

    def _change_state(self, request: Any, response: Any) -> Any:
        """Refuse a transition that the present state does not have; rclpy lets it end the process."""
        try:
            return self._transitions(request, response)
        except rclpy_implementation.RCLError as error:
            self.get_logger().warning(f"no such transition now: {format_error(error)}")
            response.success = False
            return response

    def _reset(self, request: Any, response: Any) -> Any:
        if self._loop is None:
            response.message = "the tree is not configured"
            return response
        fault = self._loop.fault
        if self._loop.state is LoopState.ACTIVE:
            self.trigger_deactivate()
        self._loop.reset()
        response.success = True
        response.message = f"inactive; {'nothing was latched' if fault is None else f'cleared: {fault}'}"
        return response

    def _irregular(self) -> str:
        """Return what is not as it should be while the tree ticks; empty if all is."""
        statistics = self._statistics
        if statistics.rate and abs(statistics.rate * PERIOD - 1.0) > _UNEVEN:
            return f"ticks at {statistics.rate:.1f} Hz"
        if statistics.overrun_share > _OVERRUNS:
            return f"{100.0 * statistics.overrun_share:.0f} % of the newest ticks overran"
        contested = "" if self._messages is None else self._messages.contested()
        return f"several nodes publish {contested}" if contested else ""

    def _diagnose(self) -> None:
        loop, statistics = self._loop, self._statistics
        fault = self._failure if loop is None else loop.fault
        state = LoopState.UNCONFIGURED if loop is None else loop.state
        readings = self._port.readings
        missing = [name for name in _SIGHT if name in self._wants and readings.get(name) is None]
        level, message = OK, self._active_leaf or state.value
        if fault is not None:
            level, message = ERROR, fault
        elif state is not LoopState.ACTIVE:
            level = WARN
        elif self._gate.withheld == GateReason.GATE_SILENT:
            level, message = ERROR, GateReason.GATE_SILENT
        elif self._gate.withheld is not None:
            level, message = WARN, f"velocity gate: {self._gate.withheld}"
        elif missing:
            level, message = WARN, f"waiting for {', '.join(missing)}"
        elif irregular := self._irregular():
            level, message = WARN, irregular
        values = {
            "role": self._role.name,
            "isolated": str(self._own.isolated).lower(),
            "state": state.value,
            "active": self._active_leaf,
            "fault": fault or "",
            "tick rate (Hz)": f"{statistics.rate:.2f}",
            "tick p99 (ms)": f"{statistics.tick_p99_ms:.2f}",
            "tick jitter p99 (ms)": f"{statistics.jitter_p99_ms:.2f}",
            "overruns": str(statistics.overruns),
        }
        now = self._port.now()
        for name in sorted(self._wants):
            values[f"{name} age (s)"] = _age(readings.get(name), now)
        refused = {} if self._writer is None else self._writer.refusals
        for reason, count in sorted({**self._sensors.dropped, **refused}.items()):
            values[f"refused: {reason}"] = str(count)
        self._diagnostics.publish(level, message, values)


def _wanted_sensors(role: Role, body: Body) -> frozenset[str]:
    """Return what a robot senses, as far as it comes over ROS: markers are its localiser's business."""
    return wanted_sensors(body, role.sensors)


def _topics(messages: Iterable[type[GameMessage]]) -> list[str]:
    return [message.topic for message in messages]


def _age(reading: Stamped | None, now: int) -> str:
    if reading is None:
        return "never"
    age = reading.age(now)
    return "from the future" if age >= STALE else f"{age / 1e9:.3f}"


def main() -> None:
    """Run the node until it is asked to end."""
    sys.exit(run(TreeNode))


if __name__ == "__main__":
    main()
