"""Recordings of a pursuit: what a tree was told of its robot comes back, and every tick with it."""

import math
from pathlib import Path

import pytest

from arena_trees.recording.loading import load_recording
from arena_trees.recording.replaying.plan import plan_replay
from arena_trees.recording.replaying.replay import replay
from arena_trees.recording.trial_recorder import RecordTrials
from arena_trees.simulation.experiments.plan import make_plan
from arena_trees.simulation.experiments.scenario import apply_changes, find_scenario, load_scenario
from arena_trees.simulation.experiments.trial import Trial


@pytest.mark.parametrize("strategy", ["arena", "source"])
def test_a_chaser_with_turret_camera_and_laser_of_its_own_is_replayed_tick_for_tick(tmp_path: Path, strategy: str):
    path = find_scenario("pursuit_wall_source_scale")
    changes = {
        "strategy": strategy,
        "seed": 3,
        "duration_s": 3.0,
        "rules.reach": 20.0,
        "chaser.vote_needed": 5,
        "chaser.sensors.sphere_camera.hfov_deg": 62.0,
        "chaser.body": {"barrel": {"height": 0.3}, "radius": 0.21},
    }
    plan = make_plan(apply_changes(load_scenario(path), changes), path, path.parent)
    trial = Trial(plan, 0)
    trial.observer = RecordTrials(tmp_path)("", trial)
    trial.begin()
    seen = 0
    for _ in range(150):
        trial.step()
        quarry = trial.records["chaser"].blackboard.get("quarry")
        seen += quarry is not None and quarry.in_sight
    trial.close()
    assert seen > 30
    recording = load_recording(tmp_path / "trial_000")
    for robot in ("chaser", "evader"):
        planned = plan_replay(recording, robot)
        context = planned.given["context"]
        assert context.body == plan.robots[robot].body and context.rules == plan.rules
        assert context.camera.pinhole().hfov == pytest.approx(math.radians(62.0 if robot == "chaser" else 42.0))
        result = replay(planned)
        assert (result.compared, result.different) == (150, 0)
