"""Values of the blackboard as plain ones, which JSON can hold and a reader of a recording can understand."""

from __future__ import annotations

import enum
import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.messaging.game_message import GameMessage

__all__ = ["is_frozen", "plain_value", "restored_value", "without_numbers"]

_ATOMS = (bool, int, str, type(None))


def plain_value(value: Any) -> Any:
    """Return a value as numbers, texts, lists and maps.

    A pose becomes [x, y, yaw], a twist [linear, angular], an enum its name, or its text if it is one, a dataclass or
    named tuple a map of its fields, a message its payload. Numbers keep six significant digits; NaN and infinity become
    texts. Of anything else the name of its type is left.
    """
    kind: Any = type(value)
    # Numpy's floating-point numbers are floats, too.
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else str(value)
    if kind in _ATOMS:
        return value
    if isinstance(value, str):
        return str(value)
    if kind is Pose2D:
        return [plain_value(value.x), plain_value(value.y), plain_value(value.yaw)]
    if kind is Twist2D:
        return [plain_value(value.linear), plain_value(value.angular)]
    if isinstance(value, enum.Enum):
        return value.name
    names = _field_names(kind)
    if names is not None:
        return {name: plain_value(getattr(value, name)) for name in names}
    return _plain_container(value)


def _plain_container(value: Any) -> Any:
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: plain_value(item) for name, item in zip(value._fields, value, strict=True)}
    if isinstance(value, (tuple, list)):
        return [plain_value(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain_value(item) for item in value), key=str)
    if isinstance(value, Mapping):
        return {str(plain_value(key)): plain_value(item) for key, item in value.items()}
    if isinstance(value, GameMessage):
        return plain_value(value.encode())
    return type(value).__name__


def restored_value(kind: type, value: Any) -> Any:
    """Return a value of a type from what :func:`plain_value` makes of it.

    The type is a pose, a number, a bool, a text, or a dataclass of numbers, bools, texts and None.

    Raises:
        ValueError: it is no such value
    """
    found = _adapter(kind).validate_json(json.dumps(value, allow_nan=False), strict=True)
    return Pose2D(*found) if kind is Pose2D else found


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(tuple[float, float, float] if kind is Pose2D else kind)


@cache
def _field_names(kind: type) -> tuple[str, ...] | None:
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else None


def without_numbers(value: Any) -> Any:
    """Return a value without its numbers, which may change in every tick."""
    kind: Any = type(value)
    if kind is int or isinstance(value, float):
        return 0
    if kind in _ATOMS:
        return value
    if kind is tuple:
        return tuple(map(without_numbers, value))
    names = _field_names(kind)
    return value if names is None else tuple([without_numbers(getattr(value, name)) for name in names])


def is_frozen(value: Any) -> bool:
    """Return whether a value can be kept as it is, since nobody can change it."""
    kind: Any = type(value)
    if kind in _ATOMS or isinstance(value, (float, enum.Enum, GameMessage)):
        return True
    names = _field_names(kind)
    if names is not None:
        return kind.__dataclass_params__.frozen and all(is_frozen(getattr(value, name)) for name in names)
    return isinstance(value, (tuple, frozenset)) and all(map(is_frozen, value))
