"""Every leaf of every game lists in its docstring what it reads and writes on the blackboard."""

import importlib
import pkgutil
from collections.abc import Iterator

import pytest
from py_trees.common import Status

import arena_trees as at
from arena_trees import behaviours
from arena_trees.behaviours.base import ActionBehaviour, PerceptBehaviour
from arena_trees.games.registry import find_game, game_names
from arena_trees.testing.leaves import check_leaves, documented_keys, role_trees, undocumented


def leaf_classes() -> list[type[PerceptBehaviour]]:
    """Return the classes of leaves in the room of behaviours, less those that others are made from."""
    for module in pkgutil.walk_packages(behaviours.__path__, f"{behaviours.__name__}."):
        importlib.import_module(module.name)

    def below(kind: type[PerceptBehaviour]) -> Iterator[type[PerceptBehaviour]]:
        own = [one for one in kind.__subclasses__() if one.__module__.startswith(f"{behaviours.__name__}.")]
        for one in own:
            yield from below(one)
        if not own:
            yield kind

    return list(below(PerceptBehaviour))


@pytest.mark.parametrize("kind", leaf_classes(), ids=lambda kind: kind.__name__)
def test_each_leaf_has_a_section_for_its_keys(kind: type[PerceptBehaviour]):
    assert documented_keys(kind) is not None


@pytest.mark.parametrize("game", game_names())
def test_the_leaves_of_each_game_list_what_they_declare(game: str):
    check_leaves(find_game(game))


def test_each_leaf_is_in_the_tree_of_a_game():
    def used() -> Iterator[type]:
        for role in (role for game in game_names() for role in find_game(game).roles):
            for root in role_trees(role):
                yield from map(type, root.iterate())

    offered = {at.GoTo}
    assert {kind.__name__ for kind in leaf_classes()} - {kind.__name__ for kind in (*used(), *offered)} == set()


def test_what_is_offered_to_trees_of_your_own_lists_what_it_declares():
    assert list(undocumented(at.GoTo("Go", "robot", 0.0, 0.0))) == []


class Good(ActionBehaviour):
    """Drive.

    Blackboard Variables:
        * scan (Scan, (m)) [r], pose
          [r]: where it is
        * plan (Plan), none (None | (x, y)),
          goal [rw]: a list, and (m) more
        * command [w]

    Args:
        name: no key [r]
    """

    def __init__(self) -> None:
        super().__init__("Good", "robot", ("scan", "pose"), ("plan", "none", "goal"))

    def update(self) -> Status:
        return Status.SUCCESS


class Bad(PerceptBehaviour):
    """Look.

    Blackboard Variables:
        * scan [r], plan [r]
        * goal [w], command [w]
    """

    def __init__(self) -> None:
        super().__init__("Bad", "robot", ("pose", "goal"), ("plan",))

    def update(self) -> Status:
        return Status.SUCCESS


def test_a_docstring_that_says_something_else_is_found():
    assert documented_keys(Good) == dict(scan="r", pose="r", plan="rw", none="rw", goal="rw", command="w")
    assert list(undocumented(Good())) == []
    assert [fault.split(",")[0] for fault in undocumented(Bad())] == [
        "declares to read goal",
        "declares to read pose",
        "declares to write plan",
        "lists scan with [r]",
        "lists command with [w]",
        "lists goal with [w]",
    ]
