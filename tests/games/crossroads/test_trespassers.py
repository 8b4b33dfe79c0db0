"""Robots that heed no scheduler, and what a crossing's judge makes of them."""

import math
from contextlib import closing

import pytest

from arena_trees.experiments.plan import make_plan
from arena_trees.experiments.scenario import apply_changes, find_scenario, load_scenario
from arena_trees.experiments.trial import Trial
from arena_trees.games.crossroads.evaluation.driven_contacts import DrivenContacts
from arena_trees.games.truth import TruthSample
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D, Twist2D

TICK = 20_000_000


def planned(**changes):
    path = find_scenario("crossroads_trespassers")
    return make_plan(apply_changes(load_scenario(path), {"trials": 1, **changes}), path, path.parent)


def sample(name, x, speed=0.0, contacts=(), yaw=0.0):
    return TruthSample(name, 0, Pose2D(x, 0.0, yaw), Twist2D(speed, 0.0), frozenset(contacts))


def looked_at(*ticks):
    contacts = DrivenContacts(["one", "other"])
    for number, samples in enumerate(ticks):
        contacts.observe(number * TICK, {one.robot: one for one in samples})
    return contacts.number


def test_who_drives_into_another_has_driven_into_it_once():
    before = (sample("one", 0.0, 0.2), sample("third", 0.35))
    touch = (sample("one", 0.01, 0.0, ("third",)), sample("third", 0.35, contacts=("one",)))
    assert looked_at(before, touch, touch, touch) == 1


@pytest.mark.parametrize(
    ("speed", "yaw"),
    [(0.0, 0.0), (0.2, math.pi), (-0.2, 0.0), (0.2, math.pi / 2)],
    ids=["stands", "away", "back", "by"],
)
def test_who_stands_or_drives_away_is_driven_into(speed, yaw):
    before = (sample("one", 0.0, speed, yaw=yaw), sample("third", 0.4, -0.3))
    touch = (sample("one", 0.0, speed, ("third",), yaw), sample("third", 0.34, -0.3, ("one",)))
    assert looked_at(before, touch) == 0


def test_two_that_drive_into_each_other_are_two():
    before = (sample("one", 0.0, 0.2), sample("other", 0.35, 0.2, yaw=math.pi))
    touch = (sample("one", 0.0, 0.2, ("other",)), sample("other", 0.34, 0.2, ("one",), math.pi))
    assert looked_at(before, touch) == 2


def test_walls_are_no_robots():
    assert looked_at((sample("one", 0.0, 0.2),), (sample("one", 0.0, 0.2, ("wall",)),)) == 0


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"rules.sensing": "kinematic"}, "robots.robot_7.role"),
        ({"robot_7.strategy": "source", "rules.protocol": "source", "rules.sensing": "rendered"}, "robot_7.strategy"),
        ({f"robots.robot_{number}.role": "trespasser" for number in range(1, 7)}, "robots"),
    ],
)
def test_what_does_not_go_together_is_refused(changes, key):
    with pytest.raises(ConfigError) as refused:
        planned(**changes)
    assert str(refused.value.key).endswith(key)


def test_the_scheduler_waits_for_no_word_of_a_trespasser_and_lets_others_in():
    """It begins with a roster, and a robot on it that never speaks would hold everybody up for a lease."""
    robots = {"lawful": {"role": "crosser"}, "lawless": {"role": "trespasser"}}
    path = find_scenario("crossroads_lidar")
    changes = {"robots": robots, "duration_s": 14.0, "seed": 3, "rules.plan.size": 3.0}
    plan = make_plan(apply_changes(load_scenario(path), changes), path, path.parent)
    inside = {"lawful": False, "lawless": False}
    with closing(Trial(plan, 0)) as trial:
        trial.begin()
        while not trial.judge.over and not all(inside.values()):
            trial.step()
            for name in inside:
                pose = trial.arena.true_pose(name)
                inside[name] |= max(abs(pose.x), abs(pose.y)) < 0.6
    assert all(inside.values()), inside
