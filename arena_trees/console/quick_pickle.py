"""Pickles frozen dataclasses with slots quickly: the standard library looks up the fields of each object anew."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from operator import attrgetter
from typing import Any

__all__ = ["dumps"]

_getters: dict[type, Callable[[Any], tuple[Any, ...]] | None] = {}


def dumps(value: Any) -> bytes:
    """Return what :func:`pickle.loads` makes the value of again."""
    buffer = io.BytesIO()
    _Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(value)
    return buffer.getvalue()


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        kind = type(value)
        try:
            getter = _getters[kind]
        except KeyError:
            getter = _getters[kind] = _getter(kind)
        return NotImplemented if getter is None else (kind, getter(value))


def _getter(kind: type) -> Callable[[Any], tuple[Any, ...]] | None:
    """Return what gives all arguments that make an object anew; None where its class makes more of them."""
    if not is_dataclass(kind) or hasattr(kind, "__post_init__") or "__slots__" not in vars(kind):
        return None
    found = fields(kind)
    if len(found) < 2 or not all(field.init and not field.kw_only for field in found):
        return None
    return attrgetter(*(field.name for field in found))
