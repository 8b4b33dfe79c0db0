"""Pursuits are played and recorded: a short trial of each kind, what the game refuses, and every tick replayed."""

import math
from pathlib import Path
from typing import Any

import pytest
from helpers import scenario_plans
from helpers.arena import needs_arena

from arena_trees.experiments.plan import TrialPlan
from arena_trees.experiments.trial import Trial, run_trial
from arena_trees.recording.loading import load_recording
from arena_trees.recording.replaying.plan import plan_replay
from arena_trees.recording.replaying.replay import replay
from arena_trees.recording.trial_recorder import RecordTrials
from arena_trees.robot.errors import ConfigError


def planned(name: str = "pursuit_empty", **changes: Any) -> TrialPlan:
    return scenario_plans.planned(name, **{"seed": 10, **changes})


@needs_arena
def test_a_chaser_hits_and_comes_home_and_its_odometry_says_how_well():
    result = run_trial(planned(), 0)
    values = result.values
    assert result.outcome == "home"
    assert values["hit"] and values["shots"] >= 1
    assert values["return_believed_m"] < 0.1
    # What it is off by is what it believes to be off, and what its odometry has drifted.
    assert abs(values["return_error_m"] - values["return_believed_m"]) <= values["chaser_odometry_error_m"] + 0.02
    assert values["range_ticks"] > 50
    assert values["range_mae_pct"] < 10.0
    assert [mark.label for mark in result.marks][-2:] == ["hit", "home"]
    assert result.shapes


@needs_arena
@pytest.mark.parametrize(
    "manner", [*(pytest.param(slow, marks=pytest.mark.slow) for slow in ("source", "hide")), "dodge"]
)
def test_no_evader_touches_a_wall(manner):
    # Without messages nobody tells of a chaser; with them the chaser stands where it starts, and its laser is off.
    changes = {"evader.manner": manner, "duration_s": 8.0, "chaser.speed": 0.001, "rules.reach": 0.01}
    for name in ("pursuit_hiding", "pursuit_wall_source_scale"):
        result = run_trial(planned(name, **changes), 0)
        assert result.values["collisions"] == 0
        way = result.trajectories["evader"].pose
        assert abs(way[:, :2] - way[0, :2]).max() > 0.3


@needs_arena
def test_a_pursuit_can_be_played_in_isolation():
    result = run_trial(planned(isolated=True, duration_s=60.0), 0)
    assert result.outcome == "hit"
    assert result.ended_s == result.values["time_to_hit_s"]


def test_the_strategy_chooses_detector_gate_and_localisation():
    ours, theirs = planned(), planned(strategy="source")
    for plan, detector, obstacles in ((ours, "arena", True), (theirs, "source", False)):
        assert plan.robots["chaser"].sensors.sphere_camera.detector == detector
        assert plan.robots["chaser"].gate.obstacles is obstacles
        assert plan.robots["evader"].gate.obstacles is True
        assert plan.localises("chaser") is obstacles
    kept = planned(strategy="source", **{"chaser.gate.obstacles": True})
    assert kept.robots["chaser"].gate.obstacles is True


def test_the_camera_option_is_for_robots_that_look_and_a_hiding_evader_is_told_its_arena():
    plan = planned(camera="rendered")
    assert plan.robots["chaser"].sensors.sphere_camera.kind == "rendered"
    assert plan.robots["chaser"].sensors.camera.kind == "pinhole"
    assert plan.robots["evader"].sensors.camera.kind == "pinhole"
    assert plan.robots["evader"].sensors.sphere_camera.kind == "none"
    assert planned("pursuit_hiding").robots["evader"].parameters.arena == "pursuit_room_boxes.yaml"


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"chaser.body.barrel": None}, "robots.chaser.body.barrel"),
        ({"evader.body.sphere": None}, "robots.evader.body.sphere"),
        ({"arena": None, "map": "flat", "chaser.start": {"x": 0.0, "y": 0.0, "yaw_deg": 0.0},
          "evader.start": {"x": 1.0, "y": 0.0, "yaw_deg": 0.0}}, "map"),
    ],
)  # fmt: skip
def test_it_refuses_what_cannot_be_played(changes, key):
    with pytest.raises(ConfigError) as caught:
        planned(**changes)
    assert caught.value.key == key


@pytest.mark.parametrize("strategy", ["arena", "source"])
def test_a_chaser_with_turret_camera_and_laser_of_its_own_is_replayed_tick_for_tick(tmp_path: Path, strategy: str):
    changes = {
        "strategy": strategy,
        "seed": 3,
        "duration_s": 3.0,
        "rules.reach": 20.0,
        "chaser.vote_needed": 5,
        "chaser.sensors.sphere_camera.hfov_deg": 62.0,
        "chaser.body": {"barrel": {"height": 0.3}, "radius": 0.21},
    }
    plan = planned("pursuit_wall_source_scale", **changes)
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
        repeated = plan_replay(recording, robot)
        context = repeated.given["context"]
        assert context.body == plan.robots[robot].body and context.rules == plan.rules
        assert context.camera.pinhole().hfov == pytest.approx(math.radians(62.0 if robot == "chaser" else 42.0))
        result = replay(repeated)
        assert (result.compared, result.different) == (150, 0)
