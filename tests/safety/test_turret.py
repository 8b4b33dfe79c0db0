"""The turret and the weapon behind the gate and its guard."""

import math

import pytest
from helpers.examples import given_often
from helpers.scans import laser
from hypothesis import strategies as st

from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.percepts import Odometry, Percepts
from arena_trees.robot.scan import Scan
from arena_trees.robot.turret import STEADY, TurretRates
from arena_trees.safety.gate import VelocityGate
from arena_trees.safety.guard import Guard
from arena_trees.world.body import Barrel, Body, Turret

TICK = SECOND // 50
TURRET = Turret()
ARMED = Body(turret=TURRET, barrel=Barrel())
GO = TurretRates(1.0, 0.2)

anything = st.floats() | st.floats(-4.0, 4.0) | st.floats(-1e-6, 1e-6)
bodies = st.sampled_from([ARMED, Body(), Body(turret=TURRET), Body(barrel=Barrel())])
steps = st.tuples(
    st.sampled_from([TICK, TICK, TICK, 0, -TICK, SECOND]),
    st.none() | st.builds(TurretRates, anything, anything),
    st.booleans(),
    st.none() | st.builds(Twist2D, anything, anything),
    st.sampled_from([None, None, None, None, "fault"]),
)


@given_often(300, bodies, st.lists(steps, min_size=1, max_size=10))
def test_any_rates_in_any_state(body, sequence):
    gate, now, before = VelocityGate(body=body), SECOND, STEADY
    for number, (elapsed, aim, fire, command, fault) in enumerate(sequence):
        now += elapsed
        decision = gate.decide(Percepts(now), command, fault, aim, fire)
        rates = decision.turret
        assert gate.state.turret == rates and rates.is_finite
        if gate.latched or aim is None or elapsed < 0 or body.turret is None:
            assert rates == STEADY
        if gate.latched or not fire or body.barrel is None or (number and elapsed <= 0):
            assert not decision.fire
        else:
            assert decision.fire
        assert ("weapon held" in decision.reasons) == (fire and not decision.fire)
        if rates != STEADY:
            growth = TURRET.acceleration * 0.1 + 1e-9
            for got, asked, last, limit in (
                (rates.yaw, aim.yaw, before.yaw, TURRET.max_yaw_rate),
                (rates.pitch, aim.pitch, before.pitch, TURRET.max_pitch_rate),
            ):
                assert abs(got) <= min(abs(asked), limit) and got * asked >= 0.0
                assert abs(got) <= abs(last) + growth
        before = rates


def run(gate, ticks, aim=GO, start=0):
    """Step a gate; return what its turret may do in each tick."""
    return [gate.decide(Percepts((start + tick) * TICK), None, None, aim).turret for tick in range(ticks)]


def test_rates_grow_by_the_acceleration():
    rates = run(VelocityGate(body=ARMED), 5)
    assert [one.yaw for one in rates] == pytest.approx([0.0, 0.4, 0.8, 1.0, 1.0])
    assert [one.pitch for one in rates] == pytest.approx([0.0, 0.2, 0.2, 0.2, 0.2])


def test_the_bodys_rates_are_the_cap():
    gate = VelocityGate(body=ARMED)
    run(gate, 20, TurretRates(9.0, -9.0))
    decision = gate.decide(Percepts(20 * TICK), ZERO, None, TurretRates(9.0, -9.0))
    assert decision.turret == TurretRates(3.0, -2.0)
    assert decision.reasons == ("no scan", "turret cap")


def test_a_robot_without_a_turret_turns_none_and_says_so():
    gate = VelocityGate()
    assert run(gate, 3) == [STEADY] * 3
    assert "turret cap" in gate.decide(Percepts(SECOND), ZERO, None, GO).reasons


@pytest.mark.parametrize("stopped", ["blind", "without a command"])
def test_what_stops_the_base_alone_holds_neither_turret_nor_weapon(stopped):
    gate = VelocityGate(body=ARMED)
    command = None if stopped == "without a command" else ZERO
    for tick in range(5):
        decision = gate.decide(Percepts(tick * TICK), command, None, GO, tick == 4)
    assert decision.turret.yaw == 1.0 and decision.fire
    assert decision.twist == ZERO and "no scan" in decision.reasons


@pytest.mark.parametrize("bad", [TurretRates(math.nan), TurretRates(0.0, math.inf)])
def test_rates_that_are_not_finite_latch(bad):
    gate = VelocityGate(body=ARMED)
    run(gate, 5)
    decision = gate.decide(Percepts(5 * TICK), ZERO, None, bad, True)
    assert (decision.turret, decision.fire) == (STEADY, False)
    assert gate.latched == "turret rates not finite"
    assert run(gate, 5, start=6) == [STEADY] * 5


def test_a_stop_by_an_operator_is_at_once_and_a_reset_starts_from_rest():
    gate = VelocityGate(body=ARMED)
    run(gate, 10)
    gate.operator_stop("test")
    assert run(gate, 1, start=10) == [STEADY]
    gate.reset()
    assert run(gate, 1, start=11)[0].yaw == pytest.approx(0.4)


def test_it_fires_once_at_one_instant():
    gate = VelocityGate(body=ARMED)
    shots = [gate.decide(Percepts(now), None, None, None, True).fire for now in (5, 5, 6, 4, 5)]
    assert shots == [True, False, True, False, True]


class Station:
    """A guard with a tree that stands, aims and fires, on a clock that a test turns."""

    def __init__(self, body=ARMED):
        self.guard = Guard(VelocityGate(body=body))
        self.now = 1000 * SECOND
        self.command = ZERO
        self.driving, self.aiming = True, False
        self.number = 0
        self.run(5)
        self.aiming = True
        assert self.run(5).turret == GO

    def tick(self, fire=False, aim=GO):
        now = self.now = self.now + TICK
        self.number += 1
        if self.driving:
            self.guard.commands.take(self.command, now, now, now)
        if self.aiming:
            self.guard.aims.take(aim, now, now, now)
        if fire:
            self.guard.triggers.take(True, now, now, now)
        scan = Scan.from_laser(laser([3.0 + 0.001 * (self.number % 7)] * 9, now, self.number))
        return self.guard.step(Percepts(now, scan, Odometry(now, now, self.number, Pose2D(), ZERO)))

    def run(self, ticks, **given):
        return [self.tick(**given) for _ in range(ticks)][-1]


def test_the_guard_lets_rates_and_one_shot_a_message_through():
    station = Station()
    fired = [station.tick(fire=number == 0).fire for number in range(5)]
    assert fired == [True, False, False, False, False]


def test_rates_that_are_no_more_renewed_stop_the_turret():
    station = Station()
    station.aiming = False
    assert station.run(4).turret == GO
    assert station.tick().turret == STEADY


def test_a_late_trigger_does_not_fire():
    station = Station()
    late = station.now - SECOND
    station.guard.triggers.take(True, late, late, station.now)
    assert not station.tick().fire


def silent(station):
    station.driving = False


def held(station):
    station.guard.hold("dock", "docked")


def latched(station):
    station.guard.latch("operator stop: test")


@pytest.mark.parametrize("trouble", [silent, held, latched])
def test_who_is_not_obeyed_neither_aims_nor_fires(trouble):
    station = Station()
    trouble(station)
    decision = station.run(6, fire=True)
    assert (decision.turret, decision.fire) == (STEADY, False)
    assert decision.reasons[-1] == "weapon held"


def test_after_a_reset_nothing_turns_or_fires_until_the_tree_has_rested():
    station = Station()
    latched(station)
    station.tick()
    assert station.guard.reset() is None
    decision = station.run(20, fire=True)
    assert (decision.turret, decision.fire) == (STEADY, False)
    station.run(6, aim=STEADY)
    assert station.run(3).turret.yaw == 1.0
    assert station.tick(fire=True).fire


def test_a_gate_that_slept_forgets_the_trigger():
    station = Station()
    station.guard.triggers.take(True, station.now + 1, station.now + 1, station.now + 1)
    station.driving = station.aiming = False
    station.now += SECOND
    assert not station.tick().fire
