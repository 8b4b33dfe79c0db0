"""Trials end to end: the same in any process, whole when a robot fails, and isolated when told to."""

from contextlib import closing
from pathlib import Path
from typing import Any

import py_trees
import pytest
from helpers import scenario_plans

from arena_trees.experiments.plan import TrialPlan
from arena_trees.experiments.progress import Progress, ProgressBoard
from arena_trees.experiments.promises.conditions import (
    Condition,
    breach,
    cue,
    faster_than,
    heard,
    leaf,
    moving_inward,
    moving_outward,
    safe,
    standing,
)
from arena_trees.experiments.promises.statements import always, check, never, whenever
from arena_trees.experiments.results import TrialResult
from arena_trees.experiments.runner import Job, list_jobs, play, sort_into_arms
from arena_trees.experiments.trial import Trial, run_trial
from arena_trees.games.wolf_rabbit.messages import GamePhase, GameState
from arena_trees.recording.traces.trace import Traces
from arena_trees.simulation.physics.arena import Arena

SEED = 400
caught = heard("caught", GameState, lambda game: game.phase is GamePhase.CAPTURED)
SLOW = never(faster_than(0.3061))
"""No faster than a Create 3 drives with its safety limits, 0.306 m/s, in single precision."""


def planned(name: str = "wolf_rabbit", **changes: object) -> TrialPlan:
    return scenario_plans.planned(name, **{"seed": SEED, "duration_s": 3.0, **changes})


BREACH = planned("breach_recovery", duration_s=10.0)


def played(plan: TrialPlan, trials: int, processes: int, folder: Path) -> dict[int, TrialResult]:
    jobs = list_jobs({"": plan}, trials, trace=True)
    finished: list[tuple[Job, TrialResult]] = []
    board = folder / f"board{processes}"
    play(jobs, processes, lambda job, result: finished.append((job, result)), board)
    (arm,) = sort_into_arms({"": plan}, finished)
    return {result.index: result for result in arm.trials}


def without_time(result: TrialResult) -> dict[str, Any]:
    return {key: value for key, value in result.to_dict().items() if key != "real_time_factor"}


def test_one_and_two_processes_give_the_same_bytes(tmp_path: Path):
    plan = planned(duration_s=1.5)
    alone, shared = played(plan, 3, 1, tmp_path), played(plan, 3, 2, tmp_path)
    assert list(alone) == list(shared) == [0, 1, 2]
    for index in alone:
        assert without_time(alone[index]) == without_time(shared[index])
    assert len({result.trace_sha256 for result in alone.values()}) == 3


def test_time_runs_out_and_a_trial_leaves_no_keys_on_the_blackboard():
    result = run_trial(planned(duration_s=1.0), 0)
    assert (result.outcome, result.reason) == ("survived", "time is up")
    assert result.simulated_s == pytest.approx(1.0, abs=0.05)
    assert result.values["caught"] is result.values["claimed"] is False
    assert result.played_s == result.simulated_s
    assert result.marks == ()
    keys = py_trees.blackboard.Blackboard.keys()
    assert not [key for key in keys if key.startswith(("/wolf/", "/rabbit/"))]


def test_a_wolf_that_starts_before_the_rabbit_catches_it():
    near = {"wolf.start": {"x": -1.0, "y": 0.0, "yaw_deg": 0.0}, "rabbit.start": {"x": 0.3, "y": 0.0, "yaw_deg": 0.0}}
    plan = planned(**near, **{"duration_s": 30.0, "arena_set.random_boxes.count": 0, "arena_set.start_distance": 0.5})
    traces = Traces()
    result = run_trial(plan, 0, watch=traces.watch)
    assert result.outcome == "caught", result.reason
    values = result.values
    assert 0.3 < float(values["catch_true_distance_m"] or 0.0) <= 0.6
    (mark,) = result.marks
    assert values["time_to_catch_s"] == mark.now_s == result.played_s
    # The referee hears of it a message later.
    assert float(values["time_to_claim_s"] or 0.0) == pytest.approx(mark.now_s, abs=0.1)
    assert float(values["claim_true_distance_m"] or 0.0) == pytest.approx(values["catch_true_distance_m"], abs=0.05)
    assert result.ending == f"caught after {mark.now_s:.2f} s"
    assert result.simulated_s == pytest.approx(mark.now_s + 1.5, abs=0.05)
    assert values["stop_after_catch_s"] is not None
    assert int(values["chase_ticks"] or 0) > 20
    assert len(result.trajectories["wolf"].active) == len(result.trajectories["wolf"].time)
    check(traces["wolf"], SLOW, whenever(cue("CATCH")).holds(standing).lasts(1.4))
    check(traces["rabbit"], SLOW, whenever(caught).holds(standing))


def test_an_isolated_game_has_no_messages_and_goes_on_after_a_catch():
    near = {
        "wolf.start": {"x": -1.0, "y": 0.0, "yaw_deg": 0.0},
        "rabbit.start": {"x": 0.3, "y": 0.0, "yaw_deg": 0.0},
        "arena_set.random_boxes.count": 0,
        "arena_set.start_distance": 0.5,
        "duration_s": 8.0,
    }
    traces = Traces()
    result = run_trial(planned("wolf_rabbit_isolated", **near), 0, watch=traces.watch)
    assert result.outcome == "caught"
    assert result.simulated_s == pytest.approx(8.0)
    assert result.played_s == result.values["time_to_catch_s"] < 6.0
    silent = Condition("silent", lambda moment: not moment.tick.received and not moment.tick.sent)
    for trace in traces.values():
        check(trace, always(silent), never(caught))
    check(traces["wolf"], whenever(cue("CATCH")).within(3.0).comes(~leaf("Claim and pause")))


def test_a_robot_that_fails_stops_and_the_other_runs_on():
    with closing(Trial(planned(), 0)) as trial:
        trial.begin()
        leaf = next(node for node in trial.loops["wolf"].tree.root.iterate() if not node.children)

        def fail() -> None:
            raise RuntimeError("broken")

        leaf.update = fail  # type: ignore[method-assign, assignment]
        for _ in range(100):
            trial.step()
        assert "broken" in (trial.loops["wolf"].fault or "")
        assert trial.loops["rabbit"].fault is None
        twist = trial.arena.true_twist("wolf")
        assert abs(twist.linear) < 0.01
        assert trial.records["rabbit"].active not in ("", "LATCHED")
        assert trial.run_result().values["latched_robots"] == 1


def test_a_silent_lidar_stops_its_robot():
    plan = planned(faults=[{"robot": "wolf", "sensor": "scan", "at_s": 1.0}])
    with closing(Trial(plan, 0)) as trial:
        trial.begin()
        for _ in range(100):
            trial.step()
        assert any("scan" in reason for reason in trial.records["wolf"].reasons)
        assert not any("scan" in reason for reason in trial.records["rabbit"].reasons)


def test_recovery_is_judged_by_the_true_place():
    result = run_trial(BREACH, 6)
    assert result.outcome == "recovered", result.reason
    assert result.values["recovered"] is True
    assert 0.0 < float(result.values["time_to_recover_s"] or 0.0) < 8.0


@pytest.mark.parametrize("heading", range(0, 12, 3))
def test_whoever_is_outside_comes_in_without_a_stop(heading: int):
    """Heading 6 points straight inside; from the others the wolf turns first."""
    traces = Traces()
    run_trial(BREACH, heading, watch=traces.watch)
    comes_in = moving_inward if heading == 6 else ~standing & ~moving_outward
    check(
        traces["wolf"],
        SLOW,
        whenever(breach).within(0.5).holds(comes_in).until(~breach),
        whenever(breach).within(0.5).holds(~moving_outward).until(safe),
    )


def test_progress_board(tmp_path: Path):
    board = ProgressBoard(tmp_path / "board")
    assert board.read(3) is None
    board.write(Progress(3, 1.25, {"wolf": "Chase the rabbit", "rabbit": "x" * 400}))
    other = ProgressBoard(tmp_path / "board")
    assert other.read(3) == Progress(3, 1.25, {"wolf": "Chase the rabbit", "rabbit": "x" * 60})
    assert other.read(2) is None
    board.close()
    other.close()


def test_a_way_tells_why_the_gate_took_motion_away():
    reasons: dict[str, dict[int, tuple[str, ...]]] = {"wolf": {}, "rabbit": {}}
    plan = planned(duration_s=1.5)
    with closing(Trial(plan, 0, lambda one: reasons[one.robot].update({one.tick: one.reasons}))) as trial:
        result = trial.run()
    assert any("no command" in given for given in reasons["wolf"].values())
    for name, path in result.trajectories.items():
        told = [set(given) for given in path.limited]
        ticks = [0, *(round(now * 50) for now in path.time[1:])]
        # Of the ticks since the point before.
        spans = [range(begin + 1, end + 1) for begin, end in zip([-1, *ticks[:-1]], ticks, strict=True)]
        expected = [{reason for tick in span for reason in reasons[name].get(tick, ())} for span in spans]
        assert told == [given - {"no command"} for given in expected]
        assert {"no scan", "scan stale"} <= set().union(*told)


@pytest.mark.parametrize("reason", [KeyboardInterrupt, ValueError])
def test_whatever_ends_the_making_of_a_trial_gives_back_what_it_holds(monkeypatch: pytest.MonkeyPatch, reason):
    closed = []

    def interrupt(trial: Trial) -> None:
        raise reason

    monkeypatch.setattr(Trial, "_make_game", interrupt)
    monkeypatch.setattr(Arena, "close", lambda arena: closed.append(arena))
    with pytest.raises(reason):
        Trial(planned(), 0)
    assert len(closed) == 1
