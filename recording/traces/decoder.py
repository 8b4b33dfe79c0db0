"""Reads what :mod:`~arena_trees.recording.traces.encoder` writes, from whoever wrote it: every value is checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from arena_trees.recording.traces.encoder import PERIOD
from arena_trees.recording.traces.tick import NodeInfo, Tick
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.keys import POSE
from arena_trees.robot.messaging.json_text import JsonError, JsonLimits, read_json
from arena_trees.robot.percepts import PoseEstimate, Tracking, sequence_names
from arena_trees.robot.record import STATUS_CODES
from arena_trees.robot.turret import STEADY, TurretRates

__all__ = ["MalformedError", "TickDecoder", "decode_tree", "parse_json"]

_MOST = 10_000
"""Nodes, letters of a text and items of a list."""

_STATUS_BYTES = frozenset(STATUS_CODES.values())

_Text = Annotated[str, Field(max_length=_MOST)]
_Texts = Annotated[tuple[_Text, ...], Field(max_length=_MOST)]
_Count = Annotated[int, Field(ge=0, lt=1 << 53)]
_Age = Annotated[int, Field(gt=-(1 << 62), lt=1 << 62)]
_Index = Annotated[str, Field(pattern="^[0-9]{1,5}$")]
_Pair = tuple[float, float] | None

_MOST_KEYS = 200
"""Of the blackboard, or of parameters."""

_DEEPEST = 20
"""Lists and maps that may lie in each other in a value of the blackboard."""

_LIMITS = JsonLimits(bytes=1 << 22, values=1 << 20, text=1 << 20)

ModelT = TypeVar("ModelT", bound=BaseModel)


class MalformedError(ValueError):
    """A text is not what it should be; the message is one of few, fit to be counted by."""


def _plain(value: Any, levels: int = _DEEPEST) -> Any:
    """Return a value of JSON that is not nested too deeply and has finite numbers.

    Raises:
        ValueError: it is another one
    """
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if (items and levels == 0) or (isinstance(value, float) and not math.isfinite(value)):
        raise ValueError("too deep, or not finite")
    for item in items:
        _plain(item, levels - 1)
    return value


class _Checked(BaseModel):
    model_config = ConfigDict(strict=True, allow_inf_nan=False)


class _Tree(_Checked):
    nodes: Annotated[tuple[tuple[_Text, _Text, int], ...], Field(min_length=1, max_length=_MOST)]


class _Line(_Checked):
    """A tick as it is written; see :mod:`~arena_trees.recording.traces.encoder`."""

    tick: _Count
    whole: bool = False
    now: Annotated[int, Field(ge=0, lt=1 << 63)] = 0
    statuses: str = ""
    active: _Text = ""
    command: _Pair = None
    twist: _Pair = None
    reasons: _Texts = ()
    fault: _Text | None = None
    sequences: Annotated[str, Field(pattern="^[0-9]*$")] | Annotated[tuple[_Count, ...], Field(max_length=_MOST)] = ()
    feedback: dict[_Index, _Text] = {}
    tracking: tuple[_Text, float, float, float, float, Annotated[int, Field(ge=1)], float, float | None] | None = None
    pose: tuple[float, float, float, _Age, _Age] | None = None
    cues: _Texts = ()
    blackboard: Annotated[dict[_Text, Any], Field(max_length=_MOST_KEYS), AfterValidator(_plain)] = {}
    parameters: Annotated[dict[_Text, Any], Field(max_length=_MOST_KEYS), AfterValidator(_plain)] = {}
    received: Annotated[tuple[tuple[_Text, int, int], ...], Field(max_length=_MOST)] = ()
    aim: _Pair = None
    turret: _Pair = None
    trigger: bool = False
    fired: bool = False


_EVENTS = frozenset(("tick", "whole", "cues", "blackboard", "parameters", "received", "trigger", "fired"))
_STATE = _Line.model_fields.keys() - _EVENTS
_WHOLE = _STATE - {"aim", "turret", "pose"}
"""Keys that a whole tick has."""


def decode_tree(text: str) -> tuple[NodeInfo, ...]:
    """Return the nodes of a tree's text.

    Raises:
        MalformedError: it is not one
    """
    nodes = _checked(_Tree, text).nodes
    for number, (name, kind, parent) in enumerate(nodes):
        # py_trees iterates over children first: a parent follows its children, and only the root has none.
        above = parent == -1 if number == len(nodes) - 1 else number < parent < len(nodes)
        if not (above and name.isprintable() and kind.isprintable()):
            raise MalformedError("malformed")
    return tuple(NodeInfo(*values) for values in nodes)


class TickDecoder:
    """Reads one robot's ticks in their order.

    Args:
        nodes: number of the tree's nodes
    """

    def __init__(self, nodes: int) -> None:
        self._nodes = nodes
        self._last: Tick | None = None
        self._feedback: dict[int, str] = {}

    def decode(self, text: str) -> Tick:
        """Return the tick of a line.

        Raises:
            MalformedError: it is not one, or it has changes from a tick that is missing
        """
        last, self._last = self._last, None
        line = _checked(_Line, text)
        if line.whole:
            if not line.model_fields_set >= _WHOLE:
                raise MalformedError("malformed")
            last = Tick(line.now, b"")
        elif last is None or line.tick != last.number + 1:
            raise MalformedError("follows a tick that is missing")
        self._last = self._tick(line, last)
        return self._last

    def _tick(self, line: _Line, last: Tick) -> Tick:
        reported: dict[str, Any] = {name: getattr(line, name) for name in line.model_fields_set & _STATE}
        reported.setdefault("now", last.now + PERIOD)
        if "statuses" in reported:
            reported["statuses"] = self._statuses(line.statuses)
        if line.command is not None:
            reported["command"] = Twist2D(*line.command)
        if "twist" in reported:
            reported["twist"] = ZERO if line.twist is None else Twist2D(*line.twist)
        if line.aim is not None:
            reported["aim"] = TurretRates(*line.aim)
        if "turret" in reported:
            reported["turret"] = STEADY if line.turret is None else TurretRates(*line.turret)
        if line.tracking is not None:
            reported["tracking"] = Tracking(*line.tracking)
        if isinstance(line.sequences, str):
            reported["sequences"] = _grown(last.sequences, line.sequences)
        if line.pose is not None:
            x, y, yaw, stamp, arrival = line.pose
            now, sequences = reported["now"], reported.get("sequences", last.sequences)
            place = sequence_names().index(POSE)
            number = sequences[place] if len(sequences) > place else 0
            reported["pose"] = PoseEstimate(now - stamp, now - arrival, number, Pose2D(x, y, yaw))
        reported["feedback"] = self._news(line)
        return replace(
            last,
            number=line.tick,
            cues=line.cues,
            blackboard=line.blackboard,
            parameters=line.parameters,
            received=line.received,
            trigger=line.trigger,
            fired=line.fired,
            **reported,
        )

    def _statuses(self, text: str) -> bytes:
        try:
            statuses = bytes.fromhex(text)
        except ValueError as error:
            raise MalformedError("malformed") from error
        if len(text) != 2 * self._nodes or len(statuses) != self._nodes or not _STATUS_BYTES.issuperset(statuses):
            raise MalformedError("malformed")
        return statuses

    def _news(self, line: _Line) -> Mapping[int, str]:
        """Return the feedback messages that are not as they were in the tick before."""
        reported = {int(index): text for index, text in line.feedback.items()}
        if any(index >= self._nodes for index in reported):
            raise MalformedError("malformed")
        if line.whole:
            # A whole tick leaves out the nodes without a message.
            reported = {**dict.fromkeys(self._feedback.keys() - reported.keys(), ""), **reported}
        news = {index: text for index, text in reported.items() if text != self._feedback.get(index, "")}
        self._feedback.update(news)
        return news


def parse_json(text: str) -> dict[str, Any]:
    """Return the map that a JSON text holds, as :func:`~arena_trees.robot.messaging.json_text.read_json` reads it.

    Raises:
        MalformedError: it holds none
    """
    try:
        values = read_json(text, _LIMITS)
    except JsonError as error:
        raise MalformedError("malformed") from error
    if not isinstance(values, dict):
        raise MalformedError("malformed")
    return values


def _checked(model: type[ModelT], text: str) -> ModelT:
    try:
        return model.model_validate_json(text)
    except ValueError as error:
        raise MalformedError("malformed") from error


def _grown(numbers: tuple[int, ...], steps: str) -> tuple[int, ...]:
    if len(steps) != len(numbers):
        raise MalformedError("malformed")
    return tuple(number + int(step) for number, step in zip(numbers, steps, strict=True))
