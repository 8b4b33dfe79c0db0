"""How a tree and its ticks are written on the topics ``tree`` and ``ticks``: JSON in a ``std_msgs/String``.

A tick is a line; a message may hold several. It holds what changed since the tick before, so that a quiet tick
takes some twenty bytes; each :data:`WHOLE_EVERY`-th tick is whole, so that a reader can begin anywhere and loses
little where one is missing. Keys that are absent are as they were, except ``cues``, ``received``, ``parameters``,
``trigger`` and ``fired``, which are events, and ``now``, which is :data:`PERIOD` later. Velocities have nine
digits, pixels two decimals. Values of the blackboard are those of :mod:`~arena_trees.robot.plain_values`; one of
which only numbers change is written :data:`NUMBERS_EVERY` ticks after it was written last, at the earliest, but for
what a role names as its estimates: a judge compares these with the truth, at each tick.

==============  =======================================================================================
``tick``        number of the tick
``now``         the robot's clock, ns
``whole``       true where nothing is left out
``statuses``    two hexadecimal digits a node, in the order of ``root.iterate()``:
                00 INVALID, 01 RUNNING, 02 SUCCESS, 03 FAILURE
``active``      name of the running leaf
``command``     what the tree asked for: [m/s, rad/s], or null
``twist``       what the gate let through: [m/s, rad/s]
``reasons``     why the gate changed it
``fault``       why the gate is latched, or null
``sequences``   of the percepts that :func:`~arena_trees.robot.percepts.sequence_names` names; a text has a digit
                each, by how much it grew
``aim``         what the tree asked of the turret: [yaw rad/s, pitch rad/s], or null, as where it is absent in
                a whole tick
``turret``      what the gate let through: [yaw rad/s, pitch rad/s]; zero where it is absent in a whole tick
``trigger``     true where the tree fired
``fired``       true where the gate let it
``feedback``    index of a node to its feedback message, for those that changed
``pose``        where the robot took itself to be: [x m, y m, yaw rad, ns since its stamp, ns since it arrived] in the
                map frame, or null; left out by whoever writes the poses themselves
``tracking``    what the chase knew, in the order of the fields of ``Tracking``, or null
``cues``        shown in this tick
``received``    messages that came in before it: [sender, epoch, sequence] each
``blackboard``  key to value, for those keys that the tree writes and whose value changed
``parameters``  key to value, for those parameters of the tree that were changed before this tick
==============  =======================================================================================
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from functools import lru_cache
from operator import attrgetter, sub
from typing import Any, NamedTuple

import py_trees

from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Twist2D
from arena_trees.robot.percepts import PoseEstimate, Tracking
from arena_trees.robot.plain_values import plain_value, without_numbers
from arena_trees.robot.record import TickRecord
from arena_trees.robot.turret import STEADY, TurretRates

__all__ = ["NUMBERS_EVERY", "PERIOD", "TICKS", "TREE", "WHOLE_EVERY", "TickEncoder", "encode_tree"]

TICKS = "ticks"
"""Topic of the ticks, in the robot's namespace."""

TREE = "tree"
"""Topic of the tree, in the robot's namespace; published once, transient local."""

WHOLE_EVERY = 50
"""Ticks from one whole tick to the next."""

NUMBERS_EVERY = 10
"""Ticks from one value of the blackboard to the next of which only numbers are different, at least."""

PERIOD = SECOND // 50
"""From tick to tick where nothing else is given, ns."""

_pixels = attrgetter("raw_px", "filtered_px", "velocity_px", "predicted_px")


def encode_tree(root: py_trees.behaviour.Behaviour) -> str:
    """Return a tree's nodes, in the order of ``root.iterate()``, as the text of the topic ``tree``."""
    nodes = list(root.iterate())
    index = {id(node): number for number, node in enumerate(nodes)}
    values = [[node.name, type(node).__name__, index.get(id(node.parent), -1)] for node in nodes]
    return _compact({"nodes": values})


class _Written(NamedTuple):
    """A value of the blackboard as it was written last: the value, its steady part, and the tick."""

    value: Any
    rest: Any
    tick: int


class TickEncoder:
    """Writes one robot's ticks, each as the change from the tick before.

    Args:
        estimates: keys of the blackboard of which every change is written
        poses: whether poses are written; whoever records from outside receives other ones, or at another time
    """

    def __init__(self, estimates: Collection[str] = (), poses: bool = False) -> None:
        self._estimates = estimates
        self._poses = poses
        self._since_whole = WHOLE_EVERY
        self._values: tuple[Any, ...] = (None,) * len(_FORMS)
        self._feedback: list[str] = []
        self._blackboard: dict[str, _Written] = {}
        self._last: TickRecord | None = None

    def encode(self, record: TickRecord, feedback: list[str]) -> str:
        """Return the line of a tick.

        Args:
            record: of the tick
            feedback: every node's feedback message, in the order of ``root.iterate()``; kept, not copied
        """
        last, self._last = self._last, record
        parts = [f'{{"tick":{record.tick}']
        self._since_whole += 1
        if last is None or self._since_whole >= WHOLE_EVERY or record.tick != last.tick + 1:
            last, self._since_whole = None, 0
            parts.append(f'"whole":true,"now":{record.now},"sequences":{_compact(record.sequences)}')
        else:
            if record.now != last.now + PERIOD:
                parts.append(f'"now":{record.now}')
            if record.sequences != last.sequences:
                grown = len(record.sequences) == len(last.sequences)
                steps = _growth(tuple(map(sub, record.sequences, last.sequences))) if grown else None
                parts.append(f'"sequences":{steps or _compact(record.sequences)}')
        if self._poses and (last is None or record.pose is not last.pose):
            parts.append(f'"pose":{_pose(record.pose, record.now)}')
        values, before = _values(record), self._values
        if last is None or values != before:
            self._values = values
            for (name, form), value, old in zip(_FORMS.items(), values, before, strict=True):
                if value != old if last is not None else name not in _AT_REST or value != _AT_REST[name]:
                    parts.append(f'"{name}":{form(value)}')
        if last is None or feedback != self._feedback:
            parts.append(f'"feedback":{self._changed(feedback, whole=last is None)}')
        self._feedback = feedback
        received = [(message.sender, message.epoch, message.sequence) for message in record.received]
        events = {
            "cues": record.cues,
            "received": received,
            "blackboard": self._written(record, whole=last is None),
            # As they are: a replay that had them rounded would be another game.
            "parameters": dict(record.parameters),
            "trigger": record.trigger,
            "fired": record.fired,
        }
        parts += [f'"{name}":{_compact(values)}' for name, values in events.items() if values]
        return ",".join(parts) + "}"

    def _written(self, record: TickRecord, whole: bool) -> dict[str, Any]:
        """Return the values of the blackboard that this tick holds."""
        reported = {}
        for key, value in record.blackboard.items():
            before = self._blackboard.get(key)
            if before is not None and not whole and (value is before.value or value == before.value):
                continue
            rest = without_numbers(value)
            due = whole or key in self._estimates
            if before is None or due or rest != before.rest or record.tick - before.tick >= NUMBERS_EVERY:
                reported[key] = plain_value(value)
                self._blackboard[key] = _Written(value, rest, record.tick)
        return reported

    def _changed(self, feedback: list[str], whole: bool) -> str:
        before = [""] * len(feedback) if whole else self._feedback
        changed = {index: text for index, text in enumerate(feedback) if text != before[index]}
        return _compact(changed)


def _twist(twist: Twist2D | None) -> str:
    # JSON has no NaN; what is not finite was not driven.
    if twist is None or not twist.is_finite:
        return "null"
    return f"[{twist.linear:.9g},{twist.angular:.9g}]"


def _rates(rates: TurretRates | None) -> str:
    if rates is None or not rates.is_finite:
        return "null"
    return f"[{rates.yaw:.9g},{rates.pitch:.9g}]"


def _pose(estimate: PoseEstimate | None, now: int) -> str:
    if estimate is None or not estimate.pose.is_finite:
        return "null"
    pose = estimate.pose
    return f"[{pose.x:.9g},{pose.y:.9g},{pose.yaw:.9g},{now - estimate.stamp},{now - estimate.arrival}]"


def _tracking(tracking: Tracking | None) -> str:
    if tracking is None:
        return "null"
    raw, filtered, velocity, predicted = _pixels(tracking)
    away = "null" if tracking.range is None else f"{tracking.range:.3f}"
    return (
        f"[{_compact(tracking.state)},{raw:.2f},{filtered:.2f},{velocity:.2f},{predicted:.2f},"
        f"{tracking.image_width},{tracking.deadband:.3f},{away}]"
    )


@lru_cache(maxsize=1024)
def _growth(steps: tuple[int, ...]) -> str | None:
    """Return what stands for small steps, or None."""
    return f'"{"".join(map(str, steps))}"' if all(0 <= step <= 9 for step in steps) else None


_compact = json.JSONEncoder(separators=(",", ":")).encode

_FORMS: dict[str, Callable[[Any], str]] = {
    "statuses": lambda statuses: f'"{statuses.hex()}"',
    "active": _compact,
    "command": _twist,
    "twist": _twist,
    "reasons": _compact,
    "fault": _compact,
    "tracking": _tracking,
    "aim": _rates,
    "turret": _rates,
}
"""Fields of a record that are written when they change, and how each is written."""

_AT_REST = {"aim": None, "turret": STEADY}
"""What a whole tick leaves out: the state of a turret that nobody turns, as of all robots without one."""

_values = attrgetter(*_FORMS)
