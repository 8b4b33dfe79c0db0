"""The filter of a moving target, and the tracker above it."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_trees.control.target_filter import Sighting, TargetFilter
from arena_trees.control.target_tracker import TargetTracker, TrackRules

FRAME = 33_000_000
RULES = TrackRules()


def sighting(stamp: int, x: float, y: float, camera=(0.0, 0.0), azimuth_sigma=0.004, range_sigma=0.05) -> Sighting:
    """Return what a camera that errs nowhere sees of a point."""
    dx, dy = x - camera[0], y - camera[1]
    return Sighting(stamp, *camera, math.atan2(dy, dx), math.hypot(dx, dy), azimuth_sigma, range_sigma)


def test_it_finds_place_and_velocity_from_a_moving_camera():
    start = sighting(0, 3.0, 1.0)
    found = TargetFilter(start, 0.2, 0.3)
    for k in range(1, 91):
        t = k * 0.033
        found.update(sighting(k * FRAME, 3.0 - 0.1 * t, 1.0 + 0.15 * t, (0.2 * t, 0.0)))
    estimate = found.at(90 * FRAME + 150_000_000)
    t = 90 * 0.033 + 0.15
    assert math.hypot(estimate.x - (3.0 - 0.1 * t), estimate.y - (1.0 + 0.15 * t)) < 0.01
    assert (estimate.vx, estimate.vy) == pytest.approx((-0.1, 0.15), abs=0.01)


def test_its_deviations_are_those_of_its_errors():
    """Normalised squared errors over many runs have the mean of their degrees of freedom."""
    rng, squared, acceleration, step, lasts = np.random.default_rng(7), [], 0.9, 0.033, 0.5
    for _ in range(150):
        place, speed, force, changes = np.array([3.0, 0.5]), rng.normal(0.0, 0.2, 2), np.zeros(2), False

        def seen(stamp: int) -> Sighting:
            exact = sighting(stamp, *place, azimuth_sigma=0.01, range_sigma=0.1)  # noqa: B023
            azimuth, distance = exact.azimuth + rng.normal(0.0, 0.01), exact.range + rng.normal(0.0, 0.1)
            return replace(exact, azimuth=azimuth, range=distance)

        found = TargetFilter(seen(0), acceleration, 0.2)
        for k in range(1, 31):
            # It keeps its velocity for 1.2 s on average, and then changes it for 0.6 s.
            if rng.random() < step / (0.6 if changes else 1.2):
                changes = not changes
                force = rng.normal(0.0, acceleration / math.sqrt(2.0), 2)
            kept = math.exp(-step / lasts)
            force = kept * force + rng.normal(0.0, acceleration * math.sqrt((1.0 - kept**2) / 2.0), 2)
            place, speed = place + speed * step, speed + (force * step if changes else 0.0)
            found.update(seen(round(k * step * 1e9)))
        estimate = found.at(found.stamp)
        c = estimate.covariance
        covariance = np.array([[c[0], c[1]], [c[1], c[4]]])
        off = np.array([estimate.x - place[0], estimate.y - place[1]])
        squared.append(float(off @ np.linalg.inv(covariance) @ off))
    assert 1.5 < float(np.mean(squared)) < 2.7


def test_to_ask_where_a_target_is_changes_nothing():
    asked, left = (TargetFilter(sighting(0, 3.0, 1.0), 0.9, 0.3) for _ in range(2))
    for k in range(1, 20):
        seen = sighting(k * FRAME, 3.0 - 0.01 * k, 1.0 + 0.02 * k)
        before = asked.at(seen.stamp)
        assert asked.likelihood(seen) == asked.likelihood(seen)
        asked.update(seen)
        left.update(seen)
        assert asked.at(seen.stamp) == left.at(seen.stamp) != before
        assert asked.at(seen.stamp + FRAME) == left.at(seen.stamp + FRAME)


def test_it_follows_a_target_that_turns_back():
    """Half a second after it turned back, the filter says where it goes."""
    found = TargetFilter(sighting(0, 3.0, 0.0, range_sigma=0.02), 3.0, 1.0)
    for k in range(1, 61):
        t = k * 0.033
        y = 1.2 * t if t < 1.5 else 1.8 - 1.2 * (t - 1.5)
        found.update(sighting(k * FRAME, 3.0, y, range_sigma=0.02))
    estimate = found.at(60 * FRAME)
    assert estimate.vy == pytest.approx(-1.2, abs=0.15)
    assert estimate.y == pytest.approx(y, abs=0.02)


@given(
    st.lists(
        st.tuples(st.floats(-3.1, 3.1), st.floats(0.1, 10.0), st.floats(0.001, 0.5), st.floats(0.001, 3.0)),
        min_size=1,
        max_size=20,
    ),
    st.integers(0, 2_000_000_000),
)
@settings(max_examples=60, deadline=None)
def test_its_covariance_stays_symmetric_and_positive(seen, gap):
    found = TargetFilter(Sighting(0, 0.0, 0.0, 0.0, 2.0, 0.01, 0.1), 0.3, 0.2)
    for number, (azimuth, distance, azimuth_sigma, range_sigma) in enumerate(seen, 1):
        found.update(Sighting(number * gap, 0.1 * number, 0.0, azimuth, distance, azimuth_sigma, range_sigma))
    estimate = found.at(found.stamp + gap)
    matrix = np.zeros((4, 4))
    matrix[np.triu_indices(4)] = estimate.covariance
    matrix = matrix + np.triu(matrix, 1).T
    assert np.linalg.eigvalsh(matrix).min() > 0.0
    assert all(sigma > 0.0 for sigma in estimate.sigmas_from(0.0, 0.0))


@pytest.mark.parametrize("bad", [{"range": math.nan}, {"azimuth": math.inf}, {"range_sigma": 0.0}])
def test_what_makes_no_sense_is_refused(bad):
    with pytest.raises(ValueError, match=r"sighting|deviations"):
        TargetFilter(replace(sighting(0, 2.0, 0.0), **bad), 0.3, 0.2)


def test_it_refuses_to_go_back():
    found = TargetFilter(sighting(FRAME, 2.0, 0.0), 0.3, 0.2)
    with pytest.raises(ValueError, match="order"):
        found.update(sighting(0, 2.0, 0.0))


def in_view(estimate):
    return True


def test_a_target_is_believed_at_its_second_image():
    tracker = TargetTracker()
    tracker.take(0, [sighting(0, 5.0, 1.0)], in_view, RULES)
    assert not tracker.seen
    tracker.take(FRAME, [sighting(FRAME, 5.0, 1.0)], in_view, RULES)
    assert tracker.seen and tracker.at(FRAME) is not None


def test_single_false_circles_at_different_places_are_never_believed():
    tracker, rng = TargetTracker(), np.random.default_rng(3)
    for k in range(300):
        x, y = 1.0 + 6.0 * rng.random(), 4.0 * rng.random() - 2.0
        tracker.take(k * FRAME, [sighting(k * FRAME, x, y)] if rng.random() < 0.1 else [], in_view, RULES)
        assert not tracker.seen


def test_it_is_lost_after_images_that_should_have_shown_it():
    tracker = TargetTracker()
    for k in range(30):
        tracker.take(k * FRAME, [sighting(k * FRAME, 3.0, 0.0)], in_view, RULES)
    for missed in range(1, 10):
        tracker.take((29 + missed) * FRAME, [], in_view, RULES)
        if not tracker.seen:
            break
    assert 2 < missed <= 7


def test_out_of_view_it_is_carried_on_until_it_was_silent_too_long():
    tracker = TargetTracker()
    for k in range(30):
        tracker.take(k * FRAME, [sighting(k * FRAME, 3.0, 0.0)], in_view, RULES)
    kept = 0
    for k in range(30, 90):
        tracker.take(k * FRAME, [], lambda estimate: False, RULES)
        kept += tracker.seen
    assert kept * 0.033 == pytest.approx(RULES.silent_s, abs=0.05)


def test_a_target_stays_the_same_beside_a_false_circle():
    tracker = TargetTracker()
    for k in range(60):
        shown = [sighting(k * FRAME, 3.0, 0.1 * k * 0.033)]
        if k > 20:
            shown.insert(0, sighting(k * FRAME, 2.0, 0.8))
        tracker.take(k * FRAME, shown, in_view, RULES)
        assert k < 2 or tracker.number == 1
