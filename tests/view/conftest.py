"""What tests of the view need."""

import pytest
from helpers.arena import needs_arena


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test here plays in the arena."""
    for item in items:
        if "tests/view" in str(item.path):
            item.add_marker(needs_arena)
