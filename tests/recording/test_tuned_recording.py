"""A game whose parameters were changed while it went on is recorded with the changes, and replayed with them."""

import pytest

from arena_trees.console.game_process import plan_of
from arena_trees.experiments.trial import Trial
from arena_trees.recording.events import list_events
from arena_trees.recording.loading import load_recording
from arena_trees.recording.replaying.plan import plan_replay
from arena_trees.recording.replaying.replay import replay
from arena_trees.recording.trial_recorder import RecordTrials


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tuned")
    trial = Trial(plan_of("wolf_rabbit", {"seed": 3, "duration_s": 6.0, "trials": 1}), 0)
    try:
        trial.observer = RecordTrials(folder)("", trial)
        trial.begin()
        while not trial.judge.over:
            if trial.loops["wolf"].ticks == 100:
                trial.parameters["wolf"].propose({"look_turn_speed": 0.3})
            trial.step()
    finally:
        trial.close()
    return load_recording(folder / "trial_000")


def test_the_tick_that_first_had_a_change_tells_it(recording):
    told = {tick.number: tick.parameters for tick in recording.robots["wolf"].ticks if tick.parameters}
    assert told == {100: {"look_turn_speed": 0.3}}
    assert not any(tick.parameters for tick in recording.robots["rabbit"].ticks)
    texts = [event.text for event in list_events(recording) if event.kind == "parameter"]
    assert texts == ["look_turn_speed = 0.3"]


def test_the_replay_changes_them_at_the_same_tick(recording):
    replayed = replay(plan_replay(recording, "wolf"))
    assert (replayed.compared, replayed.different) == (len(recording.robots["wolf"].ticks), 0)


def test_what_the_replay_sets_itself_is_not_changed(recording):
    assert replay(plan_replay(recording, "wolf", changes={"look_turn_speed": 1.0})).different > 0
