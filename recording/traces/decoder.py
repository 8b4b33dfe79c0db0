"""Reads what :mod:`~arena_trees.recording.traces.encoder` writes, from whoever wrote it: every value is checked."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from arena_trees.recording.traces.encoder import PERIOD
from arena_trees.recording.traces.tick import NodeInfo, Tick
from arena_trees.robot.geometry import ZERO, Twist2D
from arena_trees.robot.percepts import Tracking
from arena_trees.robot.record import STATUS_CODES

__all__ = ["MalformedError", "TickDecoder", "decode_tree", "parse_json"]

_MOST_NODES = 10_000
_MOST_TEXT = 10_000
_MOST_KEYS = 200
_STATUS_BYTES = frozenset(STATUS_CODES.values())
_TRACKING = tuple(Tracking.__dataclass_fields__)

_UNSET: Any = object()


class MalformedError(ValueError):
    """A text is not what it should be; the message is one of few, fit to be counted by."""


def decode_tree(text: str) -> tuple[NodeInfo, ...]:
    """Return the nodes of a tree's text.

    Raises:
        MalformedError: it is not one
    """
    nodes = parse_json(text).get("nodes")
    if not isinstance(nodes, list) or not 0 < len(nodes) <= _MOST_NODES:
        raise MalformedError("malformed")
    return tuple(_node(value, number, len(nodes)) for number, value in enumerate(nodes))


def _node(value: Any, number: int, count: int) -> NodeInfo:
    if not (isinstance(value, list) and len(value) == 3):
        raise MalformedError("malformed")
    name, kind, parent = value
    if not (_is_text(name) and _is_text(kind) and type(parent) is int and -1 <= parent < count):
        raise MalformedError("malformed")
    # py_trees iterates over children first: a parent follows its children, and only the root has none.
    if (parent == -1) != (number == count - 1) or 0 <= parent <= number:
        raise MalformedError("malformed")
    return NodeInfo(name, kind, parent)


class TickDecoder:
    """Reads one robot's ticks in their order.

    Args:
        nodes: number of the tree's nodes
    """

    def __init__(self, nodes: int) -> None:
        self._nodes = nodes
        self._last: Tick | None = None
        self._feedback: dict[int, str] = {}

    def decode(self, line: str) -> Tick:
        """Return the tick of a line.

        Raises:
            MalformedError: it is not one, or it tells changes from a tick that is missing
        """
        values, last = parse_json(line), self._last
        self._last = None
        number, whole = values.get("tick"), values.get("whole") is True
        if type(number) is not int or not 0 <= number < 1 << 53:
            raise MalformedError("malformed")
        if not whole and (last is None or number != last.number + 1):
            raise MalformedError("follows a tick that is missing")
        now = values.get("now", None if whole or last is None else last.now + PERIOD)
        if type(now) is not int or not 0 <= now < 1 << 63:
            raise MalformedError("malformed")
        self._last = self._tick(number, now, values, None if whole else last)
        return self._last

    def _tick(self, number: int, now: int, values: Mapping[str, Any], last: Tick | None) -> Tick:
        def get(key: str) -> Any:
            value = values.get(key, _UNSET)
            if value is _UNSET and last is None:
                raise MalformedError("malformed")
            return value

        statuses, active, command = get("statuses"), get("active"), get("command")
        twist, reasons, fault = get("twist"), get("reasons"), get("fault")
        sequences, tracking, feedback = get("sequences"), get("tracking"), get("feedback")
        before = last if last is not None else Tick(now, b"")
        return Tick(
            now=now,
            statuses=before.statuses if statuses is _UNSET else self._statuses(statuses),
            active=before.active if active is _UNSET else _checked_text(active),
            command=before.command if command is _UNSET else _checked_twist(command),
            twist=before.twist if twist is _UNSET else _checked_twist(twist) or ZERO,
            reasons=before.reasons if reasons is _UNSET else _checked_texts(reasons),
            fault=before.fault if fault is _UNSET else None if fault is None else _checked_text(fault),
            cues=_checked_texts(values.get("cues", [])),
            feedback=self._news(feedback, whole=last is None),
            tracking=before.tracking if tracking is _UNSET else _checked_tracking(tracking),
            sequences=before.sequences if sequences is _UNSET else _checked_numbers(sequences, before.sequences),
            number=number,
            blackboard=_checked_values(values.get("blackboard", {})),
            received=tuple(_checked_message(message) for message in _checked_list(values.get("received", []))),
        )

    def _statuses(self, text: Any) -> bytes:
        if not isinstance(text, str) or len(text) != 2 * self._nodes:
            raise MalformedError("malformed")
        try:
            statuses = bytes.fromhex(text)
        except ValueError as error:
            raise MalformedError("malformed") from error
        if len(statuses) != self._nodes or not _STATUS_BYTES.issuperset(statuses):
            raise MalformedError("malformed")
        return statuses

    def _news(self, values: Any, whole: bool) -> Mapping[int, str]:
        """Return the feedback messages that are not as they were in the tick before."""
        if values is _UNSET:
            return {}
        if not isinstance(values, dict):
            raise MalformedError("malformed")
        reported = {_checked_index(key, self._nodes): _checked_text(text) for key, text in values.items()}
        if whole:
            # A whole tick leaves out the nodes without a message.
            reported = {**dict.fromkeys(self._feedback.keys() - reported.keys(), ""), **reported}
        news = {index: text for index, text in reported.items() if text != self._feedback.get(index, "")}
        self._feedback.update(news)
        return news


def parse_json(text: str) -> dict[str, Any]:
    """Return the map that a JSON text holds; NaN and infinity are refused.

    Raises:
        MalformedError: it holds none
    """
    try:
        values = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise MalformedError("malformed") from error
    if not isinstance(values, dict):
        raise MalformedError("malformed")
    return values


def _refuse(constant: str) -> float:
    raise MalformedError(f"{constant} is no number")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _MOST_TEXT and value.isprintable()


def _checked_text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > _MOST_TEXT:
        raise MalformedError("malformed")
    return value


def _checked_list(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > _MOST_NODES:
        raise MalformedError("malformed")
    return value


def _checked_texts(value: Any) -> tuple[str, ...]:
    return tuple(_checked_text(item) for item in _checked_list(value))


def _checked_numbers(value: Any, before: tuple[int, ...]) -> tuple[int, ...]:
    if isinstance(value, str):
        if len(value) != len(before) or not (value.isascii() and value.isdigit()):
            raise MalformedError("malformed")
        return tuple(number + int(step) for number, step in zip(before, value, strict=True))
    numbers = tuple(_checked_list(value))
    if not all(type(number) is int and 0 <= number < 1 << 53 for number in numbers):
        raise MalformedError("malformed")
    return numbers


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _checked_twist(value: Any) -> Twist2D | None:
    if value is None:
        return None
    if not (isinstance(value, list) and len(value) == 2 and all(map(_is_number, value))):
        raise MalformedError("malformed")
    return Twist2D(float(value[0]), float(value[1]))


def _checked_tracking(value: Any) -> Tracking | None:
    if value is None:
        return None
    if not (isinstance(value, list) and len(value) == len(_TRACKING)):
        raise MalformedError("malformed")
    state, *numbers = value
    distance = numbers[-1]
    if not all(map(_is_number, numbers[:-1])) or not (distance is None or _is_number(distance)):
        raise MalformedError("malformed")
    width = value[_TRACKING.index("image_width")]
    if type(width) is not int or width < 1:
        raise MalformedError("malformed")
    return Tracking(_checked_text(state), *numbers)


def _checked_index(key: str, count: int) -> int:
    if not (key.isascii() and key.isdigit() and len(key) <= 5 and int(key) < count):
        raise MalformedError("malformed")
    return int(key)


def _checked_values(values: Any) -> dict[str, Any]:
    if not isinstance(values, dict) or len(values) > _MOST_KEYS:
        raise MalformedError("malformed")
    return {key: value for key, value in values.items() if _checked_text(key)}


def _checked_message(value: Any) -> tuple[str, int, int]:
    if not (isinstance(value, list) and len(value) == 3 and type(value[1]) is int and type(value[2]) is int):
        raise MalformedError("malformed")
    return _checked_text(value[0]), value[1], value[2]
