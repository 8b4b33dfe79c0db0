"""The turret: its rates, its ends, its watchdog, its encoders and its weapon."""

import math
from dataclasses import replace

import pytest
from helpers.surroundings import nowhere
from small_world import rabbit, room, wolf

from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.timing import TICK
from arena_trees.robot.turret import TurretRates
from arena_trees.sensors.turret.simulated import SIMULATED
from arena_trees.simulation.physics.arena import Arena
from arena_trees.simulation.physics.truth import RobotTruth
from arena_trees.simulation.physics.turret import SimulatedTurret, TurretParameters
from arena_trees.world.body import Barrel, Body, Turret

ARMED = Body(turret=Turret(), barrel=Barrel())
QUICK = 20.0 * TICK / 1e9
"""The greatest change of a rate in a tick."""


def turret(parameters=None, **limits):
    return SimulatedTurret(Turret(**limits), parameters or TurretParameters())


def turn(turret, rates, ticks, start=0):
    """Command the turret in every tick; return its rates in each."""
    turned = []
    for tick in range(start, start + ticks):
        turret.command(rates, tick * TICK)
        turret.step(tick * TICK)
        turned.append(turret.rates)
    return turned


def test_rates_grow_by_the_acceleration_and_end_at_the_limits():
    rates = turn(turret(), TurretRates(9.0, 9.0), 8)
    assert [rate.yaw for rate in rates] == pytest.approx([min(3.0, QUICK * (n + 1)) for n in range(8)])
    assert rates[4].pitch == pytest.approx(2.0)


def test_yaw_turns_without_end_and_stays_an_angle():
    one = turret()
    turn(one, TurretRates(3.0), 150)
    assert -math.pi <= one.yaw <= math.pi
    ramp = sum(QUICK * (n + 0.5) for n in range(7)) + 0.5 * (7 * QUICK + 3.0)
    turned = (ramp + 142 * 3.0) * 0.02
    assert math.cos(one.yaw) == pytest.approx(math.cos(turned))
    assert math.sin(one.yaw) == pytest.approx(math.sin(turned))


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_ends_of_the_ranges_stop_it_at_once(way):
    one = turret(max_yaw=0.5)
    turn(one, TurretRates(3.0 * way, 2.0 * way), 50)
    assert one.yaw == pytest.approx(0.5 * way)
    assert one.pitch == pytest.approx(0.6 if way > 0.0 else -0.35)
    assert one.rates == TurretRates()
    turn(one, TurretRates(-1.0 * way), 2, 50)
    assert abs(one.yaw) < 0.5


def test_old_rates_stop_it():
    one = turret()
    turn(one, TurretRates(1.0), 25)
    for tick in range(25, 60):
        one.step(tick * TICK)
    assert one.rates == TurretRates()


@pytest.mark.parametrize("rates", [TurretRates(math.nan), TurretRates(0.0, math.inf)])
def test_rates_that_are_not_finite_stand_for_none(rates):
    one = turret()
    assert turn(one, rates, 3)[-1] == TurretRates()


def test_encoders_tell_late_and_nearly_the_truth():
    one = turret()
    turn(one, TurretRates(0.5), 50)
    encoders = SIMULATED.make(
        TurretParameters(noise_deg=0.1, latency_s=0.03),
        nowhere(RandomStreams(1).generator("turret"), body=ARMED),
    )
    encoders.update(50 * TICK, RobotTruth(Pose2D(), Twist2D(), frozenset(), one.angles, one.rates))
    assert encoders.delivery.newest(51 * TICK) is None
    state = encoders.delivery.newest(52 * TICK)
    assert state.yaw == pytest.approx(one.yaw, abs=math.radians(0.5)) and state.yaw != one.yaw
    assert (state.stamp, state.arrival) == (50 * TICK, 50 * TICK + 30_000_000)
    assert state.rates == one.rates


def test_the_arena_turns_it_and_tells_where_it_points_and_being_carried_leaves_it():
    arena = Arena(room(), [replace(wolf(), body=ARMED), rabbit(Pose2D(2.0, 1.0))], 1)
    armed = arena.robots["wolf"]
    for _ in range(50):
        armed.aim(TurretRates(1.0, 0.2))
        arena.step()
    assert armed.truth.turret == armed.turret.angles
    assert armed.truth.turret == pytest.approx((0.99, 0.1992), abs=0.02)
    assert armed.read().turret.yaw == pytest.approx(armed.truth.turret[0], abs=0.03)
    assert armed.truth.pose == wolf().start
    assert arena.robots["rabbit"].truth.turret is None and arena.robots["rabbit"].read().turret is None
    before = armed.truth.turret
    arena.carry("wolf", Pose2D(-1.0, 0.0))
    assert armed.truth.turret == before


def test_a_shot_is_true_until_the_next_step_and_needs_a_barrel():
    arena = Arena(room(), [replace(wolf(), body=ARMED), rabbit(Pose2D(2.0, 1.0))], 1)
    for robot in arena.robots.values():
        robot.fire()
    assert [robot.truth.fired for robot in arena.robots.values()] == [True, False]
    arena.carry("wolf", Pose2D(-1.0, 0.0))
    assert arena.robots["wolf"].truth.fired and arena.true_pose("wolf") == Pose2D(-1.0, 0.0)
    arena.step()
    assert not arena.robots["wolf"].truth.fired


def test_a_turret_disturbs_no_other_sensor():
    def read(body):
        arena = Arena(room(), [replace(wolf(), body=body)], 3)
        robot = arena.robots["wolf"]
        for _ in range(40):
            robot.drive(Twist2D(0.1, 0.3))
            arena.step()
        readings = robot.read()
        return readings.odometry, readings.pose, readings.scan.ranges.tolist()

    assert read(ARMED) == read(Body())
