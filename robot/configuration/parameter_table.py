"""The table of a parameter model, for documents: one source for the model, its checks and its description."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from arena_trees.robot.configuration.parameter_fields import ParameterField, parameter_fields

__all__ = ["parameter_rows", "parameter_table"]

_SIGNS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}


def parameter_rows(
    model: type[BaseModel], prefix: str = "", nested: bool = True
) -> list[tuple[str, str, str, str, str]]:
    """Return (key, default, unit, bounds, description) of each field.

    Args:
        model: the model
        prefix: put before every key
        nested: whether fields that are models themselves are listed, with dotted keys, or left out
    """
    return [
        (field.key, _default(field.info), field.unit, _bounds(field), _meaning(field))
        for field in parameter_fields(model, prefix, nested)
    ]


def parameter_table(model: type[BaseModel], prefix: str = "", nested: bool = True) -> str:
    """Return the model's fields as a Markdown table; the arguments are those of :func:`parameter_rows`."""
    lines = ["| key | default | unit | bounds | meaning |", "|---|---|---|---|---|"]
    lines += [f"| {' | '.join(_cell(text) for text in row)} |" for row in parameter_rows(model, prefix, nested)]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    default: Any = field.get_default(call_default_factory=True)
    if default in (None, ""):
        return ""
    if isinstance(default, tuple) and any(isinstance(item, BaseModel) for item in default):
        return ", ".join(f"`{item}`" for item in default)
    return f"`{default:.6g}`" if isinstance(default, float) else f"`{default}`"


def _meaning(field: ParameterField) -> str:
    return field.description + (" (no live changes)" if field.is_read_only else "")


def _bounds(field: ParameterField) -> str:
    found = [f"{_SIGNS[name]} {_number(bound)}" for name, bound in field.bounds.items()]
    return ", ".join(found + [", ".join(map(str, choices)) for choices in field.choices])


def _number(bound: float) -> str:
    return f"{bound:g}" if abs(bound) < 1e5 else f"{bound:.10g}"
