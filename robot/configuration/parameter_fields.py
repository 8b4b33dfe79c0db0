"""The fields of a parameter model, for documents, ROS descriptors and forms: key, type, unit, bounds, choices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from arena_trees.robot.configuration.parameters import Parameters, is_read_only

__all__ = ["ParameterField", "nested_values", "parameter_fields", "values_of"]

_BOUNDS = ("gt", "ge", "lt", "le")


class ParameterField(NamedTuple):
    """One field.

    Attributes:
        key: its name, or a dotted key where it is one of a nested model
        info: as pydantic has it
    """

    key: str
    info: FieldInfo

    @property
    def kind(self) -> Any:
        """Type of its values: bool, int, float, str, list or tuple; that besides None, where it may be None."""
        annotation: Any = self.info.annotation
        kinds = [kind for kind in get_args(annotation) if kind is not type(None)]
        if self.may_be_none and len(kinds) == 1:
            annotation = kinds[0]
        if get_origin(annotation) is Literal:
            return type(get_args(annotation)[0])
        return get_origin(annotation) or annotation

    @property
    def may_be_none(self) -> bool:
        """Whether None is a value."""
        return type(None) in get_args(self.info.annotation)

    @property
    def unit(self) -> str:
        """SI unit; empty for counts, shares and names."""
        extra = self.info.json_schema_extra
        return str(extra.get("unit", "")) if isinstance(extra, dict) else ""

    @property
    def description(self) -> str:
        """One phrase."""
        return self.info.description or ""

    @property
    def bounds(self) -> Mapping[str, Any]:
        """``gt``, ``ge``, ``lt`` and ``le``, as far as they are given."""
        return {name: getattr(item, name) for item in self.info.metadata for name in _BOUNDS if hasattr(item, name)}

    @property
    def choices(self) -> list[tuple[Any, ...]]:
        """The values of each ``Literal`` that it takes."""
        kinds = (self.info.annotation, *get_args(self.info.annotation))
        return [get_args(kind) for kind in kinds if get_origin(kind) is Literal]

    @property
    def is_read_only(self) -> bool:
        """Whether live changes are refused."""
        return is_read_only(self.info)


def parameter_fields(model: type[BaseModel], prefix: str = "", nested: bool = True) -> Iterator[ParameterField]:
    """Yield the fields of a model that are no models themselves.

    Args:
        model: the model
        prefix: put before every key
        nested: whether fields of nested models are given, with dotted keys, or left out
    """
    for name, info in model.model_fields.items():
        if isinstance(info.annotation, type) and issubclass(info.annotation, BaseModel):
            if nested:
                yield from parameter_fields(info.annotation, f"{prefix}{name}.")
        else:
            yield ParameterField(f"{prefix}{name}", info)


def values_of(parameters: Parameters) -> dict[str, Any]:
    """Return the values of a model's fields as JSON has them, by their keys."""
    found, values = {}, parameters.model_dump(mode="json")
    for field in parameter_fields(type(parameters)):
        value: Any = values
        for part in field.key.split("."):
            value = value[part]
        found[field.key] = value
    return found


def nested_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by dotted keys as the maps of models in models."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        *groups, name = key.split(".")
        target = found
        for group in groups:
            target = target.setdefault(group, {})
        target[name] = value
    return found
