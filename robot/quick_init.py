"""Frozen dataclasses that are made in half the time: percepts, poses and records are made by the dozen in each tick."""

from __future__ import annotations

import inspect
from dataclasses import MISSING, Field, fields
from types import MemberDescriptorType
from typing import Any, TypeVar

__all__ = ["quick_init"]

ClassT = TypeVar("ClassT")


class _Unset:
    def __repr__(self) -> str:
        return "<factory>"


_UNSET = _Unset()
"""Default of an argument whose field has a factory."""


def quick_init(cls: type[ClassT]) -> type[ClassT]:
    """Return a frozen dataclass with slots, whose ``__init__`` now fills the slots themselves.

    The one that :mod:`dataclasses` writes goes by ``object.__setattr__``, which looks each slot up by its name. All
    else is as before: arguments, defaults, ``__post_init__``, and that nobody can set a field later.

    Args:
        cls: the dataclass, with neither ``InitVar`` nor keyword-only fields

    Raises:
        TypeError: it is none, or a field has no slot
    """
    arguments, lines = ["self"], list[str]()
    known: dict[str, Any] = {"unset": _UNSET}
    expected = list(inspect.signature(cls.__init__).parameters.values())[1:]
    own = [field for field in fields(cls) if field.init]  # type: ignore[arg-type]
    if [one.name for one in expected] != [field.name for field in own] or any(field.kw_only for field in own):
        raise TypeError(f"{cls.__name__} has arguments that are not its fields, in their order")
    for field in fields(cls):  # type: ignore[arg-type]
        slot = getattr(cls, field.name, None)
        if not isinstance(slot, MemberDescriptorType):
            raise TypeError(f"{cls.__name__}.{field.name} has no slot")
        if field.init:
            arguments.append(field.name + _default(field, known))
        elif field.default is MISSING and field.default_factory is MISSING:
            continue
        known[f"set_{field.name}"] = slot.__set__
        lines.append(f" set_{field.name}(self, {_value(field, known)})")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()")
    made: dict[str, Any] = {}
    exec(f"def __init__({', '.join(arguments)}):\n" + "\n".join(lines or [" pass"]), known, made)
    init = made["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__module__, init.__annotations__ = cls.__module__, dict(cls.__init__.__annotations__)
    cls.__init__ = init  # type: ignore[method-assign]
    return cls


def _default(field: Field[Any], known: dict[str, Any]) -> str:
    """Return what stands behind the name of a field's argument."""
    if field.default_factory is not MISSING:
        return "=unset"
    if field.default is MISSING:
        return ""
    known[f"default_{field.name}"] = field.default
    return f"=default_{field.name}"


def _value(field: Field[Any], known: dict[str, Any]) -> str:
    """Return what a field is set to."""
    if field.default_factory is MISSING:
        if field.init:
            return field.name
        known[f"default_{field.name}"] = field.default
        return f"default_{field.name}"
    known[f"make_{field.name}"] = field.default_factory
    made = f"make_{field.name}()"
    return f"{made} if {field.name} is unset else {field.name}" if field.init else made
