"""The Crossroads report's driving: by hand-made lines and ranges."""

from __future__ import annotations

import math

import pytest
from helpers.crosser_bench import CrosserBench
from helpers.scans import scan_of_points
from py_trees.common import Status

from arena_trees.behaviours.crossroads.source import ApproachBySource, CrossBySource, right_front_range
from arena_trees.games.crossroads.messages import Turn
from arena_trees.robot.lane import LaneLine, LaneLines

WALL = tuple((0.2 + 0.01 * k, -0.375) for k in range(20))


def see_lines(bench: CrosserBench, red: float | None, black: float | None) -> None:
    """Put the lane's lines, so far (m) to the left."""
    lines = [None if offset is None else LaneLine(offset, 0.0, 0.9) for offset in (red, black)]
    bench.put(lane=LaneLines(*bench.stamps(), lines[0], lines[1], None, 0.6))


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
    outcome = bench.tick()
    assert (outcome.status, bench.get("halted")) == (Status.RUNNING, halted)
    assert outcome.command == ((0.0, 0.0) if halted else (bench.parameters.source_speed, 0.0))


def test_approach_steers_by_fresh_lines_and_stands_behind_others() -> None:
    bench = CrosserBench()
    bench.set_up(ApproachBySource("Approach", "robot", bench.live))
    bench.at(-1.0)
    bench.points(*WALL)
    see_lines(bench, 0.35, -0.25)
    command = bench.tick().command
    assert command is not None
    assert command[1] > 0.05
    assert bench.tick(26).command == (bench.parameters.source_speed, 0.0)
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
    bench.at(0.6)
    see_lines(bench, 0.4, None)
    straight = bench.tick().command
    assert straight is not None
    assert straight[0] == p.source_speed
    assert straight[1] > 0.05
    bench.put(lead_progress=0.7)
    outcome = bench.tick()
    assert (outcome.command, bench.get("left")) == ((0.0, 0.0), None)


def test_cross_notes_that_it_has_left() -> None:
    bench = CrosserBench()
    bench.set_up(CrossBySource("Cross", "robot", bench.live))
    path = bench.at(0.0)
    bench.at(path.movement.length + 0.1)
    assert (bench.tick().status, bench.get("left")) == (Status.SUCCESS, 3)
