"""Replay: a recorded robot's sensors, fed to the same tree through the same loop, and its decisions compared."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise, repeat
from typing import Any

import py_trees
from py_trees.common import Status

from arena_trees.games.registry import find_role, game_of_role
from arena_trees.perception.supervisor import GeofenceSupervisor
from arena_trees.perception.writer import PerceptionBlackboardWriter
from arena_trees.recording.replaying.plan import ReplayPlan
from arena_trees.recording.replaying.port import RecordedMessages, RecordedPort
from arena_trees.recording.traces.encoder import PERIOD
from arena_trees.recording.traces.tick import Tick
from arena_trees.robot.clock import SECOND, to_seconds
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import ZERO, Twist2D
from arena_trees.robot.loop import RobotLoop
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.plain_values import plain_value
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.record import STATUS_CODES, TickRecord
from arena_trees.robot.ticking.tree import RobotTree
from arena_trees.robot.turret import TurretRates
from arena_trees.safety.gate import VelocityGate

__all__ = ["Divergence", "ReplayResult", "replay"]

_TOLERANCE = 1e-6
"""By how much (m/s, rad/s) two velocities may differ that count as equal."""

_OUTSIDE_TOLERANCE = 0.1
"""The same of a recording from outside: messages reached the recorder and the tree at different instants."""

_DIGITS = 1e-5
"""By what share two numbers of the blackboard may differ that count as equal: recordings keep six digits."""

_SILENCE = 2 * SECOND
"""Where no sensor publishes for so long (ns), a recording without ticks is played on from the next message."""

_NO_SENSORS = SECOND // 2
"""After so long (ns) without any message of a robot's sensors it is the recorder that received none."""

_LONGEST_GAP = 500
"""Ticks that are played in the place of missing ones, at most."""

_STATUSES = {code: Status(name) for name, code in STATUS_CODES.items()}


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where a replay first decided otherwise.

    Attributes:
        tick: number of the tick
        now: the robot's clock, ns
        differences: what is different, a phrase each
        recorded: the tree as it was then, drawn
        replayed: the tree as it is now, drawn
    """

    tick: int
    now: int
    differences: tuple[str, ...]
    recorded: str
    replayed: str


@dataclass(slots=True)
class ReplayResult:
    """What came of a replay.

    Attributes:
        plan: what was replayed
        ticks: that were played
        compared: of these, with recorded ones
        different: of these, how many decided otherwise
        without_sensors: ticks that were not compared: they differ, and nothing that the robot sensed then is recorded
        first: the first of them, or None
        reasons: ticks in which each reason of the gate acted; ``free`` where none did
        stands: ticks in which the robot was to stand, by the gate's reasons, or else by the leaf that decided it
        unexplained: ticks in which it stood for none of these reasons, or whose velocity is not finite
        leaves: ticks of each leaf that ran
        recorded_leaves: the same, as recorded
        distance: that the velocities would have driven, m
        recorded_distance: the same, as recorded
        refusals: readings that were refused, by sensor and reason
        fault: why the robot ended latched, or None
        notes: what is missing or was left out, a sentence each
    """

    plan: ReplayPlan
    ticks: int = 0
    compared: int = 0
    different: int = 0
    without_sensors: int = 0
    first: Divergence | None = None
    reasons: Counter[str] = field(default_factory=Counter)
    stands: Counter[str] = field(default_factory=Counter)
    unexplained: int = 0
    leaves: Counter[str] = field(default_factory=Counter)
    recorded_leaves: Counter[str] = field(default_factory=Counter)
    distance: float = 0.0
    recorded_distance: float = 0.0
    refusals: Mapping[str, int] = field(default_factory=dict)
    fault: str | None = None
    notes: list[str] = field(default_factory=list)


def replay(plan: ReplayPlan, tolerance: float | None = None) -> ReplayResult:
    """Replay a robot from the beginning of its recording to the end.

    Args:
        plan: what to replay
        tolerance: by how much (m/s, rad/s) velocities may differ that count as equal; where None,
            0.1 if the gate was a process of its own, else 1e-6
    """
    if tolerance is None:
        tolerance = _TOLERANCE if plan.gate_recorded else _OUTSIDE_TOLERANCE
    player = _Player(plan, tolerance)
    try:
        return player.play()
    finally:
        player.close()


class _Player:
    """Plays one robot."""

    def __init__(self, plan: ReplayPlan, tolerance: float) -> None:
        self._plan = plan
        self._tolerance = tolerance
        name = plan.robot.name
        messages: dict[tuple[str, int, int], Message] = {
            (message.sender, message.epoch, message.sequence): message for _, message in plan.recording.messages
        }
        self._port = RecordedPort(plan.robot, name)
        self._messages = None if plan.isolated else RecordedMessages(name, messages, self._port)
        self._live = live = Live(plan.parameters)
        supervisor = None
        if plan.fence is not None:
            supervisor = GeofenceSupervisor(plan.fence, parameters=plan.fence_parameters)
        role = find_role(plan.role)
        known = game_of_role(plan.role).messages
        self._writer = PerceptionBlackboardWriter(name, supervisor, subscribes=role.subscribes, known=known)
        streams = RandomStreams(plan.seed).child(f"robot.{name}")
        tree = RobotTree(plan.create_root(name, live, streams, **plan.given))
        gate = VelocityGate(plan.gate, plan.fence, plan.limits, plan.robot.body)
        self._loop = RobotLoop(self._port, self._messages, self._writer, tree, gate, between_ticks=live.swap)
        self._nodes = list(tree.root.iterate())
        self._feedback = [""] * len(self._nodes)
        self._blackboard: dict[str, Any] = {}
        self._result = ReplayResult(plan, notes=list(plan.notes))
        self._same_tree = [(n.name, type(n).__name__) for n in self._nodes] == [
            (n.name, n.kind) for n in plan.robot.tree
        ]
        self._unknown = {n.name for n in plan.robot.tree} - {n.name for n in self._nodes}

    def play(self) -> ReplayResult:
        """Play every tick."""
        if self._loop.configure():
            self._loop.activate()
        result = self._result
        if self._plan.robot.ticks and not self._same_tree:
            result.notes.append("the recorded tree is another one: statuses of its nodes are not compared")
        gone = sorted(self._unknown & {tick.active for tick in self._plan.robot.ticks})
        if gone:
            result.notes.append(f"leaves that the tree no longer has are not compared: {', '.join(gone)}")
        for now, tick in self._instants():
            self._port.go_to(now)
            if tick is not None:
                self._change_parameters(tick)
                if self._messages is not None:
                    self._messages.deliver(tick)
            record = self._loop.step()
            self._count(record)
            if tick is not None:
                self._compare(tick, record)
        if result.without_sensors:
            result.notes.append(
                f"{result.without_sensors} ticks are not compared: of what the robot sensed then, nothing is recorded"
            )
        result.fault = self._loop.fault
        result.refusals = dict(sorted(self._writer.refusals.items()))
        if self._messages is not None and self._messages.missing:
            result.notes.append(f"{self._messages.missing} messages that the robot heard are not in the recording")
        return result

    def close(self) -> None:
        """Take the robot off the blackboard."""
        self._loop.close()

    def _change_parameters(self, tick: Tick) -> None:
        """Change the parameters that were changed before a tick; those that the replay sets otherwise stay."""
        plan = self._plan
        changes = {key: value for key, value in tick.parameters.items() if key not in plan.changes}
        if changes and plan.role == plan.robot.role:
            try:
                self._live.propose(changes)
            except ConfigError as error:
                self._result.notes.append(f"changed parameters are left as they were: {error}")

    def _instants(self) -> Iterator[tuple[int, Tick | None]]:
        """Give the instants to play (ns), each with its recorded tick; ticks that are missing are played without."""
        ticks = self._plan.robot.ticks
        if not ticks:
            yield from self._instants_of_sensors()
            return
        if ticks[0].number > 0:
            self._result.notes.append(f"the first {ticks[0].number} ticks are missing: the replay begins afresh")
        last, missing = ticks[0], 0
        for tick in ticks:
            missing += max(0, tick.number - last.number - 1)
            # Of a long gap nobody knows what the tree made of it.
            for number in range(1, min(tick.number - last.number, _LONGEST_GAP)):
                now = last.now + number * PERIOD
                if now < tick.now:
                    yield now, None
            yield tick.now, tick
            last = tick
        if missing:
            self._result.notes.append(f"{missing} ticks are missing, and were played without a comparison")
        restarts = sum(after.number <= before.number for before, after in pairwise(ticks))
        if restarts:
            self._result.notes.append(f"the tree was begun anew {restarts} times; the replay was not")

    def _instants_of_sensors(self) -> Iterator[tuple[int, None]]:
        """Give an instant every tick, from the first message to the last, less the silences."""
        now, left_out, newest = self._port.next_seen(), 0, None
        while now is not None:
            yield now, None
            upcoming = self._port.next_seen()
            if upcoming is None:
                break
            newest = now if newest is None or upcoming <= now + PERIOD else newest
            if upcoming > now + PERIOD and now - newest >= _SILENCE:
                left_out += 1
                now = newest = upcoming
            else:
                now += PERIOD
        if left_out:
            self._result.notes.append(f"{left_out} silences of all sensors, longer than 2 s, were left out")

    def _count(self, record: TickRecord) -> None:
        result, twist, command = self._result, record.twist, record.command
        result.ticks += 1
        result.reasons.update(record.reasons or ("free",))
        result.leaves[record.active or "none"] += 1
        result.distance += abs(twist.linear) * to_seconds(PERIOD)
        if twist == ZERO and (record.reasons or command == ZERO):
            result.stands[", ".join(record.reasons) or f"wanted by {record.active or 'none'}"] += 1
        elif twist == ZERO or not twist.is_finite:
            result.unexplained += 1

    def _compare(self, tick: Tick, record: TickRecord) -> None:
        result = self._result
        result.compared += 1
        result.recorded_leaves[tick.active or "none"] += 1
        result.recorded_distance += abs(tick.twist.linear) * to_seconds(PERIOD)
        for index, text in tick.feedback.items():
            if index < len(self._feedback):
                self._feedback[index] = text
        self._blackboard.update(tick.blackboard)
        differences = self._differences(tick, record)
        if not differences:
            return
        newest = self._port.newest_seen()
        if newest is None or tick.now - newest > _NO_SENSORS:
            # The recorder began late, or was held up: what the tree knew is not known.
            result.compared -= 1
            result.without_sensors += 1
            return
        result.different += 1
        if result.first is None:
            result.first = Divergence(
                tick.number, tick.now, tuple(differences), self._drawn(tick), self._draw(record.blackboard)
            )

    def _differences(self, tick: Tick, record: TickRecord) -> list[str]:
        found = []
        pairs: list[tuple[str, object, object]] = [
            ("leaf", tick.active, tick.active if tick.active in self._unknown else record.active),
            ("fault", tick.fault, record.fault),
            ("cues", ", ".join(tick.cues), ", ".join(record.cues)),
        ]
        velocities: list[tuple[str, Twist2D | TurretRates | None, Twist2D | TurretRates | None]] = [
            ("command", tick.command, record.command),
            ("aim", tick.aim, record.aim),
        ]
        pairs.append(("trigger", tick.trigger, record.trigger))
        if self._plan.gate_recorded:
            pairs.append(("reasons", ", ".join(tick.reasons), ", ".join(record.reasons)))
            pairs.append(("fired", tick.fired, record.fired))
            velocities += [("twist", tick.twist, record.twist), ("turret", tick.turret, record.turret)]
        for name, before, after in pairs:
            if before != after:
                found.append(f"{name} {before or 'none'!s}, now {after or 'none'!s}")
        for name, velocity, other in velocities:
            if not self._equal(velocity, other):
                found.append(f"{name} {_shown(velocity)}, now {_shown(other)}")
        # A bag of a robot has other instants of arrival than the robot had, and numbers follow from them.
        tolerance = self._tolerance if self._plan.gate_recorded else math.inf
        for key in sorted(tick.blackboard.keys() & record.blackboard.keys()):
            recorded, replayed = tick.blackboard[key], plain_value(record.blackboard[key])
            if not _alike(recorded, replayed, tolerance):
                found.append(f"blackboard {key} {recorded}, now {replayed}")
        if self._same_tree:
            statuses = zip(self._nodes, tick.statuses, record.statuses, strict=True)
            found += [
                f"{node.name!r} {_STATUSES[before].value}, now {_STATUSES[after].value}"
                for node, before, after in statuses
                if before != after
            ]
        return found

    def _equal(self, velocity: Twist2D | TurretRates | None, other: Twist2D | TurretRates | None) -> bool:
        if velocity is None or other is None:
            return velocity is other
        return math.dist(_numbers(velocity), _numbers(other)) <= self._tolerance

    def _draw(self, blackboard: Mapping[str, Any]) -> str:
        drawn: str = py_trees.display.unicode_tree(self._loop.tree.root, show_status=True)
        values = [f"{key}: {plain_value(value)}" for key, value in sorted(blackboard.items())]
        return "\n".join([drawn.rstrip(), *values]) + "\n"

    def _drawn(self, tick: Tick) -> str:
        """Return the tree with its recorded state, drawn: the current state is saved and restored."""
        if not self._same_tree:
            return ""
        now = [(node.status, node.feedback_message) for node in self._nodes]
        for node, code, text in zip(self._nodes, tick.statuses, self._feedback, strict=True):
            node.status, node.feedback_message = _STATUSES[code], text
        try:
            return self._draw(self._blackboard)
        finally:
            for node, (status, text) in zip(self._nodes, now, strict=True):
                node.status, node.feedback_message = status, text


def _alike(recorded: Any, replayed: Any, tolerance: float) -> bool:
    """Return whether two plain values are equal, but for the digits that a recording leaves out.

    With an infinite tolerance any numbers are.
    """
    if tolerance == math.inf and type(recorded) in (int, float) and type(replayed) in (int, float):
        return True
    if isinstance(recorded, list) and isinstance(replayed, list):
        return len(recorded) == len(replayed) and all(map(_alike, recorded, replayed, repeat(tolerance)))
    if isinstance(recorded, dict) and isinstance(replayed, dict):
        same_keys = recorded.keys() == replayed.keys()
        return same_keys and all(_alike(value, replayed[key], tolerance) for key, value in recorded.items())
    if type(recorded) is float and type(replayed) is float:
        return math.isclose(recorded, replayed, rel_tol=_DIGITS, abs_tol=tolerance)
    return type(recorded) is type(replayed) and bool(recorded == replayed)


def _numbers(velocity: Twist2D | TurretRates) -> tuple[float, float]:
    if isinstance(velocity, TurretRates):
        return velocity.yaw, velocity.pitch
    return velocity.linear, velocity.angular


def _shown(velocity: Twist2D | TurretRates | None) -> str:
    if velocity is None:
        return "none"
    units = ("rad/s", "rad/s") if isinstance(velocity, TurretRates) else ("m/s", "rad/s")
    return " ".join(f"{number:+.6f} {unit}" for number, unit in zip(_numbers(velocity), units, strict=True))
