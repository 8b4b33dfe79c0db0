"""What tests of the console need."""

import pytest
from helpers.arena import needs_arena


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test here plays in a process of its own, in the arena."""
    for item in items:
        if "tests/console" in str(item.path):
            item.add_marker(needs_arena)
