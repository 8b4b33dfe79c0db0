"""The crossing's scheduler on ROS: lets robots in, as many as are out of each other's way.

All of the crossing is JSON in std_msgs/String, reliable, keep last 50: an object with topic, sender, epoch, sequence
and stamp of the sender's line, and a payload.

* ``/arena/crossing`` (published): ``scheduler`` (name), ``epoch`` (number of its life), ``sequence``, ``state``
  (REBUILDING, OPEN, STANDBY), ``holders``: a list of [robot, epoch, request, approach, movement, progress (m), answers
  (newest sequence number heard), lease (s)], and ``done``: a list of [robot, epoch, request] whose LEFT was heard.
* ``/arena/crossing_request`` and ``/arena/crossing_claim`` (subscribed): ``robot``, ``epoch``, ``sequence``,
  ``request``, ``stage`` (ENTERING, WAITING, PASSING, LEFT), ``approach`` (south, east, north, west), ``movement``
  (straight, right, left), ``urgency`` (0, 1, 2), ``first``, ``progress`` (m), ``waited`` (s), ``lease`` (s),
  ``scheduler`` ([name, epoch] or null) and ``heard`` (rows as in ``holders``).

:mod:`~arena_trees.games.crossroads.messages` says what each of them means.
"""

from __future__ import annotations

import sys
import time
from typing import Any, Literal

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_srvs.srv import Trigger

from arena_trees.games.crossroads.messages import (
    CROSSING_CLAIM_TOPIC,
    CROSSING_REQUEST_TOPIC,
    CROSSING_TOPIC,
    SchedulerState,
)
from arena_trees.games.crossroads.protocol import ProtocolParameters
from arena_trees.games.crossroads.scheduler import CrossingScheduler
from arena_trees.games.crossroads.source import SourceScheduler
from arena_trees.nodes.diagnostics import OK, WARN, Diagnostics
from arena_trees.nodes.message_port import RosMessagePort
from arena_trees.nodes.parameters import declare, read
from arena_trees.nodes.process import run
from arena_trees.nodes.timelines import RosTimeline
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.parameters import Parameters, parameter
from arena_trees.world.arenas import require_crossing
from arena_trees.world.crossing.plan import CrossingParameters, CrossingPlan

__all__ = ["CrossingSchedulerNode", "CrossingSchedulerParameters", "main"]

_TICK_S = 0.02
_NAME = "crossing_scheduler"
_SEEN_CLEAR = "seen_clear"
_SEEN_CLEAR_TEXT = "name of a robot that somebody has seen to be neither in the crossing nor driving into it"


class CrossingSchedulerParameters(Parameters):
    """Which protocol, for whom, and under which name; the plan and its times are models of their own."""

    protocol: Literal["arena", "source"] = parameter("arena", "ours, or document 003's: one at a time")
    roster: tuple[str, ...] = parameter(
        (), "names of all robots there are; a restart then waits for their answers, and no longer than these take"
    )
    name: str = parameter(_NAME, "of the scheduler, in its messages", min_length=1, max_length=64)
    epoch: int = parameter(
        0, "number of its life, higher than in its last one; 0 for the milliseconds of the wall clock", ge=0, lt=1 << 52
    )
    arena: str = parameter("", "arena file, or shipped arena, whose crossing it is; that of plan.* where empty")
    game_namespace: str = parameter("/arena", "where the messages to and from the robots are")


class CrossingSchedulerNode(Node):
    """Steps the scheduler at 50 Hz by the steady clock; it counts by the ROS clock.

    Where the clock goes back, because the arena has been started anew, everything begins again, under a higher epoch.
    A node that is killed and started again does the same: it lets nobody in before it knows who may be inside.

    **Seen to be away.** No service of ROS's own packages takes a name and says whether it was accepted, but that of
    parameters: so one robot is told by setting the parameter ``seen_clear`` to its name, with any tool, and a refusal
    says why. Who has looked at the whole crossing calls the service, which means all robots that have fallen silent.

    Topics:
        * ``/arena/crossing`` (std_msgs/String, reliable, keep last 50) [published]: scheduler, epoch, sequence, state,
          holders, done; 10 Hz, and on change
        * ``/arena/crossing`` [subscribed]: of another scheduler, to which the lower epoch gives way
        * ``/arena/crossing_request`` (the same type) [subscribed]: robot, epoch, sequence, request, stage, approach,
          movement, urgency, first, progress, waited, lease, scheduler, heard
        * ``/arena/crossing_claim`` (the same type and fields) [subscribed]
        * ``/diagnostics`` (diagnostic_msgs/DiagnosticArray) [published], 1 Hz

    Parameters:
        those of :class:`CrossingSchedulerParameters`, of :class:`~arena_trees.world.crossing.plan.CrossingParameters`
        under ``plan.`` and of :class:`~arena_trees.games.crossroads.protocol.ProtocolParameters` under ``times.``; and
        ``seen_clear``, which alone may be set while it runs

    Services:
        * ``~/seen_clear`` (std_srvs/Trigger): nobody who is silent is in the crossing or driving into it

    Raises:
        ConfigError: a parameter cannot be used, or the arena has no crossing
    """

    def __init__(self) -> None:
        super().__init__(_NAME)
        declare(self, CrossingSchedulerParameters, read_only=True)
        declare(self, CrossingParameters, "plan.", read_only=True)
        declare(self, ProtocolParameters, "times.", read_only=True)
        self._wanted = wanted = read(self, CrossingSchedulerParameters)
        self._times = read(self, ProtocolParameters, "times.")
        plan = require_crossing(wanted.arena).plan if wanted.arena else read(self, CrossingParameters, "plan.")
        self._plan = CrossingPlan(plan)
        self._timeline = RosTimeline(self)
        hears = (CROSSING_REQUEST_TOPIC, CROSSING_CLAIM_TOPIC, CROSSING_TOPIC)
        self._port = RosMessagePort(self, wanted.name, (CROSSING_TOPIC,), hears, wanted.game_namespace)
        self._last = 0
        self._epoch = 0
        self._told = ""
        self._scheduler = self._begin_anew()
        self._diagnostics = Diagnostics(self, _NAME)
        self.declare_parameter(_SEEN_CLEAR, "", ParameterDescriptor(description=_SEEN_CLEAR_TEXT), ignore_override=True)
        self.add_on_set_parameters_callback(self._on_set)
        self.create_service(Trigger, "~/seen_clear", self._on_seen_clear)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(_TICK_S, self._step, clock=steady)
        self.create_timer(1.0, self._report, clock=steady)

    def halt(self) -> None:
        """Let nobody in any more: leases run out by themselves, and who is inside finishes."""

    def _begin_anew(self) -> CrossingScheduler | SourceScheduler:
        wanted = self._wanted
        # A life may be shorter than a second, so milliseconds; and the wall clock may have been set back.
        self._epoch = max(self._epoch + 1, wanted.epoch or time.time_ns() // 1_000_000)
        if wanted.protocol == "source":
            return SourceScheduler(wanted.name, self._epoch, self._plan, self._times)
        return CrossingScheduler(wanted.name, self._epoch, self._plan, self._times, wanted.roster)

    def _step(self) -> None:
        now = self._timeline.now()
        if now == 0:
            return
        if now < self._last:
            self.get_logger().warning("the clock went back: the crossing begins again")
            self._scheduler = self._begin_anew()
        self._last = now
        payload = self._scheduler.step(now, self._port.receive())
        if payload is not None:
            self._port.send(CROSSING_TOPIC, payload)
            self._tell(payload["state"])

    def _tell(self, state: str) -> None:
        """Log a change of state."""
        if state != self._told:
            self._told = state
            self.get_logger().info(f"{self._wanted.name}, epoch {self._epoch}: {state}")

    def _clear(self, robot: str) -> None:
        """Take in that somebody has seen a robot to be away.

        Raises:
            ArenaTreesError: it may still enter on a lease, or the document's protocol is played, which knows no such
                thing
        """
        if not isinstance(self._scheduler, CrossingScheduler):
            raise ArenaTreesError("document 003's protocol waits for ever: start the scheduler anew")
        self._scheduler.seen_clear(self._timeline.now(), robot)
        self.get_logger().info(f"{robot} was seen to be away")

    def _on_set(self, parameters: list[Parameter]) -> SetParametersResult:
        try:
            for item in parameters:
                if item.name == _SEEN_CLEAR and item.value:
                    self._clear(item.value)
        except ArenaTreesError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _on_seen_clear(self, request: Any, response: Any) -> Any:
        silent = self._silent()
        try:
            for robot in silent:
                self._clear(robot)
        except ArenaTreesError as error:
            response.message = str(error)
            return response
        response.success = True
        response.message = f"seen to be away: {', '.join(silent)}" if silent else "nobody in the crossing is silent"
        return response

    def _silent(self) -> tuple[str, ...]:
        """Return the robots that hold the crossing and have fallen silent."""
        scheduler = self._scheduler
        if isinstance(scheduler, SourceScheduler):
            return ()
        return tuple(entry.claim.robot for entry in scheduler.closed(self._timeline.now()))

    def _report(self) -> None:
        scheduler, silent = self._scheduler, self._silent()
        now = self._timeline.now()
        if isinstance(scheduler, CrossingScheduler):
            state, missing, rivals = scheduler.state, scheduler.missing, scheduler.rivals
            queue = tuple(entry.claim.robot for _, entry in scheduler.queue(now))
        else:
            state, missing, rivals, queue = SchedulerState.OPEN, (), 0, scheduler.waiting
        message = state.value
        if state is SchedulerState.REBUILDING and missing:
            message += f", waits for {', '.join(missing)}"
        if silent:
            message += f", silent inside: {', '.join(silent)}"
        values = {
            "state": state.value,
            "epoch": str(self._epoch),
            "holders": ", ".join(entry.claim.robot for entry in scheduler.holders),
            "queue": ", ".join(queue),
            "silent": ", ".join(silent),
            "not yet answered": ", ".join(missing),
            "refused": str(scheduler.refused),
            "messages of other schedulers": str(rivals),
            "messages dropped": str(self._port.dropped),
            "clock [s]": f"{to_seconds(self._last):.2f}",
        }
        good = state is SchedulerState.OPEN and not silent
        self._diagnostics.publish(OK if good else WARN, message, values)


def main() -> None:
    """Run the node."""
    sys.exit(run(CrossingSchedulerNode))


if __name__ == "__main__":
    main()
