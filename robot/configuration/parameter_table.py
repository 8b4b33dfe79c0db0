"""The table of a parameter model, for documents: one source for the model, its checks and its description."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from arena_trees.robot.configuration.parameters import is_read_only

__all__ = ["parameter_rows", "parameter_table"]

_BOUNDS = (("gt", ">"), ("ge", ">="), ("lt", "<"), ("le", "<="))


def parameter_rows(
    model: type[BaseModel], prefix: str = "", nested: bool = True
) -> list[tuple[str, str, str, str, str]]:
    """Return (key, default, unit, bounds, description) of each field.

    Args:
        model: the model
        prefix: put before every key
        nested: whether fields that are models themselves are listed, with dotted keys, or left out
    """
    rows = []
    for name, field in model.model_fields.items():
        key = f"{prefix}{name}"
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            rows.extend(parameter_rows(field.annotation, f"{key}.") if nested else [])
        else:
            rows.append((key, _default(field), _unit(field), _bounds(field), _meaning(field)))
    return rows


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


def _meaning(field: FieldInfo) -> str:
    return (field.description or "") + (" (no live changes)" if is_read_only(field) else "")


def _unit(field: FieldInfo) -> str:
    extra = field.json_schema_extra
    return str(extra.get("unit", "")) if isinstance(extra, dict) else ""


def _bounds(field: FieldInfo) -> str:
    found = [
        f"{sign} {_number(constraint, name)}"
        for constraint in field.metadata
        for name, sign in _BOUNDS
        if hasattr(constraint, name)
    ]
    kinds = (field.annotation, *get_args(field.annotation))
    found += [", ".join(map(str, get_args(kind))) for kind in kinds if get_origin(kind) is Literal]
    return ", ".join(found)


def _number(constraint: Any, name: str) -> str:
    bound: float = getattr(constraint, name)
    return f"{bound:g}" if abs(bound) < 1e5 else f"{bound:.10g}"
