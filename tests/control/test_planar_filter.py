"""The planar filter: what measurements and odometry do to a pose, and to how well it is known."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.control.pose_ekf import MotionNoise, PoseEkf
from arena_trees.robot.geometry import Pose2D, wrap

SMALL = st.floats(-0.3, 0.3)
MOVES = st.tuples(st.just("move"), SMALL, SMALL, st.floats(-1.0, 1.0))
NUMBERS = st.tuples(st.just("measure"), SMALL, st.floats(-math.pi, math.pi), st.floats(0.001, 1.0))
MATCHES = st.tuples(st.just("match"), SMALL, st.floats(-math.pi, math.pi), st.floats(0.0, 1e6))


def unit(angle: float) -> np.ndarray:
    return np.array([math.cos(angle), math.sin(angle), 0.0])


@given(st.lists(st.one_of(MOVES, NUMBERS, MATCHES), max_size=40))
def test_the_covariance_stays_symmetric_and_positive_and_measuring_never_makes_it_larger(steps):
    kept = PoseEkf(Pose2D(0.4, -0.2, 3.0), (0.1, 0.1, 0.1))
    for name, first, second, third in steps:
        before = kept.covariance
        if name == "move":
            kept.move(Pose2D(first, second, third))
            # The yaw is never better known for having moved; the place may be, about another one.
            assert kept.covariance[2, 2] >= before[2, 2]
        else:
            earlier = kept.pose.compose(Pose2D(-0.1, 0.05, 0.2))
            if name == "measure":
                kept.measure(first, unit(second), third, earlier)
            else:
                kept.match((first, -first, first), third * np.outer(unit(second), unit(second)), earlier)
            assert np.linalg.eigvalsh(before - kept.covariance).min() >= -1e-12
        covariance = kept.covariance
        assert (covariance == covariance.T).all()
        assert np.linalg.eigvalsh(covariance).min() > 0.0
        assert kept.pose.is_finite


@given(prior=st.floats(0.01, 1.0), sigma=st.floats(0.01, 1.0), residual=SMALL)
def test_one_number_is_weighed_by_the_variances(prior, sigma, residual):
    kept = PoseEkf(Pose2D(1.0, 2.0, 0.3), (prior, 0.2, 0.1))
    assert kept.measure(residual, (1.0, 0.0, 0.0), sigma)
    assert kept.pose.x == pytest.approx(1.0 + residual * prior**2 / (prior**2 + sigma**2))
    assert (kept.pose.y, kept.pose.yaw) == pytest.approx((2.0, 0.3))
    expected = np.diag([prior**2 * sigma**2 / (prior**2 + sigma**2), 0.04, 0.01])
    assert kept.covariance == pytest.approx(expected)


def test_a_match_is_the_same_as_its_numbers_one_by_one():
    rng = np.random.default_rng(1000)
    rows, residuals = rng.normal(0.0, 1.0, (5, 3)), rng.normal(0.0, 0.02, 5)
    one, other = (PoseEkf(Pose2D(), (0.1, 0.2, 0.3)) for _ in range(2))
    information = rows.T @ rows / 0.05**2
    # Numbers are linear in the pose here, so that the order does not matter.
    one.match(np.linalg.solve(information, rows.T @ residuals / 0.05**2), information)
    for row, residual in zip(rows, residuals, strict=True):
        other.measure(float(residual - row @ (other.pose.x, other.pose.y, other.pose.yaw)), row, 0.05)
    assert one.covariance == pytest.approx(other.covariance, abs=1e-12)
    assert (one.pose.x, one.pose.y, one.pose.yaw) == pytest.approx((other.pose.x, other.pose.y, other.pose.yaw))


def test_where_there_is_no_information_nothing_changes():
    kept = PoseEkf(Pose2D(), (0.1, 0.1, 0.1))
    kept.match((5.0, 0.02, 0.0), np.diag([0.0, 1e4, 0.0]))
    assert kept.pose.x == 0.0
    assert kept.pose.y == pytest.approx(0.02 * 100.0 / 101.0)
    assert kept.sigmas == pytest.approx((0.1, 0.1 / math.sqrt(101.0), 0.1))


def test_an_error_of_the_yaw_becomes_one_of_the_place_and_is_found_by_it():
    kept = PoseEkf(Pose2D(), (0.001, 0.001, 0.1), MotionNoise(1e-6, 1e-6, 1e-6, 1e-6))
    kept.move(Pose2D(1.0))
    along, across, yaw = kept.sigmas
    assert (along, across, yaw) == pytest.approx((0.001, 0.1, 0.1), rel=0.01)
    kept.measure(0.05, (0.0, 1.0, 0.0), 0.001)
    assert kept.pose.yaw == pytest.approx(0.05, rel=0.01)


def test_an_earlier_place_is_moved_by_the_yaw_of_now():
    """Seen from 2 m behind, the robot was 0.1 m aside: either it is turned, or it is aside; the yaw is unknown here."""
    kept = PoseEkf(Pose2D(), (0.001, 0.001, 0.1))
    kept.measure(0.1, (0.0, 1.0, 0.0), 0.001, Pose2D(-2.0))
    assert kept.pose.yaw == pytest.approx(-0.05, rel=0.01)
    assert kept.pose.y == pytest.approx(0.0, abs=1e-4)


def test_along_and_across_are_the_robots_and_the_yaw_is_wrapped():
    kept = PoseEkf(Pose2D(0.0, 0.0, math.pi / 2), (0.3, 0.1, 0.05))
    assert kept.sigmas == pytest.approx((0.1, 0.3, 0.05))
    kept = PoseEkf(Pose2D(0.0, 0.0, 3.1), (0.1, 0.1, 1.0))
    kept.measure(0.2, (0.0, 0.0, 1.0), 0.001)
    assert kept.pose.yaw == pytest.approx(wrap(3.3), abs=1e-3)


def test_the_gate_refuses_what_is_far_off_and_leaves_all_as_it_was():
    kept = PoseEkf(Pose2D(), (0.03, 0.03, 0.1))
    before = kept.covariance
    assert not kept.measure(0.2, (1.0, 0.0, 0.0), 0.04, gate=3.5)
    assert not kept.match((0.2, 0.0, 0.0), np.eye(3) / 0.04**2, gate=3.5)
    assert kept.pose == Pose2D()
    assert (kept.covariance == before).all()
    # 0.05 m is the standard deviation of the difference.
    assert kept.measure(0.17, (1.0, 0.0, 0.0), 0.04, gate=3.5)


def test_errors_are_as_large_as_the_covariance_says():
    noise, total, runs = MotionNoise(0.02, 0.01, 0.02, 0.03), 0.0, 300
    for seed in range(1000, 1000 + runs):
        rng = np.random.default_rng(seed)
        truth = Pose2D(0.05 * rng.standard_normal(), 0.05 * rng.standard_normal(), 0.05 * rng.standard_normal())
        kept = PoseEkf(Pose2D(), (0.05, 0.05, 0.05), noise)
        for step in range(60):
            reported = Pose2D(0.05, 0.0, 0.04)
            driven, turned = math.hypot(reported.x, reported.y), abs(reported.yaw)
            along, across, yaw = rng.standard_normal(3).tolist()
            yaw *= math.sqrt(noise.yaw_driven**2 * driven + noise.yaw_turned**2 * turned)
            driven = math.sqrt(driven)
            truth = truth.compose(
                Pose2D(reported.x + noise.along * driven * along, noise.across * driven * across, reported.yaw + yaw)
            )
            kept.move(reported)
            if step % 10 == 9:
                kept.measure(truth.x + 0.02 * rng.standard_normal() - kept.pose.x, (1.0, 0.0, 0.0), 0.02)
        off = np.array([truth.x - kept.pose.x, truth.y - kept.pose.y, wrap(truth.yaw - kept.pose.yaw)])
        total += float(off @ np.linalg.solve(kept.covariance, off))
    # Chi squared with three degrees of freedom: its mean over 300 runs is 3 within 0.14 (standard deviation).
    assert total / runs == pytest.approx(3.0, abs=0.45)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_no_number_is_refused(bad):
    kept = PoseEkf(Pose2D(), (0.1, 0.1, 0.1))
    for call in (
        lambda: PoseEkf(Pose2D(bad), (0.1, 0.1, 0.1)),
        lambda: PoseEkf(Pose2D(), (0.1, bad, 0.1)),
        lambda: kept.move(Pose2D(bad)),
        lambda: kept.widen(bad, 0.0),
        lambda: kept.measure(bad, (1.0, 0.0, 0.0), 0.1),
        lambda: kept.measure(0.0, (1.0, bad, 0.0), 0.1),
        lambda: kept.match((0.0, 0.0, 0.0), np.full((3, 3), bad)),
    ):
        with pytest.raises(ValueError, match=r"finite|deviations"):
            call()


def test_what_cannot_be_measured_is_refused():
    kept = PoseEkf(Pose2D(), (0.1, 0.1, 0.1))
    with pytest.raises(ValueError, match="above 0"):
        kept.measure(0.0, (1.0, 0.0, 0.0), 0.0)
    with pytest.raises(ValueError, match="change with the pose"):
        kept.measure(0.0, (0.0, 0.0, 0.0), 0.1)
    with pytest.raises(ValueError, match="above 0"):
        PoseEkf(Pose2D(), (0.1, 0.0, 0.1))
