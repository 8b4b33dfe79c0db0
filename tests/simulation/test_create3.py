"""The base: limits, watchdog, backup limit and bump reflex."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_world import room, run, wolf

from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.timing import TICK
from arena_trees.simulation.physics.arena import Arena
from arena_trees.simulation.physics.create3 import BaseParameters, Create3


def wheels(speed, rate):
    return speed - rate * 0.1165, speed + rate * 0.1165


def drive(base, twist, ticks, *, start=0, speed=0.0, bumped=False):
    """Command the base in every tick; return what it drives in each."""
    driven = []
    for tick in range(start, start + ticks):
        base.command(twist, tick * TICK)
        driven.append(base.step(tick * TICK, speed, bumped))
    return driven


@pytest.mark.parametrize("difference", [-0.02, 0.02])
def test_wheels_that_differ_make_an_arc_of_a_straight_line(difference):
    base = Create3(BaseParameters(wheel_difference=difference))
    speed, rate = drive(base, Twist2D(0.2, 0.0), 50)[-1]
    assert speed == pytest.approx(0.2)
    assert rate == pytest.approx(-0.2 * difference / 0.233)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_battery_that_sags_takes_the_top_off_each_wheels_speed(sign):
    def driven(sag, *twist):
        base = Create3(BaseParameters(speed_sag=sag, backup_limited=False))
        return drive(base, Twist2D(*twist), 100)[-1]

    assert driven(0.2, sign * 0.306, 0.0) == pytest.approx((sign * 0.8 * 0.306, 0.0))
    # Only the outer wheel wants more than there is.
    speed, rate = driven(0.2, sign * 0.2, 0.9)
    slow, fast = sorted(wheels(0.2, 0.9))
    assert sorted(abs(wheel) for wheel in wheels(speed, rate)) == pytest.approx([slow, min(fast, 0.8 * 0.306)])
    assert abs(rate) < 0.9
    assert driven(0.2, sign * 0.2, 0.1) == driven(0.0, sign * 0.2, 0.1), "a command below the limit is not touched"


def test_the_sag_is_of_the_bodys_own_limit_and_its_reflex_too():
    base = Create3(BaseParameters(max_linear=0.1, speed_sag=0.5))
    assert drive(base, Twist2D(1.0, 0.0), 50)[-1] == pytest.approx((0.05, 0.0))
    assert drive(base, Twist2D(1.0, 0.0), 20, start=50, bumped=True)[-1] == pytest.approx((-0.05, 0.0))


@settings(max_examples=50)
@given(speed=st.floats(-0.4, 0.4), rate=st.floats(-3.0, 3.0))
def test_without_a_sag_a_base_drives_as_before_to_the_last_bit(speed, rate):
    class Unsagged(Create3):
        def _reachable(self, wanted):
            return wanted

    one, other = Create3(BaseParameters()), Unsagged(BaseParameters())
    assert drive(one, Twist2D(speed, rate), 60) == drive(other, Twist2D(speed, rate), 60)


@pytest.mark.parametrize("sag", [-0.01, 0.51, math.nan, math.inf])
def test_a_sag_that_cannot_be_is_refused(sag):
    with pytest.raises(ValueError, match="speed_sag"):
        BaseParameters(speed_sag=sag)


def test_full_speed_and_full_turn_in_the_arena():
    arena = Arena(room(), [wolf(Pose2D(-2.0, 0.0))], 1)
    run(arena, 2.0, wolf=Twist2D(1.5, 0.0))
    assert arena.true_twist("wolf").linear == pytest.approx(0.306, abs=1e-3)
    assert arena.true_twist("wolf").angular == pytest.approx(0.0, abs=1e-6)
    arena = Arena(room(), [wolf()], 1)
    run(arena, 2.0, wolf=Twist2D(0.0, -5.0))
    assert arena.true_twist("wolf").angular == pytest.approx(-1.9, abs=0.01)
    assert arena.true_pose("wolf").distance_to(0.0, 0.0) < 1e-6


def test_a_turn_costs_speed():
    arena = Arena(room(), [wolf()], 1)
    run(arena, 2.0, wolf=Twist2D(0.306, 1.0))
    scale = 0.306 / (0.306 + 0.1165)
    assert arena.true_twist("wolf").linear == pytest.approx(0.306 * scale, abs=2e-3)
    assert arena.true_twist("wolf").angular == pytest.approx(scale, abs=5e-3)


def test_speed_rises_with_the_acceleration_limit():
    arena = Arena(room(), [wolf(Pose2D(-2.0, 0.0))], 1)
    fastest = 0.0
    before = 0.0
    for tick in range(30):
        arena.robots["wolf"].drive(Twist2D(0.306, 0.0))
        arena.step()
        speed = arena.true_twist("wolf").linear
        fastest = max(fastest, (speed - before) / 0.02)
        before = speed
        if tick == 16:
            # 0.34 s at 0.9 m/s2, less the lag of the velocity control.
            assert 0.85 * 0.306 < speed < 0.306
    assert 0.8 < fastest < 0.95


@given(
    twists=st.lists(
        st.tuples(st.floats(-3.0, 3.0), st.floats(-6.0, 6.0), st.booleans()),
        min_size=1,
        max_size=60,
    )
)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_no_command_breaks_a_limit(twists):
    base = Create3(BaseParameters())
    before = (0.0, 0.0)
    for tick, (speed, rate, bumped) in enumerate(twists):
        base.command(Twist2D(speed, rate), tick * TICK)
        driven = base.step(tick * TICK, 0.0, bumped)
        assert abs(driven[1]) <= 1.9 + 0.306 / 0.1165
        for wheel, wheel_before in zip(wheels(*driven), before, strict=True):
            assert abs(wheel) <= 0.306 + 1e-9
            # A bump stops the wheels at once; else they keep their acceleration limit.
            assert bumped or abs(wheel - wheel_before) <= 0.9 * 0.02 + 1e-9
        before = wheels(*driven)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_command_that_is_not_finite_stands_still(bad):
    base = Create3(BaseParameters())
    drive(base, Twist2D(0.2, 0.0), 30)
    assert drive(base, Twist2D(bad, 0.0), 30, start=30)[-1] == pytest.approx((0.0, 0.0), abs=1e-12)
    assert drive(base, Twist2D(0.1, bad), 30, start=60)[-1] == pytest.approx((0.0, 0.0), abs=1e-12)


def test_the_watchdog_stops_after_half_a_second():
    base = Create3(BaseParameters())
    base.command(Twist2D(0.2, 0.0), 0)
    speeds = [base.step(tick * TICK, 0.0, False)[0] for tick in range(60)]
    assert speeds[25] == pytest.approx(0.2)
    assert speeds[26] < 0.2
    assert speeds[26 + 12] == pytest.approx(0.0, abs=1e-12)


def test_reverse_is_refused_after_15_cm_until_driven_forward():
    arena = Arena(room(), [wolf()], 1)
    back = Twist2D(-0.2, 0.0)
    run(arena, 0.6, wolf=back)
    assert arena.robots["wolf"].base.backup_warning
    run(arena, 4.0, wolf=back)
    # 0.15 m and the way of stopping.
    assert -0.20 < arena.true_pose("wolf").x < -0.15
    stuck = arena.true_pose("wolf")
    run(arena, 1.0, wolf=Twist2D(-0.2, 1.0))
    assert arena.true_pose("wolf").distance_to(stuck.x, stuck.y) < 1e-3
    run(arena, 1.0, wolf=Twist2D(0.2, 0.0))
    forward = arena.true_pose("wolf").x
    run(arena, 1.5, wolf=back)
    assert arena.true_pose("wolf").x < forward - 0.05


def test_reverse_is_free_without_the_limit():
    base = Create3(BaseParameters(backup_limited=False))
    assert drive(base, Twist2D(-0.2, 0.0), 500, speed=-0.2)[-1][0] == pytest.approx(-0.2)
    assert not base.backup_warning


def test_a_bump_backs_off_then_obeys_again():
    base = Create3(BaseParameters())
    forward = Twist2D(0.2, 0.0)
    drive(base, forward, 20)
    assert base.step(20 * TICK, 0.0, True)[0] <= 0.0
    reflex = drive(base, forward, 24, start=21, speed=-0.1)
    assert reflex[-1][0] == pytest.approx(-0.1)
    after = drive(base, forward, 20, start=45)
    assert after[-1][0] == pytest.approx(0.2)
    assert 20 * TICK + SECOND // 2 == 45 * TICK


def test_the_reflex_moves_the_robot_off_the_wall():
    arena = Arena(room(), [wolf(Pose2D(2.3, 0.0))], 1)
    touched = False
    for _ in range(100):
        arena.robots["wolf"].drive(Twist2D(0.3, 0.0))
        arena.step()
        touched = touched or ("wolf", "wall_east") in arena.contacts
        if touched and not arena.contacts and arena.true_pose("wolf").x < 2.41:
            break
    assert touched
    assert arena.true_pose("wolf").x < 2.41
