"""PID: the Wolf and Rabbit report's formula by hand, anti-windup, filter, finite checks."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.control.pid import Pid, PidGains, clamp

GAINS = PidGains(kp=2.0, ki=0.5, kd=0.1, derivative_alpha=0.6, integral_limit=1.0, output_limit=10.0)


def test_three_steps_by_hand() -> None:
    pid = Pid()
    # No derivative at first; the integral takes the first error already when dt is known.
    assert pid.update(1.0, 0.0, GAINS) == pytest.approx(2.0)
    # P 2*1; I 0.5*(1*0.1); D: no last error was taken while dt was 0.
    assert pid.update(1.0, 0.1, GAINS) == pytest.approx(2.0 + 0.5 * 0.1)
    # P 2*0.6; I 0.5*(0.1+0.06); D raw -4, filtered 0.6*-4.
    assert pid.update(0.6, 0.1, GAINS) == pytest.approx(1.2 + 0.5 * 0.16 + 0.1 * -2.4)
    # D raw 2, filtered -2.4 + 0.6*(2+2.4).
    assert pid.update(0.8, 0.1, GAINS) == pytest.approx(1.6 + 0.5 * 0.24 + 0.1 * 0.24)


def test_alpha_one_is_the_plain_derivative() -> None:
    gains = replace(GAINS, kp=0.0, ki=0.0, kd=1.0, derivative_alpha=1.0)
    pid = Pid()
    pid.update(0.0, 0.02, gains)
    assert pid.update(0.1, 0.02, gains) == pytest.approx(5.0)
    assert pid.update(0.1, 0.02, gains) == pytest.approx(0.0)


def test_the_raw_derivative_stops_at_its_limit() -> None:
    gains = replace(GAINS, kp=0.0, ki=0.0, kd=1.0, derivative_alpha=1.0, derivative_limit=2.0)
    pid = Pid()
    pid.update(0.0, 0.02, gains)
    assert pid.update(-0.1, 0.02, gains) == pytest.approx(-2.0)
    assert pid.update(-0.08, 0.02, gains) == pytest.approx(1.0)


def test_the_integral_stops_at_its_limit() -> None:
    gains = replace(GAINS, kp=0.0, kd=0.0, ki=1.0)
    pid = Pid()
    for _ in range(500):
        pid.update(1.0, 0.02, gains)
    assert pid.integral == 1.0


def test_a_saturated_output_does_not_wind_the_integral_up() -> None:
    gains = replace(GAINS, kp=1.0, ki=5.0, kd=0.0, integral_limit=100.0, output_limit=1.0)
    pid = Pid()
    for _ in range(500):
        assert pid.update(3.0, 0.02, gains) == 1.0
    assert pid.integral == 0.0
    # So the output follows at once when the error changes its sign.
    assert pid.update(-0.5, 0.02, gains) == pytest.approx(-0.5 - 5.0 * 0.01)


def test_a_saturated_integral_may_unwind() -> None:
    gains = replace(GAINS, kp=0.0, ki=10.0, kd=0.0, output_limit=1.0)
    pid = Pid()
    pid.integral = 1.0
    assert pid.update(-1.0, 0.02, gains) == 1.0
    assert pid.integral == pytest.approx(0.98)


@pytest.mark.parametrize("dt", [0.0, -0.1])
def test_time_that_does_not_pass_changes_nothing(dt: float) -> None:
    pid = Pid()
    pid.update(1.0, 0.1, GAINS)
    before = (pid.integral, pid.derivative)
    pid.update(5.0, dt, GAINS)
    assert (pid.integral, pid.derivative) == before


def test_a_reset_forgets() -> None:
    pid = Pid()
    first = [pid.update(error, 0.1, GAINS) for error in (1.0, 0.5, -0.2)]
    pid.reset()
    assert [pid.update(error, 0.1, GAINS) for error in (1.0, 0.5, -0.2)] == first


@pytest.mark.parametrize("error", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused_and_leaves_no_trace(error: float) -> None:
    pid = Pid()
    pid.update(1.0, 0.1, GAINS)
    before = (pid.integral, pid.derivative)
    with pytest.raises(ValueError, match="PID got"):
        pid.update(error, 0.1, GAINS)
    with pytest.raises(ValueError, match="PID got"):
        pid.update(1.0, error, GAINS)
    assert (pid.integral, pid.derivative) == before


def test_clamp_does_not_let_nan_through_as_full_speed() -> None:
    assert [clamp(value, 2.0) for value in (-3.0, -1.0, 3.0, math.inf)] == [-2.0, -1.0, 2.0, 2.0]
    with pytest.raises(ValueError, match="NaN"):
        clamp(math.nan, 2.0)


finite = st.floats(-1e6, 1e6)
gain = st.floats(0.0, 1e3)


@given(
    st.lists(st.tuples(finite, st.floats(-1.0, 10.0)), max_size=30),
    st.builds(PidGains, gain, gain, gain, st.floats(0.01, 1.0), gain, st.floats(0.0, 1e3)),
)
def test_the_output_stays_within_its_limit(steps: list[tuple[float, float]], gains: PidGains) -> None:
    pid = Pid()
    for error, dt in steps:
        # A derivative over a subnormal dt is infinite; no clock is that fine.
        output = pid.update(error, dt if dt <= 0.0 or dt > 1e-9 else 1e-9, gains)
        assert abs(output) <= gains.output_limit
        assert abs(pid.integral) <= gains.integral_limit
