"""The matrix of faults: its rows, what a robot is seen to do, what is judged by that, and how it goes on."""

import csv
import json
import shlex
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers.arena import needs_arena

from arena_trees.experiments.faults import matrix as module
from arena_trees.experiments.faults.matrix import MatrixPlan, again, cells, changes_of, play_matrix
from arena_trees.experiments.faults.rows import FaultMatrix, load_matrix
from arena_trees.experiments.faults.table import write_table
from arena_trees.experiments.faults.watch import FaultWatch
from arena_trees.experiments.plan import make_plan
from arena_trees.experiments.plots.fault_plot import cell_words
from arena_trees.experiments.scenario import apply_changes, find_scenario, load_scenario
from arena_trees.experiments.sweeps.records import Records, read_records
from arena_trees.experiments.trial import run_trial
from arena_trees.experiments.workers import Workers
from arena_trees.robot.configuration.assignments import parse_assignments
from arena_trees.robot.configuration.yaml_files import validate
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Twist2D
from arena_trees.robot.percepts import Readings
from arena_trees.simulation.faults.fault import Fault

ROOT = Path(__file__).resolve().parents[2]
ROWS = {
    "blind": {"what": "no scans", "faults": [{"sensor": "scan"}], "stands_s": 1.0},
    "lost": {"what": "no place", "faults": [{"sensor": "pose"}], "stands_s": 1.0, "needs": "place"},
    "hung": {"what": "the same scan", "faults": [{"sensor": "scan", "kind": "stuck"}], "way_m": 0.5},
    "free": {"what": "no battery", "faults": [{"sensor": "battery"}], "speed": 0.1, "outside_m": 2.0},
    "unseen": {"what": "no spheres", "faults": [{"sensor": "circles"}]},
    "none": {"what": "no ranges", "faults": [{"sensor": "ranges"}]},
    "killed": {"what": "no tree", "elsewhere": "there are no processes", "tested_by": ["tests/ros"]},
}
VALUES = {"begin_s": 1.0, "random_s": 0.5, "duration_s": 5.0, "outside_m": 0.1, "trials": 2, "seed": 40}
VALUES |= {"scenarios": {"wolf_rabbit_open": {}, "crossroads_lidar": {"robots": 2}}, "rows": ROWS}


def made(**changes):
    return validate(FaultMatrix, {**VALUES, **changes}, "matrix.yaml")


def test_the_shipped_matrix_has_fifty_rows_and_more_and_names_tests_that_there_are():
    matrix = load_matrix()
    assert len(matrix.played) >= 50
    assert len(matrix.scenarios) == 5
    for name, row in matrix.rows.items():
        assert matrix.tests_of(row), name
        for path in matrix.tests_of(row):
            assert (ROOT / path).is_file(), path
    assert set(matrix.rows) > set(matrix.played) >= {"scan_silent", "computer_killed"}


def test_the_tests_of_a_row_are_its_own_and_those_of_what_is_faulty():
    several = [{}, {"sensor": "pose"}, {"part": "line"}]
    rows = {"row": {"what": "several", "faults": several, "tested_by": ["own", "of scans"]}}
    matrix = made(rows=rows, tested_by={"scan": ["of scans"], "sensor": ["of sensors"], "line": ["of lines"]})
    assert matrix.tests_of(matrix.rows["row"]) == ["own", "of scans", "of sensors", "of lines"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"what": "both", "faults": [{}], "elsewhere": "no"}, "either faults or elsewhere"),
        ({"what": "neither"}, "either faults or elsewhere"),
        ({"what": "early", "faults": [{"at_s": 1.0}]}, "the matrix itself says at_s"),
        ({"what": "unknown", "faults": [{"kind": "tired"}]}, "tired"),
        ({"what": "fast", "faults": [{}], "speed": float("nan")}, "speed"),
    ],
)
def test_a_row_that_cannot_be_played_is_refused(row, reason):
    with pytest.raises(ConfigError, match=reason):
        made(rows={"row": row})


def test_robots_have_the_fault_in_turn():
    matrix = made()
    turns = [changes_of(matrix, "crossroads_lidar", "blind", index) for index in range(3)]
    assert [robot for robot, _ in turns] == ["robot_1", "robot_2", "robot_1"]
    (fault,) = turns[1][1]["faults"]
    assert fault == {"robot": "robot_2", "sensor": "scan", "at_s": 1.0, "random_s": 0.5}
    assert turns[1][1]["robots"] == 2


def seen(row, scenario="wolf_rabbit_open", index=0):
    matrix = made()
    robot, changes = changes_of(matrix, scenario, row, index)
    path = find_scenario(scenario)
    plan = make_plan(apply_changes(load_scenario(path), {"variants": {}, "seed": 40, **changes}), path, path.parent)
    watch = FaultWatch(robot)
    run_trial(plan, index, watch=lambda arm, trial: watch)
    return watch.seen()


@needs_arena
def test_what_a_robot_is_seen_to_do():
    blind = seen("blind")
    assert 0.4 < blind.moved_s < 1.0
    assert blind.fastest < 0.02
    assert 3.4 < blind.seconds < 4.0
    assert (blind.placed, blind.outside_m) == (True, 0.0)
    # It notices after eight identical scans.
    hung = seen("hung")
    assert hung.moved_s < 2.0
    assert hung.fastest == 0.0
    free = seen("free")
    assert free.moved_s > 1.0
    assert free.fastest > 0.1
    assert free.way_m == pytest.approx(free.seconds * 0.2, rel=0.6)
    # Its localisation is no sensor of its own, and there is no fence.
    crossing = seen("lost", "crossroads_lidar")
    assert (crossing.placed, crossing.outside_m) == (False, None)
    assert seen("free", index=1) is not None
    # It has no camera that looks for spheres.
    assert seen("unseen") is None


def test_what_others_push_and_the_bump_reflex_is_no_motion_of_its_own():
    fault = Fault(robot="wolf", at_s=1.0)
    arena = SimpleNamespace(now=0, contacts=frozenset(), robots={"wolf": SimpleNamespace(read=lambda: Readings(0))})
    arena.robots["wolf"].read = lambda: Readings(0, scan=object())
    arena.true_twist = lambda robot: Twist2D(0.2, 0.0)
    plan = SimpleNamespace(
        scenario=SimpleNamespace(faults=[fault]),
        robots={"wolf": SimpleNamespace(fence=None)},
        role=lambda robot: SimpleNamespace(localiser=None),
    )
    trial = SimpleNamespace(plan=plan, seed=1, arena=arena, loops={"wolf": SimpleNamespace(gate=None)})
    watch = FaultWatch("wolf")
    watch.begin(trial)
    for tick in range(0, 5 * 50):
        arena.now = tick * 20_000_000
        arena.contacts = frozenset({("wolf", "rabbit")} if 2.0 <= tick / 50 < 2.5 else ())
        arena.true_twist = lambda robot, moves=tick / 50 < 3.4: Twist2D(0.2 if moves else 0.0, 0.0)
        watch.tick(trial)
    what = watch.seen()
    # From 2 s to 3.5 s it is touched, or was within a second; before that it moved by itself.
    assert (what.moved_s, what.contacts, what.placed, what.outside_m) == (0.98, 1, False, None)
    assert what.way_m == pytest.approx(0.2 * 2.4, abs=0.01)


def test_points_are_rows_within_scenarios():
    plan = MatrixPlan.of("1", made(), ["wolf_rabbit_open", "crossroads_lidar"], ["blind", "lost", "free"])
    assert [plan.point(number) for number in (0, 2, 3, 5)] == [
        ("wolf_rabbit_open", "blind"),
        ("wolf_rabbit_open", "free"),
        ("crossroads_lidar", "blind"),
        ("crossroads_lidar", "free"),
    ]


@needs_arena
def test_a_matrix_is_played_judged_and_goes_on(tmp_path):
    matrix = made()
    names = ["blind", "lost", "none"]
    plan = MatrixPlan.of("1", matrix, ["wolf_rabbit_open"], names)
    assert plan.jobs == 6

    def kill(record):
        raise InterruptedError

    with pytest.raises(InterruptedError), Records(tmp_path / "out", plan) as records:
        play_matrix(plan, matrix, records, Workers(1), kill)
    noted = []
    with Records(tmp_path / "out", plan) as records:
        assert len(records.done) == 1
        play_matrix(plan, matrix, records, Workers(1), noted.append)
    assert len(noted) == 5
    found = {cell.row: cell for cell in cells(plan, matrix, read_records(tmp_path / "out"))}
    assert {name: cell.trials for name, cell in found.items()} == {"blind": 2, "lost": 2, "none": 0}
    assert found["none"].refused == "wolf has no such sensor"
    assert found["blind"].kept
    assert found["blind"].bounds == "stands after 1 s, 0.1 m outside its fence"
    assert 0.4 < found["blind"].moved_s < 1.0
    write_table(plan, matrix, list(found.values()), tmp_path / "matrix.csv")
    lines = list(csv.DictReader((tmp_path / "matrix.csv").read_text(encoding="utf-8").splitlines()))
    assert [line["row"] for line in lines] == ["blind", "lost", "none", "killed"]
    assert lines[3]["not_played"] == "there are no processes"
    with pytest.raises(ConfigError, match="other rows"):
        Records(tmp_path / "out", MatrixPlan.of("1", matrix, ["wolf_rabbit_open"], ["blind"]))
    with pytest.raises(ConfigError, match="as it was before a change"):
        Records(tmp_path / "out", MatrixPlan.of("1", made(begin_s=1.5), ["wolf_rabbit_open"], names))
    # A worst trial is played again by its command.
    words = shlex.split(lines[0]["again"])
    assert words[:3] == ["arena-trees", "run", "wolf_rabbit_open"]
    values = parse_assignments([word for flag, word in pairwise(words) if flag == "--set"])
    robot, changes = changes_of(matrix, "wolf_rabbit_open", "blind", found["blind"].worst)
    assert values == changes
    assert values["faults"][0]["robot"] == robot
    assert f"--seed {40 + found['blind'].worst}" in lines[0]["again"]


@pytest.mark.parametrize(("error", "is_kept"), [(ZeroDivisionError("x"), True), (MemoryError(), False)])
def test_what_a_trial_raises_is_recorded_and_what_the_machine_raises_is_not(tmp_path, monkeypatch, error, is_kept):
    def run(*arguments, **options):
        raise error

    monkeypatch.setattr(module, "run_trial", run)
    matrix = made(trials=1)
    plan = MatrixPlan.of("1", matrix, ["wolf_rabbit_open"], ["blind"])
    with Records(tmp_path / "out", plan) as records:
        if is_kept:
            play_matrix(plan, matrix, records, Workers(1))
            (kept,) = read_records(tmp_path / "out")
            assert kept["status"] == "raised"
            assert kept["reason"].startswith("ZeroDivisionError: x (run, line ")
        else:
            with pytest.raises(MemoryError):
                play_matrix(plan, matrix, records, Workers(1))
            assert not records.done


def test_a_robot_that_is_latched_is_none_that_kept_its_bounds(tmp_path, monkeypatch):
    latched = SimpleNamespace(faults={"rabbit": "Drive commanded nan m/s"}, outcome="over")
    monkeypatch.setattr(module, "run_trial", lambda *arguments, **options: latched)
    matrix = made(trials=1)
    plan = MatrixPlan.of("1", matrix, ["wolf_rabbit_open"], ["blind"])
    with Records(tmp_path / "out", plan) as records:
        play_matrix(plan, matrix, records, Workers(1))
    (cell,) = cells(plan, matrix, read_records(tmp_path / "out"))
    assert (cell.raised, cell.kept) == (1, False)


def record(point, trial, status="played", **values):
    usual = {
        "seconds": 2.0,
        "moved_s": 0.5,
        "way_m": 0.1,
        "fastest": 0.0,
        "contacts": 0,
        "outside_m": 0.0,
        "placed": True,
    }
    place = {"point": point, "trial": trial, "seed": 40 + trial, "status": status}
    return {**place, "robot": "wolf", "outcome": "over", "reason": "", "seen": {**usual, **values}}


def judged(row, *records):
    matrix = made()
    (cell,) = cells(MatrixPlan.of("1", matrix, ["wolf_rabbit_open"], [row]), matrix, records)
    return cell


def test_bounds_are_judged_each_by_what_it_binds():
    cell = judged("blind", record(0, 0), record(0, 1, moved_s=1.02), record(0, 2, moved_s=0.9))
    assert (cell.trials, cell.beyond, cell.worst, cell.kept, cell.moved_s) == (3, 1, 1, False, 1.02)
    assert cell.share == pytest.approx(1.02)
    assert judged("blind", record(0, 0, moved_s=1.0)).kept
    assert not judged("blind", record(0, 0, moved_s=1.1, placed=False)).kept
    # Who needs no place from localisation is not bound by its loss, but by its fence.
    lost = judged("lost", record(0, 0, moved_s=2.0, placed=False))
    assert (lost.kept, lost.bounds) == (True, "0.1 m outside its fence")
    assert not judged("lost", record(0, 0, outside_m=0.11, placed=False)).kept
    assert judged("free", record(0, 0, outside_m=1.9, fastest=0.1)).kept
    assert not judged("free", record(0, 0, fastest=0.101)).kept
    assert judged("hung", record(0, 0, way_m=0.5)).kept
    assert not judged("hung", record(0, 0, way_m=0.51)).kept
    nothing = judged("none", record(0, 0, moved_s=2.0, fastest=3.0, outside_m=None))
    assert (nothing.kept, nothing.bounds, nothing.outside_m) == (True, "", None)


def test_a_cell_shows_what_came_nearest_to_a_bound():
    assert cell_words(judged("blind", record(0, 0, moved_s=0.4), record(0, 1, outside_m=0.09))) == "0.09 m outside"
    assert cell_words(judged("blind", record(0, 0, moved_s=1.25, fastest=0.3))) == "1.25 s, 1 beyond"
    assert cell_words(judged("hung", record(0, 0, way_m=0.25, fastest=0.3))) == "0.25 m"
    assert cell_words(judged("free", record(0, 0, fastest=0.08, outside_m=0.2))) == "0.08 m/s"
    # Nothing binds these.
    free = record(0, 0, fastest=0.1, outside_m=None), record(0, 1, fastest=0.3, outside_m=None)
    assert cell_words(judged("none", *free)) == "0.30 m/s"
    assert (
        cell_words(judged("lost", *({**one, "seen": {**one["seen"], "placed": False}} for one in free))) == "0.30 m/s"
    )
    assert cell_words(judged("blind", record(0, 0, "raised"))) == "raised 1"
    assert cell_words(judged("blind")) == ""


def test_what_raises_is_counted_and_a_trial_without_its_fault_shows_nothing():
    cell = judged("blind", record(0, 0, "raised"), {**record(0, 1), "seen": None}, record(0, 2, contacts=2))
    assert (cell.trials, cell.raised, cell.kept, cell.contacts, cell.outcomes) == (2, 1, False, 2, {"over": 2})
    raised = {"point": 0, "trial": 0, "seed": 40, "status": "raised", "reason": "ZeroDivisionError: x"}
    assert (judged("blind", raised).raised, judged("blind", raised).trials) == (1, 0)


def test_the_command_of_a_trial_names_its_seed_and_changes():
    text = again(made(), "crossroads_lidar", "blind", 3, 40)
    assert text.startswith(
        "arena-trees run crossroads_lidar --trials 1 --seed 43 --set 'robots=2' --set 'duration_s=5.0'"
    )
    assert json.loads(text.split("--set 'faults=")[1].split("'")[0])[0]["robot"] == "robot_2"
