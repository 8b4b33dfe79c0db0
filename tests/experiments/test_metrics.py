"""Summaries of hand-made trials, and how results are written."""

import json
from pathlib import Path
from typing import Any

import pytest

from arena_trees.experiments.metrics import summarise
from arena_trees.experiments.results import Arm, RunResult, TrialResult, write_json
from arena_trees.games.wolf_rabbit.metrics import METRICS
from arena_trees.robot.configuration.files import write_atomically
from arena_trees.robot.errors import ConfigError
from arena_trees.world.layout import Layout


def trial(**values: Any) -> dict[str, Any]:
    caught = values.get("time_to_catch_s") is not None
    base = {"caught": caught, "time_to_catch_s": None, "chase_ticks": 0, "tracking_error_raw": None}
    return base | {"wolf_breaches": 0, "collisions": 0} | values


def result(index: int, **values: Any) -> TrialResult:
    layout = Layout("room", (), {}, {}, {})
    return TrialResult(index, 1000 + index, "caught", "", trial(**values), 1.0, {}, None, layout, {})


def test_summary_and_a_metric_without_any_value_is_there_and_empty():
    summary = summarise(
        [
            trial(time_to_catch_s=10.0, chase_ticks=100, tracking_error_raw=0.1),
            trial(time_to_catch_s=20.0, chase_ticks=300, tracking_error_raw=0.3, collisions=2),
            trial(wolf_breaches=1),
        ],
        METRICS,
    )
    assert summary["catch_rate"].value == pytest.approx(2 / 3)
    assert (summary["time_to_catch_s"].value, summary["time_to_catch_s"].n) == (15.0, 2)
    assert summary["tracking_error_raw"].value == pytest.approx((10.0 + 90.0) / 400.0)
    assert summary["collisions"].value == pytest.approx(2 / 3)
    assert summary["wolf_breaches_per_trial"].value == pytest.approx(1 / 3)
    assert "recovery_rate" not in summary, "nobody had to recover"
    summary = summarise([trial(), trial()], METRICS)
    assert (summary["time_to_catch_s"].value, summary["time_to_catch_s"].n) == (None, 0)
    assert summary["tracking_error_raw"].value is None


def test_results_file(tmp_path: Path):
    arms = [
        Arm("arena", (result(0, time_to_catch_s=5.0), result(1)), METRICS),
        Arm("source", (result(0, time_to_catch_s=9.0),), METRICS),
    ]
    run = RunResult("game", "1.2.3", 1000, 2, arms, {"strategy": "arena"})
    file = tmp_path / "deep" / "results.json"
    write_json(run, file)
    values = json.loads(file.read_text())
    assert (values["scenario"], values["version"], values["seed"]) == ("game", "1.2.3", 1000)
    assert not values["complete"], "the second arm lacks a trial"
    assert [entry["seed"] for entry in values["trials"]] == [1000, 1001]
    assert values["summary"]["catch_rate"]["n"] == 2
    assert values["arms"]["source"]["difference"]["time_to_catch_s"]["mean"] == 4.0, "of the common trial"
    assert [path.name for path in file.parent.iterdir()] == ["results.json"]


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path):
    file = tmp_path / "results.json"
    write_atomically(file, lambda stream: stream.write(b"old"))

    def fail(stream: Any) -> None:
        stream.write(b"half of the n")
        raise OSError(28, "No space left on device")

    with pytest.raises(ConfigError, match=r"results\.json.*No space left"):
        write_atomically(file, fail)
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]
