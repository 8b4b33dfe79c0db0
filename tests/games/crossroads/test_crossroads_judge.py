"""The judge of a crossing: what it makes of robots that are seen from outside, where truth comes every second tick."""

from typing import Any

import pytest
from helpers.crossing_words import carried, claim

from arena_trees.behaviours.crossroads.parameters import CrosserParameters
from arena_trees.games.crossroads.evaluation.judge import CrossroadsJudge
from arena_trees.games.crossroads.messages import Approach, CrossingClaim, CrossingRequest, Stage, Turn
from arena_trees.games.crossroads.parameters import CrossroadsRules
from arena_trees.games.game import GameContext, Player
from arena_trees.games.truth import Observation, TruthSample
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.messaging.message_bus import BusParameters
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.world.crossing.plan import CrossingParameters, plan_of
from arena_trees.world.crossing.round import Round

SPEED = 0.3
TOLD = from_seconds(0.04)
ROAD = CrossingParameters(size=3.0)


class Game:
    """A judge that is told of robots that drive their rounds."""

    def __init__(self, **rules: Any) -> None:
        players = {name: Player(name, "crosser", CrosserParameters(plan=ROAD)) for name in ("robot_1", "robot_2")}
        wanted = CrossroadsRules(sensing="lidar", plan=ROAD, **rules)
        bus = BusParameters(delay_s=0.1)
        self.judge = CrossroadsJudge(GameContext(wanted, players, 300.0, RandomStreams(0), bus=bus))
        self.now = 0
        self.messages: list[Message] = []
        self._said = 0

    def say(self, stage: Stage, robot: str = "robot_1", sender: str = "", lease: float = 0.0, **fields: Any) -> None:
        self._said += 1
        kind = CrossingRequest if stage in (Stage.ENTERING, Stage.WAITING) else CrossingClaim
        said = claim(robot, Approach.SOUTH, Turn.LEFT, stage, kind, first=True, lease=lease, sequence=self._said)
        message = carried(said, sender or robot, self.now, 1, self._said)
        payload = {**message.payload, **fields}
        self.messages.append(Message(message.topic, message.sender, 1, self._said, self.now, payload))

    def be(self, contacts: tuple[str, ...] = (), **poses: Pose2D) -> None:
        """Show where robots are, all at the same speed."""
        touched = frozenset(contacts)
        truth = {
            name: TruthSample(name, self.now, pose, Twist2D(SPEED, 0.0), touched if name == "robot_1" else frozenset())
            for name, pose in poses.items()
        }
        self.judge.observe(Observation(self.now, TOLD, truth, messages=tuple(self.messages)))
        self.messages.clear()
        self.now += TOLD

    def drive(self, left_at: float = 0.05, aside: float = 0.0) -> Round:
        """Drive a round with robot_1, turning left, while robot_2 stands; LEFT is said so far (m) behind its end."""
        way = Round(plan_of(ROAD).movements[Approach.SOUTH, Turn.LEFT], ROAD)
        stages = [(way.begin, Stage.ENTERING), (-0.1, Stage.PASSING), (way.movement.length + left_at, Stage.LEFT)]
        place = way.begin
        while place < way.turning + 0.1:
            while stages and place >= stages[0][0]:
                stage = stages.pop(0)[1]
                self.say(stage, lease=0.0 if stage is Stage.ENTERING else 9.0)
            self.be(robot_2=Pose2D(-1.0, -2.0), robot_1=way.pose(place).compose(Pose2D(0.0, aside)))
            place += SPEED * 0.04
        return way


def test_a_round_is_judged_as_in_the_arena():
    game = Game()
    way = game.drive(aside=0.01)
    values = game.judge.values()
    expected = {
        "crossings": 1, "conflicts": 0, "ways": 1, "left_turns": 1, "left_turn_success_rate": 1.0, "false_stages": 0,
        "stalls": 0, "order_inversions": 0, "collisions": 0, "robot_contacts": 0,
    }  # fmt: skip
    assert {name: values[name] for name in expected} == expected
    assert values["lane_rms_m"] == pytest.approx(0.01, abs=1e-3)
    # Ticks, and not messages of the truth, are counted.
    assert values["lane_ticks"] == pytest.approx((way.turning - way.begin - 0.5) / SPEED * 50, abs=5)
    assert (game.judge.outcome, game.judge.reason) == ("over", "time is up, 1 crossings, 0 conflicts")
    crossed, delayed = game.judge.charts()
    assert crossed.curves[0].ys == (0.0, 1.0, 1.0)
    assert len(delayed.curves[0].xs) == 1
    assert not game.judge.over
    game.now = from_seconds(300.0) - TOLD
    game.be(robot_1=Pose2D(0.3, -2.0))
    assert game.judge.over


def test_a_stage_that_is_told_too_early_is_false_and_a_contact_spoils_the_turn():
    game = Game()
    game.say(Stage.ENTERING)
    game.be(("wall",), robot_1=Pose2D(0.3, -2.0, 1.57), robot_2=Pose2D(-1.0, -2.0))
    game.drive(left_at=-0.3)
    values = game.judge.values()
    assert (values["false_stages"], values["left_turns"], values["left_turn_success_rate"]) == (1, 1, 0.0)
    assert (values["collisions"], values["robot_contacts"]) == (1, 0)


def test_robots_that_come_near_are_a_conflict_also_if_one_of_them_is_not_seen_for_a_while():
    game = Game()
    game.say(Stage.ENTERING)
    game.say(Stage.ENTERING, "robot_2")
    game.be(robot_1=Pose2D(0.3, -2.0), robot_2=Pose2D(0.3, -1.5))
    assert (game.judge.values()["conflicts"], game.judge.values()["min_separation_m"]) == (0, 0.5)
    game.be(robot_2=Pose2D(0.3, -1.6))
    assert (game.judge.values()["conflicts"], game.judge.values()["min_separation_m"]) == (1, pytest.approx(0.4))


def test_what_nobody_said_of_itself_or_nobody_can_read_is_not_heard():
    game = Game()
    game.say(Stage.ENTERING, sender="robot_2")
    game.say(Stage.ENTERING, "stranger")
    game.say(Stage.ENTERING, approach="above")
    game.say(Stage.ENTERING, progress=None)
    for _ in range(3):
        game.be(robot_1=Pose2D(0.3, -2.0), robot_2=Pose2D(0.3, -1.9))
    assert game.judge.values()["min_separation_m"] is None
    game.say(Stage.ENTERING)
    game.say(Stage.ENTERING, "robot_2")
    game.be(robot_1=Pose2D(0.3, -2.0), robot_2=Pose2D(0.3, -1.9))
    assert game.judge.values()["min_separation_m"] == pytest.approx(0.1)


def test_equal_observations_are_judged_alike():
    games = Game(), Game()
    for game in games:
        game.drive(aside=0.02)
    assert games[0].judge.values() == games[1].judge.values()


def test_the_error_counts_before_a_robot_has_asked_too_but_not_where_it_drives_elsewhere():
    game = Game()
    way = Round(plan_of(ROAD).movements[Approach.EAST, Turn.LEFT], ROAD)
    for step in range(40):
        # The other one leaves by that road.
        away = way.pose(-0.8 - 0.012 * step).compose(Pose2D(0.0, 0.6, 3.14))
        game.be(robot_1=way.pose(way.begin + 0.6 + 0.012 * step).compose(Pose2D(0.0, -0.04)), robot_2=away)
    values = game.judge.values()
    assert values["lane_rms_m"] == pytest.approx(0.04, abs=1e-3)
    assert values["lane_error_max_m"] == pytest.approx(0.04, abs=1e-3)
    assert values["lane_ticks"] == pytest.approx(80, abs=2)
