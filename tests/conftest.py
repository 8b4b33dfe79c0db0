"""What every test shares."""

from __future__ import annotations

from collections.abc import Iterator

import hypothesis
import py_trees
import pytest

# No example has a deadline: a test machine may be busy with other things.
hypothesis.settings.register_profile("unhurried", deadline=None)
hypothesis.settings.load_profile("unhurried")


@pytest.fixture(autouse=True)
def own_blackboard() -> Iterator[None]:
    """Leave nothing on py_trees' blackboard, which all tests of a process share."""
    yield
    py_trees.blackboard.Blackboard.clear()
    py_trees.blackboard.Blackboard.metadata.clear()
    py_trees.blackboard.Blackboard.clients.clear()
