"""The Crossroads report's driving: by hand-made lines and ranges."""

import math

import pytest
from helpers.crosser_bench import CrosserBench
from helpers.scans import scan_of_points
from py_trees.common import Status

from arena_trees.behaviours.crossroads.source import ApproachBySource, CrossBySource, right_front_range
from arena_trees.games.crossroads.messages import Turn
from arena_trees.robot.lane import LaneLines, SliceColumns

WALL = tuple((0.2 + 0.01 * k, -0.375) for k in range(20))

HALF = 0.3
"""Half a lane's width in each slice, in focal lengths."""


def see(bench: CrosserBench, near: tuple[float | None, float | None], far: float | None = None) -> None:
    """Put red and black of the lower slice, and red of the middle one; our own detector has found nothing."""
    slices = SliceColumns(*near, HALF), SliceColumns(far, None, HALF)
    bench.put(lane=LaneLines(*bench.stamps(), None, None, None, 0.6, *slices))


def test_the_range_is_the_mean_of_the_ten_nearest() -> None:
    away = [(math.cos(-0.6) * (1.0 + 0.1 * k), math.sin(-0.6) * (1.0 + 0.1 * k)) for k in range(12)]
    assert right_front_range(scan_of_points(away)) == pytest.approx(1.45)
    assert right_front_range(scan_of_points(away[:9])) == math.inf
    # On the left, and too near to be anything.
    assert right_front_range(scan_of_points([(0.5, 0.4)] * 12 + [(0.04, -0.03)] * 12)) == math.inf


@pytest.mark.parametrize(("along", "wall", "halted"), [(-0.3, False, 3), (-0.3, True, None), (-0.8, False, None)])
def test_approach_halts_where_the_wall_has_ended_near_the_line(along: float, wall: bool, halted: int | None) -> None:
    bench = CrosserBench()
    bench.set_up(ApproachBySource("Approach", "robot", bench.live))
    bench.at(along)
    bench.points(*(WALL if wall else ()))
    see(bench, (0.3, -0.3))
    outcome = bench.tick()
    assert (outcome.status, bench.get("halted")) == (Status.RUNNING, halted)
    assert outcome.command == ((0.0, 0.0) if halted else (bench.parameters.source_speed, 0.0))


@pytest.mark.parametrize(
    ("near", "turns"),
    [((0.35, -0.25), 1), ((0.25, -0.35), -1), ((0.35, None), 1), ((None, -0.35), -1), ((None, None), 0)],
)
def test_approach_steers_by_the_error_of_its_slice(near: tuple[float | None, float | None], turns: int) -> None:
    bench = CrosserBench()
    bench.set_up(ApproachBySource("Approach", "robot", bench.live))
    bench.at(-1.0)
    bench.points(*WALL)
    see(bench, near)
    command = bench.tick().command
    # 0.05 focal lengths of 340 px are 17 px: 0.3 x 0.17.
    assert command == pytest.approx((bench.parameters.source_speed, turns * 0.051), abs=1e-4)


def test_approach_stands_without_pictures_and_behind_others() -> None:
    bench = CrosserBench()
    leaf = ApproachBySource("Approach", "robot", bench.live)
    bench.set_up(leaf)
    bench.at(-1.0)
    bench.points(*WALL)
    assert (bench.tick().command, leaf.feedback_message) == ((0.0, 0.0), "no pictures")
    see(bench, (None, None))
    assert bench.tick().command == (bench.parameters.source_speed, 0.0)
    assert bench.tick(26).command == (0.0, 0.0)
    see(bench, (0.3, -0.3))
    bench.put(lead_progress=-0.9)
    assert bench.tick().command == (0.0, 0.0)


def test_cross_turns_at_constant_speeds_where_the_path_bends() -> None:
    bench = CrosserBench()
    bench.set_up(CrossBySource("Cross", "robot", bench.live))
    p = bench.parameters
    path = bench.at(0.6, Turn.RIGHT)
    bend = path.curvature(0.6)
    assert bench.tick().command == pytest.approx((p.source_right_speed, p.source_right_speed * bend))
    path = bench.at(0.6, Turn.LEFT)
    assert bench.tick().command == pytest.approx((p.source_left_rate / path.curvature(0.6), p.source_left_rate))
    bench.put(lead_progress=0.7)
    outcome = bench.tick()
    assert (outcome.command, bench.get("left")) == ((0.0, 0.0), None)


@pytest.mark.parametrize(
    ("near", "error"),
    [
        # The red line of the crossing road lies across the picture: to the right, at the offset from its centroid.
        ((0.0, None), -0.5),
        ((0.3, None), 0.5194),
        # A black line to the left of it is another lane's; both lines of the next lane lead into it.
        ((0.1, 0.4), -0.1602),
        ((0.4, -0.2), 0.3398),
        # Nothing yet: straight on.
        ((None, None), 0.0),
        ((None, -0.3), 0.0),
    ],
)
def test_a_right_turn_goes_by_the_red_line_where_that_is_chosen(near, error):
    bench = CrosserBench(source_right_turn="red_line", source_right_offset=50.0)
    bench.set_up(CrossBySource("Cross", "robot", bench.live))
    bench.at(0.6, Turn.RIGHT)
    see(bench, near)
    p = bench.parameters
    assert bench.tick().command == pytest.approx((p.source_right_speed, p.source_gain * error), abs=1e-4)


@pytest.mark.parametrize(
    ("along", "turn", "near", "far", "turns"),
    [
        # Roads meet: the red line behind the crossing, from afar.
        (0.6, Turn.STRAIGHT, (None, None), 0.35, 1),
        (0.6, Turn.STRAIGHT, (None, -0.2), 0.25, -1),
        # Both lines are near again.
        (1.6, Turn.STRAIGHT, (0.25, -0.35), 0.35, -1),
        # Behind a turn there are both lines; before it, the red line is another road's.
        (1.5, Turn.RIGHT, (0.35, -0.25), 0.0, 1),
        (0.1, Turn.LEFT, (-0.3, None), 0.2, 0),
        (0.6, Turn.STRAIGHT, (None, None), None, 0),
    ],
)
def test_straight_on_it_crosses_by_the_red_line(along, turn, near, far, turns):
    bench = CrosserBench()
    bench.set_up(CrossBySource("Cross", "robot", bench.live))
    path = bench.at(along, turn)
    assert path.curvature(along) == 0.0
    see(bench, near, far)
    assert bench.tick().command == pytest.approx((bench.parameters.source_speed, turns * 0.051), abs=1e-4)


def test_cross_notes_that_it_has_left() -> None:
    bench = CrosserBench()
    bench.set_up(CrossBySource("Cross", "robot", bench.live))
    path = bench.at(0.0)
    bench.at(path.movement.length + 0.1)
    assert (bench.tick().status, bench.get("left")) == (Status.SUCCESS, 3)
