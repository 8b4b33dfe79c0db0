"""The base of every leaf that reads percepts, and of every leaf that moves a robot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import py_trees
from py_trees.common import Status

from arena_trees.robot import keys
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.errors import AimConflictError, CommandConflictError
from arena_trees.robot.geometry import Twist2D
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.robot.percepts import Cue, Tracking
from arena_trees.robot.ticking.board_client import BoardClient
from arena_trees.robot.ticking.tree_executor import ticks_as_a_behaviour
from arena_trees.robot.turret import TurretRates

__all__ = ["ActionBehaviour", "PerceptBehaviour"]


class PerceptBehaviour(py_trees.behaviour.Behaviour):
    """A leaf that reads percepts of one robot.

    A subclass reads ``self.percepts.<key>`` for the keys it names.

    Blackboard Variables:
        * every name in ``reads`` [r] and in ``writes`` [w], under ``/<robot>/``

    Args:
        name: short human phrase; it is what tree viewers show
        robot: the robot's name
        reads: keys, from :mod:`arena_trees.robot.keys` or the game's own; ``now`` is always among them
        writes: keys that the leaf writes, as ``self.outputs.<key>``: frozen values, which recordings keep
    """

    outputs: BoardClient
    optional_reads: tuple[str, ...] = ()
    """Declared keys that the leaf does without where nothing in its tree writes them."""

    def __init__(self, name: str, robot: str, reads: tuple[str, ...] = (), writes: tuple[str, ...] = ()) -> None:
        super().__init__(name)
        self.robot = robot
        namespace = keys.namespace(robot)
        self.percepts = BoardClient(name, namespace, (keys.NOW, *reads))
        self.blackboards.append(self.percepts)
        if writes:
            self.outputs = BoardClient(f"{name} outputs", namespace, writes=writes)
            self.blackboards.append(self.outputs)

    # What py_trees' own tick() and stop() do, less the log lines that they put together even when nobody
    # reads them: a third of the time of a whole tree's tick.

    @ticks_as_a_behaviour
    def tick(self) -> Iterator[py_trees.behaviour.Behaviour]:
        """Tick once; a status that is none becomes INVALID."""
        if self.status is not Status.RUNNING:
            self.initialise()
        new_status = self.update()
        if not isinstance(new_status, Status):
            new_status = Status.INVALID  # type: ignore[unreachable]
        if new_status is not Status.RUNNING:
            self.stop(new_status)
        self.status = new_status
        yield self

    def stop(self, new_status: Status) -> None:
        """End with a status."""
        self.terminate(new_status)
        self.status = new_status

    @property
    def now(self) -> int:
        """Robot's clock at this tick, ns."""
        now: int = self.percepts.now
        return now

    def within(self, since: int | None, seconds: float) -> bool:
        """Return whether less than so long has passed since an instant (ns).

        False where there was none, or where the clock has gone back behind it.
        """
        return since is not None and 0 <= self.now - since < from_seconds(seconds)

    def fresh(self, percept: Any, max_age_s: float) -> bool:
        """Return whether a percept has come and is not older than the given age (s)."""
        return percept is not None and percept.age(self.now) <= from_seconds(max_age_s)


class ActionBehaviour(PerceptBehaviour):
    """A leaf that may command the base, show cues and send messages.

    Blackboard Variables:
        * every name in ``reads`` [r] and in ``writes`` [w]
        * command (:class:`~arena_trees.robot.geometry.Twist2D`) [w]: what the base shall do in this tick
        * aim (:class:`~arena_trees.robot.turret.TurretRates`) [w]: what the turret shall do in this tick
        * fire (bool) [w]: whether the weapon fires in this tick
        * cues (list of :class:`~arena_trees.robot.percepts.Cue`) [w]: lights and sounds
        * outbox (list of :class:`~arena_trees.robot.messaging.game_message.GameMessage`) [w]: messages to send
          after the tick
        * tracking (:class:`~arena_trees.robot.percepts.Tracking`) [w]: account of a chase
    """

    def __init__(self, name: str, robot: str, reads: tuple[str, ...] = (), writes: tuple[str, ...] = ()) -> None:
        super().__init__(name, robot, reads, (*keys.OUTPUTS, *writes))

    def drive(self, linear: float, angular: float) -> None:
        """Command the base for this tick, m/s and rad/s.

        Raises:
            CommandConflictError: another behaviour has commanded it in this tick
            ValueError: a speed is NaN or infinite
        """
        twist = Twist2D(linear, angular)
        if not twist.is_finite:
            raise ValueError(f"the command is not finite: {twist}")
        if self.outputs.command is not None:
            raise CommandConflictError("the command of this tick is already written")
        self.outputs.command = twist

    def aim(self, yaw: float, pitch: float = 0.0) -> None:
        """Turn the turret in this tick, rad/s relative to the base.

        Raises:
            AimConflictError: another behaviour has aimed in this tick
            ValueError: a rate is NaN or infinite
        """
        rates = TurretRates(yaw, pitch)
        if not rates.is_finite:
            raise ValueError(f"the turret's rates are not finite: {rates}")
        if self.outputs.aim is not None:
            raise AimConflictError("the turret of this tick is already aimed")
        self.outputs.aim = rates

    def fire(self) -> None:
        """Fire the weapon in this tick, if the velocity gate lets it."""
        self.outputs.fire = True

    def show(self, event: str) -> None:
        """Show or sound an event, such as CATCH, once."""
        self.outputs.cues.append(Cue(event))

    def send(self, message: GameMessage) -> None:
        """Send a message after this tick; the robot's role must publish it."""
        self.outputs.outbox.append(message)

    def track(self, tracking: Tracking) -> None:
        """Leave an account of the chase for metrics and recordings."""
        self.outputs.tracking = tracking
