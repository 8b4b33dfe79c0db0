"""Ranges that were written shorter come back as they were, and those of other sensors are left alone."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.recording.bags.ranges import restored

STEPS = np.arange(600, 48_000)
"""Of 0.25 mm: from 0.15 m to 12 m, as far as the arena's LiDAR measures."""


def test_every_range_of_the_arenas_lidar_comes_back():
    ranges = np.append(STEPS * 0.00025, np.inf).astype(np.float32)
    short = np.rint(ranges * np.float32(4096.0)) / np.float32(4096.0)
    assert np.array_equal(restored(short), ranges)
    assert np.array_equal(restored(ranges), ranges)


@given(st.lists(st.floats(0.0, 40.0, width=32), min_size=1, max_size=8))
def test_ranges_of_other_sensors_hardly_move(values: list[float]):
    ranges = np.array(values, dtype=np.float32)
    read = restored(ranges)
    assert np.array_equal(read, ranges) or (ranges * 4096.0 == np.rint(ranges * 4096.0)).all()
    assert abs(read - ranges).max() <= 0.000125


def test_no_number_is_no_number():
    ranges = np.array([1.0, np.nan, 0.00025], dtype=np.float32)
    assert np.array_equal(restored(ranges), ranges, equal_nan=True)
