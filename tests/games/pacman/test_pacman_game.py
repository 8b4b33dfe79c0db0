"""PacMan in the arena: rounds that are won and lost, judged by the truth, and the same again from the same seed."""

from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from helpers.maps import write_map
from helpers.pellet_walker import PelletWalker
from py_trees.behaviour import Behaviour

from arena_trees.behaviours.stand import StandStill
from arena_trees.experiments.plan import TrialPlan, make_plan
from arena_trees.experiments.plots.run_plot import plot_run
from arena_trees.experiments.results import Arm, RunResult, TrialResult
from arena_trees.experiments.scenario import apply_changes, find_scenario, load_scenario
from arena_trees.experiments.trial import Trial, run_trial
from arena_trees.games.registry import find_game
from arena_trees.recording.trial_recorder import RecordTrials
from arena_trees.robot.errors import ConfigError
from arena_trees.world.shapes import Disc
from arena_trees.world.shapes import Path as PathShape

PLACE = {"x": 3.0, "y": 2.0, "yaw_deg": 0.0}
NOBODY: dict[str, Any] = {"rules.ghosts": []}
IN_THE_WAY: dict[str, Any] = {"rules.ghosts": [{"name": "clyde", "kind": "chase", "start": [4.2, 1.5]}]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A room of 5 x 3 m with two pellets at (2, 1) and (4, 1), and a scenario in it."""
    pixels = np.full((62, 102), 254, np.uint8)
    pixels[[0, -1]] = 0
    pixels[:, [0, -1]] = 0
    write_map(tmp_path, pixels, resolution=0.05)
    (tmp_path / "room.arena.yaml").write_text("start: [1.0, 1.0, 0.0]\n", encoding="utf-8")
    scenario = {"game": "pacman", "map": "room.yaml", "duration_s": 60.0, "seed": 5, "robots": {"pacman": {}}}
    scenario["robots"]["pacman"] = {"role": "pacman", "set": {"spin_s": 0.2}}
    (tmp_path / "small.yaml").write_text(yaml.safe_dump(scenario), encoding="utf-8")
    return tmp_path


def planned(folder: Path, **changes: Any) -> TrialPlan:
    path = folder / "small.yaml"
    plan = make_plan(apply_changes(load_scenario(path), changes), path, folder)
    area = plan.map

    def walk(robot: str, live: Any, streams: Any) -> Behaviour:
        return PelletWalker(robot, area)

    return plan.with_trees({"pacman": walk})


def drawn(result: TrialResult, path: Path) -> bytes:
    outcomes = find_game("pacman").outcomes
    plot_run(RunResult("small", "0", 5, 1, [Arm("", (result,))], outcomes=outcomes), path)
    return path.read_bytes()


def test_a_round_without_ghosts_is_completed(folder: Path):
    result = run_trial(planned(folder, **NOBODY), 0)
    values = result.values
    assert (result.outcome, result.faults) == ("complete", {})
    assert (values["completed"], values["all_but_one"], values["deaths"], values["collisions"]) == (True, True, 0, 0)
    pellets = [shape for shape in result.shapes if isinstance(shape, Disc) and shape.group == "pellets"]
    distances, eaten = result.charts
    assert values["pellets_collected"] == len(pellets) == len(distances.moments) == eaten.curves[0].ys[-1] == 2
    assert (len(distances.curves), result.marks) == (0, ())
    assert (values["false_pickups"], values["missed_deaths"], values["cues_missing"]) == (0, 0, 0)
    assert 0.02 <= float(values["cue_latency_s"] or 0.0) <= float(values["cue_latency_max_s"] or 0.0) <= 0.06
    # Nobody is faster than the best tour.
    assert 1.0 < float(values["tour_ratio"] or 0.0) < 3.0
    assert drawn(result, folder / "won.png").startswith(b"\x89PNG")


def test_a_ghost_in_the_way_ends_the_round(folder: Path):
    result = run_trial(planned(folder, **IN_THE_WAY), 0)
    values = result.values
    assert result.outcome == "died"
    assert (values["completed"], values["deaths"], values["false_deaths"], values["missed_deaths"]) == (False, 1, 0, 0)
    (died,) = result.marks
    (ghost,) = (shape for shape in result.shapes if isinstance(shape, Disc) and shape.group == "ghosts")
    assert np.hypot(ghost.x - died.x, ghost.y - died.y) <= 0.27
    assert min(result.charts[0].curves[0].ys) <= 0.27
    assert drawn(result, folder / "lost.png").startswith(b"\x89PNG")


def test_a_further_life_goes_on(folder: Path):
    result = run_trial(planned(folder, **IN_THE_WAY, **{"rules.lives": 2}), 0)
    assert result.values["deaths"] == 2
    assert result.outcome == "died"


def test_the_same_seed_gives_the_same_trace(folder: Path):
    plan = planned(folder, duration_s=3.0)
    first, again = (run_trial(plan, 0, trace=True) for _ in range(2))
    assert first.trace_sha256 == again.trace_sha256
    assert first.trace_sha256 != run_trial(plan, 1, trace=True).trace_sha256


def test_a_wandering_ghost_goes_the_same_way_whatever_the_robot_does(folder: Path):
    plan = planned(folder, duration_s=4.0)
    area = plan.map

    class Stander(PelletWalker):
        def _walk(self, game: Any, pose: Any) -> None:
            self.drive(0.0, 0.5)

    other = plan.with_trees({"pacman": lambda robot, live, streams: Stander(robot, area)})
    ways = []
    for one in (plan, other):
        shapes = run_trial(one, 0).shapes
        ways += [shape.points for shape in shapes if isinstance(shape, PathShape) and shape.name == "clyde"]
    assert len(ways[0]) > 10
    np.testing.assert_array_equal(ways[0], ways[1])


def test_a_judge_without_the_truth_is_found_out(folder: Path):
    lost = {"pacman.sensors.localisation.noise_m": 1.0, "pacman.sensors.localisation.correlation_s": 50.0}
    plan = planned(folder, judged_by="localisation", duration_s=12.0, **IN_THE_WAY, **lost)
    wrong = [run_trial(plan, index).values for index in range(3)]
    assert sum(int(values["false_deaths"] or 0) + int(values["missed_deaths"] or 0) for values in wrong) > 0


def test_a_robot_that_never_answers_runs_out_of_time(folder: Path):
    plan = planned(folder, duration_s=1.0)
    silent = plan.with_trees({"pacman": lambda robot, live, streams: StandStill("Stand", robot)})
    result = run_trial(silent, 0)
    assert (result.outcome, result.reason) == ("over", "time is up")
    assert (result.values["completed"], result.values["completion_time_s"]) == (False, None)
    assert result.simulated_s == pytest.approx(1.0)


def test_a_round_is_recorded(folder: Path):
    plan = planned(folder, duration_s=2.0)
    result = run_trial(plan, 0, watch=RecordTrials(folder / "recording", "small"))
    assert result.faults == {}
    assert list((folder / "recording" / "trial_000").glob("*.mcap"))


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"map": "nowhere"}, "map"),
        ({"map": None}, "arena"),
        ({"map": None, "arena": "arena_4x4.yaml"}, "map"),
        ({"robots": {"a": {"role": "pacman"}, "b": {"role": "pacman", "start": PLACE}}}, "robots"),
        ({"arena": "arena_4x4.yaml"}, "map"),
        ({"rules.first_round": 0}, "rules.first_round"),
        ({"rules.pickup": 1.0}, "rules.pickup"),
        ({"rules.pellets.spacing": 50.0}, ""),
        ({"isolated": True}, "isolated"),
        ({"pacman.start": {"x": 9.0, "y": 1.0, "yaw_deg": 0.0}}, "robots.pacman.start"),
        ({"pacman.start": {"outside": 0.3}}, "robots.pacman.start.outside"),
        ({"game": "wolf_rabbit"}, "map"),
    ],
)
def test_what_cannot_be_played_is_refused(folder: Path, changes: dict[str, Any], key: str):
    with pytest.raises(ConfigError) as caught:
        planned(folder, **changes)
    assert key in str(caught.value.key)


@pytest.mark.parametrize("name", ["pacman", "pacman_rounds", "pacman_guard", "pacman_maze"])
def test_the_scenarios_that_ship_begin(name: str):
    path = find_scenario(name)
    scenario = load_scenario(path)
    for changes in scenario.variants.values():
        make_plan(apply_changes(scenario, dict(changes)), path, path.parent)
    with closing(Trial(make_plan(scenario, path, path.parent), 0)) as trial:
        trial.begin()
        for _ in range(20):
            trial.step()
        assert trial.records["pacman"].fault is None
