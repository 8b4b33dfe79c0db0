"""Touch between samples, against many samples in between."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.games.pacman.arcade.sweep import first_touch

POINT = st.tuples(st.floats(-2.0, 2.0), st.floats(-2.0, 2.0))


def test_passing_by_between_two_samples_and_being_there_at_one_of_them_is_a_touch():
    assert first_touch((-1.0, 0.2), (1.0, 0.2), 0.25) == pytest.approx((1.0 - 0.15) / 2.0)
    assert first_touch((-1.0, 0.26), (1.0, 0.26), 0.25) is None
    assert first_touch((0.25, 0.0), (3.0, 0.0), 0.25) == 0.0
    assert first_touch((1.0, 0.0), (0.25, 0.0), 0.25) == pytest.approx(1.0)
    assert first_touch((1.0, 0.0), (1.0, 0.0), 0.25) is None
    assert first_touch((0.1, 0.0), (0.1, 0.0), 0.25) == 0.0


@given(before=POINT, after=POINT, radius=st.floats(0.05, 1.0))
def test_it_agrees_with_samples(before: tuple[float, float], after: tuple[float, float], radius: float) -> None:
    shares = np.linspace(0.0, 1.0, 1001)
    x, y = (b + shares * (a - b) for b, a in zip(before, after, strict=True))
    gaps = np.hypot(x, y)
    share = first_touch(before, after, radius)
    if share is None:
        assert gaps.min() > radius - 1e-9
    else:
        at = [b + share * (a - b) for b, a in zip(before, after, strict=True)]
        assert math.hypot(*at) <= radius + 1e-6
        assert (gaps[shares < share - 1e-9] > radius - 1e-9).all()
