"""Where a parameter is read: found in the code of the leaves that a role's trees are made of, not written down."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cached_property
from types import CodeType, FunctionType
from typing import Any

from py_trees.behaviour import Behaviour

from arena_trees.games.game import Role

__all__ = ["readers_of"]

_OWN = ("arena_trees.", "arena_trees_")
_PASSED_OVER = ("arena_trees.robot.", "arena_trees.world.")
"""Modules that hold the parameters and everybody's vocabulary; names in them do not show which leaf reads."""


def readers_of(role: Role, key: str) -> Iterator[str]:
    """Yield a line for each strategy of a role that reads a parameter: the leaves of its tree that do.

    A leaf reads what its class, or a function or class that it calls, takes from the parameters.

    Args:
        role: the role
        key: of its parameters
    """
    from arena_trees.commands.render import role_tree

    wanted = _aliases(role, key)
    strategies = ("arena", "source") if "strategy" in role.parameters.model_fields else ("arena",)
    for strategy in strategies:
        with role_tree(role.name, strategy) as root:
            leaves = [node for node in root.iterate() if type(node).__module__.startswith(_OWN)]
            found = [f"{leaf.name} ({type(leaf).__name__})" for leaf in leaves if wanted & _names_of(leaf)]
        where = f"in the tree of strategy {strategy}" if len(strategies) > 1 else "in the tree"
        if found:
            yield f"Read {where} by: {', '.join(dict.fromkeys(found))}."
    if wanted & _names_in(role.create_root, classes=False):
        yield f"Read by {role.create_root.__module__}.create_root, where the tree is built."
    for what, made in (("its motion limits", role.limits), ("its localiser", role.localiser)):
        if made is not None and wanted & _names_in(made):
            yield f"Read by {what}."


def _aliases(role: Role, key: str) -> set[str]:
    """Return the attributes by which a parameter is read: its own name, and properties that are made of it."""
    aliases = {key.rpartition(".")[2]}
    properties = {
        name: value.func if isinstance(value, cached_property) else value.fget
        for kind in role.parameters.__mro__
        for name, value in vars(kind).items()
        if isinstance(value, cached_property | property)
    }
    size = 0
    while size != len(aliases):
        size = len(aliases)
        made = {name for name, made in properties.items() if made is not None and aliases & set(_code_names(made))}
        aliases |= made
    return aliases


def _names_of(leaf: Behaviour) -> set[str]:
    """Return every name in the code of a leaf: of its class, and of the functions and objects that it was given."""
    given = [value for value in vars(leaf).values() if isinstance(value, FunctionType) or _is_own(type(value))]
    names = _names_in(type(leaf))
    for value in given:
        names |= _names_in(value if isinstance(value, FunctionType) else type(value))
    return names


def _names_in(start: Any, classes: bool = True) -> set[str]:
    """Return the names in the code of a function or class, and in that of the functions and classes that it calls."""
    names: set[str] = set()
    seen: set[int] = set()
    waiting = [start]
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen or not _is_own(thing):
            continue
        seen.add(id(thing))
        if isinstance(thing, type) and classes:
            waiting += _members(thing)
        elif isinstance(thing, FunctionType):
            own = set(_code_names(thing))
            names |= own
            waiting += [thing.__globals__[name] for name in own if name in thing.__globals__]
    return names


def _members(kind: type) -> Iterator[Any]:
    """Yield the functions of a class and of its base classes, but for those that are overridden and not called."""
    hidden: set[str] = set()
    for owner in kind.__mro__:
        for name, value in vars(owner).items() if _is_own(owner) else ():
            member = _function(value)
            if name in hidden:
                continue
            yield member
            if not (isinstance(member, FunctionType) and "super" in member.__code__.co_names):
                hidden.add(name)


def _function(value: Any) -> Any:
    """Return the function behind a property, a class method or the like; anything else as it is."""
    return getattr(value, "fget", None) or getattr(value, "func", None) or getattr(value, "__func__", None) or value


def _is_own(thing: Any) -> bool:
    module = getattr(thing, "__module__", None) or ""
    is_tree = sys.modules.get(module) is not None and module.startswith(_OWN)
    return is_tree and not module.startswith(_PASSED_OVER)


def _code_names(function: Any) -> Iterator[str]:
    """Yield the attributes and global names that a function's code uses, with the functions inside it."""
    waiting = [function.__code__]
    while waiting:
        code: CodeType = waiting.pop()
        yield from code.co_names
        waiting += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
