"""The referee node: one round of wolf and rabbit after another, over ROS."""

from __future__ import annotations

import sys
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from std_srvs.srv import Trigger

from arena_trees.games.wolf_rabbit.referee import CLAIM_TOPIC, GAME_TOPIC, Referee, RefereeParameters
from arena_trees.nodes.diagnostics import OK, WARN, Diagnostics
from arena_trees.nodes.message_port import RosMessagePort
from arena_trees.nodes.parameters import declare, read
from arena_trees.nodes.process import run
from arena_trees.nodes.timelines import RosTimeline
from arena_trees.nodes.witness import PoseWitness, Source, pose_sources
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.parameters import Parameters, parameter
from arena_trees.robot.percepts import GamePhase
from arena_trees.world.arenas import require_fence

__all__ = ["RefereeNode", "RefereeNodeParameters", "main"]

_TICK_S = 0.02
_NAME = "referee"


class RefereeNodeParameters(Parameters):
    """Who plays, where, and how the referee sees it; the rules are :class:`RefereeParameters`."""

    wolf: str = parameter("wolf", "name of the robot whose claims count")
    rabbit: str = parameter("rabbit", "name of the robot that is caught")
    arena: str = parameter(..., "arena file, or name of a shipped arena, that holds both robots' fences")
    witness: Source = parameter(
        "ground_truth", "where poses come from: the simulated arena's truth, or each robot's tf"
    )
    pose_timeout: float = parameter(0.5, "age above which a pose says nothing", "s", gt=0, le=10)
    autostart: bool = parameter(True, "begin the first round by itself once both poses are known")
    game_namespace: str = parameter("/arena", "where the game's topics are")


class RefereeNode(Node):
    """Judges catch claims, and tells everybody the state of the game.

    Where the clock goes back, because the arena has been started anew, everything begins again.

    Topics:
        * ``/arena/game`` (std_msgs/String, reliable, keep last 50) [published]: the state of the game, 10 Hz
        * ``/arena/catch_claim`` (std_msgs/String, reliable, keep last 50) [subscribed]
        * those of :func:`~arena_trees.nodes.witness.pose_sources` [subscribed]
        * ``/diagnostics`` (diagnostic_msgs/DiagnosticArray) [published], 1 Hz

    Parameters:
        those of :class:`RefereeNodeParameters` and of :class:`~arena_trees.games.wolf_rabbit.referee.RefereeParameters`

    Services:
        * ``~/start_round`` (std_srvs/Trigger): begin the next round
        * ``~/abort`` (std_srvs/Trigger): end the round without a winner

    Raises:
        ConfigError: a parameter cannot be used, or the arena lacks a fence
    """

    def __init__(self) -> None:
        super().__init__(_NAME)
        declare(self, RefereeNodeParameters, read_only=True)
        declare(self, RefereeParameters, read_only=True)
        self._wanted = wanted = read(self, RefereeNodeParameters)
        if wanted.wolf == wanted.rabbit:
            raise ConfigError("must be another robot than the wolf", key="rabbit", value=wanted.rabbit)
        fence, own_fence = (require_fence(wanted.arena, robot) for robot in (wanted.wolf, wanted.rabbit))
        self._timeline = RosTimeline(self)
        sources = pose_sources(self, self._timeline, (wanted.wolf, wanted.rabbit), wanted.witness)
        self._witness = PoseWitness(sources, fence, own_fence, self._timeline, wanted.pose_timeout)
        self._port = RosMessagePort(self, _NAME, (GAME_TOPIC,), (CLAIM_TOPIC,), wanted.game_namespace)
        self._begin_anew()
        self._diagnostics = Diagnostics(self, _NAME)
        self.create_service(Trigger, "~/start_round", self._on_start)
        self.create_service(Trigger, "~/abort", self._on_abort)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(_TICK_S, self._step, clock=steady)
        self.create_timer(1.0, self._report, clock=steady)

    def halt(self) -> None:
        """End the round: nobody is left to judge it."""
        now = self._timeline.now()
        self._referee.abort(now, "the referee was stopped")
        self._send(now)

    def _begin_anew(self) -> None:
        wanted = self._wanted
        self._referee = Referee(wanted.wolf, wanted.rabbit, self._witness, read(self, RefereeParameters))
        self._waits = wanted.autostart
        self._last = 0
        self._judged = 0
        self._ended = 0

    def _step(self) -> None:
        now = self._timeline.now()
        if now < self._last:
            self.get_logger().warning("the clock went back: the game begins again")
            self._begin_anew()
        self._last = now
        if self._waits and now > 0 and not self._witness.missing():
            self._start(now)
        self._send(now)
        self._tell()

    def _start(self, now: int) -> None:
        self._waits = False
        self._referee.start_round(now)
        self.get_logger().info(f"round {self._referee.round} begins")

    def _send(self, now: int) -> None:
        payload = self._referee.step(now, self._port.receive())
        if payload is not None:
            self._port.send(GAME_TOPIC, payload)

    def _tell(self) -> None:
        """Log what has been judged since the last time."""
        referee = self._referee
        for judgement in referee.judgements[self._judged :]:
            verdict = "accepted" if judgement.accepted else "refused"
            self.get_logger().info(f"claim {judgement.claim} at {judgement.distance:.2f} m: {verdict}")
        self._judged = len(referee.judgements)
        if referee.outcome is not None and self._ended < referee.round:
            self._ended = referee.round
            self.get_logger().info(f"round {referee.round}: {referee.outcome.value} ({referee.reason})")

    def _on_start(self, request: Any, response: Any) -> Any:
        missing = self._witness.missing()
        response.success = self._referee.phase is not GamePhase.ACTIVE and not missing
        if response.success:
            self._start(self._timeline.now())
            response.message = f"round {self._referee.round} begins"
        else:
            response.message = f"no pose of {', '.join(missing)}" if missing else "a round is being played"
        return response

    def _on_abort(self, request: Any, response: Any) -> Any:
        response.success = self._referee.phase is GamePhase.ACTIVE
        response.message = f"round {self._referee.round} ends" if response.success else "no round is being played"
        self._referee.abort(self._timeline.now(), "somebody asked for it")
        return response

    def _report(self) -> None:
        referee, missing = self._referee, self._witness.missing()
        message = f"round {referee.round}: {referee.phase.value}"
        if missing:
            message += f", no pose of {', '.join(missing)}"
        values = {
            "phase": referee.phase.value,
            "round": str(referee.round),
            "reason": referee.reason,
            "claims judged": str(len(referee.judgements)),
            "claims refused": str(referee.refused),
            "messages dropped": str(self._port.dropped),
            "clock [s]": f"{to_seconds(self._last):.2f}",
        }
        self._diagnostics.publish(WARN if missing else OK, message, values)


def main() -> None:
    """Run the node."""
    sys.exit(run(RefereeNode))


if __name__ == "__main__":
    main()
