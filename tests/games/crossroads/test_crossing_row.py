"""Crossings in a row: the road between two of them, and who goes where."""

import math

import numpy as np
import pytest
from helpers.crossing_drive import outlines, see

from arena_trees.experiments.plan import make_plan
from arena_trees.experiments.scenario import apply_changes, find_scenario, load_scenario
from arena_trees.games.crossroads.kinematics.world import CrossingWorld
from arena_trees.games.crossroads.layout.floor import CrossingFloor
from arena_trees.games.crossroads.layout.plan import CrossingParameters, plan_of
from arena_trees.games.crossroads.layout.round import check_links, rounds_of
from arena_trees.games.crossroads.layout.words import Approach, Key, LaneKey, Turn
from arena_trees.games.crossroads.localisation.lanes import CrossingLanes
from arena_trees.games.crossroads.localisation.wall_match import WallMatcher
from arena_trees.games.crossroads.parameters import CrossroadsRules
from arena_trees.games.crossroads.stop_lines import stop_line_limit
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D

ROW = CrossingParameters(crossings=2, size=2.0)
PLAN = plan_of(ROW)
S, E, N, W = Approach.SOUTH, Approach.EAST, Approach.NORTH, Approach.WEST


def test_crossings_lie_from_west_to_east_with_their_middle_at_the_origin():
    assert [ROW.centre(crossing) for crossing in range(2)] == [-2.0, 2.0]
    three = CrossingParameters(crossings=3, size=2.0)
    assert [three.centre(crossing) for crossing in range(3)] == [-4.0, 0.0, 4.0]
    assert [three.nearest(x) for x in (-9.0, -2.1, -1.9, 1.9, 2.1, 9.0)] == [0, 0, 1, 1, 2, 2]
    assert CrossingParameters().centre(0) == 0.0


def test_eastern_and_western_arms_lead_to_the_next_crossing():
    beyond = {(str(lane), ROW.beyond(lane)) for lane in PLAN.lanes if ROW.is_link(lane)}
    assert beyond == {("east", LaneKey(W, 1)), ("west 2", LaneKey(E, 0))}
    assert not any(CrossingParameters().is_link(lane) for lane in plan_of(CrossingParameters()).lanes)


def test_each_crossing_is_the_same_one_and_none_is_in_the_others_way():
    alone = plan_of(ROW.with_changes({"crossings": 1}))
    assert len(PLAN.movements) == 2 * len(alone.movements)
    for one in PLAN.movements:
        for other in PLAN.movements:
            if one.crossing != other.crossing:
                assert PLAN.together(one, other)
            else:
                same = alone.clear_from(one._replace(crossing=0), other._replace(crossing=0))
                assert PLAN.clear_from(one, other) == pytest.approx(same)


@pytest.mark.parametrize("key", PLAN.movements, ids=str)
def test_a_round_begins_where_the_one_before_it_ends(key):
    rounds = rounds_of(ROW)
    ended = rounds[key]
    for following in (way for way in rounds.values() if way.movement.lane == ended.next_lane):
        end, begin = ended.pose(ended.end), following.pose(following.begin)
        assert math.hypot(end.x - begin.x, end.y - begin.y) < 1e-9
        assert abs(math.remainder(end.yaw - begin.yaw, math.tau)) < 1e-9
    assert ended.turns_round != ROW.is_link(ended.movement.exit_lane)
    assert abs(ended.pose(ended.end).x) < 1e-9 or ended.turns_round


def test_floor_and_lines_are_those_of_each_crossing():
    floor, alone = CrossingFloor(ROW), CrossingFloor(ROW.with_changes({"crossings": 1}))
    assert floor.half == 4.0
    for what in ("stripes", "walls", "markers"):
        assert len(getattr(floor, what)) == 2 * len(getattr(alone, what))
    assert len({wall.name for wall in floor.walls}) == len(floor.walls)
    assert sorted(marker.number for marker in floor.markers) == list(range(8))
    east = max(floor.markers, key=lambda marker: marker.pose.x)
    assert east.pose.x == pytest.approx(max(marker.pose.x for marker in alone.markers) + 2.0)
    lines = stop_line_limit("wolf", ROW).lines
    assert {(line.name, line.area) for line in lines} >= {("west", 0), ("west 2", 1)}
    assert next(line for line in lines if line.name == "west 2").x == pytest.approx(2.0 - ROW.line_distance)


def test_the_stop_line_ahead_is_that_of_the_nearest_crossing():
    lanes = CrossingLanes(CrossingFloor(ROW))
    before = Pose2D(0.5, -0.3, 0.0)
    assert lanes.nearest(before).stop_distance(before) == pytest.approx(1.5 - ROW.line_distance)
    behind = Pose2D(-0.5, -0.3, 0.0)
    assert lanes.nearest(behind).stop_distance(behind) is None
    across = Pose2D(2.3, -1.5, math.pi / 2.0)
    assert lanes.nearest(across).stop_distance(across) == pytest.approx(1.5 - ROW.line_distance)
    assert lanes.nearest(across).beside(across) == pytest.approx(0.0)
    back = Pose2D(-0.5, 0.3, math.pi)
    assert lanes.nearest(back).stop_distance(back) == pytest.approx(1.5 - ROW.line_distance)


@pytest.mark.parametrize("robots", [6, 8])
def test_a_lane_between_two_crossings_has_room_for_all_robots_but_one(robots):
    step, room = ROW.follow_gap, robots - 2
    least = (room * step + ROW.hold_distance + ROW.left_distance) / 2.0
    check_links(CrossingParameters(crossings=2, size=least + 0.01), robots)
    with pytest.raises(ConfigError, match=f"all but one of {robots} robots") as refused:
        check_links(CrossingParameters(crossings=2, size=least - 0.01), robots)
    assert refused.value.key == "size"
    check_links(CrossingParameters(size=1.5), robots)


def test_crossings_too_near_to_each_other_are_refused():
    with pytest.raises(ConfigError, match="hit who waits for east") as refused:
        plan_of(CrossingParameters(crossings=2, size=1.42))
    assert refused.value.key == "size"


def test_points_go_from_crossing_to_crossing_without_a_conflict():
    rules = CrossroadsRules().with_changes({"plan.crossings": 2, "plan.size": 2.3, "arrivals_per_min": 0.0})
    world = CrossingWorld(rules, [f"robot_{number}" for number in range(6)], seed=4)
    world.run(60.0)
    trips = [trip for body in world.bodies for trip in body.trips]
    for body in world.bodies:
        for before, trip in zip(body.trips, body.trips[1:], strict=False):
            beyond = rules.plan.beyond(before.movement.exit_lane)
            assert trip.movement.lane == beyond if beyond is not None else not rules.plan.is_link(trip.movement.lane)
    assert any(rules.plan.is_link(trip.movement.lane) for trip in trips)
    assert {trip.movement.lane.crossing for trip in trips} == {0, 1}
    values = world.judge.values()
    assert values["crossings"] >= 15
    assert values["conflicts"] == 0
    assert values["min_separation_m"] >= 0.5
    assert values["stalls"] == 0


def test_a_box_in_which_one_dies_is_that_of_its_own_crossing():
    rules = CrossroadsRules().with_changes(
        {"plan.crossings": 2, "plan.size": 2.3, "arrivals_per_min": 0.0, "deaths": [{"dies": "robot"}]}
    )
    world = CrossingWorld(rules, ["robot_1", "robot_2"], seed=2)
    while not any(body.dead for body in world.bodies):
        world.step()
        assert world.now < from_seconds(60.0)
    (dead,) = (body for body in world.bodies if body.dead)
    x, y = dead.place()
    assert max(min(abs(x - rules.plan.centre(one)) for one in range(2)), abs(y)) < rules.plan.lane_width


def test_points_stand_behind_one_that_stands_on_the_second_half_of_the_road():
    rules = CrossroadsRules().with_changes({"plan.crossings": 2, "plan.size": 2.3, "arrivals_per_min": 0.0})
    world = CrossingWorld(rules, [f"robot_{number}" for number in range(6)], seed=4)
    while not (dead := [b for b in world.bodies if b.trip and rules.plan.is_link(b.movement.lane) and b.speed > 0.0]):
        world.step()
    world.kill(dead[0].name)
    world.run(120.0)
    stood = dead[0].place()
    behind = [body for body in world.bodies if body is not dead[0] and body.trip and abs(body.place()[0]) < 2.3]
    assert any(abs(body.place()[1] - stood[1]) < 0.1 and body.speed == 0.0 for body in behind)
    assert world.traffic.min_separation >= 0.5
    assert world.traffic.conflicts == 0


def test_robots_start_in_lanes_that_come_from_elsewhere():
    plan = make_plan(apply_changes(load_scenario(find_scenario("crossroads_row")), {"robots.count": 8}), "a test")
    assert len(plan.arena.starts) == 8
    for start in plan.arena.starts.values():
        x, y = start.position
        assert abs(y) > 1.0 or abs(x) > 3.4


def test_scans_are_laid_on_the_walls_of_each_crossing():
    floor = CrossingFloor(ROW.with_changes({"size": 3.0}))
    matcher, walls = WallMatcher(floor), outlines(floor)
    for crossing in range(2):
        pose = Pose2D(floor.crossing.centre(crossing) + 0.3, -1.6, math.pi / 2.0)
        scan = see(pose, np.random.default_rng(crossing), walls=walls)
        match = matcher.match(scan.x, scan.y, Pose2D(pose.x + 0.03, pose.y + 0.04, pose.yaw))
        assert match.correction == pytest.approx((-0.03, -0.04, 0.0), abs=0.012)


def test_words_name_crossings_after_the_first_one_by_number():
    assert [str(Key(W, Turn.LEFT, crossing)) for crossing in range(2)] == ["west left", "west 2 left"]
