"""The pixel tracker against a plain matrix Kalman filter, and against real pinhole geometry."""

import math
from dataclasses import replace

import numpy as np
import pytest

from arena_trees.control.pixel_tracker import PixelTracker, TrackerNoise
from arena_trees.control.sign_range import Camera

NOISE = TrackerNoise(50.0, 2500.0, 25.0, 1e4, gate_sigma=4.0, gate_misses=3)
WIDTH = 250
CAMERA = Camera(math.radians(42.0), -0.06, 0.244)


class MatrixFilter:
    """The textbook's constant-velocity Kalman filter with a control input on the column."""

    def __init__(self, px: float, variance: float) -> None:
        self.state = np.array([px, 0.0])
        self.covariance = np.diag([variance, NOISE.initial_velocity])

    def predict(self, dt: float, turned: float) -> None:
        move = np.array([[1.0, dt], [0.0, 1.0]])
        self.state = move @ self.state + np.array([turned, 0.0])
        noise = np.diag([NOISE.process_px, NOISE.process_velocity]) * dt
        self.covariance = move @ self.covariance @ move.T + noise

    def update(self, px: float, variance: float) -> None:
        observe = np.array([[1.0, 0.0]])
        gain = self.covariance @ observe.T / (observe @ self.covariance @ observe.T + variance)
        self.state = self.state + (gain * (px - self.state[0])).ravel()
        self.covariance = (np.eye(2) - gain @ observe) @ self.covariance


def test_it_is_the_textbooks_filter() -> None:
    rng = np.random.default_rng(5)
    tracker = PixelTracker()
    tracker.update(100.0, 0.8, NOISE)
    reference = MatrixFilter(100.0, 25.0 / 0.8**2)
    for k in range(200):
        dt, turned = float(rng.uniform(0.0, 0.1)), float(rng.normal(0.0, 2.0))
        tracker.predict(dt, turned, NOISE)
        reference.predict(dt, turned)
        if k % 3 == 0:
            px, confidence = float(reference.state[0] + rng.normal(0.0, 5.0)), float(rng.uniform(0.3, 1.0))
            assert tracker.update(px, confidence, NOISE)
            reference.update(px, 25.0 / confidence**2)
        assert (tracker.px, tracker.velocity) == pytest.approx(tuple(reference.state), rel=1e-9)
        assert tracker.variance == pytest.approx(reference.covariance[0, 0], rel=1e-9)
    assert reference.covariance[0, 0] > 0.0


@pytest.mark.parametrize("turn", [0.3, -0.3])
def test_a_standing_target_moves_against_the_robots_turn(turn: float) -> None:
    """A robot that turns left (positive yaw rate) sees a standing target move right."""
    x, y = 2.0, 0.0
    focal = CAMERA.focal_px(WIDTH)

    def column(yaw: float) -> float:
        ahead, left = math.cos(yaw) * x + math.sin(yaw) * y, -math.sin(yaw) * x + math.cos(yaw) * y
        return WIDTH / 2.0 - focal * left / ahead

    assert (column(0.1) > column(0.0)) and (column(-0.1) < column(0.0))
    tracker, dt = PixelTracker(), 1.0 / 30.0
    tracker.update(column(0.0), 1.0, NOISE)
    for k in range(1, 21):
        yaw = turn * k * dt
        tracker.predict(dt, turn * dt * focal, NOISE)
        # The prediction alone is right already: own rotation is no velocity of the target.
        assert tracker.px == pytest.approx(column(yaw), abs=1.5)
        tracker.update(column(yaw), 1.0, NOISE)
    assert abs(tracker.velocity) < 6.0


def test_a_moving_target_is_led() -> None:
    tracker = PixelTracker()
    tracker.update(50.0, 1.0, NOISE)
    for k in range(1, 40):
        tracker.predict(0.05, 0.0, NOISE)
        tracker.update(50.0 + 40.0 * 0.05 * k, 1.0, NOISE)
    assert tracker.velocity == pytest.approx(40.0, abs=1.0)
    before = tracker.px
    assert tracker.look_ahead(0.15) == pytest.approx(before + 6.0, abs=0.3)
    assert tracker.look_ahead(0.15, -4.0) == pytest.approx(before + 2.0, abs=0.3)
    assert tracker.px == before


def started() -> PixelTracker:
    tracker = PixelTracker()
    tracker.update(100.0, 1.0, replace(NOISE, initial_velocity=1.0))
    return tracker


def test_an_outlier_changes_nothing() -> None:
    tracker = started()
    edge = NOISE.gate_sigma * math.sqrt(tracker.variance + NOISE.measurement)
    before = (tracker.px, tracker.velocity, tracker.variance)
    assert not tracker.update(100.0 + 1.01 * edge, 1.0, NOISE)
    assert (tracker.px, tracker.velocity, tracker.variance) == before
    assert tracker.update(100.0 + 0.99 * edge, 1.0, NOISE)


def test_outliers_in_a_row_start_the_filter_anew() -> None:
    tracker = started()
    assert [tracker.update(220.0, 1.0, NOISE) for _ in range(4)] == [False, False, False, True]
    assert (tracker.px, tracker.velocity) == (220.0, 0.0)
    assert tracker.variance == NOISE.measurement


def test_a_good_measurement_between_outliers_keeps_the_filter() -> None:
    tracker = started()
    for _ in range(5):
        assert not tracker.update(220.0, 1.0, NOISE)
        assert not tracker.update(220.0, 1.0, NOISE)
        assert tracker.update(100.0, 1.0, NOISE)
    assert tracker.px == pytest.approx(100.0)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused(value: float) -> None:
    tracker = started()
    before = (tracker.px, tracker.velocity, tracker.variance)
    for call in (
        lambda: tracker.update(value, 1.0, NOISE),
        lambda: tracker.update(100.0, value, NOISE),
        lambda: tracker.predict(value, 0.0, NOISE),
        lambda: tracker.predict(0.1, value, NOISE),
    ):
        with pytest.raises(ValueError, match="tracker"):
            call()
    assert (tracker.px, tracker.velocity, tracker.variance) == before


@pytest.mark.parametrize("confidence", [0.0, -0.5, 1.01])
def test_a_confidence_is_a_share(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        PixelTracker().update(1.0, confidence, NOISE)
    with pytest.raises(ValueError, match="dt"):
        PixelTracker().predict(-0.1, 0.0, NOISE)


def test_a_reset_forgets_the_target() -> None:
    tracker = started()
    tracker.update(220.0, 1.0, NOISE)
    tracker.reset()
    assert not tracker.started
    assert tracker.update(10.0, 1.0, NOISE)
    assert tracker.px == 10.0
