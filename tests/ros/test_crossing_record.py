"""A crossing on ROS: its programs are told what the scenario says, and it is judged by what is seen from outside."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from arena_trees.commands.run_ros import prepare
from arena_trees.games.crossroads.messages import (
    CROSSING_CLAIM_TOPIC,
    CROSSING_REQUEST_TOPIC,
    Approach,
    CrossingClaim,
    Stage,
    Turn,
)
from arena_trees.nodes.game_programs import Order, write_programs
from arena_trees.nodes.game_record import GameRecord
from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.messages import Message
from arena_trees.simulation.plan import TrialPlan, draw_world
from arena_trees.simulation.results import TrialResult
from arena_trees.simulation.trial import Trial, run_trial
from arena_trees.world.arenas import require_crossing
from arena_trees.world.crossing.plan import plan_of
from arena_trees.world.crossing.round import Round

START = 5 * SECOND
SPEED = 0.3
TOLD = from_seconds(0.04)


def ordered(*changes: str, scenario: str = "crossroads_lidar", **settings: Any) -> Order:
    return prepare(scenario, ["robots=2", "plan.size=3.0", *changes], settings)


class Game:
    """A record that is told of robots that drive their rounds."""

    def __init__(self, plan: TrialPlan) -> None:
        self.plan = plan
        self.record = GameRecord(plan, START)
        self.now = START
        self._said = 0

    def say(self, stage: Stage, robot: str = "robot_1", sender: str = "", **fields: Any) -> None:
        self._said += 1
        claim = CrossingClaim(
            robot, 1, self._said, 1, stage, Approach.SOUTH, Turn.LEFT, first=True, lease=fields.pop("lease", 0.0)
        )
        waiting = stage in (Stage.ENTERING, Stage.WAITING)
        topic = CROSSING_REQUEST_TOPIC if waiting else CROSSING_CLAIM_TOPIC
        payload = {**claim.to_payload(), **fields}
        self.record.note_message(Message(topic, sender or robot, 1, self._said, self.now, payload))

    def be(self, **poses: Pose2D) -> None:
        """Tell the truth of all robots, one of which another message of the truth overtakes."""
        for name, pose in poses.items():
            self.record.note_truth(name, self.now, pose, Twist2D(SPEED, 0.0))
        self.now += TOLD
        self.record.note_time(self.now)

    def drive(self, left_at: float = 0.05, aside: float = 0.0) -> Round:
        """Drive a round with robot_1, turning left, while robot_2 stands; LEFT is said so far (m) behind its end."""
        crossing = self.plan.rules.plan
        way = Round(plan_of(crossing).movements[Approach.SOUTH, Turn.LEFT], crossing)
        stages = [(way.begin, Stage.ENTERING), (-0.1, Stage.PASSING), (way.movement.length + left_at, Stage.LEFT)]
        place = way.begin
        while place < way.turning + 0.1:
            while stages and place >= stages[0][0]:
                stage = stages.pop(0)[1]
                self.say(stage, lease=0.0 if stage is Stage.ENTERING else 9.0)
            self.be(robot_2=Pose2D(-1.0, -2.0), robot_1=way.pose(place).compose(Pose2D(0.0, aside)))
            place += SPEED * 0.04
        return way

    def finish(self) -> TrialResult:
        return self.record.result(0, draw_world(self.plan, 0).layout, 2.0)


def test_a_round_is_judged_as_in_the_arena():
    game = Game(ordered().plan)
    way = game.drive(aside=0.01)
    result = game.finish()
    expected = {
        "crossings": 1, "conflicts": 0, "ways": 1, "left_turns": 1, "left_turn_success_rate": 1.0, "false_stages": 0,
        "stalls": 0, "order_inversions": 0, "latched_robots": 0,
    }  # fmt: skip
    assert {name: result.values[name] for name in expected} == expected
    assert result.values["lane_rms_m"] == pytest.approx(0.01, abs=1e-3)
    # Ticks, and not messages of the truth, are counted.
    assert result.values["lane_ticks"] == pytest.approx((way.turning - way.begin - 0.5) / SPEED * 50, abs=5)
    assert (result.outcome, result.reason) == ("over", "time is up, 1 crossings, 0 conflicts")
    assert len(result.crossing.ended) == len(result.crossing.delays) == 1
    assert not game.record.over
    game.record.note_time(START + from_seconds(300.0))
    assert game.record.over


def test_a_stage_that_is_told_too_early_is_false_and_a_contact_spoils_the_turn():
    game = Game(ordered().plan)
    game.record.note_contacts({"collisions": 0, "robot_contacts": 0})
    game.say(Stage.ENTERING)
    game.be(robot_1=Pose2D(0.3, -2.0, 1.57), robot_2=Pose2D(-1.0, -2.0))
    game.record.note_contacts({"collisions": 1, "robot_contacts": 0})
    game.drive(left_at=-0.3)
    values = game.finish().values
    assert (values["false_stages"], values["left_turns"], values["left_turn_success_rate"]) == (1, 1, 0.0)
    assert (values["collisions"], values["robot_contacts"]) == (1, 0)


def test_robots_that_come_near_are_a_conflict_also_if_words_of_the_truth_get_lost():
    game = Game(ordered().plan)
    game.say(Stage.ENTERING)
    game.say(Stage.ENTERING, "robot_2")
    game.be(robot_1=Pose2D(0.3, -2.0))
    assert game.finish().values["min_separation_m"] is None
    game.be(robot_1=Pose2D(0.3, -2.0), robot_2=Pose2D(0.3, -1.5))
    assert (game.finish().values["conflicts"], game.finish().values["min_separation_m"]) == (0, 0.5)
    game.be(robot_1=Pose2D(0.3, -2.0), robot_2=Pose2D(0.3, -1.6))
    assert (game.finish().values["conflicts"], game.finish().values["min_separation_m"]) == (1, pytest.approx(0.4))


def test_what_nobody_said_of_itself_or_nobody_can_read_is_not_heard():
    game = Game(ordered().plan)
    game.say(Stage.ENTERING, sender="robot_2")
    game.say(Stage.ENTERING, "stranger")
    game.say(Stage.ENTERING, approach="above")
    game.say(Stage.ENTERING, progress=None)
    for _ in range(3):
        game.be(robot_1=Pose2D(0.3, -2.0), robot_2=Pose2D(0.3, -1.9))
    assert game.finish().values["min_separation_m"] is None
    game.say(Stage.ENTERING)
    game.say(Stage.ENTERING, "robot_2")
    game.be(robot_1=Pose2D(0.3, -2.0), robot_2=Pose2D(0.3, -1.9))
    assert game.finish().values["min_separation_m"] == pytest.approx(0.1)


def test_names_are_those_of_the_embedded_arena():
    order = ordered("duration_s=1.0")
    game = Game(order.plan)
    game.record.note_contacts({"collisions": 0, "robot_contacts": 0})
    assert set(game.finish().values) == set(run_trial(order.plan, 0).values)


def test_the_programs_are_told_what_the_scenario_says(tmp_path: Path):
    order = ordered("crosser.movement=left", "times.lease=14", "localiser.walls=false", "sensors.lanes.markers=true")
    programs = {program.name: program for program in write_programs(order, tmp_path)}
    parts = ("tree_node", "velocity_gate", "lane_localiser")
    robots = {f"{name}.{part}" for name in ("robot_1", "robot_2") for part in parts}
    assert set(programs) == robots | {"crossing_scheduler", "arena_simulator"}
    assert list(programs)[-1] == "arena_simulator"
    scheduler = programs["crossing_scheduler"].parameters
    assert scheduler["roster"] == ["robot_1", "robot_2"]
    assert (scheduler["protocol"], scheduler["times.lease"]) == ("arena", 14.0)
    tree = programs["robot_2.tree_node"].parameters
    assert (tree["role"], tree["movement"], tree["times.lease"], tree["plan.size"]) == ("crosser", "left", 14.0, 3.0)
    eyes = programs["robot_2.lane_localiser"]
    assert (eyes.namespace, eyes.remaps["/tf"]) == ("/robot_2", "tf")
    assert (eyes.parameters["pose.walls"], eyes.parameters["pose.lines"], eyes.parameters["markers"]) == (
        False,
        True,
        True,
    )
    for program in (*(programs[name] for name in robots), programs["crossing_scheduler"]):
        assert require_crossing(program.parameters["arena"]).plan.size == 3.0
    assert yaml.safe_load((tmp_path / "arena.yaml").read_text())["crossing"]["plan"]["size"] == 3.0


def test_a_robot_is_told_the_same_start_as_without_ros(tmp_path: Path):
    order = replace(ordered("localiser.walls=false"), index=3)
    programs = {program.name: program for program in write_programs(order, tmp_path)}
    told = Pose2D(*programs["robot_1.lane_localiser"].parameters["start"])
    trial = Trial(order.plan, 3)
    try:
        trial.begin()
        while (pose := trial.loops["robot_1"].percepts.pose) is None:
            trial.step()
        # It has hardly moved yet, and has nothing but odometry.
        assert told.distance_to(pose.pose.x, pose.pose.y) < 0.002
        assert told.yaw == pytest.approx(pose.pose.yaw, abs=0.002)
        true = trial.arena.true_pose("robot_1")
        assert told.distance_to(true.x, true.y) > 0.005
    finally:
        trial.close()


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        (("sensing=kinematic",), "sensing"),
        (("faults=[{dies: scheduler, at_s: 5}]",), "faults"),
        (("faults=[{dies: robot}]",), "faults"),
        (("sensor_faults=[{robot: robot_1}, {robot: robot_2, sensor: lane}]",), "sensor_faults.1.sensor"),
        (("bus.loss=0.1",), "bus"),
        (("variants={x: {}}",), "variants"),
        (("sensing=rendered", "sensors.camera.kind=rendered"), "robot_1.sensors.camera.kind"),
    ],
)
def test_what_is_only_in_the_embedded_arena_is_refused(changes: tuple[str, ...], key: str):
    with pytest.raises(ConfigError) as refused:
        ordered(*changes)
    assert refused.value.key == key
