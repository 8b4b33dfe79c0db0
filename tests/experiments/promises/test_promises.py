"""Promises of scenarios: judged in every trial, written, read again, and judged from recordings alike."""

import json
from pathlib import Path

import pytest
from helpers.arena import needs_arena
from helpers.commands import call, complaint

from arena_trees.experiments.promises.promise import Kept, Promise
from arena_trees.experiments.promises.promise_file import load_promises
from arena_trees.experiments.promises.statement_text import parse_statement
from arena_trees.experiments.results import TrialResult
from arena_trees.recording.judging.promises import judge_promises, recorded_promises
from arena_trees.recording.loading import load_recording
from arena_trees.recording.play import play
from arena_trees.recording.report_page.report import report_page
from arena_trees.robot.errors import ConfigError

PROMISES = {
    "slow": {"robot": "wolf", "statement": "never(faster_than(0.3061))"},
    "apart": {"robot": "wolf", "statement": "never(near('rabbit', 0.5))"},
    "still": {"statement": "always(standing)"},
}
CHANGES = {"duration_s": 2.0, "promises": PROMISES}


@needs_arena
def test_promises_are_judged_in_trials_and_from_their_recordings_alike(tmp_path):
    (trial,) = play("wolf_rabbit_open", changes=CHANGES, trials=1, seed=20, record=tmp_path / "recordings").trials
    assert set(trial.promises) == {"slow", "apart", "still.wolf", "still.rabbit"}
    assert trial.promises["slow"].robustness == pytest.approx(0.0, abs=0.31)
    assert not trial.promises["slow"].broken
    assert trial.promises["still.wolf"].robustness == -1.0
    assert trial.promises["still.wolf"].broken.startswith("wolf at 0.")
    assert set(trial.broken_promises) == {"still.wolf", "still.rabbit"}
    assert TrialResult.from_dict(json.loads(json.dumps(trial.to_dict()))).promises == trial.promises
    recording = load_recording(tmp_path / "recordings" / "trial_000")
    judged = judge_promises(recording, recorded_promises(recording))
    assert set(judged) == set(trial.promises)
    for name, kept in judged.items():
        assert kept.robustness == pytest.approx(trial.promises[name].robustness, abs=0.02), name
        assert bool(kept.broken) is bool(trial.promises[name].broken)
    assert len(report_page(recording)) > 10_000


@needs_arena
def test_the_command_line_says_what_was_broken(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    given = ("--set", f"promises={json.dumps(PROMISES)}", "--set", "duration_s=1.0", "--trials", "2", "--seed", "20")
    with pytest.raises(SystemExit) as ended:
        from arena_trees.cli import main

        main(["run", "wolf_rabbit_open", *given, "--record", "bags", "--jobs", "1"])
    assert ended.value.code == 4
    printed = capsys.readouterr().out
    assert "promise slow: kept in 2 of 2 trials, by 0." in printed
    assert "promise still.wolf: kept in 0 of 2 trials, by -1 at least" in printed
    assert "broken with seed 20: wolf at 0." in printed
    with pytest.raises(SystemExit) as ended:
        main(["assert", "bags/trial_000"])
    assert ended.value.code == 4
    assert "slow: kept by 0." in capsys.readouterr().out
    (tmp_path / "mine.yaml").write_text("promises: {slow: {robot: wolf, statement: never(faster_than(0.31))}}")
    assert call(capsys, "assert", "bags/trial_000", "mine.yaml").startswith("slow: kept by 0.")
    (tmp_path / "bad.yaml").write_text("promises: {slow: {robot: cat, statement: never(faster_than(0.31))}}")
    assert "cat" in complaint(capsys, "assert", "bags/trial_000", "bad.yaml")


@pytest.mark.parametrize(
    ("promises", "reason"),
    [
        ({"a": {"robot": "cat", "statement": "never(latched)"}}, r"promises.a.robot: there is no such robot"),
        ({"a": {"statement": "never(latchd)"}}, r"promises.a.statement: .*did you mean latched"),
        ({"a": {}}, r"promises.a: .*either a statement or a metric"),
        (
            {"a": {"statement": "never(latched)", "metric": "collisions", "at_most": 0}},
            "either a statement or a metric",
        ),
        ({"a": {"statement": "never(latched)", "at_most": 0}}, "has its bounds in itself"),
        ({"a": {"metric": "collisions"}}, "needs at_least, at_most"),
        ({"a": {"metric": "collisions", "at_least": 2, "at_most": 1}}, "in order"),
        ({"a": {"metric": "collisions", "at_most": 1, "robot": "wolf"}}, "is of the trial"),
        ({"a": {"metric": "collisions", "at_most": float("nan")}}, "finite number"),
        ({"a": {"metric": "colisions", "at_most": 1}}, r"promises.a.metric: .*did you mean collisions"),
    ],
)
def test_a_promise_that_cannot_be_is_refused(promises, reason):
    with pytest.raises(ConfigError, match=reason):
        play("wolf_rabbit_open", changes={"promises": promises}, trials=1)


def test_a_world_without_trees_has_promises_of_metrics_alone():
    with pytest.raises(ConfigError, match="robots of this world have no sensors and no trees"):
        play("crossroads", changes={"promises": {"a": {"statement": "never(latched)"}}}, trials=1)
    promises = {
        "apart": {"metric": "min_separation_m", "at_least": 0.4},
        "many": {"metric": "conflicts", "at_least": 2},
    }
    changes = {"promises": promises, "duration_s": 20.0}
    (trial,) = play("crossroads", changes=changes, trials=1).trials
    margin = trial.values["min_separation_m"] - 0.4
    assert trial.promises["apart"].robustness == pytest.approx(margin, abs=1e-5)
    assert trial.broken_promises == {"many": "conflicts is 0"}


@needs_arena
def test_a_promise_of_a_metric_is_judged_by_the_trials_value(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    promises = {
        "quick": {"metric": "time_to_catch_s", "at_most": 60},
        "clean": {"metric": "collisions", "at_most": 3},
        "still": {"robot": "wolf", "statement": "always(standing)"},
    }
    changes = {"duration_s": 0.5, "promises": promises}
    (trial,) = play("wolf_rabbit_open", changes=changes, trials=1, record=Path("bags")).trials
    assert trial.promises["clean"] == Kept(3.0)
    assert trial.broken_promises["quick"] == "time_to_catch_s has no value"
    Path("both.yaml").write_text(
        "promises: {quick: {metric: time_to_catch_s, at_most: 60}, slow: {statement: never(faster_than(0.31))}}"
    )
    printed = call(capsys, "assert", "bags/trial_000", "both.yaml")
    assert "quick: of a metric, which `arena-trees judge` measures" in printed
    Path("mine.yaml").write_text("promises: {quick: {metric: time_to_catch_s, at_most: 60}}")
    alone = complaint(capsys, "assert", "bags/trial_000", "mine.yaml")
    assert "are of metrics alone" in alone


@pytest.mark.parametrize(
    ("value", "bounds", "kept"),
    [
        (5.0, {"at_most": 7.0}, Kept(2.0)),
        (5.0, {"at_least": 4.5, "at_most": 7.0}, Kept(0.5)),
        (7, {"at_most": 7.0}, Kept(0.0)),
        (True, {"at_least": 1.0}, Kept(0.0)),
        (False, {"at_least": 1.0}, Kept(-1.0, "m is 0")),
        (7.25, {"at_least": 4.5, "at_most": 7.0}, Kept(-0.25, "m is 7.25")),
        (None, {"at_most": 7.0}, Kept(-1e6, "m has no value")),
        (1e9, {"at_least": 0.0}, Kept(1e6)),
    ],
)
def test_a_metric_keeps_a_promise_by_how_far_it_is_within_its_bounds(value, bounds, kept):
    assert Kept.of_value(Promise(metric="m", **bounds), value) == kept


def test_files_with_promises(tmp_path):
    path = tmp_path / "file.yaml"
    path.write_text("promises: {a: {statement: never(latched)}}")
    assert load_promises(path) == {"a": Promise(statement="never(latched)")}
    path.write_text("promises: {}")
    with pytest.raises(ConfigError, match="has no promises"):
        load_promises(path)
    path.write_text("[]")
    with pytest.raises(ConfigError, match=r"file\.yaml"):
        load_promises(path)


def test_what_became_of_a_promise_in_numbers_and_words():
    statement = parse_statement("never(latched)")
    monitor = statement.monitor()
    assert Kept.of(monitor, "wolf", statement) == Kept(1e6)
    monitor.robustness = 0.123456789
    assert str(Kept.of(monitor, "wolf", statement)) == "kept by 0.1235"
    monitor.end()
    assert str(Kept.of(monitor, "wolf", statement)) == "broken: wolf: never latched: the trace is empty"
    assert Kept.from_dict(Kept(-1.0, "x").to_dict()) == Kept(-1.0, "x")
