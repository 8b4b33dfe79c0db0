"""The velocity gate as a process of its own: the last word on ``cmd_vel``, and its only publisher."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from geometry_msgs.msg import TwistStamped
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from std_msgs.msg import String
from std_srvs.srv import Trigger

from arena_trees.nodes.adapters.message_port import RosMessagePort
from arena_trees.nodes.adapters.sensors import GATE_SENSORS, Sensors, carried_sensors
from arena_trees.nodes.adapters.timelines import MonotonicTimeline, nanoseconds
from arena_trees.nodes.adapters.transforms import PoseListener
from arena_trees.nodes.gate.decision_publisher import DecisionPublisher
from arena_trees.nodes.gate.heartbeat import BETWEEN_BEATS
from arena_trees.nodes.gate.parameters import VelocityGateParameters
from arena_trees.nodes.gate.pose_covariance import PoseCovariance
from arena_trees.nodes.gate.report import report
from arena_trees.nodes.gate.stop_sources import StopSources
from arena_trees.nodes.gate.turret import TurretTopics
from arena_trees.nodes.gate.velocity_output import VelocityOutput
from arena_trees.nodes.programs.parameter_file import keys_for_all
from arena_trees.nodes.runtime import parameters
from arena_trees.nodes.runtime.diagnostics import ERROR, OK, WARN, Diagnostics
from arena_trees.nodes.runtime.names import robot_name
from arena_trees.nodes.runtime.process import run
from arena_trees.nodes.runtime.qos import COMMAND, LATCHED
from arena_trees.nodes.runtime.state_log import StateLog
from arena_trees.nodes.runtime.tick_statistics import TickStatistics
from arena_trees.perception.percept_filter import PerceptFilter
from arena_trees.robot import keys
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import ZERO
from arena_trees.robot.ports import GateDecision
from arena_trees.robot.ros_messages import layout
from arena_trees.safety.gate import VelocityGate, need_place
from arena_trees.safety.guard import UNRELEASED, Guard
from arena_trees.safety.motion_limit import Limits
from arena_trees.safety.parameters import GateParameters, GuardParameters, StrictGateParameters
from arena_trees.world.arenas import load_body, load_fence
from arena_trees.world.body import Body
from arena_trees.world.geofence import Geofence

if TYPE_CHECKING:
    from arena_trees.games.game import Game

__all__ = ["VelocityGateNode", "main"]

_PERIOD = from_seconds(0.02)
"""Nanoseconds between two steps while no commands come."""

_LATE = from_seconds(0.005)
"""Nanoseconds by which a command may be late, before the gate steps without it."""

_SHORTEST = from_seconds(0.01)
"""Least time (ns) between two steps, however often commands come."""

_LOOK = 0.2
"""Seconds between two looks at the graph."""

_ZEROS = 5
_BETWEEN_ZEROS = 0.01
"""Seconds; zeros sent at once would overtake each other in a queue of one."""

_ACKNOWLEDGED = 0.5
"""Seconds; how long the last zero may take to reach who listens."""


_LONGEST_STEP = from_seconds(0.1)
"""Nanoseconds after which a decision is not sent any more."""


class VelocityGateNode(Node):
    """Publishes ``cmd_vel`` as long as it lives, zero included; all of its clocks are monotonic.

    It does so as soon as a command of the tree comes, so that a command waits for nobody; where none comes, 25 ms after
    the last time, and then every 20 ms.

    What it lets through is decided by a :class:`~arena_trees.safety.guard.Guard`. Whatever comes in
    can only make the robot slower, but for what a limit of the role believes of the rules, such as a lease that lifts
    a line; only the service ``velocity_gate/reset`` clears a latch, with which it starts unless ``start_latched`` is
    false.

    Topics, besides those of :class:`~arena_trees.nodes.gate.velocity_output.VelocityOutput` (published),
    :class:`~arena_trees.nodes.gate.turret.TurretTopics`, :class:`~arena_trees.nodes.gate.stop_sources.StopSources`,
    :class:`~arena_trees.nodes.gate.pose_covariance.PoseCovariance` where there is a fence or a limit that needs a
    place, with ``record`` :class:`~arena_trees.nodes.gate.decision_publisher.DecisionPublisher` and
    :class:`~arena_trees.nodes.adapters.sensors.Sensors` (scan, odom, tf where there is a fence or a limit that needs
    a place, hazard_detection):
        * ``cmd_vel_raw`` (geometry_msgs/TwistStamped, COMMAND) [subscribed]: what the tree commands
        * ``<game_namespace>/<topic>`` (std_msgs/String, EVENTS) [subscribed]: messages that limits of the role read
        * ``velocity_gate/state`` (std_msgs/String, LATCHED) [published on change, and each 0.5 s by the loop
          that drives]: ``ok``, why the robot is stopped altogether, or ``latched: reason``
        * ``/diagnostics`` (diagnostic_msgs/DiagnosticArray) [published at 1 Hz]

    Parameters: :class:`~arena_trees.nodes.gate.parameters.VelocityGateParameters` and
    :class:`~arena_trees.safety.parameters.GuardParameters`, fixed;
    :class:`~arena_trees.safety.parameters.GateParameters`, which may be changed while it runs: the robot is
    stopped for one step then. Their defaults and bounds are those of the robot's body. Without ``allow_loose_gate``,
    values looser than the defaults are refused, before and while it runs. Unknown keys are refused, but for
    those of its role's tree in sections for every node.

    Services:
        * ``velocity_gate/stop`` (std_srvs/Trigger): latch
        * ``velocity_gate/reset`` (std_srvs/Trigger): clear the latch; refused while its cause persists

    Raises:
        ConfigError: a parameter or the arena file cannot be used
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("velocity_gate", **kwargs)
        for fixed in (VelocityGateParameters, GuardParameters):
            parameters.declare(self, fixed, read_only=True)
        own = parameters.read(self, VelocityGateParameters)
        body = load_body(own.arena, robot_name(self, own.robot), own.role, own.body)
        limits = (GateParameters if own.allow_loose_gate else StrictGateParameters).of(body)
        parameters.declare(self, limits)
        self._live: Live[GateParameters] = Live(parameters.read(self, limits))
        parameters.accept_changes(self, self._live)
        # Sections for every node give the tree's keys to the gate, too.
        parameters.refuse_unknown(self, keys_for_all(sys.argv) & _keys_of_the_tree(own.role))
        fence = self._load_fence(own, body)
        further, game = self._load_limits(own, body)
        gate = VelocityGate(self._live.value, fence, further, body)
        self._timeline = timeline = MonotonicTimeline(self)
        poses = PoseListener(self, timeline, own.map_frame, own.odom_frame, own.base_frame)
        located = (keys.POSE,) if need_place(gate.limits) else ()
        wants = frozenset((keys.ODOMETRY, keys.BUMPERS, *located)) | (carried_sensors(body) & GATE_SENSORS)
        self._sensors = Sensors(self, timeline, wants, poses, body)
        topics = tuple(topic for limit in gate.limits for topic in limit.topics)
        subscribed = [] if game is None else [message for message in game.messages if message.topic in topics]
        self._messages = None
        if game is not None and topics:
            name = robot_name(self, own.robot)
            self._messages = RosMessagePort(self, name, game, (), topics, game_namespace=own.game_namespace)
        self._percept_filter = PerceptFilter(subscribes=subscribed)
        self._guard = Guard(gate, parameters.read(self, GuardParameters))
        if own.start_latched:
            self._guard.latch(UNRELEASED)
        self._decision = GateDecision(ZERO)
        self._output = VelocityOutput(self, own.stamped_cmd_vel, own.allowed_publishers)
        self._turret = TurretTopics(self, timeline, self._guard, body)
        self._stop_sources = StopSources(self, self._guard, own)
        self._covariance = PoseCovariance(self, self._guard, own) if located else None
        self._recorded = DecisionPublisher(self) if own.record else None
        if self._recorded is not None:
            self._recorded.describe(self._live.value)
        self._statistics = TickStatistics(to_seconds(_PERIOD))
        self._diagnostics = Diagnostics(self, "velocity gate")
        self._state = self.create_publisher(String, "velocity_gate/state", LATCHED)
        self._text = ""
        self._published_at = 0
        self._log = StateLog()
        self.waking_subscriptions = (self.create_subscription(TwistStamped, "cmd_vel_raw", self._on_command, COMMAND),)
        self.create_service(Trigger, "velocity_gate/stop", self._on_stop)
        self.create_service(Trigger, "velocity_gate/reset", self._on_reset)
        self._check_graph()
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._stepped_at = 0
        self._period = _PERIOD
        self._stepper = self.create_timer(to_seconds(_PERIOD), self._on_timer, clock=steady)
        self._timers = [
            self._stepper,
            self.create_timer(_LOOK, self._check_graph, clock=steady),
            self.create_timer(1.0, self._diagnose, clock=steady),
        ]

    def halt(self) -> None:
        """Publish zeros; the process ends."""
        for timer in self._timers:
            timer.cancel()
        self._send(GateDecision(ZERO))
        for _ in range(_ZEROS - 1):
            time.sleep(_BETWEEN_ZEROS)
            self._send(GateDecision(ZERO))
        if self._recorded is not None:
            self._recorded.end()
        self._output.flush(_ACKNOWLEDGED)

    def _load_fence(self, own: VelocityGateParameters, body: Body) -> Geofence | None:
        if not own.arena:
            return None
        fence = load_fence(own.arena, own.zone or robot_name(self, own.robot), body)
        if fence is None and not own.role:
            raise ConfigError("is required in an arena without fences", key="role")
        return fence

    def _load_limits(self, own: VelocityGateParameters, body: Body) -> tuple[Limits, Game | None]:
        """Return the limits of the robot's role, and its game; None without a role.

        Raises:
            ConfigError: there is no such role, or a rule cannot be used
        """
        if not own.role:
            return (), None
        # Here alone: a game brings trees with it, which a gate without a role does without.
        from arena_trees.games.registry import game_of_role
        from arena_trees.nodes.runtime.role_context import known_role

        role, context = known_role(robot_name(self, own.robot), own.role, own.rules, own.arena, body=body)
        return () if role.limits is None else role.limits(context), game_of_role(own.role)

    def _on_timer(self) -> None:
        self._step()
        if self._period != _PERIOD:
            self._step_again_in(_PERIOD)

    def _step_again_in(self, period: int) -> None:
        """Have the timer come after so long (ns), and then as often."""
        if self._period != period:
            self._period = self._stepper.timer_period_ns = period
        self._stepper.reset()

    def _step(self) -> None:
        """Decide and publish; whatever goes wrong on the way, it is zero that is published."""
        self._statistics.begin()
        self._stepped_at = begun = self._timeline.now()
        sent = GateDecision(ZERO)
        try:
            if self._live.swap():
                self._guard.gate.parameters = self._live.value
                self._guard.pause("parameters changed")
                if self._recorded is not None:
                    self._recorded.describe(self._live.value)
            received = () if self._messages is None else self._messages.receive()
            percepts = self._percept_filter.take(self._sensors.read(), received)
            sent = self._decision = self._guard.step(percepts, self._percept_filter.malformed_scans)
        except Exception as error:
            self._guard.latch(f"gate raised {type(error).__name__}: {error}")
        if self._timeline.now() - begun > _LONGEST_STEP:
            # Held up between deciding and sending, as by SIGSTOP: what was decided is of long ago.
            sent = GateDecision(ZERO)
        self._send(sent)
        if self._recorded is not None:
            self._recorded.step(sent, self._guard)
        self._statistics.end()
        self._tell(begun)

    def _send(self, decision: GateDecision) -> None:
        self._output.send(decision.twist)
        self._turret.send(decision.turret, decision.fire)

    def _tell(self, now: int) -> None:
        """Publish the state where it is new, and again and again: silence is how others know that this loop hangs."""
        text = self._guard.text
        line = self._log.line(text, now)
        if line is not None:
            self.get_logger().info(line)
        if text == self._text and now - self._published_at < BETWEEN_BEATS:
            return
        self._state.publish(String(data=text))
        self._published_at, self._text = now, text

    def _on_command(self, message: Any, info: Any) -> None:
        label = nanoseconds(message.header.stamp)
        stamp, arrival = self._timeline.received(label)
        number = info.get("publication_sequence_number")
        self._guard.commands.take(layout.twist(message), label, stamp, arrival, number)
        early = self._stepped_at + _SHORTEST - arrival
        if early > 0:
            self._step_again_in(early)
        else:
            self._step()
            self._step_again_in(_PERIOD + _LATE)

    def _on_stop(self, request: Any, response: Any) -> Any:
        self._guard.latch("operator stop: service")
        response.success = True
        response.message = self._guard.text
        return response

    def _on_reset(self, request: Any, response: Any) -> Any:
        before = self._guard.gate.latched
        refused = self._guard.reset()
        response.success = refused is None
        if refused is not None:
            response.message = f"still: {refused}"
        else:
            response.message = "nothing was latched" if before is None else f"cleared: {before}"
        self.get_logger().info(f"reset: {response.message}")
        # A stop that comes back after a reset is news.
        self._log = StateLog()
        return response

    def _check_graph(self) -> None:
        """Look who else is on the graph."""
        guard, output = self._guard, self._output
        output.review()
        guard.hold("type", output.mismatch)
        stranger = f"another publisher on cmd_vel: {', '.join(output.others)}" if output.others else None
        guard.hold("publishers", stranger)
        self._turret.review()

    def _diagnose(self) -> None:
        guard, output = self._guard, self._output
        level, message = OK, guard.text
        if guard.gate.latched is not None or output.mismatch or output.others:
            level = ERROR
        elif guard.standing:
            level = WARN
        elif not output.listeners:
            level, message = WARN, "nobody listens to cmd_vel"
        values = report(self._timeline.now(), guard, self._percept_filter, self._decision)
        for key, loose in guard.gate.parameters.loosened.items():
            values[f"looser than by default: {key}"] = str(loose)
        values["cmd_vel"] = f"{output.type}, to {', '.join(end.node for end in output.listeners) or 'nobody'}"
        values["rate (Hz)"] = f"{self._statistics.rate:.2f}"
        values["step p99 (ms)"] = f"{self._statistics.tick_p99_ms:.2f}"
        values["jitter p99 (ms)"] = f"{self._statistics.jitter_p99_ms:.2f}"
        values["overruns"] = str(self._statistics.overruns)
        for reason, count in sorted(self._sensors.dropped.items()):
            values[f"dropped: {reason}"] = str(count)
        self._diagnostics.publish(level, message, values)


def _keys_of_the_tree(role: str) -> frozenset[str]:
    if not role:
        return frozenset()
    from arena_trees.games.registry import find_role
    from arena_trees.nodes.runtime.tree_parameters import tree_keys

    return tree_keys(find_role(role))


def main() -> None:
    """Run the node until it is asked to end."""
    sys.exit(run(VelocityGateNode))


if __name__ == "__main__":
    main()
