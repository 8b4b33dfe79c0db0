"""The table of a parameter model, for documents: one source for the model, its checks and its description."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

__all__ = ["parameter_rows", "parameter_table"]

_BOUNDS = (("gt", ">"), ("ge", ">="), ("lt", "<"), ("le", "<="))


def parameter_rows(model: type[BaseModel], prefix: str = "") -> list[tuple[str, str, str, str, str]]:
    """Return (key, default, unit, bounds, description) of each field, nested models with dotted keys."""
    rows = []
    for name, field in model.model_fields.items():
        key = f"{prefix}{name}"
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            rows.extend(parameter_rows(field.annotation, f"{key}."))
        else:
            rows.append((key, _default(field), _unit(field), _bounds(field), field.description or ""))
    return rows


def parameter_table(model: type[BaseModel]) -> str:
    """Return the model's fields as a Markdown table."""
    lines = ["| key | default | unit | bounds | meaning |", "|---|---|---|---|---|"]
    lines += [f"| {' | '.join(_cell(text) for text in row)} |" for row in parameter_rows(model)]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _default(field: FieldInfo) -> str:
    default: Any = field.get_default(call_default_factory=True)
    return "required" if field.is_required() else f"`{default}`"


def _unit(field: FieldInfo) -> str:
    extra = field.json_schema_extra
    return str(extra.get("unit", "")) if isinstance(extra, dict) else ""


def _bounds(field: FieldInfo) -> str:
    found = []
    for constraint in field.metadata:
        for attribute, sign in _BOUNDS:
            value = getattr(constraint, attribute, None)
            if value is not None:
                found.append(f"{sign} {value}")
    return ", ".join(found)
