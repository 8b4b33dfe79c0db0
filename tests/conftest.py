"""What every test shares."""

from __future__ import annotations

from collections.abc import Iterator

import py_trees
import pytest


@pytest.fixture(autouse=True)
def own_blackboard() -> Iterator[None]:
    """Leave nothing on py_trees' blackboard, which all tests of a process share."""
    yield
    py_trees.blackboard.Blackboard.clear()
    py_trees.blackboard.Blackboard.metadata.clear()
    py_trees.blackboard.Blackboard.clients.clear()
