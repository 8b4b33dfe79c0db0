"""Parameters: one pydantic model a role, and the cell through which leaves see live changes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

from arena_trees.robot.configuration.hints import did_you_mean
from arena_trees.robot.configuration.yaml_files import load_yaml, split_key, validate
from arena_trees.robot.errors import ConfigError

__all__ = ["FROM_LIST", "Live", "Parameters", "is_read_only", "load_parameters", "parameter", "parameters_of"]


FROM_LIST = Field(strict=False)
"""Marks a tuple that files give as a list, which strict models refuse: ``Annotated[tuple[float, ...], FROM_LIST]``."""


class Parameters(BaseModel):
    """Base of every parameter model: frozen, no unknown keys, no NaN or infinity, no silent conversions.

    Validators of models that stand within others raise ValueError, to which pydantic adds where the model stands.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, strict=True)

    def with_changes(self, changes: Mapping[str, Any], source: str | Path = "change") -> Any:
        """Return a validated copy with the changes applied, whole or not at all.

        Args:
            changes: key to new value; a dotted key reaches into a nested model
            source: named in errors

        Raises:
            ConfigError: a key is unknown or a value is refused
        """
        values = self.model_dump()
        opened: list[dict[str, Any]] = []
        for key, value in changes.items():
            target = values
            *groups, name = split_key(key)
            for group in groups:
                if group in target and target[group] is None:
                    # A nested model that is absent by default: its own model specifies what it may hold.
                    target[group] = {}
                    opened.append(target[group])
                if not isinstance(target.get(group), dict):
                    raise ConfigError(_unknown(group, target), file=source, key=key, value=value)
                target = target[group]
            if name not in target and not any(target is one for one in opened):
                raise ConfigError(_unknown(name, target), file=source, key=key, value=value)
            target[name] = value
        return validate(type(self), values, source)


def _unknown(key: str, known: Mapping[str, Any]) -> str:
    return "unknown key" + did_you_mean(key, known)


def parameter(default: Any, description: str, unit: str = "", *, read_only: bool = False, **bounds: Any) -> Any:
    """Declare a field of a parameter model.

    Args:
        default: value when a file does not give one
        description: one phrase for documents and ROS parameter descriptors
        unit: SI unit, empty for counts, shares and names
        read_only: refuse a live change, because the value shaped something that is already built
        **bounds: ``ge``, ``gt``, ``le``, ``lt``, as in :func:`pydantic.Field`
    """
    extra: dict[str, Any] = {"unit": unit, "read_only": read_only}
    return Field(default, description=description, json_schema_extra=extra, validate_default=True, **bounds)


ModelT = TypeVar("ModelT", bound=Parameters)
ModelT_co = TypeVar("ModelT_co", bound=Parameters, covariant=True)


def is_read_only(field: FieldInfo) -> bool:
    """Return whether live changes of a parameter are refused."""
    extra = field.json_schema_extra
    return isinstance(extra, dict) and bool(extra.get("read_only"))


class Live(Generic[ModelT_co]):
    """Cell that holds the current parameters of a role.

    Leaves keep the cell and read :attr:`value` in each tick. A change is validated when it is
    proposed and becomes visible when the robot loop calls :meth:`swap`, between ticks.

    Attributes:
        built: whether a tree is built of them, so that changes of what is read only are refused
    """

    def __init__(self, value: ModelT_co) -> None:
        self.built = True
        self._value = value
        self._pending: ModelT_co | None = None
        self._changes: dict[str, Any] = {}

    @property
    def value(self) -> ModelT_co:
        """The current parameters."""
        return self._value

    @property
    def proposed(self) -> ModelT_co:
        """The parameters as they will be after the next swap."""
        return self._pending or self._value

    def propose(self, changes: Mapping[str, Any]) -> None:
        """Validate changes and keep them for the next swap; changes add up until then.

        Raises:
            ConfigError: a key is unknown or read only, or a value is refused; nothing is changed then
        """
        for key, value in changes.items():
            field = type(self._value).model_fields.get(key)
            if self.built and field is not None and is_read_only(field):
                raise ConfigError(
                    "is read only: set it before the tree is built or the round begins",
                    file="change",
                    key=key,
                    value=value,
                )
        self._pending = self.proposed.with_changes(changes)
        self._changes.update(changes)

    def swap(self) -> Mapping[str, Any]:
        """Make the proposed changes current, and return them: key to value."""
        if self._pending is None:
            return {}
        self._value, self._pending = self._pending, None
        changes, self._changes = self._changes, {}
        return changes


def load_parameters(model: type[ModelT], path: str | Path) -> ModelT:
    """Return the parameters in a ROS 2 parameter file, ``/**: {ros__parameters: {...}}``.

    What stands under the name of a single node, such as ``/**/velocity_gate``, is for that node alone and passed over.

    Raises:
        ConfigError: the file is not of that form, or holds an unknown key or a refused value
    """
    return parameters_of(model, load_yaml(path), path)


def parameters_of(model: type[ModelT], values: Any, path: str | Path) -> ModelT:
    """Return the parameters that a ROS 2 parameter file holds, given its values; ``path`` is named in errors.

    Raises:
        ConfigError: as of :func:`load_parameters`
    """
    if not isinstance(values, dict) or "/**" not in values or not all(str(key).startswith("/**") for key in values):
        raise ConfigError("a parameter file has the top key '/**', and '/**/<node>' beside it", file=path, value=values)
    inner = values["/**"]
    if not isinstance(inner, dict) or set(inner) != {"ros__parameters"}:
        raise ConfigError("must hold the one key 'ros__parameters'", file=path, key="/**", value=inner)
    values = inner["ros__parameters"]
    return validate(model, {} if values is None else values, path, "/**.ros__parameters")
