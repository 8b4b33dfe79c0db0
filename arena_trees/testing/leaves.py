"""Compares what leaves declare to read and write on the blackboard with what their docstrings list."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal, get_args, get_origin

from py_trees.behaviour import Behaviour

from arena_trees.commands.render import role_tree
from arena_trees.games.game import Game, Role
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import is_read_only

__all__ = ["check_leaves", "documented_keys", "given_keys", "role_trees", "undocumented"]

_SECTION = re.compile(r"Blackboard Variables:\n((?:(?!\n[ \t]*\n).)*)", re.DOTALL)
_TYPE = r"\s+\((?:[^()]|\([^()]*\))*\)"
_ENTRY = re.compile(rf"([a-z_]+(?:{_TYPE})?(?:,\s+[a-z_]+(?:{_TYPE})?)*)\s+\[(r|w|rw)\]")
_ALWAYS = (keys.NOW,)
"""Keys that every leaf reads, which no docstring lists."""


@functools.cache
def documented_keys(kind: type[Behaviour]) -> dict[str, str] | None:
    """Return the keys that a class's docstring lists under "Blackboard Variables", each with ``r``, ``w`` or ``rw``.

    None where there is no such section.
    """
    section = _SECTION.search(kind.__doc__ or "")
    if section is None:
        return None
    entries = ((re.sub(_TYPE, "", names), access) for names, access in _ENTRY.findall(section[1]))
    return {name.strip(): access for names, access in entries for name in names.split(",")}


def given_keys(node: Behaviour) -> tuple[str, ...]:
    """Return the keys that a leaf was given when it was made, which its docstring cannot list: its ``given_keys``."""
    return tuple(getattr(node, "given_keys", ()))


def undocumented(node: Behaviour) -> Iterator[str]:
    """Yield a phrase for each key whose access in a leaf's docstring differs from what the leaf declares.

    A docstring without a section "Blackboard Variables" is passed over, as those of other packages' leaves are.
    What every leaf may do by its base class (read the clock, write command, cues, outbox and tracking) need not be
    listed here; whether it does is seen when it runs.
    """
    listed = documented_keys(type(node))
    if listed is None:
        return
    read = {_short(key) for client in node.blackboards for key in client.read} - {
        *_ALWAYS,
        *given_keys(node),
    }
    write = {_short(key) for client in node.blackboards for key in (*client.write, *client.exclusive)}
    listed_read = {name for name, access in listed.items() if "r" in access}
    listed_write = {name for name, access in listed.items() if "w" in access}
    for name in sorted(read - listed_read):
        yield f"declares to read {name}, and its docstring does not list that with [r]"
    for name in sorted(write - listed_write - {*keys.OUTPUTS}):
        yield f"declares to write {name}, and its docstring does not list that with [w]"
    # Whoever may write a key may read it.
    for name in sorted(listed_read - read - write):
        yield f"lists {name} with [r], and does not declare to read it"
    for name in sorted(listed_write - write):
        yield f"lists {name} with [w], and does not declare to write it"


def role_trees(role: Role) -> Iterator[Behaviour]:
    """Yield a role's tree for each combination of the choices that it is made by.

    Such choices are read-only parameters of which each value is named in their type, the strategy for example, or that
    are true or false.
    """
    fixed = ((name, field) for name, field in role.parameters.model_fields.items() if is_read_only(field))
    named = {name: values for name, field in fixed if (values := _values(field.annotation))}
    for values in itertools.product(*named.values()):
        choices = dict(zip(named, values, strict=True))
        with role_tree(role.name, choices.pop("strategy", "arena"), choices) as root:
            yield root


def _values(annotation: Any) -> tuple[Any, ...]:
    """Return the values of a type that names them all; none of another type."""
    if annotation is bool:
        return (False, True)
    return get_args(annotation) if get_origin(annotation) is Literal else ()


def check_leaves(game: Game) -> None:
    """Check each leaf in the trees of a game's roles, in all that they may be made of.

    Raises:
        AssertionError: the docstring of one lists other keys than it declares
    """
    faults: dict[str, None] = {}
    for role in game.roles:
        for root in role_trees(role):
            faults |= dict.fromkeys(_faults(root.iterate()))
    assert not faults, f"in {game.name} " + "; ".join(faults)


def _faults(nodes: Iterable[Behaviour]) -> Iterator[str]:
    for node in nodes:
        for fault in undocumented(node):
            yield f"leaf {type(node).__name__} {fault}"


def _short(key: str) -> str:
    return key.rpartition("/")[2]
