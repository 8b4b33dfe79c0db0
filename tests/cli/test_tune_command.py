"""Tuning as a user meets it: killed and gone on, refused, reported, and played again."""

import contextlib
import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.commands import bytes_of, call, complaint, refused
from helpers.interruption import interrupt_after
from helpers.patience import exit_code, until

from arena_trees.cli import main

SPACE = ("--param", "rules.arrivals_per_min=6.0:24.0", "--param", "robots=2:4")
STUDY = ("tune", "crossroads", "--maximise", "crossings", *SPACE, "--set", "duration_s=10", "--set", "robots=2")
STUDY += ("--points", "5", "--trials", "2", "--seed", "70", "--report-trials", "2")
LEFT = {"best.yaml", "history.png", "plan.json", "points.csv", "report.csv", "trials.csv"}


def needs_optuna() -> None:
    pytest.importorskip("optuna", reason="the extra tune is not installed")


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(scope="module")
def alone(tmp_path_factory) -> Path:
    """Return the folder of a study that nothing interrupted; what it said is in the file ``said`` beside it."""
    needs_optuna()
    folder = tmp_path_factory.mktemp("tune") / "alone"
    said = io.StringIO()
    with pytest.raises(SystemExit) as ended, contextlib.redirect_stdout(said):
        main([*STUDY, "--jobs", "1", "--out", str(folder)])
    assert ended.value.code == 0
    folder.with_name("said").write_text(said.getvalue())
    return folder


def records(folder: Path) -> dict[Path, int]:
    """Return each record of a trial with the time when it was written."""
    return {path: path.stat().st_mtime_ns for path in folder.glob("jobs/*/0*.json")}


def goes_on(capsys, folder: Path, alone: Path) -> str:
    """Let a study go on; return what it says, after a look whether it leaves what one left alone does."""
    before = records(folder)
    said = call(capsys, *STUDY, "--jobs", "1", "--out", str(folder))
    assert f"{len(before)} of 10 trials were played before" in said
    assert {path: records(folder)[path] for path in before} == before, "a trial was played again"
    assert bytes_of(folder) == bytes_of(alone)
    return said


def test_an_interrupted_study_leaves_what_one_left_alone_does(capsys, tmp_path, monkeypatch, alone: Path):
    said = alone.with_name("said").read_text()
    assert "crossroads: 5 points, 2 trials each from seed 70" in said
    for title in ("crossroads: tuned and default, 2 trials from seed 1000", "crossroads: tuned and start, 2 trials"):
        assert title in said
    assert f"to play what was found: arena-trees run {alone}/best.yaml" in said
    with monkeypatch.context() as patch:
        interrupt_after(patch, 7)
        call(capsys, *STUDY, "--quiet", "--jobs", "1", "--out", str(tmp_path / "broken"), code=130)
    assert len(records(tmp_path / "broken")) == 7
    said = goes_on(capsys, tmp_path / "broken", alone)
    assert {name for name in bytes_of(alone) if "/" not in name} == LEFT
    points, trials = rows(alone / "points.csv"), rows(alone / "trials.csv")
    assert [row["outcome"] for row in points] == ["played"] * 5
    assert all(int(row["seed"]) < 1000 for row in trials) and len(trials) == 10
    assert {row["robots"] for row in points} <= {"2", "3", "4"} and points[0]["robots"] == "2"
    best = max(float(row["objective_crossings"]) for row in points)
    assert any(f"{best:g}" in line for line in said.splitlines() if line.strip().startswith("tuned"))


@pytest.mark.slow
def test_so_does_one_whose_process_was_killed(capsys, tmp_path, alone: Path):
    killed = tmp_path / "killed"
    command = [sys.executable, "-m", "arena_trees", *STUDY, "--quiet", "--jobs", "2", "--out", str(killed)]
    study = subprocess.Popen(command)
    until(lambda: len(records(killed)) >= 5 or study.poll() is not None, "five records")
    study.kill()
    exit_code(study)
    assert len(records(killed)) < 16, "it has ended by itself"
    goes_on(capsys, killed, alone)


def test_what_was_found_plays_as_the_report_says(capsys, tmp_path, alone: Path):
    file = tmp_path / "run.json"
    files = ("--json", str(file), "--plot", str(tmp_path / "p.png"))
    call(capsys, "run", str(alone / "best.yaml"), "--jobs", "1", "--quiet", *files)
    played = json.loads(file.read_text())
    assert [trial["seed"] for trial in played["trials"]] == [1000, 1001]
    report = {(row["other"], row["metric"]): row for row in rows(alone / "report.csv")}
    assert {other for other, _ in report} == {"default", "start"}
    values = {
        metric: float(row["value"]) for (other, metric), row in report.items() if other == "default" and row["value"]
    }
    assert len(values) > 4
    assert values == {
        metric: one.get("mean", one.get("rate")) for metric, one in played["summary"].items() if metric in values
    }


def test_a_study_says_where_it_found_nothing_better_than_its_start(capsys, tmp_path):
    needs_optuna()
    # A game that is over at once: no point can be better than the first.
    order = ("tune", "crossroads", "--maximise", "crossings", *SPACE, "--set", "duration_s=1", "--set", "robots=2")
    few = ("--points", "2", "--trials", "1", "--report-trials", "6", "--jobs", "1", "--out", str(tmp_path / "a"))
    said = call(capsys, *order, *few)
    assert "nothing better was found than the parameters that the study started with" in said
    assert "on fresh seeds, tuned is not shown to be better than start: crossings is same" in said


def test_two_objectives_have_a_front_and_may_go_without_a_report(capsys, tmp_path):
    needs_optuna()
    objectives = ("--maximise", "crossings", "--minimise", "delay_max_s", "--missing", "delay_max_s=0")
    few = ("--set", "duration_s=10", "--points", "3", "--trials", "1", "--report-trials", "0", "--jobs", "1")
    said = call(capsys, "tune", "crossroads", *objectives, *SPACE, *few, "--out", str(tmp_path / "a"))
    assert "points: 3 played" in said and "from seed 1000" not in said
    names = {path.name for path in (tmp_path / "a").iterdir()}
    assert {"best.yaml", "pareto.png"} <= names and "report.csv" not in names
    assert (tmp_path / "a" / "pareto.png").read_bytes().startswith(b"\x89PNG")


def test_another_study_in_the_folder_is_refused(capsys, tmp_path):
    needs_optuna()
    (tmp_path / "plan.json").write_text("{}")
    assert "is no plan of a study" in refused(capsys, *STUDY, "--out", str(tmp_path))
    (tmp_path / "plan.json").rename(tmp_path / "thesis.txt")
    assert "holds no study" in refused(capsys, *STUDY, "--out", str(tmp_path))


GAINS = ("--minimise", "game_time_s", "--param", "wolf.chase_kp=0.5:4")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--param", "wolf.chase_kp=1:2"), ("--maximise METRIC or --minimise METRIC",)),
        (("--minimise", "game_time_s"), ("--param", "key=low:high")),
        (("--minimise", "game_tim", "--param", "wolf.chase_kp=1:2"), ("--minimise", "did you mean game_time_s")),
        ((*GAINS, "--maximise", "game_time_s"), ("game_time_s", "given twice")),
        (("--minimise", "game_time_s", "--param", "wolf.chase_kp=1:21"), ("--param: wolf.chase_kp", "20", "21")),
        (("--minimise", "game_time_s", "--param", "wolf.chase_kb=1:2"), ("wolf.chase_kb", "did you mean chase_kp")),
        (("--minimise", "game_time_s", "--param", "seed=1:2"), ("--param: seed", "--seed")),
        ((*GAINS, "--seed", "1000"), ("--seed", "1000", "nothing is tuned on them")),
        ((*GAINS, "--seed", "990"), ("--seed", "seed 1013")),
        ((*GAINS, "--report-seed", "10"), ("--report-seed", "1000 and up")),
        ((*GAINS, "--points", "many"), ("--points", "many")),
        ((*GAINS, "--trials", "few"), ("--trials", "few")),
        ((*GAINS, "--look", "25"), ("--look", "25")),
        ((*GAINS, "--maximise", "catch_rate", "--look", "3"), ("--look", "several objectives")),
        ((*GAINS, "--missing", "catch_rate=1"), ("--missing: catch_rate", "none of the objectives")),
        ((*GAINS, "--missing", "game_time_s=.inf"), ("--missing: game_time_s", "finite")),
        ((*GAINS, "--jobs", "none"), ("--jobs", "none")),
        ((*GAINS, "--out", "/proc/none"), ("--out", "/proc/none")),
    ],
)
@pytest.mark.usefixtures("empty_folder")
def test_bad_arguments(capsys, arguments: tuple[str, ...], words: tuple[str, ...]):
    if "/proc/none" in arguments:
        needs_optuna()
    said = complaint(capsys, "tune", "wolf_rabbit", *arguments)
    assert all(word in said for word in words), said


def test_optuna_is_an_extra(capsys, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    said = refused(capsys, *STUDY, "--out", str(tmp_path / "a"))
    assert "tuning needs Optuna: pip install 'arena-trees[tune]'" in said
    assert not (tmp_path / "a").exists()
