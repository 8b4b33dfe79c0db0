"""Bases for rules and judges."""

import pytest

from arena_trees.games.common_judge import CommonJudge
from arena_trees.games.game import GameContext, NoRules, Player
from arena_trees.games.timed_rules import TimedRules
from arena_trees.games.truth import End, Observation, TruthSample
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.configuration.parameters import Parameters
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.game_message import Count, GameMessage
from arena_trees.robot.messaging.inbox import EMPTY
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.timing import TICK
from arena_trees.world.geofence import Geofence

FENCE = Geofence("red", ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)))
CONTEXT = GameContext(NoRules(), {"red": Player("red", "tagger", NoRules(), fence=FENCE)}, 2.0, RandomStreams(0))


class Played(GameMessage, topic="played"):
    """How often the game was looked at."""

    looks: Count


class Looks(TimedRules):
    looks = 0

    @property
    def state(self) -> Played:
        return Played(looks=self.looks)

    def play(self, now, truth, inbox):
        self.looks += 1
        if self.looks == 100:
            self.finish(now, "won", "looked often enough")


def step(rules: Looks, now_s: float) -> list[GameMessage]:
    return list(rules.step(from_seconds(now_s), {}, EMPTY))


def test_nothing_is_played_before_the_begin_and_the_state_is_told_again_and_at_once_after_a_change():
    rules = Looks(CONTEXT)
    assert step(rules, 0.0) == [Played(looks=0)]
    assert step(rules, 0.02) == []
    assert not rules.playing
    rules = Looks(CONTEXT)
    rules.begin(0)
    assert [bool(step(rules, tick * 0.02)) for tick in range(7)] == [True, *[False] * 4, True, False]
    rules.publish()
    assert step(rules, 0.14)


def test_it_ends_by_time_by_itself_and_by_hand():
    rules = Looks(CONTEXT)
    rules.begin(0)
    step(rules, 2.0)
    assert rules.end == End("over", "time is up", from_seconds(2.0))
    rules.begin(from_seconds(3.0))
    assert rules.end is None
    rules.looks = 99
    step(rules, 3.02)
    assert rules.end is not None and rules.end.outcome == "won"
    rules.stop(from_seconds(4.0), "too late")
    assert rules.end.outcome == "won"


def observation(now_s: float, x: float = 0.0, contacts: tuple[str, ...] = (), end: End | None = None) -> Observation:
    now = from_seconds(now_s)
    sample = TruthSample("red", now, Pose2D(x, 0.0, 0.0), contacts=frozenset(contacts))
    return Observation(now, TICK, {"red": sample}, end=end)


def test_a_common_judge_counts_contacts_and_breaches():
    judge = CommonJudge(CONTEXT)
    for number, x in enumerate((0.0, 1.5, 1.5, 0.0)):
        judge.observe(observation(number * 0.02, x, ("wall",) if number < 2 else ()))
    assert judge.values() == {"red_breaches": 1, "red_outside_s": 0.04, "collisions": 1, "robot_contacts": 0}


def test_a_common_judge_ends_with_the_rules_or_with_the_time():
    judge = CommonJudge(CONTEXT)
    judge.observe(observation(1.96))
    assert not judge.over
    judge.observe(observation(1.98))
    assert (judge.over, judge.outcome) == (True, "over")
    judge = CommonJudge(CONTEXT)
    judge.observe(observation(1.0, end=End("won", "so", from_seconds(1.0))))
    assert (judge.over, judge.outcome, judge.reason) == (True, "won", "so")


def test_rules_are_asked_for_by_their_model():
    assert CONTEXT.rules_as(NoRules) is CONTEXT.rules

    class Others(Parameters):
        pass

    with pytest.raises(TypeError, match="NoRules, not Others"):
        CONTEXT.rules_as(Others)
