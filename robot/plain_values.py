"""Values of the blackboard as plain ones, which JSON can hold and a reader of a recording can understand."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.messaging.game_message import GameMessage

__all__ = ["is_frozen", "plain_value"]

_ATOMS = (bool, int, str, type(None))


def plain_value(value: Any) -> Any:
    """Return a value as numbers, texts, lists and maps.

    A pose becomes [x, y, yaw], a twist [linear, angular], an enum its name, a dataclass or named tuple a map of its
    fields, a message its payload. Numbers keep six significant digits; NaN and infinity become texts. Of anything else
    the name of its type is left.
    """
    kind = type(value)
    if kind is float:
        return float(f"{value:.6g}") if math.isfinite(value) else str(value)
    if kind in _ATOMS:
        return value
    if kind is Pose2D:
        return [plain_value(value.x), plain_value(value.y), plain_value(value.yaw)]
    if kind is Twist2D:
        return [plain_value(value.linear), plain_value(value.angular)]
    if isinstance(value, enum.Enum):
        return value.name
    if is_dataclass(kind):
        return {field.name: plain_value(getattr(value, field.name)) for field in fields(value)}
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
    if isinstance(value, float):
        # Such as numpy's.
        return plain_value(float(value))
    return type(value).__name__


def is_frozen(value: Any) -> bool:
    """Return whether a value can be kept as it is, since nobody can change it."""
    if type(value) is float or type(value) in _ATOMS or isinstance(value, (enum.Enum, GameMessage)):
        return True
    if is_dataclass(value):
        kind: Any = type(value)
        return kind.__dataclass_params__.frozen and all(
            is_frozen(getattr(value, field.name)) for field in fields(value)
        )
    return isinstance(value, (tuple, frozenset)) and all(map(is_frozen, value))
