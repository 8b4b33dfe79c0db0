"""Garbage in place of a reading's values."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np

from arena_trees.robot.stamped import Stamped

__all__ = ["garbage"]

ReadingT = TypeVar("ReadingT", bound=Stamped)
_TIMES = frozenset(field.name for field in fields(Stamped))


def garbage(reading: ReadingT) -> ReadingT:
    """Return a reading with its times and NaN in place of every real number in it.

    Texts become ``garbage``, a set of texts as well, and whole numbers and truth values stay as they are.
    """
    spoiled = {
        field.name: _spoiled(getattr(reading, field.name))
        for field in fields(reading)
        if field.init and field.name not in _TIMES
    }
    return replace(reading, **spoiled)


def _spoiled(value: Any) -> Any:
    if isinstance(value, float):
        return math.nan
    if isinstance(value, str):
        return "garbage"
    if isinstance(value, frozenset):
        return frozenset(("garbage",))
    if isinstance(value, np.ndarray) and np.issubdtype(value.dtype, np.floating):
        return np.full_like(value, math.nan)
    if isinstance(value, tuple):
        parts = [_spoiled(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{one.name: _spoiled(getattr(value, one.name)) for one in fields(value) if one.init})
    return value
