"""Watches which node of a tree reads and writes which key of the blackboard, and whether it declares and lists that."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.blackboard import Blackboard

from arena_trees.robot import keys
from arena_trees.robot.plain_values import is_frozen
from arena_trees.testing.leaves import documented_keys, given_keys

__all__ = ["BlackboardWatch", "watched_blackboard"]

_CALLS = ("initialise", "update", "terminate")
"""What of a node is run in a tick, and may look at the blackboard."""


class BlackboardWatch:
    """Knows which node runs, and notes what it does beyond what it has declared.

    Attributes:
        undeclared: a phrase for each node and key that it uses without declaring or listing it, and for each value that
            can be changed after it was written, in the order in which they were found
    """

    def __init__(self) -> None:
        self.undeclared: dict[str, None] = {}
        self._running: list[Behaviour] = []
        self._robots: tuple[str, ...] = ()

    def follow(self, robot: str, root: Behaviour) -> None:
        """Watch the nodes of a robot's tree from now on."""
        self._robots += (f"/{robot}/",)
        for node in root.iterate():
            for name in _CALLS:
                setattr(node, name, self._watched(node, getattr(node, name)))

    def note(self, key: Any, writes: bool, value: Any = None) -> None:
        """Note that the running node looks at a key, or writes a value there."""
        if not self._running or not str(key).startswith(self._robots):
            return
        node = self._running[-1]
        declared = {key for client in node.blackboards for key in (*client.write, *client.exclusive)}
        if not writes:
            declared |= {key for client in node.blackboards for key in client.read}
        verb, name = "writes" if writes else "reads", str(key).rpartition("/")[2]
        who = f"{node.name!r} ({type(node).__name__}) {verb} {key}"
        if key not in declared:
            self.undeclared[f"{who} and has not declared it"] = None
        elif name != keys.NOW and name not in (*(documented_keys(type(node)) or {name}), *given_keys(node)):
            self.undeclared[f"{who} and its docstring does not list it"] = None
        if writes and name not in keys.OUTPUTS and not is_frozen(value):
            self.undeclared[f"{who} with a {type(value).__name__}, which can change after that"] = None

    def _watched(self, node: Behaviour, call: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(call)
        def run(*arguments: Any) -> Any:
            self._running.append(node)
            try:
                return call(*arguments)
            finally:
                self._running.pop()

        return run


class _Storage(dict[str, Any]):
    """The blackboard's storage, watched."""

    def __init__(self, values: dict[str, Any], watch: BlackboardWatch) -> None:
        super().__init__(values)
        self._watch = watch

    def __getitem__(self, key: str) -> Any:
        self._watch.note(key, writes=False)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self._watch.note(key, writes=False)
        return super().get(key, default)

    def __setitem__(self, key: str, value: Any) -> None:
        self._watch.note(key, writes=True, value=value)
        super().__setitem__(key, value)


@contextmanager
def watched_blackboard() -> Iterator[BlackboardWatch]:
    """Watch the blackboard; to be entered before robots join it, and left when they are gone."""
    before = Blackboard.storage
    watch = BlackboardWatch()
    Blackboard.storage = _Storage(before, watch)
    try:
        yield watch
    finally:
        Blackboard.storage = before
