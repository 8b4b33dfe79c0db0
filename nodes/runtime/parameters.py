"""ROS parameters from parameter models: declared with description and range, checked by the model itself.

A field of a nested model has a dotted key. ROS knows no null, so ``""`` stands for None where a
field may be None; nor does rclpy know the type of an empty list, so ``[""]`` stands for that. Models in
a list are texts, which such a model reads and writes.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Any, Literal, TypeVar, get_args, get_origin

from pydantic.fields import FieldInfo
from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor, SetParametersResult
from rclpy.parameter import Parameter

from arena_trees.robot.configuration.parameters import Live, Parameters, is_read_only
from arena_trees.robot.configuration.yaml_files import validate
from arena_trees.robot.errors import ConfigError

__all__ = ["accept_changes", "declare", "field_keys", "read", "refuse_unknown"]

ModelT = TypeVar("ModelT", bound=Parameters)

_taking_integers: weakref.WeakSet[Any] = weakref.WeakSet()

_BOUNDS = ("ge", "gt", "le", "lt")


def declare(node: Any, model: type[Parameters], prefix: str = "", read_only: bool = False) -> None:
    """Declare every field of a model, with the values that files and the command line give the node.

    An integer is taken for a field with decimals, as in the files that the command line reads. A key that another
    model has declared before is one parameter, of both.

    Args:
        node: the node
        model: its parameters
        prefix: put before every key, such as ``fence.``
        read_only: refuse live changes of every field, not only of those that are declared so

    Raises:
        ConfigError: a value is refused, or one without a default is missing
    """
    given = node._parameter_overrides
    values = {}
    for key, field in _fields(model):
        override = given.get(prefix + key)
        if override is not None:
            values[key] = _from_ros(field, override.value)
        elif not field.is_required():
            values[key] = field.get_default(call_default_factory=True)
    _validated(node, model, values, prefix)
    for key, field in _fields(model):
        if node.has_parameter(prefix + key):
            continue
        descriptor = _descriptor(field, read_only)
        node.declare_parameter(prefix + key, _to_ros(field, values[key]), descriptor, ignore_override=True)


def read(node: Any, model: type[ModelT], prefix: str = "") -> ModelT:
    """Return the model of the node's present values.

    Raises:
        ConfigError: the values do not fit the model
    """
    values = {key: _from_ros(field, node.get_parameter(prefix + key).value) for key, field in _fields(model)}
    return _validated(node, model, values, prefix)


def accept_changes(node: Any, live: Live[Any], prefix: str = "") -> None:
    """Hand live changes of the node's parameters to the cell, whole or not at all.

    Keys of other models are left to others. A refusal carries the reason.

    Args:
        node: the node, with the model declared
        live: cell of the model
        prefix: as declared
    """
    fields = {prefix + key: (key, field) for key, field in _fields(type(live.value))}

    def propose(parameters: list[Parameter]) -> SetParametersResult:
        changes = {}
        for item in parameters:
            if item.name in fields:
                key, field = fields[item.name]
                changes[key] = _from_ros(field, item.value)
        try:
            if changes:
                live.propose(changes)
        except ConfigError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    node.add_on_set_parameters_callback(propose)
    # Once for a node: rclpy strings the lists together that several such callbacks return.
    if node not in _taking_integers:
        _taking_integers.add(node)
        node.add_pre_set_parameters_callback(partial(_with_decimals, weakref.ref(node)))


def refuse_unknown(node: Any, ignored: Collection[str] = ()) -> None:
    """Refuse values given to the node under keys that it has not declared.

    Args:
        node: the node, with everything declared
        ignored: keys that may be given all the same

    Raises:
        ConfigError: there is such a key
    """
    for key, override in node._parameter_overrides.items():
        if not (node.has_parameter(key) or key in ignored or key.startswith("qos_overrides.")):
            raise ConfigError("unknown key", file=node.get_fully_qualified_name(), key=key, value=override.value)


def field_keys(model: type[Parameters], prefix: str = "") -> tuple[str, ...]:
    """Return the keys under which a node declares a model."""
    return tuple(prefix + key for key, _ in _fields(model))


def _with_decimals(node: Callable[[], Any], changes: list[Parameter]) -> list[Parameter]:
    """Return the changes with an integer for a parameter with decimals made one with decimals."""
    return [
        Parameter(change.name, Parameter.Type.DOUBLE, float(change.value))
        if change.type_ is Parameter.Type.INTEGER and _has_decimals(node(), change.name)
        else change
        for change in changes
    ]


def _has_decimals(node: Any, name: str) -> bool:
    return bool(node.has_parameter(name) and node.get_parameter(name).type_ is Parameter.Type.DOUBLE)


def _fields(model: type[Parameters], prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Yield dotted key and field of everything that is no model itself."""
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, Parameters):
            yield from _fields(field.annotation, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", field


def _validated(node: Any, model: type[ModelT], values: dict[str, Any], prefix: str) -> ModelT:
    nested: dict[str, Any] = {}
    for key, value in values.items():
        *groups, name = key.split(".")
        target = nested
        for group in groups:
            target = target.setdefault(group, {})
        target[name] = value
    return validate(model, nested, node.get_fully_qualified_name(), prefix.rstrip(".") or None)


def _kind(field: FieldInfo) -> Any:
    """Return the type of a field's values: bool, int, float, str, list or tuple."""
    annotation: Any = field.annotation
    kinds = [kind for kind in get_args(annotation) if kind is not type(None)]
    if type(None) in get_args(annotation) and len(kinds) == 1:
        annotation = kinds[0]
    if get_origin(annotation) is Literal:
        return type(get_args(annotation)[0])
    return get_origin(annotation) or annotation


def _to_ros(field: FieldInfo, value: Any) -> Any:
    if value is None:
        return ""
    if _kind(field) in (list, tuple):
        return [str(item) if isinstance(item, Parameters) else item for item in value] or [""]
    return float(value) if _kind(field) is float and type(value) is int else value


def _from_ros(field: FieldInfo, value: Any) -> Any:
    kind = _kind(field)
    if value == "" and type(None) in get_args(field.annotation):
        return None
    if kind in (list, tuple) and isinstance(value, (list, tuple)):
        return kind(item for item in value if item != "")
    return float(value) if kind is float and type(value) is int else value


def _descriptor(field: FieldInfo, read_only: bool) -> ParameterDescriptor:
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    unit = f" [{extra['unit']}]" if extra.get("unit") else ""
    descriptor = ParameterDescriptor(
        description=f"{field.description or ''}{unit}", read_only=read_only or is_read_only(field)
    )  # fmt: skip
    bounds = {name: getattr(item, name) for item in field.metadata for name in _BOUNDS if hasattr(item, name)}
    low, high = bounds.get("ge", bounds.get("gt")), bounds.get("le", bounds.get("lt"))
    # Of an open bound a range cannot tell; the model itself refuses the bound then.
    constraints = [f"{sign} {bounds[name]:g}" for name, sign in (("gt", ">"), ("lt", "<")) if name in bounds]
    constraints += [", ".join(get_args(kind)) for kind in _literals(field)]
    descriptor.additional_constraints = "; ".join(constraints)
    if low is not None and high is not None and _kind(field) is float:
        descriptor.floating_point_range = [FloatingPointRange(from_value=float(low), to_value=float(high))]
    elif low is not None and high is not None and _kind(field) is int:
        first, last = low + ("gt" in bounds), high - ("lt" in bounds)
        descriptor.integer_range = [IntegerRange(from_value=first, to_value=last, step=1)]
    return descriptor


def _literals(field: FieldInfo) -> list[Any]:
    kinds = (field.annotation, *get_args(field.annotation))
    return [kind for kind in kinds if get_origin(kind) is Literal]
