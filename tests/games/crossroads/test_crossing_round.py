"""Rounds over a crossing: one piece, as long as they should be, back to where the next one begins."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.games.crossroads.layout.plan import CrossingParameters, plan_of
from arena_trees.games.crossroads.layout.round import Round, check_round_trips, turning_distance
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D, wrap

P = CrossingParameters(size=3.0)
PLAN = plan_of(P)
ROUNDS = {key: Round(movement, P) for key, movement in PLAN.movements.items()}
every_round = pytest.mark.parametrize("key", list(ROUNDS), ids=lambda key: f"{key[0].value} {key[1].value}")


@every_round
def test_a_round_is_smooth_and_ends_where_the_next_one_begins(key):
    way = ROUNDS[key]
    step = 0.01
    count = math.ceil((way.end - way.begin) / step)
    poses = [way.pose(way.begin + step * k) for k in range(count)]
    for one, other in pairwise(poses):
        assert one.distance_to(other.x, other.y) == pytest.approx(step, abs=2e-4)
        assert abs(wrap(other.yaw - one.yaw)) <= step / (P.lane_width / 2) + 1e-9
    end = way.pose(way.end)
    following = next(r for r in ROUNDS.values() if r.movement.approach is way.movement.exit)
    begin = following.pose(following.begin)
    assert end.distance_to(begin.x, begin.y) < 1e-9
    assert abs(wrap(end.yaw - begin.yaw)) < 1e-9


@every_round
def test_progress_is_that_of_the_movement(key):
    way, movement = ROUNDS[key], PLAN.movements[key]
    for progress in (0.0, 0.5, 1.0, movement.length):
        pose, expected = way.pose(progress), movement.path.pose(progress)
        assert pose.distance_to(expected.x, expected.y) < 1e-9


@given(
    key=st.sampled_from(list(ROUNDS)),
    share=st.floats(0.0, 1.0),
    aside=st.floats(-0.2, 0.2),
    off=st.floats(-0.15, 0.15),
)
def test_a_place_beside_the_way_is_found_again(key, share, aside, off):
    way = ROUNDS[key]
    progress = way.begin + share * (way.end - way.begin)
    place = way.pose(progress).compose(Pose2D(0.0, aside))
    assert way.project(progress + off, place.x, place.y) == pytest.approx(progress, abs=2e-3)


def test_it_turns_round_before_the_arm_ends():
    for way in ROUNDS.values():
        reach = max(
            max(abs(pose.x), abs(pose.y))
            for pose in (way.pose(way.turning + k * 0.02) for k in range(math.ceil((way.end - way.turning) / 0.02)))
        )
        assert reach + P.robot_radius <= P.size
        assert reach == pytest.approx(turning_distance(P) + P.lane_width / 2, abs=1e-3)


@pytest.mark.parametrize(("size", "robots"), [(1.6, 1), (2.0, 8), (3.0, 9)])
def test_arms_without_room_for_everybody_are_refused(size, robots):
    with pytest.raises(ConfigError, match="size") as refused:
        check_round_trips(CrossingParameters(size=size), robots)
    # The error says how long they must be, and that is enough.
    least = float(str(refused.value).split("at least ")[-1].split("about ")[-1].split(" m")[0])
    check_round_trips(CrossingParameters(size=least + 0.06), robots)


@pytest.mark.parametrize(("size", "robots"), [(2.0, 3), (3.0, 6), (3.7, 8)])
def test_arms_with_room_are_not(size, robots):
    check_round_trips(CrossingParameters(size=size), robots)
