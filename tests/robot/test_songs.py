"""Songs: frequencies, busy handling, duplicates and priorities."""

import itertools
import math

import pytest
from helpers.all_shows import SONGS
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.robot.clock import SECOND
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


def test_while_busy_the_same_or_a_lower_priority_is_dropped_and_a_higher_overrides():
    player = SongPlayer()
    assert player.play(SONGS["CHASE"], 1, 0)
    assert not player.play(SONGS["LOST"], 1, TICK)
    assert not player.play(SONGS["LOST"], 0, TICK)
    assert player.playing(TICK) == (SONGS["CHASE"], 0)
    assert player.play(SONGS["CATCH"], 2, 2 * TICK)
    assert player.playing(2 * TICK) == (SONGS["CATCH"], 2 * TICK)
    assert player.playing(2 * TICK + SONGS["CATCH"].length) is None


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
