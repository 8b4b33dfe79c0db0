"""ROS parameters from parameter models: declared with description and range, checked by the model itself.

A field of a nested model has a dotted key. ROS knows no null, so ``""`` stands for None where a
field may be None; nor does rclpy know the type of an empty list, so ``[""]`` stands for that. Models in
a list are texts, which such a model reads and writes.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any, TypeVar

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor, SetParametersResult
from rcl_interfaces.srv import SetParametersAtomically
from rclpy.parameter import Parameter

from arena_trees.robot.configuration.parameter_fields import ParameterField, nested_values, parameter_fields
from arena_trees.robot.configuration.parameters import Live, Parameters
from arena_trees.robot.configuration.yaml_files import validate
from arena_trees.robot.errors import ConfigError

__all__ = ["accept_changes", "change_request", "declare", "field_keys", "read", "refuse_unknown"]

ModelT = TypeVar("ModelT", bound=Parameters)

_taking_integers: weakref.WeakSet[Any] = weakref.WeakSet()


def declare(
    node: Any, model: type[Parameters], prefix: str = "", read_only: bool = False, until_built: bool = False
) -> None:
    """Declare every field of a model, with the values that files and the command line give the node.

    An integer is taken for a field with decimals, as in the files that the command line reads. A key that another
    model has declared before is one parameter, of both.

    Args:
        node: the node
        model: its parameters
        prefix: put before every key, such as ``fence.``
        read_only: refuse live changes of every field, not only of those that are declared so
        until_built: leave it to the model's live cell whether those that are declared so may be changed now

    Raises:
        ConfigError: a value is refused, or one without a default is missing
    """
    given = node._parameter_overrides
    values = {}
    for field in parameter_fields(model):
        override = given.get(prefix + field.key)
        if override is not None:
            values[field.key] = _from_ros(field, override.value)
        elif not field.info.is_required():
            values[field.key] = field.info.get_default(call_default_factory=True)
    _validated(node, model, values, prefix)
    for field in parameter_fields(model):
        if node.has_parameter(prefix + field.key):
            continue
        value, descriptor = _to_ros(field, values[field.key]), _descriptor(field, read_only, until_built)
        node.declare_parameter(prefix + field.key, value, descriptor, ignore_override=True)


def read(node: Any, model: type[ModelT], prefix: str = "") -> ModelT:
    """Return the model of the node's present values.

    Raises:
        ConfigError: the values do not fit the model
    """
    fields = parameter_fields(model)
    values = {field.key: _from_ros(field, node.get_parameter(prefix + field.key).value) for field in fields}
    return _validated(node, model, values, prefix)


def accept_changes(node: Any, live: Live[Any], prefix: str = "") -> None:
    """Hand live changes of the node's parameters to the cell, whole or not at all.

    Keys of other models are left to others. A refusal carries the reason.

    Args:
        node: the node, with the model declared
        live: cell of the model
        prefix: as declared
    """
    fields = {prefix + field.key: field for field in parameter_fields(type(live.value))}

    def propose(parameters: list[Parameter]) -> SetParametersResult:
        changes = {}
        for item in parameters:
            if item.name in fields:
                field = fields[item.name]
                changes[field.key] = _from_ros(field, item.value)
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
    return tuple(prefix + field.key for field in parameter_fields(model))


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


def _validated(node: Any, model: type[ModelT], values: dict[str, Any], prefix: str) -> ModelT:
    return validate(model, nested_values(values), node.get_fully_qualified_name(), prefix.rstrip(".") or None)


def _to_ros(field: ParameterField, value: Any) -> Any:
    """Return a value of a field as a ROS parameter has it."""
    if value is None:
        return ""
    if field.kind in (list, tuple):
        return [str(item) if isinstance(item, Parameters) else item for item in value] or [""]
    return float(value) if field.kind is float and type(value) is int else value


def change_request(model: type[Parameters], changes: Mapping[str, Any]) -> SetParametersAtomically.Request:
    """Return what asks a node to change parameters of a model, whole or not at all: key to value, as JSON has it."""
    fields = {field.key: field for field in parameter_fields(model)}
    request = SetParametersAtomically.Request()
    request.parameters = [
        Parameter(key, value=_to_ros(fields[key], value)).to_parameter_msg() for key, value in changes.items()
    ]
    return request


def _from_ros(field: ParameterField, value: Any) -> Any:
    kind = field.kind
    if value == "" and field.may_be_none:
        return None
    if kind in (list, tuple) and isinstance(value, (list, tuple)):
        return kind(item for item in value if item != "")
    return float(value) if kind is float and type(value) is int else value


def _descriptor(field: ParameterField, read_only: bool, until_built: bool) -> ParameterDescriptor:
    unit = f" [{field.unit}]" if field.unit else ""
    descriptor = ParameterDescriptor(
        description=f"{field.description}{unit}", read_only=read_only or (field.is_read_only and not until_built)
    )  # fmt: skip
    bounds = field.bounds
    low, high = bounds.get("ge", bounds.get("gt")), bounds.get("le", bounds.get("lt"))
    # A range cannot express an open bound; the model itself refuses the bound then.
    constraints = [f"{sign} {bounds[name]:g}" for name, sign in (("gt", ">"), ("lt", "<")) if name in bounds]
    constraints += [", ".join(choices) for choices in field.choices]
    if until_built and field.is_read_only:
        constraints.append("read only while it is in use")
    descriptor.additional_constraints = "; ".join(constraints)
    if low is not None and high is not None and field.kind is float:
        descriptor.floating_point_range = [FloatingPointRange(from_value=float(low), to_value=float(high))]
    elif low is not None and high is not None and field.kind is int:
        first, last = low + ("gt" in bounds), high - ("lt" in bounds)
        descriptor.integer_range = [IntegerRange(from_value=first, to_value=last, step=1)]
    return descriptor
