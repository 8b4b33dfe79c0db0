"""The crossing as a scenario: played by the command, repeatable, with deaths, and bad input refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena_trees.cli import main
from arena_trees.games.crossroads.kinematic_trial import run_crossroads
from arena_trees.games.crossroads.scenario import CrossroadsPlan, load_crossroads, plan_crossroads
from arena_trees.robot.errors import ConfigError
from arena_trees.simulation.scenario import find_scenario, load_scenario

SEED = 7


def planned(**changes: Any) -> CrossroadsPlan:
    scenario = load_crossroads(find_scenario("crossroads"))
    return plan_crossroads(scenario.with_changes({"seed": SEED, "duration_s": 30.0, **changes}), "a test")


def test_the_command_plays_both_protocols_and_leaves_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    arguments = ["run", "crossroads", "--compare", "source", "--trials", "1", "--seed", str(SEED), "--jobs", "1"]
    arguments += ["--set", "duration_s=60", "--set", "robots=8", "--set", "arrivals_per_min=0", "--quiet"]
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0
    results = json.loads((tmp_path / "results" / "crossroads.json").read_text())
    assert (results["arm"], results["seed"], results["complete"]) == ("arena", SEED, True)
    summary, source = results["summary"], results["arms"]["source"]["summary"]
    assert {"delay_mean_s", "delay_p95_s", "delay_max_s", "grant_latency_s", "order_inversions"} <= set(summary)
    assert {"stalls", "real_time_factor", "throughput_per_min"} <= set(summary)
    assert summary["crossings"]["mean"] > source["crossings"]["mean"] > 0
    assert summary["conflicts"]["mean"] == source["conflicts"]["mean"] == 0
    assert summary["min_separation_m"]["mean"] >= 0.45
    assert (tmp_path / "results" / "crossroads.png").read_bytes().startswith(b"\x89PNG")


def test_the_same_seed_gives_the_same_trace():
    traces = [run_crossroads(planned(duration_s=12.0), index, trace=True).trace_sha256 for index in (0, 0, 1)]
    assert traces[0] == traces[1] != traces[2]


def test_a_robot_dies_in_the_box_and_the_scheduler_starts_anew():
    faults = [{"dies": "robot", "at_s": 10.0, "for_s": 15.0}, {"dies": "scheduler", "at_s": 12.0, "for_s": 1.0}]
    harmed = run_crossroads(planned(duration_s=60.0, arrivals_per_min=0.0, faults=faults), 0).values
    healthy = run_crossroads(planned(duration_s=60.0, arrivals_per_min=0.0), 0).values
    assert harmed["conflicts"] == 0
    assert 0 < harmed["crossings"] < healthy["crossings"]
    assert 0.0 < harmed["flows_again_s"] <= harmed["enters_again_s"] <= 5.0
    assert "flows_again_s" not in healthy


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"robots": 0}, "robots"),
        ({"arrivals_per_min": float("nan")}, "arrivals_per_min"),
        ({"plan.lane_width": 0.3}, "plan.lane_width"),
        ({"faults": [{"dies": "robot", "robot": "robot_9"}]}, "faults.0.robot"),
        ({"faults": [{"dies": "scheduler", "robot": "robot_1"}]}, "faults.0"),
        ({"wolf.chase_kp": 1.0}, "wolf.chase_kp"),
    ],
)
def test_bad_values_are_refused(changes: dict[str, Any], message: str):
    with pytest.raises(ConfigError, match=message):
        planned(**changes)


def test_what_needs_trees_says_that_there_are_none(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    with pytest.raises(SystemExit) as ended:
        main(["run", "crossroads", "--record", str(tmp_path / "bags")])
    assert ended.value.code == 2
    assert "--record" in capsys.readouterr().err
    with pytest.raises(ConfigError, match="crossroads"):
        load_scenario(find_scenario("crossroads"))
