"""What the robots of a trial show and play: in its result, and as a WAV file."""

import wave
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from helpers.all_shows import SHOWS

from arena_trees.robot.clock import from_seconds
from arena_trees.robot.errors import ConfigError
from arena_trees.simulation.experiments.plan import TrialPlan, make_plan
from arena_trees.simulation.experiments.results import TrialResult
from arena_trees.simulation.experiments.scenario import apply_changes, find_scenario, load_scenario
from arena_trees.simulation.experiments.trial import Trial, run_trial
from arena_trees.simulation.experiments.watching import Watchers
from arena_trees.simulation.sounds.samples import SAMPLE_RATE, sample_at
from arena_trees.simulation.sounds.track import SoundTracks

TICK_S = 0.02


@pytest.fixture(scope="module")
def plan() -> TrialPlan:
    """A wolf that begins outside of its fence, and says so."""
    path = find_scenario("breach_recovery")
    return make_plan(apply_changes(load_scenario(path), {"seed": 5, "duration_s": 4.0}), path, path.parent)


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

    def refuse(listener: Listener, trial: Trial) -> None:
        raise OSError("no space left")

    broken = Listener()
    broken.end = partial(refuse, broken)  # type: ignore[method-assign]
    first.ended = False
    everybody = Watchers((lambda arm, trial: first, lambda arm, trial: broken, lambda arm, trial: last))
    with pytest.raises(OSError, match="no space left"):
        run_trial(plan, 0, watch=everybody)
    assert first.ended and last.ended
