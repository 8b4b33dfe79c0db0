"""Paths of lines and arcs: where they lead, before their start and beyond their end too, and what is nearest."""

import math

import pytest

from arena_trees.games.crossroads.layout.path import LanePath, Piece
from arena_trees.robot.geometry import Pose2D

START = Pose2D(1.0, 2.0, math.radians(150.0))
PIECES = (Piece(1.5, 0.8), Piece(0.0), Piece(2.0), Piece(3.0, -0.5), Piece(0.7))
PATH = LanePath(START, PIECES)


def walked(distance: float) -> Pose2D:
    """Return the pose after steps of a tenth of a millimetre, each along the direction at its middle."""
    pose, step = START, 1e-4
    ends = [sum(piece.length for piece in PIECES[: count + 1]) for count in range(len(PIECES))]
    for number in range(round(distance / step)):
        curvature = next((piece.curvature for piece, end in zip(PIECES, ends, strict=True) if number * step < end), 0.0)
        pose = pose.compose(Pose2D(step, 0.0, 0.0)).compose(Pose2D(0.0, 0.0, step * curvature))
    return pose


@pytest.mark.parametrize("distance", [0.0, 0.9, 1.5, 2.2, 3.5, 5.0, 6.5, 7.1, 7.2, 9.0])
def test_it_leads_where_a_walk_along_its_pieces_does(distance: float):
    found, expected = PATH.pose(distance), walked(distance)
    assert found.distance_to(expected.x, expected.y) < 1e-3
    assert math.remainder(found.yaw - expected.yaw, math.tau) == pytest.approx(0.0, abs=1e-3)
    assert abs(found.yaw) <= math.pi


def test_before_its_start_and_beyond_its_end_it_is_straight():
    assert (PATH.pose(-1.0).x, PATH.pose(-1.0).y) == pytest.approx(
        (START.x - math.cos(START.yaw), START.y - math.sin(START.yaw))
    )
    assert PATH.pose(-1.0).yaw == START.yaw
    beyond = PATH.end.compose(Pose2D(2.0))
    assert PATH.pose(PATH.length + 2.0).distance_to(beyond.x, beyond.y) < 1e-9
    assert [PATH.curvature(at) for at in (-0.1, 0.0, 1.4, 1.6, 4.0, 6.6, 8.0)] == [0.0, 0.8, 0.8, 0.0, -0.5, 0.0, 0.0]


@pytest.mark.parametrize("distance", [-0.5, 0.3, 1.4, 2.5, 4.9, 7.0, 8.0])
@pytest.mark.parametrize("aside", [-0.2, 0.0, 0.2])
def test_it_projects_a_point_from_a_guess_that_is_some_way_off(distance: float, aside: float):
    point = PATH.pose(distance).compose(Pose2D(0.0, aside))
    assert PATH.project(distance + 0.15, point.x, point.y) == pytest.approx(distance, abs=1e-4)
