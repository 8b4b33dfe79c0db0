"""Statements as text, as scenario files have them: the same words as in Python, and nothing but those."""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from arena_trees.experiments.promises import conditions, statements
from arena_trees.experiments.promises.conditions import Condition
from arena_trees.experiments.promises.statements import Statement
from arena_trees.robot.configuration.hints import no_such
from arena_trees.robot.errors import ConfigError

__all__ = ["CONDITIONS", "parse_statement"]

_NO_WORDS = ("Condition", "condition", "heard")
"""Names of the module of conditions that take functions or classes."""
_BEGINNINGS = ("always", "never", "eventually", "whenever")
_METHODS = ("within", "holds", "until", "lasts", "comes")

CONDITIONS: Mapping[str, Any] = MappingProxyType(
    {name: getattr(conditions, name) for name in conditions.__all__ if name not in _NO_WORDS}
)
"""Conditions, and functions that make one of numbers and texts, by their names."""

_MOST_CHARACTERS = 2000


def parse_statement(text: str) -> Statement:
    """Return the statement that a text makes.

    It is written as in Python: ``never(faster_than(0.306))``, ``whenever(breach).within(0.5).holds(~driving)``.
    Conditions combine with ``&``, ``|`` and ``~``.

    Raises:
        ConfigError: it makes none; the reason says where
    """
    if len(text) > _MOST_CHARACTERS:
        raise ConfigError(f"is longer than {_MOST_CHARACTERS} characters")
    try:
        with warnings.catch_warnings():
            # Python warns of what is refused here anyway, such as 1(2).
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ConfigError(f"is no statement: {getattr(error, 'msg', error)}", value=text) from error
    try:
        made = _value(tree.body)
    except (TypeError, KeyError, RecursionError, OverflowError) as error:
        raise ConfigError(f"is no statement: {error}", value=text) from error
    if not hasattr(made, "monitor"):
        raise ConfigError("is no whole statement, such as never(latched)", value=text)
    statement: Statement = made
    return statement


def _value(node: ast.expr) -> Any:
    """Return what an expression stands for."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float, str):
        if isinstance(node.value, float) and not math.isfinite(node.value):
            raise TypeError("a number must be finite")
        return node.value
    if isinstance(node, ast.UnaryOp):
        return _unary(node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr):
        left, right = _condition(node.left), _condition(node.right)
        return left & right if isinstance(node.op, ast.BitAnd) else left | right
    if isinstance(node, ast.Name):
        return _named(node.id)
    if isinstance(node, ast.Call):
        return _called(node)
    raise TypeError(f"{ast.unparse(node)} has no meaning here")


def _unary(node: ast.UnaryOp) -> Any:
    if isinstance(node.op, ast.Invert):
        return ~_condition(node.operand)
    value = _value(node.operand)
    if isinstance(node.op, ast.USub) and type(value) in (int, float):
        return -value
    raise TypeError(f"{ast.unparse(node)} has no meaning here")


def _condition(node: ast.expr) -> Condition:
    value = _value(node)
    if not isinstance(value, Condition):
        raise TypeError(f"{ast.unparse(node)} is no condition")
    return value


def _named(name: str) -> Any:
    if name in CONDITIONS:
        return CONDITIONS[name]
    raise TypeError(no_such("condition", name, CONDITIONS))


def _called(node: ast.Call) -> Any:
    if isinstance(node.func, ast.Attribute):
        subject = _value(node.func.value)
        if isinstance(subject, Condition) or node.func.attr not in _METHODS or not hasattr(subject, node.func.attr):
            raise TypeError(f"{ast.unparse(node.func)} has no meaning here")
        make: Callable[..., Any] = getattr(subject, node.func.attr)
    elif isinstance(node.func, ast.Name) and node.func.id in _BEGINNINGS:
        make = getattr(statements, node.func.id)
    elif isinstance(node.func, ast.Name):
        make = _named(node.func.id)
        if isinstance(make, Condition):
            raise TypeError(f"{node.func.id} takes nothing in brackets")
    else:
        raise TypeError(f"{ast.unparse(node.func)} has no meaning here")
    given = [_value(argument) for argument in node.args]
    named = {one.arg: _value(one.value) for one in node.keywords if one.arg is not None}
    if len(named) < len(node.keywords):
        raise TypeError("** has no meaning here")
    _check_kinds(node, make, [*given, *named.values()])
    return make(*given, **named)


def _check_kinds(node: ast.Call, make: Callable[..., Any], given: list[Any]) -> None:
    """Refuse a condition in place of a number, and the other way round."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    wants = Condition if name in (*_BEGINNINGS, "holds", "until", "comes") else (int, float, str)
    first, *rest = given or [None]
    if not isinstance(first, wants) or any(not isinstance(one, int | float | str) for one in rest):
        taken = "a condition" if wants is Condition else "numbers or texts"
        raise TypeError(f"{ast.unparse(node)}: {name} takes {taken}")
