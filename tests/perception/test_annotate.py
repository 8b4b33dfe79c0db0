"""The annotated picture: what is drawn, where and in which colour."""

import math

import numpy as np
import pytest

from arena_trees.perception.spheres.annotate import annotate
from arena_trees.robot.circles import Circle

GREY = np.full((360, 640, 3), 100, np.uint8)
GREEN, RED, YELLOW = (40, 220, 60), (235, 40, 40), (255, 220, 0)


def near(drawn, colour):
    return (np.abs(drawn.astype(int) - colour) < 40).all(axis=2)


def test_an_image_with_nothing_stays_and_is_another_and_a_small_one_is_made_larger():
    drawn = annotate(GREY)
    assert np.array_equal(drawn, GREY)
    drawn[:] = 0
    assert GREY.min() == 100
    assert annotate(np.zeros((250, 250, 3), np.uint8)).shape == (500, 500, 3)


def test_circle_points_and_barrel_have_their_colours_and_places():
    drawn = annotate(GREY, Circle(200.0, 150.0, 40.0), (320.0, 196.0))
    rows, columns = np.nonzero(near(drawn, GREEN))
    assert np.hypot(columns + 0.5 - 200.0, rows + 0.5 - 150.0) == pytest.approx(40.0, abs=2.0)
    assert (columns.min(), columns.max()) != (0, 0)
    for x in (160, 200, 240):
        assert near(drawn, RED)[148:152, x - 2 : x + 2].any()
    rows, columns = np.nonzero(near(drawn, YELLOW))
    assert (columns.mean() + 0.5, rows.mean() + 0.5) == pytest.approx((320.0, 196.0), abs=0.6)


def test_text_is_at_the_right_above_and_below():
    state, distance = annotate(GREY, state="Tracking"), annotate(GREY, distance=2.5, error=-0.1)
    rows, columns = np.nonzero((state != 100).any(axis=2))
    assert rows.max() < 60
    assert columns.min() > 400
    rows, columns = np.nonzero((distance != 100).any(axis=2))
    assert rows.min() > 300
    assert columns.min() > 400


@pytest.mark.parametrize("radius", [0.1, 1e3, 1e6])
@pytest.mark.parametrize("place", [(-1e7, 3.0), (5.0, 1e9), (320.0, 180.0)])
def test_what_is_far_outside_is_no_fault(radius, place):
    drawn = annotate(GREY, Circle(*place, radius), place, "Tracking", math.inf, math.nan)
    assert drawn.shape == GREY.shape
