"""Every game that is installed keeps the contract of games."""

import pytest

from arena_trees.games.registry import find_game, game_names
from arena_trees.testing import check_game
from arena_trees.testing.declarations import check_configuration, check_metrics, check_outcomes, check_trees
from arena_trees.testing.leaves import check_leaves

RARE = {
    "crossroads": {
        "emergency_wait_max_s": "no scenario has trips of class EMERGENCY",
        "flows_again_s": "nobody is cleared from the box",
        "enters_again_s": "nobody is cleared from the box",
    }
}

PLAYED = [
    pytest.param("wolf_rabbit", 1.0),
    *(pytest.param(name, 4.0, marks=pytest.mark.slow) for name in game_names()),
]


@pytest.mark.parametrize("name", game_names())
def test_what_a_game_declares(name):
    """What the check of games looks at before it plays."""
    game = find_game(name)
    for check in (check_metrics, check_outcomes, check_trees, check_leaves, check_configuration):
        check(game)


@pytest.mark.parametrize(("name", "duration_s"), PLAYED)
def test_conformance(name, duration_s):
    checked = check_game(find_game(name), rare=RARE.get(name, {}), duration_s=duration_s)
    assert checked.game == name
    assert "equal seeds give equal traces with 1 and 2 jobs" in checked.checked


@pytest.mark.slow
def test_what_a_world_of_its_own_has_not_is_skipped_and_said():
    checked = check_game(find_game("crossroads"), scenario="crossroads", rare=RARE["crossroads"])
    assert checked.scenario == "crossroads"
    assert {"replay", "blackboard", "purity"} < set(checked.skipped)
    assert "replay is identical" not in checked.checked
