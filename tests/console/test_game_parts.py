"""A game's parts, as the console shows them, tell what a recording of the same game tells."""

import pytest

from arena_trees.console.game_parts import GameParts, joined
from arena_trees.console.game_process import plan_of
from arena_trees.recording.events import EventLister, list_events
from arena_trees.recording.loading import load_recording
from arena_trees.recording.recording import RobotRecording
from arena_trees.recording.trial_recorder import RecordTrials
from arena_trees.simulation.experiments.trial import Trial

TICKS = 150
SENSORS = ("scans", "odometry", "poses", "detections", "bumpers", "batteries")


def told(robot: RobotRecording) -> tuple[dict[int, str], dict[str, object]]:
    """Return each node's newest feedback, and each key's newest value."""
    return (
        {node: text for tick in robot.ticks for node, text in tick.feedback.items()},
        {key: value for tick in robot.ticks for key, value in tick.blackboard.items()},
    )


class Both:
    def __init__(self, *observers):
        self.observers = observers

    def begin(self, trial):
        for observer in self.observers:
            observer.begin(trial)

    def tick(self, trial):
        for observer in self.observers:
            observer.tick(trial)

    def end(self, trial):
        for observer in self.observers:
            observer.end(trial)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The parts of a game, seven ticks each, and the recording of the same."""
    folder = tmp_path_factory.mktemp("bag")
    trial = Trial(plan_of("wolf_rabbit", {"seed": 3}), 0)
    parts = []
    try:
        gathering = GameParts(trial, "wolf_rabbit")
        trial.observer = Both(gathering, RecordTrials(folder, "wolf_rabbit")("", trial))
        trial.begin()
        for tick in range(TICKS):
            trial.step()
            if tick % 7 == 6:
                parts.append(gathering.take())
        parts.append(gathering.take())
    finally:
        trial.close()
    return parts, load_recording(folder / "trial_000")


def test_parts_tell_each_tick_once_and_as_the_recording_does(played):
    parts, recording = played
    whole = joined(parts)
    for name, robot in recording.robots.items():
        live = whole.robots[name]
        assert len(live.ticks) == len(robot.ticks) == TICKS
        for one, other in zip(live.ticks, robot.ticks, strict=True):
            assert (one.now, one.statuses, one.active, one.reasons) == (
                other.now,
                other.statuses,
                other.active,
                other.reasons,
            )
            assert one.twist.linear == pytest.approx(other.twist.linear, abs=1e-6)
        assert live.tree == robot.tree
        assert told(live)[0] == told(robot)[0]
        assert set(told(live)[1]) == set(told(robot)[1])
        for sensor in SENSORS:
            assert [one.stamp for one in getattr(live, sensor)] == [one.stamp for one in getattr(robot, sensor)], sensor


def test_events_of_the_parts_are_those_of_the_whole(played):
    parts, _ = played
    lister = EventLister()
    listed = [event for part in parts for event in lister.take(part)]
    whole = [event for event in list_events(joined(parts)) if event.kind != "silence"]
    assert whole
    assert sorted(map(str, listed)) == sorted(map(str, whole))
