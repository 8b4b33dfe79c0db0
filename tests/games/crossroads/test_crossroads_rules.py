"""The rules of a crossing, which have a scheduler and its lives, and the judge, which sees robots from outside."""

import itertools
from collections.abc import Sequence
from typing import Any

import pytest
from helpers.crossing_words import carried, claim, heard

from arena_trees.behaviours.crossroads.parameters import CrosserParameters
from arena_trees.games.crossroads.evaluation.judge import CrossroadsJudge
from arena_trees.games.crossroads.layout.plan import CrossingParameters, plan_of
from arena_trees.games.crossroads.layout.round import Round
from arena_trees.games.crossroads.layout.words import Key
from arena_trees.games.crossroads.messages import (
    Approach,
    Crossing,
    CrossingClaim,
    CrossingRequest,
    SchedulerState,
    Stage,
    Turn,
)
from arena_trees.games.crossroads.parameters import CrossroadsRules
from arena_trees.games.crossroads.rules import CrossingRules
from arena_trees.games.crossroads.scheduling.scheduler import CrossingScheduler
from arena_trees.games.game import Carry, GameContext, Player, SwitchOff
from arena_trees.games.truth import Observation, TruthSample
from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.messaging.inbox import EMPTY, Inbox
from arena_trees.robot.messaging.message_bus import BusParameters
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.random_streams import RandomStreams

ROBOTS = ("robot_1", "robot_2")
ROAD = CrossingParameters(size=3.0)
LONG = from_seconds(13.0)


def made(road: CrossingParameters = ROAD, robots: Sequence[str] = ROBOTS, **rules: Any) -> CrossingRules:
    players = {name: Player(name, "crosser", CrosserParameters(plan=road)) for name in robots}
    wanted = CrossroadsRules(sensing="lidar", roster=False, plan=road).with_changes(rules)
    return CrossingRules(GameContext(wanted, players, 60.0, RandomStreams(0)))


def said(stage: Stage = Stage.WAITING, sequence: int = 1, **more: Any) -> Inbox:
    word = claim("robot_1", Approach.SOUTH, Turn.STRAIGHT, stage, first=True, sequence=sequence, **more)
    return Inbox(received=(heard(word, "robot_1", sequence=sequence),))


def opened(**rules: Any) -> CrossingRules:
    """Return rules whose scheduler has listened for long enough."""
    game = made(**rules)
    game.begin(0)
    game.step(0, {}, EMPTY)
    game.step(LONG, {}, EMPTY)
    return game


def test_the_scheduler_begins_by_itself_and_lets_a_robot_in():
    game = made()
    (reported,) = game.step(0, {}, EMPTY)
    assert (reported.state, reported.epoch) == (SchedulerState.REBUILDING, 1)
    assert game.state is reported
    game.step(LONG, {}, EMPTY)
    (reported,) = game.step(LONG + SECOND, {}, said())
    assert [holder.robot for holder in reported.holders] == ["robot_1"]
    assert game.diagnostics(LONG + SECOND)[:2] == (True, "OPEN")


@pytest.mark.parametrize(
    ("roster", "phrase"), [(True, "REBUILDING, waits for robot_1, robot_2"), (False, "REBUILDING")]
)
def test_diagnostics_name_the_robots_that_a_new_scheduler_waits_for(roster: bool, phrase: str):
    game = made(roster=roster)
    game.begin(0)
    game.step(0, {}, EMPTY)
    assert game.diagnostics(0)[:2] == (False, phrase)


def test_each_life_has_a_higher_number_also_after_the_one_that_its_host_gives():
    game = made()
    lives = []
    for epoch in (0, 5000, 0):
        game.epoch = epoch
        game.begin(0)
        lives.append(game.scheduler.epoch)
    assert lives == [1, 5000, 5001]


def test_stopped_they_let_nobody_in_until_they_begin_again():
    game = opened()
    game.stop(LONG, "stopped by a person")
    assert list(game.step(LONG + SECOND, {}, said())) == []
    assert game.end.reason == "stopped by a person"
    game.begin(LONG + SECOND)
    assert game.end is None
    assert list(game.step(LONG + SECOND, {}, EMPTY))


def test_people_tell_who_is_away():
    game = opened()
    game.step(LONG + SECOND, {}, said())
    game.step(LONG + SECOND, {}, said(Stage.PASSING, 2, progress=0.5))
    later = 10 * LONG
    assert game.diagnostics(later)[:2] == (False, "OPEN, silent inside: robot_1")
    assert game.controls["seen_clear"](later) == "seen to be away: robot_1"
    assert game.controls["seen_clear"](later) == "nobody in the crossing is silent"
    game.step(later, {}, said(Stage.WAITING, 3, request=2))
    with pytest.raises(ArenaTreesError, match="lease"):
        game.settings["seen_clear"](later, "robot_1")
    assert game.settings["seen_clear"](2 * later, "robot_1") == "robot_1 was seen to be away"
    for nobody in (None, 7, ""):
        with pytest.raises(ArenaTreesError, match="name of a robot"):
            game.settings["seen_clear"](later, nobody)


def test_document_003_knows_nobody_who_is_away():
    game = opened(protocol="source")
    with pytest.raises(ArenaTreesError, match="waits for ever"):
        game.settings["seen_clear"](LONG, "robot_1")


@pytest.mark.parametrize("crossings", [1, 2, 3])
def test_who_is_carried_away_stands_behind_the_walls_and_in_nobodys_way(crossings):
    road = CrossingParameters(size=4.0, crossings=crossings)
    names = [f"robot_{number}" for number in range(12)]
    game = made(road, names, deaths=[{"dies": "robot", "robot": name, "for_s": 1.0} for name in names])
    asked = [heard(claim(name, Approach.SOUTH, Turn.STRAIGHT), name) for name in names]
    game.step(0, {}, Inbox(received=tuple(asked)))
    places = [action.pose for action in game.step(SECOND, {}, EMPTY) if isinstance(action, Carry)]
    assert len(places) == len(names)
    behind = road.lane_width + 0.2
    for place in places:
        assert abs(place.y) > behind
        assert abs(place.y) < road.size - road.robot_radius
        assert min(abs(place.x - road.centre(one)) for one in range(crossings)) > behind
        assert abs(place.x) < crossings * road.size - road.robot_radius
    apart = [a.distance_to(b.x, b.y) for a, b in itertools.combinations(places, 2)]
    assert min(apart) >= road.separation - 1e-9


def test_who_dies_is_switched_off_and_carried_away_later():
    game = made(deaths=[{"dies": "robot", "robot": "robot_1", "for_s": 2.0}, {"dies": "scheduler", "at_s": 5.0}])
    truth = {name: TruthSample(name, 0, Pose2D(0.3, -2.0 - k)) for k, name in enumerate(ROBOTS)}
    game.begin(0)
    assert [type(one) for one in game.step(0, truth, said())] == [SwitchOff, Crossing]
    assert all(isinstance(one, Crossing) for one in game.step(SECOND, truth, EMPTY))
    carry = next(iter(game.step(2 * SECOND, truth, EMPTY)))
    assert carry.robot == "robot_1"
    assert min(abs(carry.pose.x), abs(carry.pose.y)) > 1.0
    assert isinstance(game.scheduler, CrossingScheduler)
    assert list(game.step(5 * SECOND, truth, EMPTY)) == []
    assert game.scheduler is None
    assert game.diagnostics(5 * SECOND)[:2] == (False, "no scheduler")


def test_equal_inputs_give_equal_answers():
    games = made(), made()
    for tick in range(100):
        now = tick * SECOND // 5
        inbox = said(sequence=tick + 1) if tick % 3 == 0 else EMPTY
        answers = [list(game.step(now, {}, inbox)) for game in games]
        assert answers[0] == answers[1]


SPEED = 0.3
TOLD = from_seconds(0.04)


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
        way = Round(plan_of(ROAD).movements[Key(Approach.SOUTH, Turn.LEFT)], ROAD)
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
    way = Round(plan_of(ROAD).movements[Key(Approach.EAST, Turn.LEFT)], ROAD)
    for step in range(40):
        # The other one leaves by that road.
        away = way.pose(-0.8 - 0.012 * step).compose(Pose2D(0.0, 0.6, 3.14))
        game.be(robot_1=way.pose(way.begin + 0.6 + 0.012 * step).compose(Pose2D(0.0, -0.04)), robot_2=away)
    values = game.judge.values()
    assert values["lane_rms_m"] == pytest.approx(0.04, abs=1e-3)
    assert values["lane_error_max_m"] == pytest.approx(0.04, abs=1e-3)
    assert values["lane_ticks"] == pytest.approx(80, abs=2)
