"""The robot loop: read, write percepts, tick, gate, drive, record; the same in the arena, on ROS and in replay."""

from __future__ import annotations

import enum
import traceback
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import py_trees
from py_trees.common import Status

from arena_trees.robot import keys
from arena_trees.robot.errors import ArenaTreesError, CommandConflictError, format_error
from arena_trees.robot.geometry import ZERO, Twist2D
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.percepts import Cue, Percepts, Readings
from arena_trees.robot.ports import CommandGate, GateDecision, MessagePort, PerceptionWriter, RobotPort
from arena_trees.robot.record import STATUS_CODES, TickRecord
from arena_trees.robot.ticking.board_client import BoardClient
from arena_trees.robot.ticking.containment import TickWatch, failing_behaviour, place, stop_every_behaviour
from arena_trees.robot.ticking.tree import check_reads, written_keys
from arena_trees.robot.turret import TurretRates

__all__ = ["LoopState", "RobotLoop"]


class LoopState(enum.Enum):
    """Where a robot loop is in its life, after ROS 2's managed nodes."""

    UNCONFIGURED = "UNCONFIGURED"
    INACTIVE = "INACTIVE"
    ACTIVE = "ACTIVE"
    FINALISED = "FINALISED"


_ACTIVE, _RUNNING = LoopState.ACTIVE, Status.RUNNING
"""Asked for several times in each tick, which takes long in Python 3.11 where the enumeration's class is asked."""


class RobotLoop:
    """Runs one tree for one robot.

    An exception in any behaviour stops every behaviour of the tree, latches the gate at zero
    and names the reason; nothing escapes to the robots that share the process.

    Attributes:
        readings: what the newest tick began with
        percepts: what was made of that
        fault_place: file and line of a user's own behaviour that raised, such as ``mine.py:12``; None without one
        fault_traceback: of that exception, as Python prints it; empty without one

    Args:
        port: the robot
        messages: the robot's line to the rules and other robots; None when it runs isolated
        writer: turns readings into percepts
        tree: the robot's tree, not yet set up
        gate: the last word on what is driven
        between_ticks: called before each tick, to swap live parameters in; may return those changed, by key
        publishes: what the tree may send; a message of another kind latches the robot. None allows each

    Raises:
        ConfigError: a node of the tree reads a key that nothing writes
    """

    def __init__(
        self,
        port: RobotPort,
        messages: MessagePort | None,
        writer: PerceptionWriter,
        tree: py_trees.trees.BehaviourTree,
        gate: CommandGate,
        between_ticks: Callable[[], Mapping[str, Any] | None] | None = None,
        publishes: Iterable[type[GameMessage]] | None = None,
    ) -> None:
        self.port = port
        self.messages = messages
        self.writer = writer
        self.tree = tree
        self.gate = gate
        self.state = LoopState.UNCONFIGURED
        self.ticks = 0
        self.readings = Readings(0)
        self.percepts = Percepts(0)
        self._between_ticks = between_ticks
        self._changes: Mapping[str, Any] = {}
        self._publishes = None if publishes is None else frozenset(publishes)
        self.fault_place: str | None = None
        self.fault_traceback = ""
        self._fault: str | None = None
        self._decided = ""
        self._nodes: tuple[py_trees.behaviour.Behaviour, ...] = tuple(tree.root.iterate())
        check_reads(self._nodes, port.name)
        self._outputs = BoardClient(f"{port.name} loop", keys.namespace(port.name), writes=keys.OUTPUTS)
        self._keys = {key: f"{keys.namespace(port.name)}/{key}" for key in keys.OUTPUTS}
        self._kept: dict[str, str] = {}
        self._watch = TickWatch(self._keys[keys.COMMAND])
        tree.add_visitor(self._watch)
        self._clear_outputs()

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self.port.name

    @property
    def fault(self) -> str | None:
        """Why the robot is latched at zero, or None."""
        return self._fault or self.gate.latched

    def configure(self, **kwargs: Any) -> bool:
        """Set the tree up. On an exception the robot is latched, with its reason; return whether it went well.

        Raises:
            ArenaTreesError: the loop is active or closed
        """
        if self.state not in (LoopState.UNCONFIGURED, LoopState.INACTIVE):
            raise ArenaTreesError(f"{self.name}: cannot configure a loop that is {self.state.value}")
        for node in self._nodes:
            try:
                node.setup(**kwargs)
            except Exception as error:
                self._note(error)
                self._latch(f"{node.name}: setup raised {format_error(error)}")
                return False
            if self._output(keys.COMMAND) is not None:
                self._latch(f"{node.name}: wrote a command in setup")
                return False
        self._kept = written_keys(self._nodes, self.name)
        self.state = LoopState.INACTIVE
        return True

    def activate(self) -> None:
        """Begin to tick. Never clears a latch.

        Raises:
            ArenaTreesError: the loop is not configured
        """
        if self.state not in (LoopState.INACTIVE, LoopState.ACTIVE):
            raise ArenaTreesError(f"{self.name}: cannot activate a loop that is {self.state.value}")
        self.state = LoopState.ACTIVE

    def deactivate(self) -> None:
        """Stop every behaviour and stand still; :meth:`step` then drives zero."""
        if self.state is LoopState.ACTIVE:
            self.state = LoopState.INACTIVE
        self._stop_behaviours()

    def _stop_behaviours(self) -> None:
        failures = stop_every_behaviour(self.tree.root)
        if failures:
            self._latch("; ".join(failures))

    def reset(self) -> None:
        """Clear a latch, deliberately. The robot is left inactive: it does not start by itself."""
        self._fault = self.fault_place = None
        self.fault_traceback = ""
        self.gate.reset()
        self.deactivate()

    def close(self) -> None:
        """Shut the tree down and remove the robot's keys from the blackboard."""
        if self.state is LoopState.FINALISED:
            return
        stop_every_behaviour(self.tree.root)
        for node in self._nodes:
            try:
                node.shutdown()
            except Exception as error:
                self._fault = self._fault or f"{node.name}: shutdown raised {format_error(error)}"
        for node in self._nodes:
            for client in node.blackboards:
                client.unregister(clear=True)
        self.writer.close()
        self._outputs.unregister(clear=True)
        self.tree.visitors.remove(self._watch)
        self.state = LoopState.FINALISED

    def step(self) -> TickRecord:
        """Run one tick and return its account."""
        readings = self.readings = self.port.read()
        received: tuple[Message, ...] = () if self.messages is None else tuple(self.messages.receive())
        try:
            percepts = self.writer.write(readings, received)
        except Exception as error:
            percepts = Percepts(readings.now)
            self._latch(f"perception raised {format_error(error)}")
        if percepts.now < self.percepts.now:
            # The clock went back. What waits for an instant of that other time would wait until it comes again.
            self._stop_behaviours()
        self.percepts = percepts
        self._clear_outputs()
        self._changes = {}
        if self.state is _ACTIVE and self.fault is None:
            self._tick()
        trusted = self.state is _ACTIVE and self.fault is None
        command: Twist2D | None = self._output(keys.COMMAND) if trusted else None
        aim: TurretRates | None = self._output(keys.AIM) if trusted else None
        trigger = trusted and self._output(keys.FIRE) is True
        decision = self._decide(percepts, command, aim, trigger)
        if decision.latched is not None:
            self._latch(decision.latched)
        self.port.drive(decision.twist)
        self.port.aim(decision.turret)
        if decision.fire:
            self.port.fire()
        sent, cues = self._deliver() if trusted else ((), ())
        record = TickRecord(
            robot=self.name,
            tick=self.ticks,
            now=percepts.now,
            sequences=percepts.sequences(),
            received=received,
            sent=sent,
            command=command,
            twist=decision.twist,
            reasons=decision.reasons,
            statuses=bytes([STATUS_CODES[node.status._value_] for node in self._nodes]),
            active=self._active(),
            cues=cues,
            tracking=self._output(keys.TRACKING) if trusted else None,
            fault=self.fault,
            aim=aim,
            turret=decision.turret,
            trigger=trigger,
            fired=decision.fire,
            blackboard=self._blackboard(),
            parameters=self._changes,
            pose=percepts.pose,
        )
        self.ticks += 1
        return record

    def _tick(self) -> None:
        """Tick the tree once; latch on an exception, on a status that is none, on a command that is no velocity."""
        try:
            if self._between_ticks is not None:
                self._changes = self._between_ticks() or {}
            self.tree.tick()
        except Exception as error:
            reason = f"{failing_behaviour(error)} raised {format_error(error)}"
            if isinstance(error, CommandConflictError):
                reason += f" by {self._watch.author or 'itself'}"
            self._note(error)
            self._latch(reason)
            return
        watch = self._watch
        if watch.invalid is not None:
            self._latch(f"{watch.invalid} returned no valid status")
            return
        command = self._output(keys.COMMAND)
        if command is not None and not (isinstance(command, Twist2D) and command.is_finite):
            self._latch(f"{watch.author} commanded {command}")
        aim = self._output(keys.AIM)
        if aim is not None and not (isinstance(aim, TurretRates) and aim.is_finite):
            self._latch(f"the tree aimed {aim}")

    def _note(self, error: Exception) -> None:
        """Keep where a user's own behaviour raised."""
        self.fault_place = place(error)
        if self.fault_place is not None:
            self.fault_traceback = "".join(traceback.format_exception(error))

    def _decide(
        self, percepts: Percepts, command: Twist2D | None, aim: TurretRates | None, trigger: bool
    ) -> GateDecision:
        """Ask the gate; zero where it fails."""
        try:
            return self.gate.decide(percepts, command, self._fault, aim, trigger)
        except Exception as error:
            self._latch(f"velocity gate raised {format_error(error)}")
            return GateDecision(ZERO, ("latched",), self._fault)

    def _latch(self, reason: str) -> None:
        """Stop every behaviour, once, and remember the first reason."""
        if self._fault is not None:
            return
        self._fault = reason
        self._clear_outputs()
        failures = stop_every_behaviour(self.tree.root)
        if failures:
            self._fault += f"; while stopping: {'; '.join(failures)}"

    def _clear_outputs(self) -> None:
        # Six keys in each tick of each robot: the client's own access would take longer than the gate.
        storage = py_trees.blackboard.Blackboard.storage
        storage[self._keys[keys.COMMAND]] = None
        storage[self._keys[keys.AIM]] = None
        storage[self._keys[keys.FIRE]] = False
        storage[self._keys[keys.TRACKING]] = None
        storage[self._keys[keys.CUES]] = []
        storage[self._keys[keys.OUTBOX]] = []

    def _output(self, key: str) -> Any:
        return py_trees.blackboard.Blackboard.storage.get(self._keys[key])

    def _blackboard(self) -> dict[str, Any]:
        read = py_trees.blackboard.Blackboard.storage.get
        return {key: read(absolute) for key, absolute in self._kept.items()}

    def _deliver(self) -> tuple[tuple[Message, ...], tuple[str, ...]]:
        """Send the outbox and show the cues of this tick."""
        outbox: list[GameMessage] = self._output(keys.OUTBOX)
        cues: list[Cue] = self._output(keys.CUES)
        sent: list[Message] = []
        shown: list[str] = []
        try:
            if self.messages is not None:
                for message in outbox:
                    if self._publishes is not None and type(message) not in self._publishes:
                        raise ArenaTreesError(f"topic {message.topic!r} is none that the role publishes")
                    sent.append(self.messages.send(message.topic, message.encode()))
            for cue in cues:
                self.port.cue(cue)
                shown.append(cue.event)
        except Exception as error:
            self._latch(f"sending messages or cues raised {format_error(error)}")
        return tuple(sent), tuple(shown)

    def _active(self) -> str:
        """Return the name of the running leaf, or in a tick without one of the leaf that ran last."""
        if self.state is not _ACTIVE:
            return str(self.state.value)
        if self.fault is not None:
            return "LATCHED"
        for node in self._nodes:
            if node.status is _RUNNING and not node.children:
                self._decided = str(node.name)
                break
        return self._decided
