"""Sweeps: a record a job, failures among them, and tables that are made of nothing else."""

import csv
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import bytes_of
from helpers.scenario_plans import planned

from arena_trees.experiments import intervals
from arena_trees.experiments.plan import TrialPlan, make_plan
from arena_trees.experiments.scenario import apply_changes, find_scenario, load_scenario
from arena_trees.experiments.sweeps import sweep as sweep_module
from arena_trees.experiments.sweeps.grid import parse_grid
from arena_trees.experiments.sweeps.records import Record, Records, read_plan, read_records
from arena_trees.experiments.sweeps.sweep import SweepJob, attempt, play_sweep
from arena_trees.experiments.sweeps.sweep_plan import SweepPlan, fingerprint
from arena_trees.experiments.sweeps.table import point_table, trial_table, write_csv, write_parquet
from arena_trees.experiments.sweeps.throughput import measure_throughput
from arena_trees.experiments.workers import Workers
from arena_trees.games.metrics import mean, rate
from arena_trees.robot.errors import ArenaTreesError, ConfigError

PLAN = SweepPlan("crossroads", "crossroads", "1.0", parse_grid(["rules.arrivals_per_min=6,-1,12"]), 2, 70)
FILE = find_scenario("crossroads")
SHORT = apply_changes(load_scenario(FILE), {"duration_s": 20.0, "seed": 70})


def make(values: Mapping[str, Any]) -> TrialPlan:
    return make_plan(apply_changes(SHORT, values), "--grid", FILE.parent)


def swept(folder: Path, plan: SweepPlan = PLAN) -> list[Record]:
    with Records(folder, plan) as records:
        play_sweep(plan, records, make, Workers())
    return list(read_records(folder))


def test_every_job_has_its_record_and_what_is_refused_has_its_reason(tmp_path: Path):
    found = swept(tmp_path / "a")
    assert [(one["point"], one["trial"], one["seed"]) for one in found] == [
        (point, trial, 70 + trial) for point in range(3) for trial in range(2)
    ]
    assert [one["status"] for one in found] == ["played"] * 2 + ["refused"] * 2 + ["played"] * 2
    assert found[2]["reason"].startswith("--grid: rules.arrivals_per_min: ")
    assert found[2]["reason"].endswith("(got -1)")
    assert not any("real_time_factor" in one for one in found), "no time of this machine"
    assert read_plan(tmp_path / "a", SweepPlan) == PLAN


def test_what_is_played_does_not_depend_on_what_was_played_before(tmp_path: Path):
    swept(tmp_path / "whole")
    swept(tmp_path / "parts")
    for name in ("000000/000001", "000001/000000", "000002/000000", "000002/000001"):
        (tmp_path / "parts" / "jobs" / f"{name}.json").unlink()
    left = tmp_path / "parts" / "jobs" / "000002" / ".000000.json.k1ll3d"
    left.write_text("{")
    before = (tmp_path / "parts" / "jobs" / "000000" / "000000.json").stat().st_mtime_ns
    played: list[Record] = []
    with Records(tmp_path / "parts", PLAN) as records:
        assert records.done == {(0, 0), (1, 1)}
        play_sweep(PLAN, records, make, Workers(), played.append)
    assert [(one["point"], one["trial"]) for one in played] == [(0, 1), (1, 0), (2, 0), (2, 1)]
    assert bytes_of(tmp_path / "parts") == bytes_of(tmp_path / "whole")
    assert (tmp_path / "parts" / "jobs" / "000000" / "000000.json").stat().st_mtime_ns == before


def test_a_trial_that_raises_is_kept_with_its_reason_and_the_others_are_played(tmp_path, monkeypatch):
    def play(job: Any) -> Any:
        if job.index == 1:
            raise ZeroDivisionError(f"in {object()}\nof two lines")
        if job.plan.rules.arrivals_per_min == 12:
            raise ArenaTreesError("a wall stands there")
        return original(job)

    original = sweep_module.play_job
    monkeypatch.setattr(sweep_module, "play_job", play)
    found = swept(tmp_path / "a")
    assert [one["status"] for one in found] == ["played", "raised", "refused", "refused", "raised", "raised"]
    assert found[1]["reason"].startswith("ZeroDivisionError: in <object object at 0x> of two lines (play, line ")
    assert found[4]["reason"] == "a wall stands there"
    assert swept(tmp_path / "a") == found, "they are not tried again"


@pytest.mark.parametrize("error", [MemoryError(), OSError("disk"), ModuleNotFoundError("mujoco")])
def test_what_the_machine_lacks_is_no_result_of_a_trial(tmp_path, monkeypatch, error):
    def play(job: Any) -> Any:
        raise error

    monkeypatch.setattr(sweep_module, "play_job", play)
    with pytest.raises(type(error)):
        swept(tmp_path / "a")
    assert list(read_records(tmp_path / "a")) == []
    monkeypatch.undo()
    assert len(swept(tmp_path / "a")) == 6


def test_what_only_a_plan_lacks_ends_the_sweep_too(tmp_path: Path):
    def lacking(values: Mapping[str, Any]) -> TrialPlan:
        raise ModuleNotFoundError("mujoco")

    with Records(tmp_path / "a", PLAN) as records, pytest.raises(ModuleNotFoundError):
        play_sweep(PLAN, records, lacking, Workers())


def test_a_value_that_is_no_number_is_a_failure(monkeypatch: pytest.MonkeyPatch):
    class Odd:
        def to_dict(self) -> dict[str, Any]:
            return {"time_s": float("nan")}

    monkeypatch.setattr(sweep_module, "play_job", lambda job: Odd())
    _, _, text = attempt(SweepJob(0, 0, 70, make({})))
    assert json.loads(text)["status"] == "raised"
    assert "ValueError" in json.loads(text)["reason"]


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (replace(PLAN, scenario="pacman"), "another scenario: crossroads, not pacman"),
        (replace(PLAN, version="2.0"), "another version of Arena Trees: 1.0, not 2.0"),
        (replace(PLAN, trials=3), "another number of trials: 2, not 3"),
        (replace(PLAN, seed=71), "another seed: 70, not 71"),
        (replace(PLAN, settings={"duration_s": 3}), "other settings: none, not duration_s=3"),
        (replace(PLAN, fingerprint="0"), "as it was before a change"),
        (
            replace(PLAN, grid=parse_grid(["rules.arrivals_per_min=6,12"])),
            r"another grid: rules\.arrivals_per_min=6,-1,12, not rules\.arrivals_per_min=6,12",
        ),
    ],
)
def test_a_folder_refuses_another_plan_and_says_what_differs(tmp_path: Path, other: SweepPlan, words: str):
    with Records(tmp_path / "a", PLAN) as records:
        records.write(0, 0, b"{}")
    with pytest.raises(ConfigError, match=f"--out: holds .*{words}; choose another folder"):
        Records(tmp_path / "a", other)


def test_the_order_of_keys_is_a_part_of_the_plan(tmp_path: Path):
    plans = [replace(PLAN, grid=parse_grid(texts)) for texts in (["a=1", "b=2"], ["b=2", "a=1"])]
    assert plans[0].difference(plans[0]) is None
    assert plans[0].difference(plans[1]) == "another grid: b=2 a=1, not a=1 b=2"


def test_a_folder_with_something_else_is_refused(tmp_path: Path):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "thesis.txt").write_text("mine")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "plan.json").write_text("[]")
    (tmp_path / "file").write_text("")
    for name, words in (("taken", "holds no sweep"), ("odd", "is no plan"), ("file", "--out")):
        with pytest.raises(ConfigError, match=words):
            Records(tmp_path / name, PLAN)
    assert (tmp_path / "taken" / "thesis.txt").read_text() == "mine"


def test_one_process_at_a_time_has_a_folder_also_after_one_that_was_killed_at_once(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / ".plan.json.abc").write_text("{")
    with Records(tmp_path / "a", PLAN) as records:
        assert sorted(bytes_of(tmp_path / "a")) == ["plan.json"]
        records.write(0, 0, b"{}")
    with Records(tmp_path / "a", PLAN), pytest.raises(ArenaTreesError, match="another process is at this sweep"):
        Records(tmp_path / "a", PLAN)
    Records(tmp_path / "a", PLAN).__exit__(None, None, None)


def test_a_record_that_is_none_is_named(tmp_path: Path):
    swept(tmp_path / "a")
    broken = tmp_path / "a" / "jobs" / "000001" / "000000.json"
    for text in ("{", "[]", '{"point": 0, "trial": 0, "status": "played"}'):
        broken.write_text(text)
        with pytest.raises(ConfigError, match=r"000001/000000\.json: is no record"):
            list(read_records(tmp_path / "a"))


def test_too_many_trials_are_refused():
    with pytest.raises(ConfigError, match="--trials: 3 points are 1200000 trials; at most 1000000"):
        replace(PLAN, trials=400_000).check()


def test_the_fingerprint_knows_every_file(tmp_path: Path):
    base, tree = make({}), tmp_path / "tree.py"
    tree.write_text("one")
    first = fingerprint(base, [tree])
    assert first == fingerprint(make({}), [tree])
    tree.write_text("two")
    others = [fingerprint(base, [tree]), fingerprint(base), fingerprint(make({"rules.arrivals_per_min": 7.0}))]
    others.append(fingerprint(make({"crosser.gate.max_linear": 0.2})))
    assert len({first, *others}) == 5
    assert fingerprint(make({"seed": 1, "trials": 3})) == fingerprint(base), "these stand in the plan themselves"
    with pytest.raises(ConfigError, match=r"none\.py"):
        fingerprint(base, [tmp_path / "none.py"])


RECORDS: list[Record] = [
    {"point": 0, "trial": 0, "seed": 5, "status": "played", "outcome": "won", "reason": "r", "won": True, "t_s": 2.0},
    {
        "point": 0,
        "trial": 1,
        "seed": 6,
        "status": "played",
        "outcome": "lost",
        "reason": "r",
        "won": False,
        "t_s": None,
    },
    {"point": 1, "trial": 0, "seed": 5, "status": "raised", "reason": 'say "no", please'},
]
METRICS = (rate("win_rate", "wins", value="won"), mean("mean_t_s", "time", value="t_s"))
SMALL = replace(PLAN, grid=parse_grid(["won=[1],[2]", "n=1:2:2"]))


def test_the_tables_hold_each_trial_and_each_point(tmp_path: Path):
    trials, points = trial_table(SMALL.grid, RECORDS), point_table(SMALL.grid, RECORDS, METRICS)
    assert trials.columns == (
        "point", "trial", "seed", "won", "n", "status", "outcome", "reason", "simulated_s", "played_s",
        "measured_won", "t_s",
    )  # fmt: skip
    assert trials.rows[0] == (0, 0, 5, [1], 1, "played", "won", "r", None, None, True, 2.0)
    assert trials.rows[2] == (1, 0, 5, [1], 2, "raised", None, 'say "no", please', None, None, None, None)
    expected = intervals.rate([True, False])
    assert points.columns[:6] == ("point", "won", "n", "played", "failed", "reason")
    assert points.rows[0] == (
        0, [1], 1, 2, 0, None, 0.5, expected.low, expected.high, 2, 2.0, None, None, 1
    )  # fmt: skip
    assert points.rows[1] == (1, [1], 2, 0, 1, 'say "no", please', None, None, None, 0, None, None, None, 0)
    assert points.rows[3][:6] == (3, [2], 2, 0, 0, None), "a point that has not been played yet"
    with pytest.raises(KeyError):
        points.column("lap")
    write_csv(trials, tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["won"], row["measured_won"], row["t_s"]) for row in rows] == [
        ("[1]", "true", "2.0"), ("[1]", "false", ""), ("[1]", "", ""),
    ]  # fmt: skip
    assert rows[2]["reason"] == 'say "no", please'


def test_parquet_says_the_same_with_types(tmp_path: Path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra parquet is not installed")
    trials = trial_table(SMALL.grid, RECORDS)
    write_parquet(trials, tmp_path / "t.parquet")
    write_parquet(trials, tmp_path / "again.parquet")
    assert (tmp_path / "t.parquet").read_bytes() == (tmp_path / "again.parquet").read_bytes()
    read = parquet.read_table(tmp_path / "t.parquet")
    kinds = {field.name: str(field.type) for field in read.schema}
    assert (kinds["point"], kinds["measured_won"], kinds["t_s"], kinds["won"]) == ("int64", "bool", "double", "string")
    assert read.column("measured_won").to_pylist() == [True, False, None]
    assert read.column("won").to_pylist() == ["[1]"] * 3


def test_parquet_without_pyarrow_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(ArenaTreesError, match=r"pip install 'arena-trees\[parquet\]'"):
        write_parquet(trial_table(SMALL.grid, RECORDS), tmp_path / "t.parquet")


def test_throughput_is_measured_of_the_same_trials_by_one_process_and_by_several():
    measured = measure_throughput(planned("crossroads", duration_s=5.0), 2, 1)
    assert (measured.trials, measured.processes) == (2, 1)
    assert 0.0 < measured.trial_s <= measured.alone_s
    assert measured.ratio == measured.alone_s / measured.together_s
    assert measured.job_bytes > 1000 and measured.record_s > 0.0 and measured.dispatch_s > 0.0
