"""A client of declared keys against py_trees' own: the same values, refusals, clients and activities."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from py_trees.blackboard import Blackboard, Client
from py_trees.common import Access

from arena_trees.robot.ticking.board_client import BoardClient

READS = ("now", "scan", "name")
WRITES = ("command", "energy", "write")
UNKNOWN = ("target", "read")


@pytest.fixture(autouse=True)
def board() -> Iterator[None]:
    """Leave a blackboard as it was found."""
    before = dict(Blackboard.storage)
    yield
    Blackboard.disable_activity_stream()
    Blackboard.storage.clear()
    Blackboard.storage.update(before)


def _theirs() -> Client:
    client = Client(name="leaf", namespace="/wolf")
    for key in READS:
        client.register_key(key, Access.READ)
    for key in WRITES:
        client.register_key(key, Access.WRITE)
    return client


def _ours() -> Client:
    return BoardClient("leaf", "/wolf", READS, WRITES)


Operation = tuple[str, str, int]


def _register(client: Client, key: str, value: int) -> None:
    # py_trees cannot unregister a key that is both read and written.
    if not client.is_registered(key):
        client.register_key(key, Access.READ)


def _unregister(client: Client, key: str, value: int) -> None:
    if client.is_registered(key):
        client.unregister_key(key)


OPERATIONS: dict[str, Callable[[Client, str, int], Any]] = {
    "read": lambda client, key, value: getattr(client, key),
    "get": lambda client, key, value: client.get(key),
    "write": setattr,
    "set": lambda client, key, value: client.set(key, value),
    "keep": lambda client, key, value: client.set(key, value, overwrite=False),
    "exists": lambda client, key, value: client.exists(key),
    "unset": lambda client, key, value: client.unset(key),
    "written by others": lambda client, key, value: Blackboard.set(f"/wolf/{key}", value),
    "register": _register,
    "unregister": _unregister,
    "activity stream": lambda client, key, value: Blackboard.enable_activity_stream(),
    "no activity stream": lambda client, key, value: Blackboard.disable_activity_stream(),
}


def _account(make: Callable[[], Client], operations: list[Operation]) -> list[Any]:
    """Return what each operation on a client returned or raised, and what it left behind."""
    account: list[Any] = []
    client = make()
    try:
        for operation in operations:
            try:
                result = OPERATIONS[operation[0]](client, *operation[1:])
            except (AttributeError, KeyError) as error:
                result = (type(error), str(error))
            stream = Blackboard.activity_stream
            activities = [] if stream is None else [
                (one.key, one.client_name, one.activity_type, one.previous_value, one.current_value)
                for one in stream.data
            ]  # fmt: skip
            ours = {key: value for key, value in Blackboard.storage.items() if key.startswith("/wolf/")}
            declared = (set(client.read), set(client.write), set(client.namespaces))
            account.append((operation, result, activities, ours, declared))
    finally:
        client.unregister(clear=True)
        Blackboard.disable_activity_stream()
        for key in [key for key in Blackboard.storage if key.startswith("/wolf/")]:
            del Blackboard.storage[key]
    return account


operations = st.tuples(
    st.sampled_from(sorted(OPERATIONS)),
    st.sampled_from(sorted({*READS, *WRITES, *UNKNOWN})),
    st.integers(0, 5),
)


@settings(max_examples=300)
@given(st.lists(operations, max_size=25))
def test_accesses_have_the_effects_of_those_of_py_trees(account: list[Operation]) -> None:
    """Whatever is read, written, refused, registered and streamed, in any order."""
    assert _account(_ours, account) == _account(_theirs, account)


def test_a_key_that_is_not_declared_is_refused() -> None:
    client = BoardClient("leaf", "/wolf", ("scan",), ("command",))
    Blackboard.set("/wolf/target", 1)
    with pytest.raises(AttributeError, match="'leaf' does not have read/write access to '/wolf/target'"):
        _ = client.target
    with pytest.raises(AttributeError, match="'leaf' does not have write access to '/wolf/scan'"):
        client.scan = 1
    client.unregister()


def test_clients_of_the_same_keys_of_two_robots_do_not_share_them() -> None:
    wolf, rabbit = (BoardClient("leaf", f"/{robot}", writes=("command",)) for robot in ("wolf", "rabbit"))
    wolf.command, rabbit.command = 1, 2
    assert (wolf.command, rabbit.command) == (1, 2)
    for client in (wolf, rabbit):
        client.unregister()


def test_a_client_that_is_unregistered_writes_no_more() -> None:
    client = BoardClient("leaf", "/wolf", writes=("command",))
    client.command = 1
    client.unregister()
    with pytest.raises(AttributeError, match="does not have write access"):
        client.command = 2
    assert "/wolf/command" not in Blackboard.storage
