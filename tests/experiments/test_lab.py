"""What is planned, kept and shown of an experiment with robots."""

import json
import math
from dataclasses import replace

import pytest
from helpers.scenario_plans import planned
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.experiments.lab.attempts import Attempt, AttemptLog
from arena_trees.experiments.lab.placing import Placing, floor_map
from arena_trees.experiments.lab.schedule import Turn, schedule
from arena_trees.experiments.plan import draw_world
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D

ABOUT = {"scenario": "it", "trials": 2, "arms": {"": {"seed": 1}}}


@given(st.integers(0, 30), st.integers(1, 4))
def test_every_arm_plays_every_trial_and_each_is_first_as_often(trials, arms):
    names = [f"arm {number}" for number in range(arms)]
    turns = schedule(trials, names)
    assert sorted(turns) == [Turn(index, name) for index in range(trials) for name in names]
    firsts = [turn.arm for number, turn in enumerate(turns) if number % arms == 0]
    assert all(abs(firsts.count(name) - trials / arms) < 1.0 for name in names)
    assert [turn.index for turn in turns] == sorted(turn.index for turn in turns)


def attempt(index=0, number=1, **values):
    return Attempt(index, "", number, f"bags/{index}_{number}", "2026-01-01T00:00:00+00:00", **values)


def test_an_experiment_goes_on_where_it_was_left(tmp_path):
    folder, turns = tmp_path / "day", schedule(2)
    log = AttemptLog(folder, ABOUT, resume=False)
    log.note(attempt(spoilt="a door opened"))
    assert (log.open_turns(turns), log.next_number(turns[0])) == (turns, 2)
    kept = attempt(number=2, trial={"outcome": "caught"}, remarks=("dark",), batteries={"wolf": (0.9, 0.8)})
    log.note(kept)
    again = AttemptLog(folder, ABOUT, resume=True)
    assert again.attempts == [attempt(spoilt="a door opened"), kept]
    assert again.open_turns(turns) == turns[1:] and again.kept() == [kept]
    again.note(replace(kept, spoilt="seen on the film", trial=None))
    assert AttemptLog(folder, ABOUT, resume=True).open_turns(turns) == turns, "the later line counts"


def test_a_line_that_was_cut_off_is_no_attempt(tmp_path):
    log = AttemptLog(tmp_path, ABOUT, resume=False)
    log.note(attempt(trial={}))
    file = tmp_path / "attempts.jsonl"
    file.write_text(file.read_text() + '{"index": 1, "arm"')
    again = AttemptLog(tmp_path, ABOUT, resume=True)
    assert len(again.attempts) == 1
    again.note(attempt(1, trial={}))
    assert len(AttemptLog(tmp_path, ABOUT, resume=True).attempts) == 2


def test_a_first_line_that_was_cut_off_is_written_again(tmp_path):
    AttemptLog(tmp_path, ABOUT, resume=False)
    file = tmp_path / "attempts.jsonl"
    file.write_text(file.read_text()[:9])
    AttemptLog(tmp_path, ABOUT, resume=True).note(attempt(trial={}))
    assert len(AttemptLog(tmp_path, ABOUT, resume=True).attempts) == 1


def test_another_experiment_is_not_gone_on_with(tmp_path):
    with pytest.raises(ConfigError, match="holds no experiment to go on with"):
        AttemptLog(tmp_path / "none", ABOUT, resume=True)
    AttemptLog(tmp_path, ABOUT, resume=False)
    with pytest.raises(ConfigError, match="--resume goes on with it"):
        AttemptLog(tmp_path, ABOUT, resume=False)
    with pytest.raises(ConfigError, match="is another experiment: trials was otherwise"):
        AttemptLog(tmp_path, {**ABOUT, "trials": 3}, resume=True)
    (tmp_path / "attempts.jsonl").write_text(json.dumps(ABOUT) + '\n{"index": "one"}\n{}\n')
    with pytest.raises(ConfigError, match="line 2: is no attempt"):
        AttemptLog(tmp_path, ABOUT, resume=True)


def test_who_is_not_in_place_is_said_with_the_way_there():
    placing = Placing({"a": Pose2D(1.0, 0.0, 0.0), "b": Pose2D()}, 0.1, math.radians(10.0))
    assert placing.misplaced({"a": Pose2D(1.05, 0.05, 0.1), "b": Pose2D()}) == {}
    wrong = placing.misplaced({"a": Pose2D(1.0, -1.0, math.pi / 2)})
    assert wrong == {"a": "1.00 m away: 1.00 m ahead, turn it 90 degrees right", "b": "nobody knows where it is"}
    assert "0.50 m back and 0.20 m to its left" in placing.misplaced({"a": Pose2D(1.5, -0.2, 0.0)})["a"]
    assert placing.misplaced({"a": Pose2D(1.0, 0.0, math.radians(-20.0)), "b": Pose2D()})["a"] == (
        "turn it 20 degrees left"
    )


def test_the_map_shows_walls_boxes_fences_and_where_each_robot_looks():
    plan = planned("wolf_rabbit", seed=1)
    world = draw_world(plan, 0)
    starts = {"wolf": Pose2D(-1.0, 1.0, 0.0), "rabbit": Pose2D(1.0, -1.0, math.pi / 2)}
    lines = floor_map(world.layout, starts)
    assert all(len(line) <= 64 for line in lines) and set(lines[0].strip()) == {"#"}
    wolf = next(number for number, line in enumerate(lines) if "→wolf" in line)
    rabbit = next(number for number, line in enumerate(lines) if "↑rabbit" in line)
    assert wolf < rabbit and lines[wolf].index("→") < lines[rabbit].index("↑")
    assert any("·" in line for line in lines)
    boxes = sum(line.count("#") for line in lines[2:-2]) - 4 * len(lines[2:-2])
    assert boxes > 0
    assert floor_map(replace(world.layout, solids=(), fences={}), {}) == []
