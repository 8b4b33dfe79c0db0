"""Tag keeps the contract of games, and its referee its rules."""

from __future__ import annotations

import pytest

import arena_trees as at
from arena_trees.testing import check_game
from arena_trees_tag.game import GAME
from arena_trees_tag.referee import Referee, TagRules

EMPTY = at.Inbox()


def referee() -> Referee:
    """Return the referee of a game of red and blue, begun; red is it."""
    players = {name: at.Player(name, "tagger", at.RoamParameters()) for name in ("red", "blue")}
    made = Referee(at.GameContext(TagRules(), players, duration_s=60.0, streams=at.RandomStreams(1)))
    made.begin(0)
    made.it = "red"
    return made


def look(made: Referee, now_s: float, distance: float) -> Referee:
    """Let the referee see the robots so far from each other (m)."""
    now = at.from_seconds(now_s)
    places = {"red": at.Pose2D(0.0, 0.0, 0.0), "blue": at.Pose2D(distance, 0.0, 0.0)}
    list(made.step(now, {name: at.TruthSample(name, now, pose) for name, pose in places.items()}, EMPTY))
    return made


def test_it_keeps_the_contract_of_games():
    assert not check_game(GAME).skipped


@pytest.mark.parametrize(("distance", "it"), [(0.59, "blue"), (0.61, "red")])
def test_who_is_near_enough_is_tagged(distance, it):
    assert look(referee(), 1.0, distance).state.it == it


def test_nobody_is_tagged_back_in_the_pause():
    made = look(referee(), 1.0, 0.55)
    assert made.state.phase == "PAUSE"
    assert look(made, 3.9, 0.55).state.it == "blue"
    assert look(made, 4.1, 0.55).state.it == "red"
    assert made.state.tags == 2


def test_the_score_is_the_time_of_not_being_it():
    made = look(look(referee(), 10.0, 0.55), 25.0, 3.0)
    assert made.state.score_s == {"red": 15.0, "blue": 10.0}


def test_a_robot_that_is_not_seen_is_not_tagged():
    made = look(referee(), 1.0, 2.0)
    list(made.step(at.from_seconds(2.0), {}, EMPTY))
    assert made.state.tags == 0


def test_it_ends_when_time_is_up():
    made = look(referee(), 60.0, 0.55)
    assert made.end == at.End("over", "time is up", at.from_seconds(60.0))
    assert made.state.phase == "OVER"


def test_it_is_a_game_for_two():
    with pytest.raises(at.ConfigError, match="game for two"):
        at.play("tag", changes={"robots": {"red": {"role": "tagger"}}}, trials=1)
