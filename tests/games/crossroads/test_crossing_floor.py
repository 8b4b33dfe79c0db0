"""The crossing's floor: lines where the plan has its lanes, walls behind them, a marker for each side."""

import itertools
import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_trees.games.crossroads.layout.floor import BLACK, FLOOR, GREEN, RED, CrossingFloor, FloorParameters
from arena_trees.games.crossroads.layout.picture import draw_floor, draw_marker
from arena_trees.games.crossroads.layout.plan import CrossingParameters, CrossingPlan, Movement
from arena_trees.games.crossroads.layout.words import Approach, LaneKey, Turn
from arena_trees.robot.errors import ConfigError

SCALE = 0.01


def floor(approaches: int = 4, lane_width: float = 0.6) -> CrossingFloor:
    return CrossingFloor(CrossingParameters(approaches=approaches, lane_width=lane_width, size=3.0))


def movements(ground: CrossingFloor) -> list[Movement]:
    """Return every movement of the crossing; a plan would also reckon which of them are in each other's way."""
    sides = itertools.product(ground.approaches, Turn)
    found = [Movement(approach, turn, ground.crossing) for approach, turn in sides]
    return [movement for movement in found if movement.exit in ground.approaches]


def colour(picture: np.ndarray, x: float, y: float) -> tuple[int, ...]:
    half = picture.shape[0] * SCALE / 2
    return tuple(picture[int((half - y) / SCALE), int((x + half) / SCALE)].tolist())


@pytest.mark.parametrize("turns", range(4))
def test_each_arm_has_its_lines_for_right_hand_traffic(turns):
    # Turned so that the arm looked at is the southern one.
    picture = np.rot90(draw_floor(floor(), SCALE), -turns)
    assert colour(picture, 0.0, -1.5) == RED
    assert colour(picture, -0.6, -1.5) == colour(picture, 0.6, -1.5) == BLACK
    assert colour(picture, 0.3, -1.5) == colour(picture, -0.3, -1.5) == FLOOR
    # Who comes drives on the right, and only there is a line to stop at.
    assert colour(picture, 0.3, -0.7) == GREEN
    assert colour(picture, -0.3, -0.7) == FLOOR
    assert colour(picture, 0.0, 0.0) == colour(picture, 0.0, -0.55) == FLOOR


def test_a_t_has_a_line_where_its_arm_is_missing():
    picture = draw_floor(floor(3), SCALE)
    assert colour(picture, 0.0, 1.5) == colour(picture, 0.6, 1.5) == FLOOR
    for x in (-1.5, -0.6, 0.0, 0.6, 1.5):
        assert colour(picture, x, 0.6) == BLACK
    assert colour(picture, -1.5, 0.0) == colour(picture, 1.5, 0.0) == colour(picture, 0.0, -1.5) == RED


@settings(max_examples=10, deadline=None)
@given(st.sampled_from([3, 4]), st.floats(0.55, 1.0))
def test_waiting_robots_are_in_mid_lane_before_their_line(approaches, lane_width):
    ground = floor(approaches, lane_width)
    by_colour = {ink: shapely.union_all([shapely.Polygon(s.corners) for s in ground.stripes if s.colour == ink])
                 for ink in (RED, BLACK, GREEN)}  # fmt: skip
    parameters = ground.crossing
    for movement in movements(ground):
        pose = movement.path.pose(0.0)
        place = shapely.Point(pose.x, pose.y)
        aside = lane_width / 2 - ground.parameters.line_width / 2
        assert place.distance(by_colour[RED]) == pytest.approx(aside, abs=1e-6)
        assert place.distance(by_colour[BLACK]) == pytest.approx(aside, abs=1e-6)
        ahead = parameters.stop_gap + parameters.robot_radius - ground.parameters.stop_width / 2
        assert place.distance(by_colour[GREEN]) == pytest.approx(ahead, abs=1e-6)


@pytest.mark.parametrize("approaches", [3, 4])
def test_walls_stand_behind_the_lines_and_clear_of_every_path(approaches):
    ground = floor(approaches)
    lines = shapely.union_all([shapely.Polygon(stripe.corners) for stripe in ground.stripes])
    names = [wall.name for wall in ground.walls]
    assert len(set(names)) == len(names) == (8 if approaches == 4 else 7)
    for wall in ground.walls:
        body = shapely.LineString([wall.start, wall.end]).buffer(ground.parameters.wall_thickness / 2, cap_style="flat")
        assert body.distance(lines) == pytest.approx(ground.parameters.wall_gap, abs=1e-6)
        for movement in movements(ground):
            clear = body.distance(movement.path.line()) - ground.crossing.robot_radius
            assert clear > ground.crossing.margin


@pytest.mark.parametrize("approaches", [3, 4])
def test_markers_face_those_who_come_and_hang_above_the_walls(approaches):
    ground = floor(approaches)
    assert [marker.lane for marker in ground.markers] == list(CrossingPlan(ground.crossing).lanes)
    assert len({(round(m.pose.x, 3), round(m.pose.y, 3)) for m in ground.markers}) == approaches
    for marker in ground.markers:
        waiting = next(m for m in movements(ground) if m.lane == marker.lane).path.pose(-1.5)
        seen = waiting.relative(marker.pose)
        assert seen.x > 2.0
        assert seen.y > 0.0
        assert abs(seen.yaw) == pytest.approx(math.pi)
        assert marker.height - marker.size / 2 > ground.parameters.wall_height
    assert ground.markers[0].number == 0
    assert ground.markers[0].lane == LaneKey(Approach.SOUTH)


def test_arms_that_end_too_early_are_refused():
    with pytest.raises(ConfigError, match="size"):
        CrossingFloor(CrossingParameters(size=0.7))


def test_edges_are_smooth_and_the_picture_turns_into_itself():
    picture = draw_floor(floor(), 0.007)
    assert np.abs(np.rot90(picture).astype(int) - picture).max() <= 1
    # Ink is neither lost nor gained where a line ends within a pixel.
    ink = (np.array(FLOOR[:2]).sum() - picture[..., :2].astype(float).sum(axis=2)) / (
        np.array(FLOOR[:2]).sum() - np.array(BLACK[:2]).sum()
    )
    row = ink[picture.shape[0] // 8]
    black = row[: int(len(row) * 0.45)].sum() * 0.007
    assert black == pytest.approx(FloorParameters().line_width, abs=0.001)


@pytest.mark.parametrize("scale", [0.0, -0.01, 1e-5, 100.0, math.nan])
def test_absurd_scales_are_refused(scale):
    with pytest.raises(ValueError, match="does not fit"):
        draw_floor(floor(), scale)


def test_markers_have_a_white_rim_and_differ():
    pictures = [draw_marker(number, 60) for number in range(4)]
    assert all(picture.shape == (70, 70, 3) for picture in pictures)
    assert all((picture[:5] == 255).all() and (picture[5:10, 5:65] == 0).all() for picture in pictures)
    assert len({picture.tobytes() for picture in pictures}) == 4
