"""Aiming ahead, and when a shot is likely to hit."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.control.aiming import aim_at, hit_probability, moved
from arena_trees.control.target_filter import TargetEstimate
from arena_trees.control.turret_history import TurretHistory
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D, wrap
from arena_trees.robot.turret import TurretRates
from arena_trees.sensors.turret.sensor import TurretState

EXACT = (1e-4, 0.0, 0.0, 0.0, 1e-4, 0.0, 0.0, 1e-4, 0.0, 1e-4)


def target(x: float, y: float, vx: float = 0.0, vy: float = 0.0) -> TargetEstimate:
    """Return a target that is known to a centimetre."""
    return TargetEstimate(0, x, y, vx, vy, EXACT)


@given(
    st.floats(-2.0, 2.0), st.floats(-2.0, 2.0), st.floats(-0.5, 0.5), st.floats(-0.5, 0.5),
    st.floats(-3.0, 3.0), st.floats(-1.0, 1.0), st.floats(-2.0, 2.0), st.floats(-0.1, 0.2),
)  # fmt: skip
def test_rates_of_the_line_of_sight_are_its_derivatives(x, y, vx, vy, yaw, linear, angular, barrel_x):
    x = x + math.copysign(1.0, x)
    pose, twist, dt = Pose2D(0.0, 0.0, yaw), Twist2D(linear, angular), 1e-6
    now = aim_at(target(x, y, vx, vy), 0.3, pose, twist, barrel_x)
    later = aim_at(target(x + vx * dt, y + vy * dt, vx, vy), 0.3, moved(pose, twist, dt), twist, barrel_x)
    assert wrap(later.azimuth - now.azimuth) / dt == pytest.approx(now.azimuth_rate, abs=1e-3)
    assert (later.elevation - now.elevation) / dt == pytest.approx(now.elevation_rate, abs=1e-3)


def test_an_arc_is_exact_and_deviations_are_seen_from_the_barrel():
    end = moved(Pose2D(0.0, 0.0, 0.0), Twist2D(math.pi / 2.0, math.pi / 2.0), 1.0)
    assert (end.x, end.y, end.yaw) == pytest.approx((1.0, 1.0, math.pi / 2.0))
    assert moved(Pose2D(1.0, 2.0, 0.0), Twist2D(0.5, 0.0), 2.0) == Pose2D(2.0, 2.0, 0.0)
    wide = TargetEstimate(0, 2.0, 0.0, 0.0, 0.0, (0.04, 0.0, 0.0, 0.0, 0.0001, 0.0, 0.0, 1.0, 0.0, 1.0))
    aim = aim_at(wide, 0.0, Pose2D(), ZERO)
    assert aim.distance_sigma == pytest.approx(0.2)
    assert aim.azimuth_sigma == pytest.approx(0.005)


@given(st.floats(-0.05, 0.05), st.floats(0.0, 0.05), st.floats(0.5, 5.0), st.floats(1e-4, 0.05), st.floats(1e-3, 0.5))
def test_a_probability_is_one_and_falls_with_the_error(azimuth, elevation, distance, sigma, range_sigma):
    tolerance = math.radians(1.0)
    chance = hit_probability(azimuth, elevation, distance, sigma, range_sigma, tolerance, 3.0)
    assert 0.0 <= chance <= 1.0
    assert chance == pytest.approx(hit_probability(-azimuth, -elevation, distance, sigma, range_sigma, tolerance, 3.0))
    further = math.copysign(abs(azimuth) + 0.01, azimuth)
    assert hit_probability(further, elevation, distance, sigma, range_sigma, tolerance, 3.0) <= chance + 1e-12


def test_a_shot_is_sure_within_the_cone_and_hopeless_beyond_the_reach():
    tolerance = math.radians(1.0)
    assert hit_probability(0.0, 0.0, 2.0, 0.002, 0.05, tolerance, 3.0) > 0.999
    assert hit_probability(0.0, 0.0, 3.0, 0.002, 0.05, tolerance, 3.0) == pytest.approx(0.5, abs=1e-6)
    assert hit_probability(0.0, 0.0, 3.2, 0.002, 0.05, tolerance, 3.0) < 1e-3
    assert hit_probability(0.0, 0.02, 2.0, 0.002, 0.05, tolerance, 3.0) == 0.0


@pytest.mark.parametrize("speed", [-0.2, 0.0, 0.2])
def test_the_law_holds_a_crossing_target_on_the_barrel(speed):
    """A base that follows its commands after two ticks, as a Create 3 does, and the law of the leaf."""
    dt, lead, gain = 0.02, 0.04, 8.0
    pose, waiting, rate, errors = Pose2D(0.0, 0.0, 0.3), [0.0, 0.0], 0.0, []
    for k in range(400):
        t = k * dt
        seen = target(2.0, speed * t, 0.0, speed)
        ahead = moved(pose, Twist2D(0.0, rate), lead)
        aim = aim_at(target(2.0, speed * (t + lead), 0.0, speed), 0.0, ahead, ZERO)
        waiting.append(aim.azimuth_rate + gain * wrap(aim.azimuth - ahead.yaw))
        wanted = waiting.pop(0)
        rate += max(-0.15, min(0.15, wanted - rate))
        errors.append(wrap(pose.yaw - math.atan2(seen.y, seen.x)))
        pose = moved(pose, Twist2D(0.0, rate), dt)
    assert max(map(abs, errors[150:])) < math.radians(0.05)


def test_a_turret_is_known_between_its_messages_and_after_them():
    history = TurretHistory()
    assert history.at(0) is None
    history.add(TurretState(100, 100, 1, 3.1, 0.0, TurretRates(0.0, 0.0)))
    history.add(TurretState(200, 200, 2, -3.1, 0.2, TurretRates(1.0, 0.5)))
    history.add(TurretState(150, 150, 3, 0.0, 0.0))
    yaw, pitch = history.at(150) or (0.0, 0.0)
    assert abs(yaw) == pytest.approx(math.pi) and pitch == pytest.approx(0.1)
    assert history.at(0) == pytest.approx((3.1, 0.0))
    later = history.at(200 + 100_000_000)
    assert later == pytest.approx((wrap(-3.1 + 0.1), 0.25))
