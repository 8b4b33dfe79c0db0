"""What a judge leaves for pictures: it is checked when it is made."""

import math

import pytest

from arena_trees.games.figures import Chart, Curve, Mark, VerticalLine


def test_numbers_are_kept_as_floats():
    assert Curve("a", (0, 1), [2, 3]) == Curve("a", (0.0, 1.0), (2.0, 3.0))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Mark(math.nan, 0.0, 0.0, "a"),
        lambda: Mark(0.0, math.inf, 0.0, "a"),
        lambda: VerticalLine(math.nan),
        lambda: Curve("a", (math.nan,), (0.0,)),
        lambda: Curve("a", (0.0,), (math.inf,)),
        lambda: Chart("a", "x", "y", (Curve("a", (0.0, 1.0), (0.0,)),)),
        lambda: Chart("a", "x", "y", (Curve("a", (0.0,), (0.0,)),), style="share"),
        lambda: Chart("a", "x", "y", (), style="pie"),
    ],
)
def test_what_cannot_be_drawn_is_refused(make):
    with pytest.raises(ValueError):
        make()


def test_a_curve_may_be_broken_and_a_share_has_values_alone():
    Chart("a", "x", "y", (Curve("a", (0.0, 1.0), (0.0, math.nan)),))
    Chart("a", "x", "y", (Curve("a", (0.0, 1.0)),), style="share")
