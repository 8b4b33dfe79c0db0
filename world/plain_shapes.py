"""Shapes as plain JSON: how a page and a recording hold them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from arena_trees.world.shapes import Disc, Path, Polygon, Shape, Text

__all__ = ["plain_defaults", "to_plain"]

_DIGITS = 4
"""Of numbers: a tenth of a millimetre."""
_KINDS: Mapping[str, type[Any]] = {"polygon": Polygon, "disc": Disc, "path": Path, "text": Text}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def to_plain(shape: Shape) -> dict[str, Any]:
    """Return a shape as plain JSON: its ``kind`` and what differs from the defaults, to a tenth of a millimetre.

    Points are one flat list: x and y of the first, x and y of the second, and so on.
    """
    plain: dict[str, Any] = {"kind": _NAMES[type(shape)]}
    for field in fields(shape):
        value = getattr(shape, field.name)
        if field.default is not MISSING and value == field.default:
            continue
        if field.name == "points":
            value = [_rounded(part) for point in value for part in point]
        elif isinstance(value, float):
            value = _rounded(value)
        plain[field.name] = int(value) if field.name == "layer" else value
    return plain


def plain_defaults() -> dict[str, dict[str, Any]]:
    """Return by ``kind`` what plain forms leave out."""
    return {
        name: {
            field.name: int(field.default) if field.name == "layer" else field.default
            for field in fields(kind)
            if field.default is not MISSING
        }
        for name, kind in _KINDS.items()
    }


def _rounded(value: float) -> float:
    near = round(value, _DIGITS)
    return int(near) if near.is_integer() else near
