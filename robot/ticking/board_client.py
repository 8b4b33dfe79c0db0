"""A blackboard client of keys that are declared once: py_trees' own, at a tenth of the time of an access."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from py_trees.blackboard import Blackboard, Client
from py_trees.common import Access

__all__ = ["BoardClient"]


class BoardClient(Client):
    """A :class:`py_trees.blackboard.Client` whose keys are known from the beginning.

    It is registered, shown, refused what it has not declared and written to activity streams as py_trees' own, which
    puts a key's name together and looks for it among all that it may access at each access. Keys that are registered
    later, too, are accessed by py_trees' own ways, and all are after one is unregistered.

    Args:
        name: of the client
        namespace: of its keys, such as ``/robot1``
        reads: keys that it reads
        writes: keys that it reads and writes
    """

    def __init__(self, name: str, namespace: str, reads: Iterable[str] = (), writes: Iterable[str] = ()) -> None:
        super().__init__(name=name, namespace=namespace)
        reads, writes = tuple(dict.fromkeys(reads)), tuple(dict.fromkeys(writes))
        for key in reads:
            self.register_key(key, Access.READ)
        for key in writes:
            self.register_key(key, Access.WRITE)
        # Of what py_trees' client has under that name itself, keys are no part.
        own = {*dir(Client), *self.__dict__}
        names = {
            access: tuple((key, Blackboard.absolute_name(namespace, key)) for key in declared if key not in own)
            for access, declared in ((Access.READ, reads), (Access.WRITE, writes))
        }
        object.__setattr__(self, "__class__", _class_of(names[Access.READ], names[Access.WRITE]))

    def unregister_key(self, key: str, clear: bool = True, update_namespace_cache: bool = True) -> None:
        """Unregister a key, as py_trees does."""
        object.__setattr__(self, "__class__", Client)
        self.unregister_key(key, clear, update_namespace_cache)


Names = tuple[tuple[str, str], ...]
"""Keys, each with its absolute name."""


@lru_cache(maxsize=4096)
def _class_of(reads: Names, writes: Names) -> type[BoardClient]:
    """Return the class of the clients of keys: each is an attribute."""
    methods: dict[str, Any] = {key: property(_reader(key, name)) for key, name in (*reads, *writes)}
    if writes:
        # By the absolute name, too, by which Client.set() writes.
        methods["__setattr__"] = _writer({**dict(writes), **{name: name for _, name in writes}})
    return type(BoardClient.__name__, (BoardClient,), methods)


def _reader(key: str, name: str) -> Callable[[Client], Any]:
    def read(client: Client) -> Any:
        if Blackboard.activity_stream is None:
            try:
                return Blackboard.storage[name]
            except KeyError:
                pass
        return Client.__getattr__(client, key)

    return read


def _writer(names: dict[str, str]) -> Callable[[Client, str, Any], None]:
    def write(client: Client, key: str, value: Any) -> None:
        name = names.get(key)
        if name is None or Blackboard.activity_stream is not None:
            Client.__setattr__(client, key, value)
        else:
            Blackboard.storage[name] = value

    return write
