"""Every game that is installed keeps the contract of games."""

from __future__ import annotations

import pytest

from arena_trees.games.registry import find_game, game_names
from arena_trees.testing import check_game

RARE = {
    "crossroads": {
        "emergency_wait_max_s": "no scenario has trips of class EMERGENCY",
        "flows_again_s": "nobody is cleared from the box",
        "enters_again_s": "nobody is cleared from the box",
    }
}


@pytest.mark.parametrize("name", game_names())
def test_conformance(name):
    checked = check_game(find_game(name), rare=RARE.get(name, {}))
    assert checked.game == name
    assert "equal seeds give equal traces with 1 and 2 jobs" in checked.checked


def test_what_a_world_of_its_own_has_not_is_skipped_and_said():
    checked = check_game(find_game("crossroads"), scenario="crossroads", rare=RARE["crossroads"])
    assert checked.scenario == "crossroads"
    assert {"replay", "blackboard", "purity"} < set(checked.skipped)
    assert "replay is identical" not in checked.checked
