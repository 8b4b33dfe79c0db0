"""The rules of a pursuit: shots, cooldown, the hit, the way home, and what is told."""

from __future__ import annotations

import math

import pytest
from helpers.pursuits import TICK, context, sample

from arena_trees.games.pursuit.messages import AtHome, PursuitPhase, PursuitScene, PursuitState, Threat
from arena_trees.games.pursuit.rules import Engagement
from arena_trees.games.pursuit.shapes import scene_shapes
from arena_trees.robot.messaging.inbox import EMPTY, Inbox, Received
from arena_trees.world.shapes import Disc, Path


class Match:
    def __init__(self, *boxes: dict, **rules: float) -> None:
        made = context(*boxes, **rules)
        self.rules = Engagement(made, made.players["chaser"], made.players["evader"])
        self.now = 0
        self.said: list = []
        self.rules.begin(0)

    def step(self, ticks=1, fired=False, yaw=0.0, x=2.0, inbox=EMPTY):
        for _ in range(ticks):
            truth = {
                "chaser": sample("chaser", self.now, 0.0, 0.0, yaw, fired=fired),
                "evader": sample("evader", self.now, x, 0.0),
            }
            self.said += self.rules.step(self.now, truth, inbox)
            self.now += TICK
        return self

    def newest(self, model: type):
        return [one for one in self.said if type(one) is model][-1]

    def hear(self, sender: str) -> Inbox:
        message = Received(AtHome(x=0.0, y=0.0, yaw=0.0), sender, 0, 1, self.now, self.now)
        return Inbox({AtHome: {sender: message}}, 1, (message,))


def test_a_shot_that_hits_sends_home_and_being_home_ends_it():
    match = Match().step(5)
    assert match.newest(PursuitState).phase is PursuitPhase.CHASE
    match.step(fired=True)
    told = match.newest(PursuitState)
    assert (told.phase, told.shots, told.hits) == (PursuitPhase.HIT, 1, 1)
    match.step(10, inbox=match.hear("evader"))
    assert match.rules.end is None
    match.step(inbox=match.hear("chaser"))
    assert match.rules.end.outcome == "home"
    assert match.newest(PursuitState).phase is PursuitPhase.OVER


def test_being_home_before_the_hit_ends_nothing():
    match = Match()
    match.step(10, inbox=match.hear("chaser"))
    assert match.rules.playing


def test_shots_within_the_cooldown_are_ignored_and_counted():
    match = Match().step(fired=True, yaw=0.5).step(49, fired=True, yaw=0.0)
    told = match.newest(PursuitState)
    assert (told.shots, told.ignored, told.hits) == (1, 49, 0)
    match.step(fired=True)
    assert match.newest(PursuitState).hits == 1


@pytest.mark.parametrize(
    ("boxes", "yaw", "x"),
    [
        ((), math.radians(1.1), 2.0),
        ((), 0.0, 3.01),
        (({"name": "box", "pose": [1, 0, 0], "size": [0.2, 1, 1]},), 0.0, 2.0),
    ],
)
def test_a_shot_misses_beside_the_ball_beyond_the_reach_and_behind_a_wall(boxes, yaw, x):
    match = Match(*boxes).step(fired=True, yaw=yaw, x=x)
    told = match.newest(PursuitState)
    assert (told.phase, told.shots, told.hits) == (PursuitPhase.CHASE, 1, 0)


def test_a_shot_at_nobody_who_is_seen_counts_and_misses():
    match = Match()
    match.said += match.rules.step(0, {"chaser": sample("chaser", 0, 0.0, 0.0, fired=True)}, EMPTY)
    assert match.newest(PursuitState).shots == 1
    assert match.newest(PursuitScene).ball is None


def test_time_tells_a_hit_from_an_escape():
    for fired, outcome in ((True, "hit"), (False, "escaped")):
        match = Match().step(fired=fired)
        match.now = 60_000_000_000
        match.step()
        assert match.rules.end.outcome == outcome
    match = Match()
    match.rules.stop(0, "enough")
    assert match.rules.end.outcome == "aborted"


def test_a_new_begin_forgets_shots_and_hit():
    match = Match().step(fired=True)
    match.rules.begin(match.now)
    match.step()
    told = match.newest(PursuitState)
    assert (told.phase, told.shots, told.hits) == (PursuitPhase.CHASE, 0, 0)


def test_the_evader_is_told_of_the_chaser_ten_times_a_second_and_the_chaser_of_nobodys_place():
    match = Match().step(50, yaw=0.4)
    threats = [one for one in match.said if isinstance(one, Threat)]
    assert len(threats) == 10
    assert (threats[0].yaw, threats[0].barrel, threats[0].reach) == (0.4, 0.4, 3.0)
    assert set(PursuitState.model_fields) == {"phase", "shots", "ignored", "hits"}


def test_the_beam_is_red_then_green_for_half_a_second_and_the_ball_green_when_hit():
    match = Match({"name": "box", "pose": [4.0, 0.0, 0.0], "size": [0.2, 1.0, 1.0]}).step(5)
    red, blue = scene_shapes(match.newest(PursuitScene))
    assert isinstance(red, Path) and isinstance(blue, Disc)
    assert red.points[1] == pytest.approx((3.9, 0.0))
    match.step(fired=True, yaw=0.3, x=2.0)
    green, still_blue = scene_shapes(match.rules.state)
    assert math.dist(*green.points) == pytest.approx(3.0)
    assert (green.colour != red.colour, still_blue.fill == blue.fill) == (True, True)
    match.step(24)
    assert match.rules.state.beam.lit
    match.step(1)
    assert not match.rules.state.beam.lit
    match.step(30).step(fired=True)
    assert scene_shapes(match.rules.state)[1].fill == green.colour
    match.step(40)
    assert len(scene_shapes(match.rules.state)) == 1
