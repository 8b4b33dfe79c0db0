"""Studies: the same points however often they are killed, fair comparisons, and nothing that flatters."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.commands import bytes_of

pytest.importorskip("optuna", reason="the extra tune is not installed")

from arena_trees.experiments.plan import TrialPlan, make_plan
from arena_trees.experiments.scenario import apply_changes, find_scenario, load_scenario
from arena_trees.experiments.sweeps.records import Record, Records, read_records
from arena_trees.experiments.sweeps.sweep import SweepJob
from arena_trees.experiments.tuning import study as study_module
from arena_trees.experiments.tuning.objective import Objective
from arena_trees.experiments.tuning.space import Range
from arena_trees.experiments.tuning.study import Study
from arena_trees.experiments.tuning.study_output import value_of, write_scenario
from arena_trees.experiments.tuning.study_plan import StudyPlan
from arena_trees.experiments.workers import Workers
from arena_trees.games.metrics import mean, rate
from arena_trees.robot.errors import ConfigError

FILE = find_scenario("crossroads")
BASE = make_plan(load_scenario(FILE), FILE, FILE.parent)
KEY = "rules.arrivals_per_min"
SPACE = (Range(KEY, 6.0, 24.0),)
PLAN = StudyPlan("crossroads", "crossroads", "1.0", {}, {"loss": "minimise"}, {}, 14, 24, 100, 8, 6, 1000)
LOSS = mean("loss", "how bad it is", value="loss")
WON = rate("won", "whether it was won", value="won")
LEFT = mean("left", "what is left", value="left")
ONE = (Objective(LOSS, maximise=False),)


class Killed(BaseException):
    """Ends a study as kill does."""


def world(seed: int) -> float:
    """Return how hard a world is: more than the points differ by."""
    return float(np.random.default_rng(seed).normal(0.0, 50.0))


def lose(arrivals: float, seed: int) -> dict[str, Any]:
    loss = (arrivals - 18.0) ** 2 + world(seed)
    return {"loss": loss, "won": arrivals > 10.0, "left": None if arrivals > 20.0 else arrivals}


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[SweepJob]:
    """Put a formula in place of the arena; return the jobs that were done."""
    jobs: list[SweepJob] = []

    def play_jobs(wanted, workers, records, on_record):
        import json

        for job in wanted:
            record: Record = {"point": job.point, "trial": job.index, "seed": job.seed, "status": "played"}
            if job.plan is None:
                record |= {"status": "refused", "reason": job.refused}
            else:
                record |= lose(value_of(job.plan, KEY), job.seed)
            records.write(job.point, job.index, json.dumps(record).encode())
            jobs.append(job)
            on_record(record)

    monkeypatch.setattr(study_module, "play_jobs", play_jobs)
    return jobs


def make(values: Any) -> TrialPlan:
    if values[KEY] < 7.0:
        raise ConfigError("is too few", key=KEY, value=values[KEY])
    return replace(BASE, rules=BASE.rules.with_changes({KEY.partition(".")[2]: values[KEY]}))


def studied(
    folder: Path,
    objectives: Sequence[Objective] = ONE,
    plan: StudyPlan = PLAN,
    kill_after: int = 10**6,
    start: float = 12.0,
) -> Study:
    left = [kill_after]

    def count(record: Record) -> None:
        left[0] -= 1
        if not left[0]:
            raise Killed

    with Records(folder, plan) as records:
        study = Study(plan, SPACE, objectives, {KEY: start}, records, make, Workers(), count)
        study.play()
    return study


def test_it_finds_what_is_best_though_worlds_differ_more_than_points(tmp_path: Path, played: list[SweepJob]):
    study = studied(tmp_path / "a")
    (best,) = study.best
    assert study.points[0].values == {KEY: 12.0}, "the start goes first"
    assert abs(best.values[KEY] - 18.0) < 1.5
    assert all(job.seed == 100 + job.index < 1000 for job in played)
    numbers = [point.number for point in study.points]
    assert numbers == list(range(PLAN.points))


def test_a_point_is_given_up_by_the_worlds_that_both_have_played(tmp_path: Path, played: list[SweepJob]):
    study = studied(tmp_path / "a")
    left = [point for point in study.points if point.outcome == "given up"]
    assert left and all(len(point.trials) < PLAN.trials for point in left)
    assert all(len(point.trials) % PLAN.look == 0 for point in left)
    worlds = np.mean([world(PLAN.seed + index) for index in range(PLAN.trials)])
    for point in left:
        # Not what its own few worlds say, which may have been hard ones.
        assert point.objectives[0] == pytest.approx((point.values[KEY] - 18.0) ** 2 + worlds)
    never = studied(tmp_path / "b", plan=replace(PLAN, look=0))
    assert all(len(point.trials) == PLAN.trials for point in never.points if point.outcome != "failed")


def test_a_killed_study_goes_on_as_if_nothing_had_been(tmp_path: Path, played: list[SweepJob]):
    studied(tmp_path / "whole")
    whole = list(played)
    played.clear()
    for most in (1, 9, 40, 77):
        with pytest.raises(Killed):
            studied(tmp_path / "killed", kill_after=most)
    studied(tmp_path / "killed")
    assert bytes_of(tmp_path / "killed") == bytes_of(tmp_path / "whole")
    assert [(job.point, job.index) for job in played] == [(job.point, job.index) for job in whole], "nothing twice"
    before = len(played)
    studied(tmp_path / "killed")
    assert len(played) == before


def test_points_drawn_before_a_kill_are_taken_from_the_folder(tmp_path: Path, played: list[SweepJob]):
    killed = Records(tmp_path / "a", PLAN)
    killed.write_values(3, {KEY: 17.25})
    os.close(killed._lock)
    assert studied(tmp_path / "a").points[3].values == {KEY: 17.25}


def test_another_seed_searches_elsewhere(tmp_path: Path, played: list[SweepJob]):
    one, other = studied(tmp_path / "a"), studied(tmp_path / "b", plan=replace(PLAN, seed=101))
    assert [point.values for point in one.points] != [point.values for point in other.points]


def test_what_has_no_value_cannot_win(tmp_path: Path, played: list[SweepJob]):
    objective = Objective(LEFT, maximise=False)
    study = studied(tmp_path / "a", [objective])
    failed = [point for point in study.points if point.outcome == "failed"]
    assert {point.reason for point in failed} >= {"no value of left in the trial of seed 100"}
    assert study.best[0].values[KEY] <= 20.0
    counted = studied(tmp_path / "b", [replace(objective, missing=0.0)])
    assert counted.best[0].values[KEY] > 20.0, "unless somebody says what it counts as"


def test_a_start_outside_of_the_space_is_no_point_and_a_refused_one_fails(tmp_path: Path, played: list[SweepJob]):
    assert not studied(tmp_path / "a", start=30.0).started
    study = studied(tmp_path / "b", start=6.5)
    assert study.points[0].outcome == "failed" and "is too few" in study.points[0].reason
    assert study.best


def test_several_objectives_have_a_front_and_nothing_is_given_up(tmp_path: Path, played: list[SweepJob]):
    plan = replace(PLAN, look=0, trials=4)
    study = studied(
        tmp_path / "a", [Objective(LOSS, False), Objective(mean("left", "", value="left"), False, 99.0)], plan
    )
    front = [point.objectives for point in study.best]
    assert len(front) > 2
    assert not any(one[0] >= other[0] and one[1] >= other[1] for one in front for other in front if one != other)
    assert {point.outcome for point in study.points} <= {"played", "failed"}
    shares = study.importances()
    assert set(shares) == {"loss", "left"} and shares["loss"] == {KEY: 1.0}


def test_a_rate_is_made_large(tmp_path: Path, played: list[SweepJob]):
    study = studied(tmp_path / "a", [Objective(WON, maximise=True)], start=9.0)
    assert study.points[0].objectives == (0.0,)
    assert study.best[0].objectives == (1.0,)


def test_the_report_is_played_on_fresh_seeds(tmp_path: Path, played: list[SweepJob]):
    fresh = replace(BASE, scenario=BASE.scenario.model_copy(update={"seed": PLAN.report_seed}))
    with Records(tmp_path / "a", PLAN) as records:
        study = Study(PLAN, SPACE, ONE, {KEY: 12.0}, records, make, Workers())
        assert [one["seed"] for one in study.play_arm(PLAN.points, fresh)] == [1000, 1001, 1002, 1003, 1004, 1005]
        study.play_arm(PLAN.points, fresh)
    assert len(played) == PLAN.report_trials == len(list(read_records(tmp_path / "a")))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"points": 1}, "--points: must be a number from 2"),
        ({"look": 25}, "--look"),
        ({"look": -1}, "--look"),
        ({"seed": 977}, "--seed: the last trial has seed 1000"),
        ({"seed": 1000}, "nothing is tuned on them"),
        ({"report_seed": 999}, "--report-seed: .*1000 and up"),
        ({"report_trials": -1}, "--report-trials"),
    ],
)
def test_numbers_that_cannot_be_played_are_refused(changes: dict[str, Any], words: str):
    with pytest.raises(ConfigError, match=words):
        replace(PLAN, **changes).check()


@pytest.mark.parametrize("changes", [{"space": {KEY: [1]}}, {"points": 9}, {"report_seed": 1001}, {"version": "2"}])
def test_a_folder_refuses_another_study(tmp_path: Path, changes: dict[str, Any]):
    with Records(tmp_path / "a", PLAN) as records:
        records.write(0, 0, b"{}")
    with pytest.raises(ConfigError, match=r"--out: holds another .*; choose another folder"):
        Records(tmp_path / "a", replace(PLAN, **changes))
    Records(tmp_path / "a", PLAN).__exit__(None, None, None)


@pytest.mark.parametrize(
    ("scenario", "key", "value"),
    [
        ("wolf_rabbit", "wolf.chase_kp", 1.25),
        ("wolf_rabbit", "wolf.gate.max_linear", 0.25),
        ("wolf_rabbit", "wolf.sensors.camera.rate_hz", 7.0),
        ("wolf_rabbit", "duration_s", 61.0),
        ("wolf_rabbit", "bus.loss", 0.1),
        ("crossroads", KEY, 17.0),
        ("crossroads", "robots", 5),
        ("crossroads", "crosser.gate.max_linear", 0.25),
    ],
)
def test_what_was_found_is_written_as_a_scenario_that_plays_the_same(tmp_path, scenario, key, value):
    file = find_scenario(scenario)
    changed = apply_changes(load_scenario(file), {key: value})
    plan = make_plan(changed, file, file.parent)
    assert value_of(plan, key) == value
    write_scenario(changed, file.parent, tmp_path / "best.yaml")
    read = load_scenario(tmp_path / "best.yaml")
    again = make_plan(read, "", tmp_path)
    assert value_of(again, key) == value
    assert (again.rules, again.arena, again.scenario.duration_s) == (plan.rules, plan.arena, plan.scenario.duration_s)
    for name, robot in plan.robots.items():
        other = again.robots[name]
        assert (other.parameters, other.sensors, other.body, other.gate) == (
            robot.parameters, robot.sensors, robot.body, robot.gate,
        )  # fmt: skip
    assert value_of(plan, "wolf.no_such_key") is None


def test_files_beside_the_scenario_are_found_from_elsewhere(tmp_path: Path):
    own, out = tmp_path / "own", tmp_path / "out"
    own.mkdir()
    out.mkdir()
    arena = find_scenario("wolf_rabbit").parent.parent / "arenas" / "arena_4x4.yaml"
    (own / "mine.yaml").write_text(arena.read_text())
    (own / "wolf.yaml").write_text("/**: {ros__parameters: {chase_kp: 3.5}}")
    text = find_scenario("wolf_rabbit").read_text().replace("arena: arena_4x4.yaml", "arena: mine.yaml")
    (own / "scenario.yaml").write_text(text)
    scenario = load_scenario(own / "scenario.yaml")
    write_scenario(scenario, own, out / "best.yaml")
    plan = make_plan(load_scenario(out / "best.yaml"), "", out)
    assert value_of(plan, "wolf.chase_kp") == 3.5
    assert plan.scenario.arena == str(own / "mine.yaml")
