"""Sweeps as a user meets them: killed at random moments, interrupted, refused, and drawn."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.arena import needs_arena
from helpers.commands import bytes_of, call, complaint, refused
from helpers.full_disk import files_limited_to
from helpers.interruption import interrupt_after
from helpers.patience import exit_code, output, run, until

from arena_trees.commands.console import plain_console
from arena_trees.commands.experiments.tables import print_sweep
from arena_trees.experiments.sweeps.grid import parse_grid
from arena_trees.experiments.sweeps.records import Records
from arena_trees.experiments.sweeps.sweep_plan import SweepPlan
from arena_trees.experiments.sweeps.table import point_table
from arena_trees.games.metrics import count, mean, per_robot

GRID = ("--grid", "wolf.roam_linear_speed=0.1:0.2:3", "--grid", "strategy=arena,source,none")
SWEEP = ("sweep", "wolf_rabbit_isolated", *GRID, "--trials", "3", "--seed", "320", "--set", "duration_s=1.0")
JOBS = 27
SMALL = ("sweep", "crossroads", "--grid", "rules.arrivals_per_min=6,12", "--set", "duration_s=20")
SMALL += ("--trials", "2", "--seed", "70", "--jobs", "1")


def process(folder: Path, jobs: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "arena_trees", *(arguments or SWEEP), "--jobs", jobs, "--out", "out"]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder, start_new_session=True
    )


def records(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return each record with the time when it was written."""
    found = sorted(folder.glob("out/jobs/*/[0-9]*.json"))
    return {str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns) for path in found}


def wait_for_records(sweep: subprocess.Popen[str], folder: Path, wanted: int) -> None:
    until(lambda: len(records(folder)) >= wanted or sweep.poll() is not None, f"{wanted} records")


def group(leader: int) -> Sequence[str]:
    """Return the processes of a group that are playing or could."""
    listed = subprocess.run(["ps", "-ww", "-eo", "pgid=,args="], capture_output=True, text=True, check=True).stdout
    lines = (line.split(maxsplit=1) for line in listed.splitlines())
    return [args for number, args in lines if int(number) == leader and "popen_loky" in args]


@needs_arena
@pytest.mark.slow
def test_a_sweep_killed_three_times_is_byte_for_byte_that_of_one_process_left_alone(tmp_path):
    alone, killed = tmp_path / "alone", tmp_path / "killed"
    for folder in (alone, killed):
        folder.mkdir()
    moments = random.Random(16)
    for most in (6, 13, 20):
        before = records(killed)
        sweep = process(killed, "2")
        wanted = moments.randint(len(before) + 1, most)
        wait_for_records(sweep, killed, wanted)
        time.sleep(moments.uniform(0.0, 0.2))
        assert sweep.poll() is None, "it has ended by itself"
        sweep.kill()
        exit_code(sweep)
        after = records(killed)
        assert len(before) < len(after) < JOBS
        assert {name: after[name] for name in before} == before, "a trial was played again"
        until(lambda leader=sweep.pid: not group(leader), "the end of those that played for it")
        output(sweep)
    before = records(killed)
    out, errors = output(process(killed, "2"))
    assert f"{len(before)} of {JOBS} trials were played before" in out, errors
    assert {name: records(killed)[name] for name in before} == before
    done = run([sys.executable, "-m", "arena_trees", *SWEEP, "--jobs", "1", "--out", "out"], cwd=alone)
    assert done.returncode == 0, done.stderr
    whole = bytes_of(alone)
    assert len(whole) == JOBS + 4, "records, plan, two tables and a picture"
    assert bytes_of(killed) == whole
    assert "9 trials refused: --grid: strategy: " in out


@pytest.mark.parametrize(
    ("how", "jobs", "code", "reason"),
    [
        ("terminated", "1", 128 + signal.SIGTERM, "ended by SIGTERM"),
        pytest.param("worker killed", "2", 2, "a process that played was killed", marks=pytest.mark.slow),
    ],
)
def test_what_ends_a_sweep_is_said_with_what_is_kept(tmp_path, how: str, jobs: str, code: int, reason: str):
    sweep = process(tmp_path, jobs, *SMALL[:4], "--set", "duration_s=60", "--trials", "500")
    until(lambda: len(records(tmp_path)) >= 2 or sweep.poll() is not None, "two records")
    if how == "terminated":
        sweep.send_signal(signal.SIGTERM)
    else:
        command = ["pgrep", "-g", str(sweep.pid), "-f", "popen_loky"]
        player = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[0]
        os.kill(int(player), signal.SIGKILL)
    out, errors = output(sweep)
    assert sweep.returncode == code
    assert reason in errors and "Traceback" not in errors
    kept = re.search(r"(\d+) of 1000 trials are kept; the same command goes on with the others", out)
    # What ends it may come when a record is written and not yet counted.
    assert kept is not None and len(records(tmp_path)) - int(kept[1]) in (0, 1)


def test_an_interrupted_sweep_goes_on_and_leaves_what_one_left_alone_does(capsys, tmp_path, monkeypatch):
    folder, broken = tmp_path / "a", tmp_path / "b"
    order = (*SMALL, "--plot", "conflicts", "--plot", "throughput_per_min")
    said = call(capsys, *order, "--out", str(folder))
    assert "crossroads: 2 points, 2 trials each from seed 70" in said
    assert "4 of 4 trials, 0 s left" in said
    names = ["conflicts.png", "jobs", "plan.json", "points.csv", "throughput_per_min.png", "trials.csv"]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert (folder / "points.csv").read_text().startswith("point,rules.arrivals_per_min,played,failed,reason,")
    with monkeypatch.context() as patch:
        interrupt_after(patch, 3)
        call(capsys, *order, "--out", str(broken), code=130)
    assert len(list(broken.glob("jobs/*/[0-9]*.json"))) == 3
    assert "3 of 4 trials were played before" in call(capsys, *order, "--out", str(broken))
    whole = bytes_of(folder)
    assert bytes_of(broken) == whole
    assert "4 of 4 trials were played before" in call(capsys, *order, "--out", str(folder))
    assert call(capsys, *order, "--out", str(folder), "--quiet") == ""
    said = refused(capsys, *SMALL, "--set", "bus.loss=0.1", "--out", str(folder))
    assert said.startswith("error: --out: holds other settings: duration_s=20, not duration_s=20 bus.loss=0.1;")
    assert bytes_of(folder) == whole


def test_a_sweep_on_a_full_disk_names_what_it_cannot_write_and_goes_on_when_there_is_room(
    capsys, tmp_path, monkeypatch
):
    whole = Records.write

    def write(self: Records, point: int, trial: int, text: bytes) -> None:
        with files_limited_to(1 << 20 if len(self.done) < 2 else 100):
            whole(self, point, trial, text)

    with monkeypatch.context() as patch:
        patch.setattr(Records, "write", write)
        said = call(capsys, *SMALL, "--out", tmp_path / "out", code=2)
    file = tmp_path / "out" / "jobs" / "000001" / "000000.json"
    assert said == f"error: {file}: cannot be written: File too large\n"
    before = records(tmp_path)
    assert len(before) == 2
    assert "2 of 4 trials were played before" in call(capsys, *SMALL, "--out", tmp_path / "out")
    assert before.items() < records(tmp_path).items()


def test_a_sweep_that_played_nothing_leaves_nothing(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    for place in ("results/new/sweep", "mine"):
        with monkeypatch.context() as patch:
            interrupt_after(patch, 0)
            call(capsys, *SMALL, "--out", place, code=130)
        assert list(tmp_path.rglob("*")) == [tmp_path / "mine"]


def test_metrics_are_listed_under_their_names_where_none_has_a_heading(capsys):
    plan = SweepPlan("scenario", "game", "1.0", parse_grid(["a=1,2"]), 1, 70)
    values = {"status": "played", "reason": "", "trial": 0, "seed": 70, "red_tags": 3, "score_s": 1.5, "collisions": 8}
    records = [{**values, "point": point} for point in range(2)]
    tags, score = per_robot(count("tags_per_trial", "tags", value="tags")), mean("score_s", "score")
    for metrics, heads in (
        ((tags, score), ["a", "red_tags_per_trial", "score_s"]),
        ((replace(tags, heading="tags"), score), ["a", "red", "tags"]),
    ):
        print_sweep(plan, point_table(plan.grid, records, metrics), records, metrics, plain_console())
        assert heads in [line.split() for line in capsys.readouterr().out.splitlines()]


def test_any_metric_is_drawn_over_any_keys_of_a_sweep(capsys, tmp_path):
    folder = tmp_path / "a"
    three = ("--grid", "duration_s=10,20", "--grid", "robots=2:3:2")
    call(capsys, *SMALL[:4], *three, "--trials", "1", "--jobs", "1", "--out", str(folder))
    assert (folder / "crossings.png").exists(), "the first that the game measures by"
    for arguments in (
        ("throughput_per_min",),
        ("conflicts", "--x", "duration_s", "--lines"),
        ("conflicts", "--x", "robots", "--y", "duration_s", "--at", "rules.arrivals_per_min=12"),
        ("conflicts", "--at", "rules.arrivals_per_min=12", "--at", "robots=2"),
    ):
        picture = tmp_path / f"{len(list(tmp_path.iterdir()))}.png"
        assert f"written: {picture}" in call(capsys, "plot-sweep", str(folder), *arguments, "-o", str(picture))
        assert picture.read_bytes().startswith(b"\x89PNG")
    for arguments, words in (
        (("throughput_per_mi",), ("METRIC", "did you mean")),
        (("conflicts", "--x", "robot"), ("--x", "did you mean robots?")),
        (("conflicts", "--x", "robots", "--y", "robots"), ("--y", "robots")),
        (("conflicts", "--at", "robots=7"), ("--at", "robots=7", "there are 2, 3")),
        (("conflicts", "--at", "robots"), ("--at", "key=value")),
        (("conflicts", "--at", "seed=7"), ("--at", "robots")),
    ):
        said = refused(capsys, "plot-sweep", str(folder), *arguments)
        assert all(word in said for word in words), said
    assert "holds no sweep" in refused(capsys, "plot-sweep", str(tmp_path), "conflicts")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), ("--grid", "key=a,b,c")),
        (("--grid", "wolf.chase_kp"), ("--grid", "key=a,b,c", "wolf.chase_kp")),
        (("--grid", "wolf.chase_kp=1,.nan"), ("--grid: wolf.chase_kp", "finite", "nan")),
        (("--grid", "wolf.chase_kp=0:.inf:3"), ("--grid: wolf.chase_kp", "finite", "inf")),
        (("--grid", "wolf.chase_kp=fast,faster"), ("--grid: wolf.chase_kp", "fast")),
        (("--grid", "wolf.chase_kb=1,2"), ("--grid: wolf.chase_kb", "did you mean chase_kp")),
        (("--grid", "chase_kp=1,2"), ("--grid: chase_kp", "wolf.chase_kp")),
        (("--grid", "wulf.chase_kp=1,2"), ("no such robot: did you mean wolf?",)),
        (("--grid", "rules.catch_distnce=1,2"), ("rules.catch_distnce", "unknown key")),
        (("--grid", "arena_set.moat=1,2"), ("arena_set.moat",)),
        (("--grid", "trials=1,2"), ("--grid: trials", "--trials")),
        (("--grid", "seed=1,2"), ("--grid: seed", "--seed")),
        (("--grid", "game=pacman,tag"), ("--grid: game", "one game")),
        (("--set", "wolf.chase_kp=1", "--grid", "wolf.chase_kp=1,2"), ("--grid: wolf.chase_kp", "another option")),
        (("--strategy", "source", "--grid", "strategy=arena"), ("--grid: strategy", "another option")),
        (("--grid", "wolf.chase_kp=1,2", "--trials", "0"), ("--trials", "0")),
        (("--grid", "wolf.chase_kp=1,2", "--jobs", "none"), ("--jobs", "none")),
        (("--grid", "wolf.chase_kp=1:2:1000", "--trials", "1001"), ("--trials", "1001000 trials")),
        (("--grid", "wolf.chase_kp=1,2", "--plot", "catch_rat"), ("--plot", "did you mean catch_rate")),
        (("--grid", "wolf.chase_kp=1,2", "--out", "taken"), ("--out", "holds no sweep")),
        (("--grid", "wolf.chase_kp=1,2", "--out", "/proc/none"), ("--out", "/proc/none")),
        (("--grid", "wolf.chase_kp=1,2", "--tree", "wolf=none.py"), ("none.py", "--tree")),
    ],
)
def test_bad_arguments(capsys, empty_folder: Path, arguments: tuple[str, ...], words: tuple[str, ...]):
    (empty_folder / "taken").mkdir()
    (empty_folder / "taken" / "thesis.txt").touch()
    said = complaint(capsys, "sweep", "wolf_rabbit", *arguments)
    assert all(word in said for word in words), said


def test_parquet_is_an_extra(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    said = refused(capsys, *SMALL, "--out", str(tmp_path / "a"), "--parquet")
    assert "--parquet: needs pyarrow: pip install 'arena-trees[parquet]'" in said
    assert not (tmp_path / "a").exists()
