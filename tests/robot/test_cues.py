"""The table of shows, and what is taken down of it."""

import pytest
from helpers.all_shows import LIGHTS, SHOWS, SONGS

from arena_trees.robot.clock import SECOND
from arena_trees.robot.show.cues import CuePlayer, Priority
from arena_trees.robot.show.show_log import ShowLog

TICK = SECOND // 50
EVENTS = {
    "CHASE", "LOST", "CATCH", "DEAD", "BREACH", "REST", "START_THEATRICAL", "PELLET", "POWER_PELLET", "GHOST", "DEATH",
    "GAME_OVER", "WIN", "RESET", "GRANT", "YIELD",
}  # fmt: skip


@pytest.mark.parametrize("event", sorted(EVENTS | SHOWS.keys()))
def test_every_event_has_a_light_and_a_song_of_one_name(event):
    show = SHOWS[event]
    assert LIGHTS[show.light.name] is show.light, "two lights have this name"
    assert show.song is None or SONGS[show.song.name] is show.song, "two songs have this name"


def test_an_event_is_shown_at_its_instant_and_an_unknown_one_not_at_all():
    player = CuePlayer(SHOWS)
    assert player.play("NOBODY KNOWS THIS", 0) == (False, None)
    assert player.frame(0) is None
    assert player.play("WIN", 7) == (True, SONGS["WIN"])
    assert player.frame(7) == LIGHTS["WIN"].frames[0]
    assert player.play("PELLET", 8) == (False, None)
    assert player.play("RESET", 9) == (True, None)
    assert player.frame(9) is None


def test_what_decides_the_game_is_more_important_than_its_everyday_and_a_breach_than_all():
    assert SHOWS["PELLET"].priority < SHOWS["POWER_PELLET"].priority < SHOWS["DEATH"].priority
    assert SHOWS["BREACH"].priority == max(Priority)
    assert all(show.priority <= SHOWS["RESET"].priority for show in SHOWS.values())


def test_the_log_says_what_was_seen_and_heard():
    log = ShowLog(SHOWS)
    log.record("pacman", 0, ["WIN"])
    log.record("pacman", TICK, ["PELLET", "NOBODY KNOWS THIS"])
    log.record("ghost", TICK, ["PELLET"])
    log.record("pacman", 5 * SECOND, ["PELLET", "PELLET"])
    assert [one.to_dict() for one in log.shown] == [
        {"time_s": 0.0, "robot": "pacman", "event": "WIN", "light": "WIN", "song": "WIN"},
        {"time_s": 0.02, "robot": "ghost", "event": "PELLET", "light": "PELLET", "song": "PELLET"},
        {"time_s": 5.0, "robot": "pacman", "event": "PELLET", "light": "PELLET", "song": "PELLET"},
        # The second at the same instant is heard once.
        {"time_s": 5.0, "robot": "pacman", "event": "PELLET", "light": "PELLET", "song": None},
    ]
