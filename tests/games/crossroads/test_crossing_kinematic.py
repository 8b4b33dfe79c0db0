"""The crossing without sensors: traffic flows, nobody meets, and faults end."""

from functools import cache
from typing import Any

import pytest

from arena_trees.games.crossroads.kinematics.body import KinematicBody
from arena_trees.games.crossroads.kinematics.world import CrossingWorld
from arena_trees.games.crossroads.layout.floor import CrossingFloor
from arena_trees.games.crossroads.messages import Urgency
from arena_trees.games.crossroads.parameters import CrossroadsRules
from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.messaging.message_bus import BusParameters
from arena_trees.world.shapes import Disc, Path, Polygon

LATE_AND_LOST = BusParameters(loss=0.2, delay_s=0.5)


def world(seed: int, bus: BusParameters | None = None, **changes: Any) -> CrossingWorld:
    robots = [f"robot_{number}" for number in range(1, 9)]
    return CrossingWorld(CrossroadsRules().with_changes(changes), robots, bus, seed)


@cache
def dense(protocol: str, approaches: int) -> CrossingWorld:
    """Return a world of dense traffic that was played once; nobody changes it."""
    place = world(4, protocol=protocol, arrivals_per_min=0.0, **{"plan.approaches": approaches})
    place.run(80.0)
    return place


@pytest.mark.parametrize(("protocol", "approaches"), [("arena", 4), ("arena", 3), ("source", 4)])
def test_robots_cross_again_and_again_and_never_meet(protocol, approaches):
    summary = dense(protocol, approaches).judge.values()
    assert summary["crossings"] > 8
    assert (summary["conflicts"], summary["stalls"]) == (0, 0)
    assert summary["min_separation_m"] >= 0.45
    assert 0.0 <= summary["delay_mean_s"] <= summary["delay_p95_s"] <= summary["delay_max_s"]


def test_more_cross_together_than_one_at_a_time():
    assert len(dense("arena", 4).traffic.trips) >= 1.5 * len(dense("source", 4).traffic.trips)


def test_later_ones_hold_up_earlier_ones_no_longer_than_the_courtesy():
    kept = dense("arena", 4)
    order = kept.traffic.order
    assert order.overtakings > 5
    assert 0.5 < order.longest <= kept.rules.times.courtesy + 0.5
    assert order.inversions == 0


@pytest.mark.slow
def test_the_judge_finds_what_the_courtesy_spares():
    without = world(4, arrivals_per_min=0.0, **{"times.courtesy": 3600.0})
    without.run(100.0)
    assert without.traffic.order.longest > dense("arena", 4).traffic.order.longest + 1.0


@pytest.mark.parametrize(("duration_s", "fewest"), [(80.0, 1), pytest.param(300.0, 4, marks=pytest.mark.slow)])
def test_an_emergency_waits_no_longer_than_those_inside_need(duration_s: float, fewest: int):
    place = world(21, arrivals_per_min=16.0, emergency_share=0.1)
    place.run(duration_s)
    assert sum(trip.urgency is Urgency.EMERGENCY for trip in place.traffic.trips) >= fewest
    scheduler, p = place.scheduler, place.rules
    clearing = scheduler.clearing_time(p.speed, p.acceleration, p.request_distance, BusParameters().delay_s)
    longest = place.traffic.emergency_wait_max()
    assert longest <= clearing


def somebody_inside(place: CrossingWorld) -> KinematicBody:
    for _ in range(3000):
        place.step()
        for body in place.bodies:
            if body.inside and 0.5 < body.progress < 1.2:
                return body
    raise AssertionError("nobody came")


def test_a_death_in_the_box_under_loss_delay_and_a_restart():
    place = world(5, LATE_AND_LOST, arrivals_per_min=14.0)
    place.run(40.0)
    dead = somebody_inside(place)
    with pytest.raises(ArenaTreesError, match="not dead"):
        place.remove(dead.name)
    place.kill(dead.name)
    place.run(2.0)
    place.stop_scheduler()
    place.run(1.0)
    place.start_scheduler()
    place.run(17.0)
    assert dead.inside
    place.remove(dead.name)
    cleared = place.now
    place.run(5.0)
    entered = [trip.entered for body in place.bodies for trip in body.trips if trip.entered is not None]
    assert max(entered) > cleared
    place.run(20.0)
    assert place.traffic.conflicts == 0
    assert place.traffic.min_separation >= 0.45


def test_the_picture_of_a_run_shows_the_crossing_its_ways_and_its_robots():
    place = dense("arena", 3)
    shapes = place.judge.shapes()
    lines = {shape.points: shape.fill for shape in shapes if isinstance(shape, Polygon)}
    floor = CrossingFloor(place.rules.plan, place.rules.floor)
    assert lines == {stripe.corners: "#{:02x}{:02x}{:02x}".format(*stripe.colour) for stripe in floor.stripes}
    assert len(lines) == 3 * (1 + 2 + 1) + 1
    driven = {trip.movement.key for trip in place.traffic.trips}
    assert len([shape for shape in shapes if isinstance(shape, Path)]) == len(driven) > 1
    there = [body.place() for body in place.bodies if body.trip is not None]
    assert [(shape.x, shape.y) for shape in shapes if isinstance(shape, Disc)] == there != []
