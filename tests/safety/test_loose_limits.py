"""Which limits of the gate are looser than by default, and who says so."""

import json
from pathlib import Path

import pytest
from helpers.scenario_plans import planned

from arena_trees.recording.loading import load_recording
from arena_trees.recording.play import play
from arena_trees.recording.trial_recorder import RecordTrials
from arena_trees.robot.errors import ConfigError
from arena_trees.safety.parameters import GateParameters, StrictGateParameters

LOOSE = {"wolf.gate.obstacle_margin": 0.0, "rabbit.gate.max_linear": 0.4, "wolf.gate.pose_hold": 2.0}


@pytest.mark.parametrize("key", GateParameters.model_fields)
def test_every_limit_declares_which_value_is_the_stricter(key: str):
    field = GateParameters.model_fields[key]
    extra = field.json_schema_extra
    assert isinstance(extra, dict) and extra["stricter"] in ("less", "more")
    step = 0.01 * (field.default or 1.0)
    switch = isinstance(field.default, bool)
    for value in (not field.default,) if switch else (field.default - step, field.default + step):
        is_looser = (value > field.default) is (extra["stricter"] == "less")
        assert list(GateParameters.model_construct(**{key: value}).loosened) == ([key] if is_looser else [])
        if is_looser:
            # Of one whose default is the loosest that there may be, the bound says it.
            with pytest.raises(ConfigError, match=f"{key} must not be looser|should be (less|greater) than or equal"):
                StrictGateParameters().with_changes({key: value})
        else:
            assert StrictGateParameters().with_changes({key: value}).loosened == {}


def test_the_direction_is_that_of_the_limit():
    stricter = GateParameters(max_linear=0.1, obstacle_margin=0.2, scan_timeout=0.1, body_radius=0.1, hull_radius=0.2)
    looser = GateParameters(max_linear=0.4, obstacle_margin=0.0, scan_timeout=2.0, body_radius=0.15, hull_radius=0.16)
    assert stricter.loosened == {}
    assert set(looser.loosened) == {"max_linear", "obstacle_margin", "scan_timeout", "body_radius", "hull_radius"}
    assert str(looser.loosened["obstacle_margin"]) == "0 m (default 0.05)"
    assert {key: str(limit) for key, limit in GateParameters(obstacles=False).loosened.items()} == {
        "obstacles": "false (default true)"
    }


def test_a_team_is_named_by_its_role():
    plan = planned("crossroads_lidar", **{"crosser.gate.line_margin": 0.0})
    assert list(plan.loosened) == ["crosser.gate.line_margin"]


def test_results_and_recordings_say_what_is_looser(tmp_path: Path):
    usual = play("wolf_rabbit", changes={"duration_s": 0.1}, trials=1, seed=3)
    assert usual.loosened == "" and "loosened" not in usual.to_dict()
    watch = RecordTrials(tmp_path, "wolf_rabbit")
    result = play("wolf_rabbit", changes={"duration_s": 0.1, **LOOSE}, trials=1, seed=3, watch=watch)
    expected = "wolf.gate.obstacle_margin 0 m (default 0.05), rabbit.gate.max_linear 0.4 m/s (default 0.306)"
    assert result.loosened == expected
    written = json.loads(json.dumps(result.to_dict()))["loosened"]
    assert written["wolf.gate.obstacle_margin"] == {"value": 0.0, "default": 0.05, "unit": "m"}
    recording = load_recording(tmp_path / "trial_000")
    assert "its gate was looser than by default: obstacle_margin 0 m (default 0.05)" in recording.robots["wolf"].notes
