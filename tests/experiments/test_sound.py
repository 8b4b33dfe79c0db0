"""What robots play and show: songs as samples, the WAV file of a trial, and what its result says of it."""

import wave
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from helpers.all_shows import SHOWS, SONGS
from helpers.scenario_plans import planned
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_trees.experiments.plan import TrialPlan
from arena_trees.experiments.results import TrialResult
from arena_trees.experiments.sounds.samples import SAMPLE_RATE, SoundFile, render_song, sample_at
from arena_trees.experiments.sounds.track import SoundTracks
from arena_trees.experiments.trial import Trial, run_trial
from arena_trees.experiments.watching import Watchers
from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.show.songs import Note, Song, frequency

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


TICK_S = 0.02


@pytest.fixture(scope="module")
def plan() -> TrialPlan:
    """A wolf that begins outside of its fence, and says so."""
    return planned("breach_recovery", seed=5, duration_s=4.0)


class Listener:
    """Notes when robots told events, and whether it was ended."""

    def __init__(self) -> None:
        self.reported: list[tuple[int, str, str]] = []
        self.ended = False

    def begin(self, trial: Trial) -> None:
        pass

    def tick(self, trial: Trial) -> None:
        self.reported += [(trial.arena.now, name, cue) for name, record in trial.records.items() for cue in record.cues]

    def end(self, trial: Trial) -> None:
        self.ended = True


@pytest.fixture(scope="module")
def heard(plan: TrialPlan, tmp_path_factory: pytest.TempPathFactory) -> tuple[TrialResult, np.ndarray, Listener]:
    path = tmp_path_factory.mktemp("sound") / "first.wav"
    listener = Listener()
    result = run_trial(plan, 0, watch=Watchers((SoundTracks(path), lambda arm, trial: listener)))
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, SAMPLE_RATE)
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2")
    return result, samples, listener


def test_the_sound_is_as_long_as_the_trial(heard):
    result, samples, _ = heard
    assert len(samples) == sample_at(from_seconds(result.simulated_s))


def test_every_event_is_seen_and_heard_in_the_tick_in_which_it_is_told(heard):
    result, samples, listener = heard
    assert listener.ended
    assert [(one.now, one.robot, one.event) for one in result.shown] == listener.reported
    assert listener.reported[0][2] == "BREACH"
    for one in result.shown:
        assert one.light == SHOWS[one.event].light.name
        if one.song is not None:
            first = sample_at(one.now)
            assert np.abs(samples[first : first + int(TICK_S * SAMPLE_RATE)]).max() > 3000


def test_the_sound_is_there_while_notes_are_played_and_at_no_other_time(heard):
    result, samples, _ = heard
    until = from_seconds(result.simulated_s)
    playing = np.zeros(len(samples), dtype=bool)
    for robot in {one.robot for one in result.shown}:
        begins = [one for one in result.shown if one.robot == robot and one.song is not None]
        # A song is cut short by the next.
        for one, end in zip(begins, [*(one.now for one in begins[1:]), until], strict=True):
            for first, last, note in SHOWS[one.event].song.timed():
                if note.midi is not None:
                    playing[sample_at(one.now + first) : sample_at(min(one.now + last, end))] = True
    assert playing.any() and not playing.all()
    assert not samples[~playing].any()
    assert np.mean(np.abs(samples[playing])) > 2000


def test_the_result_says_what_was_shown(heard):
    result, _, _ = heard
    first = result.shown[0]
    assert result.to_dict()["shown"][0] == {
        "time_s": first.now / 1e9, "robot": first.robot, "event": "BREACH", "light": "BREACH", "song": "BREACH",
    }  # fmt: skip


def test_only_the_first_trial_of_its_arm_is_heard(plan: TrialPlan, tmp_path: Path):
    watch = SoundTracks(tmp_path / "first.wav", "source")
    for arm, index in (("source", 1), ("arena", 0)):
        run_trial(plan, index, arm=arm, watch=watch, on_progress=None)
        assert not list(tmp_path.iterdir())
    run_trial(plan, 0, arm="source", watch=watch)
    assert [path.name for path in tmp_path.iterdir()] == ["first.wav"]


def test_where_one_observer_cannot_be_made_or_ended_the_others_are_ended(plan: TrialPlan, tmp_path: Path):
    first, last = Listener(), Listener()
    with pytest.raises(ConfigError, match="cannot be written"):
        run_trial(plan, 0, watch=Watchers((lambda arm, trial: first, SoundTracks(tmp_path))))
    assert first.ended
    first.ended = False

    def interrupt(arm: str, trial: Trial) -> Listener:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_trial(plan, 0, watch=Watchers((lambda arm, trial: first, interrupt)))
    assert first.ended

    def refuse(listener: Listener, trial: Trial) -> None:
        raise OSError("no space left")

    broken = Listener()
    broken.end = partial(refuse, broken)  # type: ignore[method-assign]
    first.ended = False
    everybody = Watchers((lambda arm, trial: first, lambda arm, trial: broken, lambda arm, trial: last))
    with pytest.raises(OSError, match="no space left"):
        run_trial(plan, 0, watch=everybody)
    assert first.ended and last.ended
