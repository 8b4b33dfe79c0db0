"""Replay: the same decisions tick for tick, and where they are not, the first difference and both trees."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.graphics import needs_graphics
from helpers.recorded import record

from arena_trees.experiments.scenario import scenario_names
from arena_trees.recording.loading import load_recording
from arena_trees.recording.recording import Recording, RobotRecording
from arena_trees.recording.replaying.plan import ReplayPlan, plan_replay
from arena_trees.recording.replaying.replay import ReplayResult, replay
from arena_trees.recording.traces.tick import Tick
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Twist2D

SHORT = {"duration_s": 3.0, "seed": 1007}
FIRST = ("wolf_rabbit", "pacman", "crossroads_lidar")
TWO_ON_A_CROSSING = {"robots.count": 2, "rules.plan.size": 3.0}


def replayed(recording: Recording, robot: str = "wolf", **changes: Any) -> ReplayResult:
    return replay(plan_replay(recording, robot, changes=changes))


def identical(recording: Recording, robot: str = "wolf") -> ReplayResult:
    result = replayed(recording, robot)
    assert result.first is None, result.first and result.first.differences
    return result


def with_robot(recording: Recording, robot: RobotRecording) -> Recording:
    return replace(recording, robots={**recording.robots, robot.name: robot})


def with_ticks(recording: Recording, change: Any, robot: str = "wolf") -> Recording:
    """Return the recording with other ticks of a robot."""
    recorded = recording.robots[robot]
    return with_robot(recording, replace(recorded, ticks=change(list(recorded.ticks))))


def with_trees() -> list[Any]:
    """Return the scenarios whose robots have trees, one of each game in the fast tests; rendering needs graphics."""
    marks = {name: [pytest.mark.slow] for name in scenario_names() if name not in FIRST}
    marks["crossroads_rendered"].append(needs_graphics)
    return [pytest.param(name, marks=marks.get(name, ())) for name in scenario_names() if name != "crossroads"]


@pytest.mark.parametrize("scenario", with_trees())
def test_every_scenario_is_replayed_identically(tmp_path, scenario: str):
    recording = load_recording(record(tmp_path, scenario, **SHORT))
    for name in recording.robots:
        result = identical(recording, name)
        assert result.compared == result.ticks == len(recording.robots[name].ticks) > 100
        assert result.unexplained == 0
        assert not result.notes


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"strategy": "source"}, marks=pytest.mark.slow),
        {"bus": {"loss": 0.3, "duplication": 0.3, "reordering": 0.5, "jitter_s": 0.1}},
        {
            "faults": [
                {"robot": "wolf", "sensor": "scan", "at_s": 0.5, "for_s": 0.91},
                {"robot": "wolf", "sensor": "pose", "at_s": 0.0, "for_s": 1.0},
                {"robot": "rabbit", "sensor": "odometry", "at_s": 1.0},
                {"robot": "rabbit", "sensor": "detections", "at_s": 0.3, "for_s": 0.5},
            ]
        },
        pytest.param(
            {"wolf.sensors.camera.latency_s": 0.0, "wolf.sensors.lidar.latency_s": 0.21, "wolf.gate.scan_timeout": 0.3},
            marks=pytest.mark.slow,
        ),
    ],
    ids=["source", "bad line", "faults", "latencies"],
)
def test_whatever_happened_to_it(tmp_path, changes: dict[str, Any]):
    recording = load_recording(record(tmp_path, **SHORT, **changes))
    for name in recording.robots:
        result = identical(recording, name)
        assert result.compared > 100


@pytest.mark.slow
def test_robots_that_cross_are_replayed_over_a_whole_round(tmp_path):
    recording = load_recording(record(tmp_path, "crossroads_lidar", duration_s=30.0, seed=1007, **TWO_ON_A_CROSSING))
    assert {message.topic for _, message in recording.messages} == {"crossing", "crossing_request", "crossing_claim"}
    for name in recording.robots:
        result = identical(recording, name)
        assert result.compared == 1500
        assert {"Wait to be placed", "Approach the line", "Drive out"} <= set(result.leaves)


@pytest.mark.slow
def test_a_robot_that_dies_is_replayed_to_its_death(tmp_path):
    changes = {**TWO_ON_A_CROSSING, "rules.deaths": [{"dies": "robot", "robot": "robot_1", "at_s": 4.0, "for_s": 3.0}]}
    recording = load_recording(record(tmp_path, "crossroads_lidar", duration_s=12.0, seed=1007, **changes))
    ticks = {name: len(robot.ticks) for name, robot in recording.robots.items()}
    assert ticks["robot_2"] == 600 > ticks["robot_1"] >= 200
    for name in recording.robots:
        result = identical(recording, name)
        assert result.compared == ticks[name]


def test_a_game_with_a_catch_is_replayed_to_its_end(recording: Recording):
    assert any("CATCH" in tick.cues for tick in recording.robots["wolf"].ticks)
    for name in recording.robots:
        result = replayed(recording, name)
        assert result.first is None
        assert result.leaves == result.recorded_leaves
        assert result.distance == pytest.approx(result.recorded_distance)


def test_other_parameters_decide_otherwise_from_then_on(recording: Recording):
    result = replayed(recording, chase_kp=0.7)
    ticks = recording.robots["wolf"].ticks
    chase = next(tick for tick in ticks if tick.active == "Chase the rabbit")
    assert result.first.now >= chase.now
    assert result.first.differences[0].startswith("command ")
    assert 0 < result.different < result.compared
    assert replayed(recording, **{"gate.scan_timeout": 0.05}).reasons["scan stale"] > 50
    with pytest.raises(ConfigError, match="--set: wolf_speed: unknown key"):
        replayed(recording, wolf_speed=1)


def changed(number: int, **values: Any) -> Any:
    """Return what changes one recorded tick."""

    def change(ticks: list[Tick]) -> list[Tick]:
        return [replace(tick, **values) if tick.number == number else tick for tick in ticks]

    return change


@pytest.mark.parametrize(
    ("values", "reported"),
    [
        ({"active": "Elsewhere"}, "leaf Elsewhere, now "),
        ({"command": None}, "command none, now "),
        ({"twist": Twist2D(0.0, 0.123)}, "twist +0.000000 m/s +0.123000 rad/s, now "),
        ({"reasons": ("fence",)}, "reasons fence, now "),
        ({"cues": ("CATCH",)}, "cues CATCH, now none"),
        ({"fault": "x raised"}, "fault x raised, now none"),
        ({"blackboard": {"target": {"hits": 99}}}, "blackboard target {'hits': 99}, now "),
    ],
)
def test_the_first_difference_is_told(recording: Recording, values: dict[str, Any], reported: str):
    result = replayed(with_ticks(recording, changed(60, **values)))
    assert (result.different, result.first is not None) == (1, True)
    assert result.first.tick == 60
    assert any(difference.startswith(reported) for difference in result.first.differences), result.first.differences


def test_both_trees_are_drawn(recording: Recording):
    tick = recording.robots["wolf"].ticks[60]
    names = [node.name for node in recording.robots["wolf"].tree]
    statuses = bytearray(tick.statuses)
    statuses[names.index("Idle")] = 1
    result = replayed(with_ticks(recording, changed(60, statuses=bytes(statuses))))
    assert result.first.differences == ("'Idle' RUNNING, now INVALID",)
    (recorded,) = [line for line in result.first.recorded.splitlines() if "Idle" in line]
    (now,) = [line for line in result.first.replayed.splitlines() if "Idle" in line]
    assert recorded != now
    assert "all percepts fresh" in result.first.recorded, "feedback is drawn, too"
    assert len(result.first.recorded.splitlines()) == len(result.first.replayed.splitlines())


def test_what_the_tree_keeps_on_the_blackboard_is_recorded_and_drawn(recording: Recording):
    reported = [tick.blackboard for tick in recording.robots["wolf"].ticks]
    seen = [values["target"] for values in reported if values.get("target") is not None]
    assert reported[0] == {"bumped": {"obstacles": []}, "caught_signs": {"boxes": []}, "room": None, "target": None}
    assert {box["box"]["label"] for box in seen} == {"rabbit_sign"}
    result = replayed(with_ticks(recording, changed(60, active="Elsewhere")))
    assert "\ntarget: " in result.first.recorded
    assert "\ntarget: " in result.first.replayed
    assert {"energy", "home"} <= recording.robots["rabbit"].ticks[0].blackboard.keys()


def test_numbers_of_the_blackboard_are_equal_but_for_the_digits_that_are_not_recorded(recording: Recording):
    def near(by: float) -> ReplayResult:
        rabbit = recording.robots["rabbit"]
        ticks = [tick for tick in rabbit.ticks if "energy" in tick.blackboard]
        energy = ticks[-1].blackboard["energy"]
        change = changed(ticks[-1].number, blackboard={"energy": energy * (1.0 + by)})
        return replayed(with_ticks(recording, change, "rabbit"), "rabbit")

    assert near(1e-6).first is None
    assert near(1e-3).first is not None


def test_a_recording_without_values_of_the_blackboard_is_compared_by_the_rest(recording: Recording):
    result = replayed(with_ticks(recording, lambda ticks: [replace(tick, blackboard={}) for tick in ticks]))
    assert result.first is None


def test_tolerance(recording: Recording):
    ticks = recording.robots["wolf"].ticks
    moving = next(tick for tick in ticks if tick.command is not None and tick.command.linear > 0.1)
    near = Twist2D(moving.command.linear + 1e-4, moving.command.angular)
    plan = plan_replay(with_ticks(recording, changed(moving.number, command=near)), "wolf")
    assert replay(plan, tolerance=1e-3).first is None
    assert replay(plan, tolerance=1e-5).first is not None


def test_missing_ticks_are_played_without_a_comparison(recording: Recording):
    result = replayed(with_ticks(recording, lambda ticks: ticks[:20] + ticks[30:]))
    assert result.notes == ["10 ticks are missing, and were played without a comparison"]
    assert result.ticks == result.compared + 10
    late = replayed(with_ticks(recording, lambda ticks: ticks[100:]))
    assert late.notes == ["the first 100 ticks are missing: the replay begins afresh"]


def test_ticks_of_which_the_sensors_are_not_recorded_are_not_compared(recording: Recording):
    """As of a recorder that begins late: ticks are published again to whoever comes late, what sensors sent is not."""
    recorded = recording.robots["wolf"]
    late = recorded.ticks[150].now
    seen = {name: np.maximum(times, late) for name, times in recorded.seen.items()}
    result = replayed(with_robot(recording, replace(recorded, seen=seen)))
    assert 100 < result.without_sensors <= 150 and result.compared + result.without_sensors == len(recorded.ticks)
    assert f"{result.without_sensors} ticks are not compared" in result.notes[-1]
    assert result.first is None or result.first.tick >= 150


def test_a_recording_without_ticks_is_played_by_its_sensors(recording: Recording):
    recorded = recording.robots["wolf"]
    silent = with_robot(recording, replace(recorded, ticks=(), tree=()))
    result = replay(plan_replay(silent, "wolf"))
    assert result.compared == 0
    assert result.ticks == pytest.approx(len(recorded.ticks), abs=10)
    assert result.unexplained == 0
    assert result.leaves["Chase the rabbit"] > 20


def test_another_version_of_a_tree_is_told(recording: Recording):
    recorded = recording.robots["wolf"]
    other = with_robot(recording, replace(recorded, tree=(replace(recorded.tree[0], name="Old"), *recorded.tree[1:])))
    result = replayed(other)
    assert result.notes == ["the recorded tree is another one: statuses of its nodes are not compared"]
    assert result.first is None


def test_a_leaf_that_the_tree_no_longer_has_is_not_compared(recording: Recording):
    recorded = recording.robots["wolf"]
    tree = tuple(replace(node, name="Run") if node.name == "Chase the rabbit" else node for node in recorded.tree)
    ticks = [replace(tick, active="Run") if tick.active == "Chase the rabbit" else tick for tick in recorded.ticks]
    result = replayed(with_robot(recording, replace(recorded, tree=tree, ticks=ticks)))
    assert result.notes[1:] == ["leaves that the tree no longer has are not compared: Run"]
    assert result.first is None


def test_where_the_gate_is_another_process_the_tree_alone_is_compared(recording: Recording):
    info = dict(recording.info)
    info["robots"] = {name: {**values, "gate": None} for name, values in info["robots"].items()}

    def forwarded(ticks: list[Tick]) -> list[Tick]:
        return [replace(tick, reasons=(), twist=tick.command or Twist2D()) for tick in ticks]

    on_ros = replace(with_ticks(recording, forwarded), info=info)
    result = replayed(on_ros)
    assert result.first is None
    assert any("gate was a process of its own" in note for note in result.notes)
    other = replayed(with_ticks(on_ros, changed(60, command=Twist2D(0.1, 0.9))))
    assert other.first.tick == 60
    command = recording.robots["wolf"].ticks[60].command
    for off, found in ((0.05, 0), (0.15, 1)):
        nearly = changed(60, command=Twist2D(command.linear, command.angular + off))
        assert replayed(with_ticks(on_ros, nearly)).different == found
        assert replayed(with_ticks(recording, nearly)).different == 1, "a recording of the arena is exact"


def test_a_robot_says_by_itself_by_which_rules_it_plays():
    def planned(**said: Any) -> ReplayPlan:
        info = {"robots": {"robot_1": {"role": "chaser", **said}}}
        robots = {"robot_1": RobotRecording("robot_1", "chaser")}
        return plan_replay(Recording(Path("bag"), info, 0, 0, robots, (), (), {}))

    usual, own = planned(), planned(rules={"reach": 2.0}, isolated=True)
    assert (usual.isolated, own.isolated) == (False, True)
    assert (usual.given["context"].rules.reach, own.given["context"].rules.reach) == (3.0, 2.0)
    with pytest.raises(ConfigError, match=r"rules\.reech: unknown key"):
        planned(rules={"reech": 2.0})


def test_what_cannot_be_replayed_is_told(recording: Recording):
    with pytest.raises(ConfigError, match="there is no such robot; there are wolf, rabbit"):
        plan_replay(recording, "fox")
    with pytest.raises(ConfigError, match="--robot: is needed"):
        plan_replay(recording)
    own = dict(recording.info)
    own["robots"] = {"wolf": {**own["robots"]["wolf"], "own_tree": True}}
    with pytest.raises(ConfigError, match="a tree of its own"):
        plan_replay(replace(recording, info=own), "wolf")
    own["robots"] = {"wolf": {**own["robots"]["wolf"], "own_tree": False, "parameters": {"speed": 1}}}
    with pytest.raises(ConfigError, match=r"parameters\.speed: unknown key"):
        plan_replay(replace(recording, info=own), "wolf")
