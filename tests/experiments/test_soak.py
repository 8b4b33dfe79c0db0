"""What a soak says of hand-made tenths, and that it sees a planted leak."""

import gc
import os
import platform
import subprocess
from contextlib import suppress
from dataclasses import fields, replace

import numpy as np
import pytest
from helpers.arena import needs_arena

from arena_trees.experiments.plan import TrialPlan, make_plan
from arena_trees.experiments.scenario import apply_changes, find_scenario, load_scenario
from arena_trees.experiments.soaking import passage, stepped_trial
from arena_trees.experiments.soaking.passage import Pace, play_passage
from arena_trees.experiments.soaking.soak import TENTHS, Tenth, soak
from arena_trees.experiments.soaking.verdict import FELL, FLAT, GREW, MEASURES, UNCLEAR, judge
from arena_trees.experiments.soaking.vitals import Vitals, children, held
from arena_trees.robot.errors import ArenaTreesError

HOURS = 0.0005
"""Of 9 ticks a tenth."""
VITALS = Vitals(
    memory_mb=200.0,
    descriptors=10,
    threads=3,
    children=0,
    board_keys=0,
    board_metadata=0,
    board_clients=0,
    objects=30_000,
)


@pytest.fixture
def soon_collected():
    """Spare the collector what other tests hold, which it would look through after every tenth."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def tenths(**series: list[float] | list[int] | list[Pace]) -> list[Tenth]:
    """Return tenths in which nothing changes but what is given."""
    made = []
    for number in range(1, TENTHS + 1):
        now = {name: values[number - 1] for name, values in series.items()}
        held = {name: now.pop(name) for name in [one.name for one in fields(Vitals)] if name in now}
        row = Tenth(
            number=number,
            simulated_s=60.0 * number,
            trials=2,
            stopped=0,
            vitals=replace(VITALS, **held),
            tick_p50_ms=1.0,
            tick_p99_ms=4.0,
            pace=Pace(3.0, 0.2),
        )
        made.append(replace(row, **now))
    return made


def words(rows: list[Tenth]) -> dict[str, str]:
    """Return the verdicts that are not flat."""
    return {one.measure: one.verdict for one in judge(rows) if one.verdict != FLAT}


def planned(scenario: str, duration_s: float) -> TrialPlan:
    path = find_scenario(scenario)
    return make_plan(apply_changes(load_scenario(path), {"duration_s": duration_s}), path, path.parent)


def test_what_does_not_change_is_flat():
    found = judge(tenths())
    assert {one.measure for one in found} == set(MEASURES)
    assert {one.verdict for one in found} == {FLAT}
    assert {one.change_pct for one in found} == {0.0}


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        ({"memory_mb": [200.0 + 2.0 * n for n in range(TENTHS)]}, {"memory_mb": GREW}),
        ({"memory_mb": [200.0 + n for n in range(TENTHS)]}, {}),
        ({"memory_mb": [150.0] + [200.0] * 9}, {}),
        ({"memory_mb": [200.0] * 9 + [180.0]}, {"memory_mb": FELL}),
        ({"descriptors": [10] * 9 + [11]}, {"descriptors": GREW}),
        ({"board_keys": [0] * 9 + [1]}, {"board_keys": GREW}),
        ({"children": [1] * 9 + [0]}, {"children": FELL}),
    ],
)
def test_what_grew_by_more_than_5_percent_is_named(series, expected):
    assert words(tenths(**series)) == expected


def test_a_change_from_nothing_has_no_percentage():
    (found,) = (one for one in judge(tenths(threads=[0] * 9 + [2])) if one.measure == "threads")
    assert (found.first, found.last, found.change_pct, found.verdict) == (0, 2, None, GREW)


def test_a_slower_machine_is_no_growth_and_a_slower_tick_is():
    slower = [3.0 + 0.1 * n for n in range(TENTHS)]
    assert words(tenths(pace=[Pace(value, value / 15.0) for value in slower])) == {}
    assert words(tenths(pace=[Pace(value, 0.2) for value in slower])) == {"calibrated_p99": GREW}


def test_times_that_scatter_are_unclear_and_not_growth():
    scattered = [3.0, 3.6, 2.8, 3.5, 2.9, 3.3, 2.7, 3.4, 3.1, 3.2]
    assert words(tenths(pace=[Pace(value, 0.2) for value in scattered])) == {"calibrated_p99": UNCLEAR}


def test_there_are_no_verdicts_of_one_tenth():
    assert judge(tenths()[:1]) == []
    assert len(judge(tenths()[:2])) == len(MEASURES)


@pytest.mark.parametrize(("number", "since"), [(2, 1), (3, 2), (TENTHS, 2)])
def test_memory_is_judged_from_the_second_tenth_where_there_are_enough(number, since):
    assert {one.measure: one.since for one in judge(tenths()[:number])} == {name: 1 for name in MEASURES} | {
        "memory_mb": since
    }


def test_what_json_is_given_are_all_figures():
    values = tenths()[0].to_dict()
    assert set(MEASURES) < set(values)
    assert values["memory_mb"] == 200.0
    assert values["calibrated_p99"] == pytest.approx(15.0)


def test_what_another_process_holds_is_read_until_it_ends():
    command = ["sh", "-c", "echo ready; read end"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        # Before it speaks it may still have its libraries open.
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        assert process.pid in children(os.getpid())
        # Its standard streams; what this process has open it does not inherit.
        assert held(process.pid)[1:] == (3, 1, 0) and held(process.pid).memory_mb > 0.0
        process.kill()
    with pytest.raises(ArenaTreesError, match=f"process {process.pid} has ended"):
        held(process.pid)


def test_the_descriptor_by_which_descriptors_are_listed_does_not_count():
    descriptors = []
    for number in range(4096):
        with suppress(OSError):
            os.fstat(number)
            descriptors.append(number)
    assert held().descriptors == held(os.getpid()).descriptors == len(descriptors)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is asked for what it keeps")
def test_memory_is_what_is_used_and_not_what_the_allocator_keeps(soon_collected):
    before = Vitals.measured().memory_mb
    # Each below the size from which glibc maps memory by itself; the last one keeps those before it.
    blocks = [np.ones(10_000) for _ in range(1_250)]
    assert Vitals.measured().memory_mb > before + 80.0
    last = blocks.pop()
    blocks.clear()
    assert Vitals.measured().memory_mb < before + 20.0
    assert last.size


@needs_arena
def test_a_soak_has_ten_equal_tenths_and_holds_nothing_after_them():
    rows = list(soak(planned("wolf_rabbit", 0.2), HOURS))
    assert [row.number for row in rows] == list(range(1, TENTHS + 1))
    assert [row.simulated_s for row in rows] == [pytest.approx(0.18 * n) for n in range(1, TENTHS + 1)]
    assert {row.trials for row in rows} == {1}
    assert {row.stopped for row in rows} == {0}
    assert not set(words(rows)) - {"calibrated_p99"}
    assert {row.vitals.board_clients for row in rows} == {rows[0].vitals.board_clients}
    assert all(0.0 < row.tick_p50_ms <= row.tick_p99_ms and row.calibrated_p99 > 0.0 for row in rows)


@pytest.mark.usefixtures("soon_collected")
@needs_arena
def test_trials_that_keep_a_file_open_are_seen(monkeypatch, tmp_path):
    kept = []

    class Leaking(stepped_trial.Trial):
        def begin(self) -> None:
            super().begin()
            kept.append((tmp_path / f"{len(kept)}").open("w"))

    monkeypatch.setattr(stepped_trial, "Trial", Leaking)
    try:
        rows = list(soak(planned("wolf_rabbit", 0.2), HOURS))
    finally:
        for file in kept:
            file.close()
    assert words(rows)["descriptors"] == GREW
    # One trial a tenth, and three for its passage.
    assert rows[-1].vitals.descriptors - rows[0].vitals.descriptors == 4 * (TENTHS - 1)


@pytest.mark.usefixtures("soon_collected")
def test_every_trial_has_a_seed_of_its_own_and_is_closed(monkeypatch):
    opened, closed = [], []

    class Short:
        stopped = 1

        def __init__(self, plan: object, index: int) -> None:
            opened.append(index)
            self.left = 5

        @property
        def over(self) -> bool:
            return self.left <= 0

        def step(self) -> None:
            self.left -= 1

        def close(self) -> None:
            closed.append(self)

    monkeypatch.setattr("arena_trees.experiments.soaking.soak.open_trial", Short)
    passages = []
    monkeypatch.setattr(
        "arena_trees.experiments.soaking.soak.play_passage", lambda plan: passages.append(plan) or Pace(3.0, 0.2)
    )
    # 10 tenths of 12 ticks: trials of 5, 5 and 2.
    rows = list(soak(planned("crossroads", 10.0), 120 * 0.02 / 3600.0))
    assert opened == list(range(31))
    assert len(closed) == 31
    assert len(passages) == TENTHS + 1
    assert [(row.trials, row.stopped) for row in rows] == [(3, 3)] * TENTHS


def test_the_passage_is_the_same_each_time_and_its_least_times_count(monkeypatch):
    opened, clock = [], [0.0]
    costs = iter([*([2.0] * 99 + [9.0]), *([3.0] * 99 + [4.0]), *([5.0] * 100)])

    class Steps:
        def __init__(self, plan: object, index: int) -> None:
            opened.append(index)
            self.left = 100

        @property
        def over(self) -> bool:
            return self.left == 0

        def step(self) -> None:
            self.left -= 1
            clock[0] += next(costs)

        def close(self) -> None:
            opened.append("closed")

    monkeypatch.setattr(passage, "open_trial", Steps)
    monkeypatch.setattr(passage, "calibrate", lambda: 0.5)
    monkeypatch.setattr(passage.time, "process_time", lambda: clock[0])
    found = play_passage(planned("crossroads", 2.0))
    assert opened == [0, "closed"] * 3
    # The least of each tick is 2 s, and 4 s of the last.
    assert 2000.0 < found.p99_ms < 2100.0
    assert found.calibration_ms == 500.0


@pytest.mark.usefixtures("soon_collected")
def test_a_game_with_a_world_of_its_own_is_soaked_too():
    rows = list(soak(planned("crossroads", 0.1), HOURS))
    assert {(row.trials, row.stopped) for row in rows} == {(2, 0)}


@needs_arena
def test_a_trial_that_raises_is_closed(monkeypatch):
    closed = []

    class Raising(stepped_trial.Trial):
        def step(self) -> None:
            raise RuntimeError("it fell over")

        def close(self) -> None:
            super().close()
            closed.append(self)

    monkeypatch.setattr(stepped_trial, "Trial", Raising)
    with pytest.raises(RuntimeError, match="it fell over"):
        next(soak(planned("wolf_rabbit", 0.2), HOURS))
    assert len(closed) == 1
