"""Every game that is installed keeps the contract of games."""

from __future__ import annotations

import pytest

from arena_trees.games.registry import find_game, game_names
from arena_trees.testing import check_game


@pytest.mark.parametrize("name", game_names())
def test_conformance(name):
    checked = check_game(find_game(name))
    assert checked.game == name
    assert "equal seeds give equal traces with 1 and 2 jobs" in checked.checked
