"""Songs and lights: frequencies, frames, duplicates, who overrides whom, and the table of shows with its log."""

import itertools
import math

import pytest
from helpers.all_shows import LIGHTS, SHOWS, SONGS
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.show.cues import CuePlayer, Priority
from arena_trees.robot.show.lights import LEDS, OFF, Light, LightPlayer
from arena_trees.robot.show.show_log import ShowLog
from arena_trees.robot.show.songs import Note, SongPlayer, frequency

TICK = SECOND // 50
REQUESTS = st.lists(st.tuples(st.integers(0, 60), st.sampled_from(sorted(SONGS)), st.integers(0, 3)), max_size=15)
"""Ticks since the request before, song, priority."""


def test_concert_pitch_and_middle_c():
    assert frequency(69) == 440.0
    assert frequency(60) == pytest.approx(261.6256, abs=1e-4)
    assert Note(None, 0.1).frequency == 0.0


@given(st.integers(0, 115))
def test_twelve_notes_are_an_octave_and_all_steps_are_equal(midi):
    assert frequency(midi + 12) == pytest.approx(2.0 * frequency(midi), rel=1e-12)
    assert frequency(midi + 1) / frequency(midi) == pytest.approx(2.0 ** (1 / 12), rel=1e-12)
    assert 69 + 12 * math.log2(frequency(midi) / 440.0) == pytest.approx(midi, abs=1e-9)


@pytest.mark.parametrize(
    "values", [(-1, 0.1), (128, 0.1), (60, 0.0), (60, -1.0), (60, math.nan), (60, math.inf), (60.5, 0.1)]
)
def test_a_note_that_no_speaker_plays_is_refused(values):
    with pytest.raises(ValueError, match=r"no MIDI note|cannot last"):
        Note(*values)


@pytest.mark.parametrize(("after", "played"), [(0, False), (249_999_999, False), (250_000_000, True)])
def test_the_same_song_within_a_quarter_of_a_second_is_a_duplicate(after, played):
    player = SongPlayer()
    assert SONGS["PELLET"].length < 250_000_000
    assert player.play(SONGS["PELLET"], 0, 0)
    assert player.play(SONGS["PELLET"], 3, after) is played


@given(REQUESTS)
def test_never_two_songs_at_once_and_silence_in_the_end(requests):
    player, now, mine = SongPlayer(), 0, None
    for ticks, name, priority in requests:
        now += ticks * TICK
        busy = mine is not None and now < mine[2] + mine[0].length
        duplicate = mine is not None and mine[0].name == name and now - mine[2] < SECOND // 4
        played = player.play(SONGS[name], priority, now)
        assert played == (not duplicate and (not busy or priority > mine[1]))
        if played:
            mine = (SONGS[name], priority, now)
        heard = player.playing(now)
        assert heard == ((mine[0], mine[2]) if now < mine[2] + mine[0].length else None)
    assert player.playing(now + 60 * SECOND) is None


@pytest.mark.parametrize("song", SONGS.values(), ids=lambda song: song.name)
def test_every_song_is_one_that_the_base_can_play(song):
    assert SONGS[song.name] is song
    assert 0 < song.length < 10 * SECOND
    # The message holds whole hertz in 16 bits, and a small speaker little below 100 Hz.
    assert all(note.midi is None or 100.0 < note.frequency < 4000.0 for note in song.notes)
    assert song.notes[0].midi is not None and song.notes[-1].midi is not None
    timed = song.timed()
    assert timed[0][0] == 0 and timed[-1][1] == song.length
    assert all(before[1] == after[0] for before, after in itertools.pairwise(timed))


FRAME = 150_000_000
NAMES = st.sampled_from(sorted(LIGHTS))
COMMANDS = st.lists(st.tuples(st.integers(0, 100), NAMES, st.integers(0, 3)), max_size=12)
"""Ticks since the command before, light, priority."""


def test_a_static_colour_is_the_same_on_all_lights_to_its_end_and_no_longer():
    player, chase = LightPlayer(), LIGHTS["CHASE"]
    assert player.frame(0) is None
    assert player.show(chase, 0, 5)
    for now in (5, 5 + FRAME, 4 + 2 * SECOND):
        assert player.frame(now) == ((255, 120, 0),) * LEDS
    assert player.frame(5 + 2 * SECOND) is None


def test_an_animation_shows_its_frames_in_turn_and_begins_again():
    player, grant = LightPlayer(), LIGHTS["GRANT"]
    player.show(grant, 0, 0)
    seen = [player.frame(number * FRAME) for number in range(10)]
    assert seen == [*grant.frames, *grant.frames[:4]]
    assert [player.frame(number * FRAME - 1) for number in range(1, 11)] == seen


@given(COMMANDS)
def test_one_light_at_a_time_and_the_base_has_its_ring_back_in_the_end(commands):
    player, now, mine = LightPlayer(), 0, None
    for ticks, name, priority in commands:
        now += ticks * TICK
        before = player.frame(now)
        running = mine is not None and before is not None
        light = LIGHTS[name]
        let_in = player.show(light, priority, now)
        assert let_in == (not light.frames or not running or priority >= mine[1])
        if let_in:
            mine = (light, priority, now) if light.frames else None
        shown = player.frame(now)
        if mine is None:
            assert shown is None
        elif now < mine[2] + from_seconds(mine[0].seconds):
            assert shown == mine[0].frames[(now - mine[2]) // FRAME % len(mine[0].frames)]
        assert let_in or shown == before
    assert player.frame(now + 20 * SECOND) is None


@pytest.mark.parametrize("frames", [(((0, 0, 0),) * 5,), (((0, 0, 256),) * 6,), (((0, -1, 0),) * 6,)])
def test_a_frame_that_no_ring_can_show_is_refused(frames):
    with pytest.raises(ValueError, match="light ODD"):
        Light("ODD", frames, 1.0)


@pytest.mark.parametrize("light", LIGHTS.values(), ids=lambda light: light.name)
def test_every_light_fits_the_ring_and_ends(light):
    assert LIGHTS[light.name] is light
    assert 0.0 < light.seconds <= 10.0 or light is OFF
    # An animation that ends before its last frame was drawn in vain.
    assert len(light.frames) * 0.15 <= light.seconds or len(light.frames) <= 1


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


def test_a_part_of_a_show_is_shown_alone():
    player = CuePlayer(SHOWS)
    assert player.play("WIN/song", 0) == (False, SONGS["WIN"])
    assert player.frame(0) is None
    player = CuePlayer(SHOWS)
    assert player.play("WIN/light", 0) == (True, None)
    assert player.frame(0) == LIGHTS["WIN"].frames[0]
    assert player.play("WIN", 1) == (True, SONGS["WIN"]), "its light alone has kept no song from the loudspeaker"
    assert player.play("RESET/song", 2) == (False, None)
    assert player.play("WIN/dance", SECOND) == player.play("WIN/", SECOND) == (False, None)
    log = ShowLog(SHOWS)
    log.record("pacman", 0, ["GHOST/light"])
    log.record("pacman", 1, ["GHOST/song"])
    assert [(one.event, one.light, one.song) for one in log.shown] == [
        ("GHOST", "GHOST", None),
        ("GHOST", None, "GHOST"),
    ]


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
