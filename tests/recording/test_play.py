"""Playing from Python."""

from typing import Any

import py_trees
import pytest

import arena_trees as at
from arena_trees.games.wolf_rabbit.messages import CatchClaim, GamePhase, GameState
from arena_trees.recording.play import play
from arena_trees.robot.errors import ConfigError

SHORT = {"duration_s": 1.0}


def stand(robot: str, live: at.Live[Any], streams: at.RandomStreams) -> py_trees.behaviour.Behaviour:
    return at.StandStill("Stand", robot)


def test_it_plays_what_is_asked_for():
    seen: list[int] = []
    result = play("wolf_rabbit", changes=SHORT, trials=2, seed=7, on_trial=lambda trial: seen.append(trial.seed))
    assert [trial.seed for trial in result.trials] == seen == [7, 8]
    assert result.complete
    assert result.summary["catch_rate"].n == 2
    assert result.settings == {"trials": 2, "seed": 7, "duration_s": 1.0}


def test_another_tree_drives_the_robot_and_disturbs_no_world():
    own = play("wolf_rabbit", trees={"wolf": stand}, changes=SHORT, trials=1, seed=3).trials[0]
    usual = play("wolf_rabbit", changes=SHORT, trials=1, seed=3).trials[0]
    assert set(own.trajectories["wolf"].active) == {"Stand"}
    assert own.layout == usual.layout
    assert "Stand" not in usual.trajectories["wolf"].active


def test_trees_reach_other_processes():
    trials = {
        jobs: play("wolf_rabbit", trees={"wolf": stand}, changes=SHORT, trials=2, seed=3, jobs=jobs).trials
        for jobs in (1, 2)
    }
    first, second = ([trial.trajectories["rabbit"].pose.tolist() for trial in trials[jobs]] for jobs in (1, 2))
    assert first == second
    assert set(trials[2][1].trajectories["wolf"].active) == {"Stand"}


def test_a_tree_that_raises_stops_its_robot_only():
    def broken(robot: str, live: at.Live[Any], streams: at.RandomStreams) -> py_trees.behaviour.Behaviour:
        return py_trees.behaviours.Periodic("Broken", n=None)  # type: ignore[arg-type]  # cannot count to None

    trial = play("wolf_rabbit", trees={"wolf": broken}, changes=SHORT, trials=1, seed=3).trials[0]
    assert list(trial.faults) == ["wolf"]
    assert trial.faults["wolf"].startswith("Broken raised TypeError")
    assert trial.simulated_s == 1.0


class Sender(at.ActionBehaviour):
    """Stands, and sends one message."""

    def __init__(self, robot: str, message: at.GameMessage) -> None:
        super().__init__("Send", robot)
        self._message = message

    def update(self) -> py_trees.common.Status:
        self.drive(0.0, 0.0)
        self.send(self._message)
        return py_trees.common.Status.RUNNING


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        (CatchClaim(claim=1, round=1), ""),
        (
            GameState(
                phase=GamePhase.CAPTURED,
                round=1,
                rabbit_alive=False,
                inside_wolf_territory=False,
                rabbit_escaped=False,
                verdicts={1: True},
            ),
            "topic 'game' is none that the role publishes",
        ),
    ],
)
def test_another_tree_may_send_what_robots_of_the_game_send_but_nothing_of_the_rules(message, fault):
    trees = {"wolf": lambda robot, live, streams: Sender(robot, message)}
    faults = play("wolf_rabbit", trees=trees, changes=SHORT, trials=1, seed=3).trials[0].faults
    assert fault in faults.get("wolf", "")
    assert bool(faults) is bool(fault)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"scenario": "wolf_rabit"}, "there is no such scenario"),
        ({"scenario": "wolf_rabbit", "trees": {"fox": stand}}, "there is no such robot; there are wolf, rabbit"),
        ({"scenario": "wolf_rabbit", "changes": {"wolf.chase_kq": 1.0}}, "unknown key"),
        ({"scenario": "wolf_rabbit", "trials": 0}, "greater than or equal to 1"),
        ({"scenario": "wolf_rabbit", "jobs": 0}, "must be 1 or more"),
    ],
)
def test_bad_input_is_one_config_error(arguments: dict[str, Any], reason: str):
    with pytest.raises(ConfigError, match=reason):
        play(**arguments)


def test_a_game_is_recorded(tmp_path):
    folder = tmp_path / "games"
    changes = {"duration_s": 0.5}
    seen = []
    play("wolf_rabbit_open", changes=changes, trials=2, seed=0, record=folder, watch=lambda _, t: seen.append(t.index))
    assert seen == [0, 1], "whoever looks on does so, too"
    assert sorted(path.name for path in folder.iterdir()) == ["trial_000", "trial_001"]
    with pytest.raises(ConfigError, match=r"^record: exists and is not an empty folder"):
        play("wolf_rabbit_open", changes=changes, trials=1, record=folder)
