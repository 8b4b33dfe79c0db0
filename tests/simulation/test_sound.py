"""Songs as samples, and the WAV file of a trial."""

import wave

import numpy as np
import pytest
from helpers.all_shows import SONGS
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_trees.robot.clock import SECOND
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.show.songs import Note, Song, frequency
from arena_trees.simulation.sounds.samples import SAMPLE_RATE, SoundFile, render_song, sample_at

RATE = 22050


def pitch(samples):
    """Return the strongest frequency, Hz."""
    return np.argmax(np.abs(np.fft.rfft(samples * np.hanning(len(samples))))) * SAMPLE_RATE / len(samples)


@pytest.mark.parametrize("midi", [45, 57, 69, 84, 96])
def test_a_note_sounds_at_its_frequency_with_the_overtones_of_a_square(midi):
    samples = render_song(Song("ONE", (Note(midi, 1.0),)), 0, 0, RATE)
    assert pitch(samples) == pytest.approx(frequency(midi), abs=1.0)
    strengths = np.abs(np.fft.rfft(samples))
    first, second, third = (strengths[round(frequency(midi) * times) - 2 :][:5].max() for times in (1, 2, 3))
    assert third > 0.05 * first
    assert second < 0.02 * first


def test_silence_before_in_rests_and_after():
    song = Song("TWO", (Note(69, 0.1), Note(None, 0.1), Note(69, 0.1)))
    samples = render_song(song, SECOND // 10, 0, RATE // 2)
    loud = [np.abs(part).max() for part in np.split(samples[: RATE // 10 * 5], 5)]
    assert [part > 0.2 for part in loud] == [False, True, False, True, False]


@settings(max_examples=40)
@given(st.sampled_from(sorted(SONGS)), st.integers(0, 3 * SECOND), st.integers(200, 5000))
def test_it_is_the_same_in_whatever_pieces_it_is_made(name, started, piece):
    song = SONGS[name]
    count = sample_at(started + song.length) + 100
    whole = render_song(song, started, 0, count)
    pieces = [render_song(song, started, first, min(piece, count - first)) for first in range(0, count, piece)]
    assert np.array_equal(whole, np.concatenate(pieces))
    assert not whole[: sample_at(started)].any()
    assert not whole[sample_at(started + song.length) :].any()
    assert np.abs(whole).max() < 0.34


def test_a_file_holds_the_sum_of_its_voices_cut_off_where_too_loud(tmp_path):
    path = tmp_path / "new" / "sound.wav"
    file = SoundFile(path)
    file.write([], 10)
    file.write([np.full(10, 0.5), np.full(10, 0.25)], 10)
    file.write([np.full(10, -0.8)] * 2, 10)
    file.close()
    with wave.open(str(path)) as read:
        assert (read.getnchannels(), read.getsampwidth(), read.getframerate(), read.getnframes()) == (1, 2, RATE, 30)
        values = np.frombuffer(read.readframes(30), "<i2")
    assert values.tolist() == [0] * 10 + [round(0.75 * 32767)] * 10 + [-32767] * 10


def test_a_file_that_cannot_be_written_is_refused_in_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be written"):
        SoundFile(tmp_path / "file" / "sound.wav")
    with pytest.raises(ConfigError, match="cannot be written"):
        SoundFile(tmp_path)
