"""The crossing as a scenario: played by the command, repeatable, with deaths, and bad input refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import call

from arena_trees.experiments.plan import TrialPlan, make_plan
from arena_trees.experiments.scenario import apply_changes, find_scenario, load_scenario
from arena_trees.experiments.world_trial import run_world
from arena_trees.robot.errors import ConfigError

SEED = 7


def planned(**changes: Any) -> TrialPlan:
    scenario = load_scenario(find_scenario("crossroads"))
    return make_plan(apply_changes(scenario, {"seed": SEED, "duration_s": 30.0, **changes}), "a test")


def test_the_command_plays_both_protocols_and_leaves_results(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = ["run", "crossroads", "--compare", "source", "--trials", "1", "--seed", str(SEED), "--jobs", "1"]
    arguments += ["--set", "duration_s=40", "--set", "robots.count=8", "--set", "rules.arrivals_per_min=0", "--quiet"]
    call(capsys, *arguments)
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
    traces = [run_world(planned(duration_s=12.0), index, trace=True).trace_sha256 for index in (0, 0, 1)]
    assert traces[0] == traces[1] != traces[2]


def test_a_robot_dies_in_the_box_and_the_scheduler_starts_anew():
    deaths = [{"dies": "robot", "at_s": 10.0, "for_s": 15.0}, {"dies": "scheduler", "at_s": 12.0, "for_s": 1.0}]
    dense = {"duration_s": 60.0, "rules.arrivals_per_min": 0.0}
    harmed = run_world(planned(**dense, **{"rules.deaths": deaths}), 0).values
    healthy = run_world(planned(**dense), 0).values
    assert harmed["conflicts"] == 0
    assert 0 < harmed["crossings"] < healthy["crossings"]
    assert 0.0 < harmed["flows_again_s"] <= harmed["enters_again_s"] <= 5.0
    assert "flows_again_s" not in healthy


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"robots.count": 0}, r"robots\.count"),
        ({"rules.arrivals_per_min": float("nan")}, r"a test: rules\.arrivals_per_min"),
        ({"rules.plan.lane_width": 0.3}, r"a test: rules\.plan\.lane_width"),
        ({"rules.deaths": [{"dies": "robot", "robot": "robot_9"}]}, r"a test: rules\.deaths\.0\.robot"),
        ({"rules.deaths": [{"dies": "scheduler", "robot": "robot_1"}]}, r"a test: rules\.deaths\.0"),
        ({"faults": [{"robot": "robot_1"}]}, "a test: faults: robots of this world have no sensors"),
        ({"arena": "crossing_4.yaml"}, "a test: arena"),
        ({"wolf.chase_kp": 1.0}, "wolf"),
    ],
)
def test_bad_values_are_refused(changes: dict[str, Any], message: str):
    with pytest.raises(ConfigError, match=message):
        planned(**changes)


def test_what_needs_trees_says_that_there_are_none(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    assert "--record" in call(capsys, "run", "crossroads", "--record", tmp_path / "bags", code=2)


@pytest.mark.parametrize("key", ["protocol", "arrivals_per_min", "plan"])
def test_a_rule_beside_the_rules_is_told_where_it_belongs(tmp_path: Path, key: str):
    path = tmp_path / "old.yaml"
    path.write_text(find_scenario("crossroads").read_text() + f"{key}: 1\n")
    with pytest.raises(ConfigError, match=rf"old\.yaml: {key}: is a rule of the game"):
        load_scenario(path)


def test_points_and_deaths_are_not_played_on_ros():
    for plan in (planned(), planned(**{"rules.sensing": "lidar", "rules.plan.size": 3.0, "rules.deaths": [{}]})):
        with pytest.raises(ConfigError, match=r"rules\.(sensing|deaths)"):
            plan.game.check_ros(plan.rules)
    plan = planned(**{"rules.sensing": "lidar", "rules.plan.size": 3.0})
    plan.game.check_ros(plan.rules)
