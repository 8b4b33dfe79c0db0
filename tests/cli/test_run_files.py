"""What a run leaves behind, whatever ends it: results first, then the table, the picture last."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from helpers.arena import needs_arena
from helpers.commands import call
from helpers.full_disk import files_limited_to

from arena_trees.cli import main
from arena_trees.commands.run_files import RunFiles
from arena_trees.experiments.journal import Journal
from arena_trees.experiments.results import RunResult
from arena_trees.recording.play import play
from arena_trees.robot.errors import ArenaTreesError, ConfigError

SHORT = {"duration_s": 0.5}
ABOUT = {"scenario": "wolf_rabbit", "seed": 320}


@pytest.fixture(scope="module")
def result() -> RunResult:
    return play("wolf_rabbit", changes=SHORT, trials=2, seed=320)


def test_two_files_of_one_path_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "scenario.json").write_text("game: tag\n")
    (tmp_path / "linked.png").symlink_to("x.json")
    scenario = tmp_path / "scenario.json"
    RunFiles(Path("x.json"), Path("y.png"), Path("z.wav")).check(scenario)
    RunFiles(Path("/dev/null"), Path("/dev/null")).check(scenario)
    for files, option in (
        (RunFiles(Path("x.json"), Path("folder/../x.json")), "--plot"),
        (RunFiles(Path("x.json"), Path("linked.png")), "--plot"),
        (RunFiles(Path("x.json"), Path("y.png"), tmp_path / "y.png"), "--wav"),
        (RunFiles(Path("-"), Path("/dev/stdout")), "--plot"),
        (RunFiles(Path("scenario.json"), force=True), "--json"),
        (RunFiles(Path("x.json"), Path("y.png"), Path("-")), "--wav"),
    ):
        with pytest.raises(ConfigError) as refused:
            files.check(scenario)
        assert refused.value.key == option


def test_a_second_run_keeps_the_first_unless_it_is_forced(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    order = ("run", "wolf_rabbit", "--trials", "1", "--jobs", "1", "--set", "duration_s=0.1", "--quiet")
    call(capsys, *order, "--seed", "1", "--wav", "w.wav")
    assert capsys.readouterr().err == ""
    first = {path: path.read_bytes() for path in tmp_path.rglob("*.*")}
    with pytest.raises(SystemExit):
        main([*order, "--seed", "2", "--wav", "w.wav"])
    assert capsys.readouterr().err == (
        "note: results/wolf_rabbit.json, results/wolf_rabbit.png, w.wav exist and are kept; written instead:"
        " results/wolf_rabbit_2.json, results/wolf_rabbit_2.png, w_2.wav (--force writes over)\n"
    )
    assert {path: path.read_bytes() for path in first} == first
    assert json.loads(Path("results/wolf_rabbit_2.json").read_text())["seed"] == 2
    assert Path("results/wolf_rabbit_2.png").exists() and Path("w_2.wav").exists()
    call(capsys, *order, "--seed", "3", "--force")
    assert json.loads(Path("results/wolf_rabbit.json").read_text())["seed"] == 3
    assert sorted(path.name for path in Path("results").iterdir()) == [
        "wolf_rabbit.json", "wolf_rabbit.png", "wolf_rabbit_2.json", "wolf_rabbit_2.png",
    ]  # fmt: skip


def test_finished_trials_are_on_disk_until_the_results_are(tmp_path, result: RunResult):
    files, others = RunFiles(tmp_path / "r.json", quiet=True), RunFiles(tmp_path / "r.json", quiet=True)
    for one in (files, others):
        one.begin(ABOUT)
    for trial in result.trials:
        files.note("ours", trial)
    kept = {path: path.read_text().splitlines() for path in tmp_path.iterdir()}
    assert sorted(map(len, kept.values())) == [1, 3], "each run has a file of its own"
    for lines in kept.values():
        about, *trials = map(json.loads, lines)
        assert about == ABOUT
        assert [(one["arm"], one["seed"]) for one in trials] == [("ours", 320), ("ours", 321)][: len(trials)]
    files.leave(result)
    assert len(list(tmp_path.iterdir())) == 2
    others.leave(None)
    assert [path.name for path in tmp_path.iterdir()] == ["r.json"]


def test_a_disk_that_is_full_leaves_the_table_the_picture_and_the_results_elsewhere(
    capsys, tmp_path, result: RunResult, monkeypatch
):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "spare"))
    (tmp_path / "spare").mkdir()
    files = RunFiles(Path("/dev/full"), tmp_path / "p.png")
    files.begin(ABOUT)
    with pytest.raises(
        ArenaTreesError, match=r"/dev/full: cannot be written: No space.*results are in .*results\.json"
    ):
        files.leave(result)
    assert "catch_rate" in capsys.readouterr().out
    assert (tmp_path / "p.png").stat().st_size > 10_000
    (spare,) = (tmp_path / "spare").rglob("results.json")
    assert len(json.loads(spare.read_text())["trials"]) == 2


def test_a_picture_that_fails_takes_nothing_with_it(capsys, tmp_path, result: RunResult):
    files = RunFiles(tmp_path / "r.json", Path("/dev/full"))
    files.begin(ABOUT)
    with pytest.raises(ArenaTreesError, match=r"^/dev/full: cannot be written: No space left on device$"):
        files.leave(result)
    assert "catch_rate" in capsys.readouterr().out
    assert json.loads((tmp_path / "r.json").read_text())["complete"]


def test_a_journal_on_a_full_disk_keeps_whole_lines(tmp_path, result: RunResult):
    journal = Journal(tmp_path / "r.json", ABOUT)
    with files_limited_to(1500):
        for trial in [*result.trials] * 4:
            journal.note("", trial)
    assert journal.fault == "File too large"
    journal.close(keep=True)
    lines = [json.loads(line) for line in journal.path.read_text().splitlines()]
    assert 2 <= len(lines) < 9


def heed_signals() -> None:
    """Heed SIGINT and SIGHUP, which whoever started the tests in the background lets their processes ignore."""
    for one in (signal.SIGINT, signal.SIGHUP):
        signal.signal(one, signal.SIG_DFL)


def process(folder: Path, jobs: str) -> subprocess.Popen[str]:
    """Start a run that would last for minutes, in a group of its own."""
    command = [sys.executable, "-m", "arena_trees", "run", "wolf_rabbit_isolated", "--trials", "500"]
    command += ["--seed", "320", "--set", "duration_s=1.0", "--jobs", jobs]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder, start_new_session=True,
        preexec_fn=heed_signals,
    )  # fmt: skip


def players(parent: int) -> Sequence[int]:
    """Return the processes that play for another one."""
    # Without -ww, lines are cut where the environment says how wide a terminal is.
    command = ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(parent)]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [int(line.split()[0]) for line in listed.splitlines() if "popen_loky" in line]


def leave_signals_to(starter: int) -> None:
    """Look whether processes that play for another one hold the signals to end back."""
    held = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    masks = [Path(f"/proc/{pid}/status").read_text().split("SigBlk:")[1].split()[0] for pid in players(starter)]
    assert len(masks) == 2
    assert all(int(mask, 16) >> (number - 1) & 1 for mask in masks for number in held)


@needs_arena
@pytest.mark.parametrize(
    ("how", "jobs", "code", "reason"),
    [
        ("interrupted", "1", 130, ""),
        pytest.param("interrupted", "2", 130, "", marks=pytest.mark.slow),
        ("terminated", "1", 128 + signal.SIGTERM, "ended by SIGTERM"),
        pytest.param("all terminated, twice", "2", 128 + signal.SIGTERM, "ended by SIGTERM", marks=pytest.mark.slow),
        pytest.param("terminal closed", "2", 128 + signal.SIGHUP, "ended by SIGHUP", marks=pytest.mark.slow),
        pytest.param("worker killed", "2", 2, "a process that played was killed", marks=pytest.mark.slow),
        pytest.param("nobody reads", "1", None, "", marks=pytest.mark.slow),
    ],
)
def test_whatever_ends_a_run_what_is_finished_is_kept(tmp_path, how: str, jobs: str, code: int, reason: str):
    run = process(tmp_path, jobs)
    for _ in range(3):
        assert "seed 32" in run.stdout.readline()
    if jobs == "2" and Path("/proc/self/status").exists():
        leave_signals_to(run.pid)
    if how == "terminated":
        run.send_signal(signal.SIGTERM)
    elif how == "interrupted":
        # To all of the group, as a terminal's goes.
        os.killpg(run.pid, signal.SIGINT)
    elif how == "terminal closed":
        os.killpg(run.pid, signal.SIGHUP)
    elif how == "worker killed":
        os.kill(players(run.pid)[0], signal.SIGKILL)
    elif how == "nobody reads":
        run.stdout.close()
        run.stdout = None
    else:
        run.send_signal(signal.SIGTERM)
        os.killpg(run.pid, signal.SIGTERM)
    out, errors = run.communicate(timeout=300)
    assert "Traceback" not in errors
    assert reason in errors
    if code is not None:
        assert run.returncode == code
        assert "catch_rate" in out and "of 500 trials were finished" in out
    names = sorted(path.name for path in (tmp_path / "results").iterdir())
    assert names == ["wolf_rabbit_isolated.json", "wolf_rabbit_isolated.png"]
    results = json.loads((tmp_path / "results" / "wolf_rabbit_isolated.json").read_text())
    assert not results["complete"]
    assert 3 <= len(results["trials"]) < 500
    assert [trial["seed"] for trial in results["trials"]] == sorted(trial["seed"] for trial in results["trials"])


@pytest.mark.slow
@needs_arena
def test_a_run_that_is_killed_leaves_its_journal(tmp_path):
    run = process(tmp_path, "1")
    for _ in range(3):
        assert "seed 32" in run.stdout.readline()
    run.kill()
    run.communicate(timeout=300)
    (journal,) = (tmp_path / "results").iterdir()
    about, *trials = map(json.loads, journal.read_text().splitlines())
    assert (about["scenario"], about["planned"]) == ("wolf_rabbit_isolated", 500)
    assert [trial["seed"] for trial in trials][:3] == [320, 321, 322]


@needs_arena
def test_results_on_the_standard_output_are_alone_there(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = ["run", "wolf_rabbit", "--trials", "1", "--jobs", "1", "--set", "duration_s=0.5"]
    with pytest.raises(SystemExit) as ended:
        main([*command, "--json", "-", "--plot", "p.png"])
    said = capfd.readouterr()
    assert ended.value.code == 0, said.err
    assert json.loads(said.out)["complete"]
    assert "catch_rate" in said.err and "written: p.png" in said.err
    assert [path.name for path in tmp_path.iterdir()] == ["p.png"]
