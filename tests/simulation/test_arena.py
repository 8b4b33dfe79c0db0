"""The arena: physics, contacts, rates, determinism and what it refuses."""

import hashlib
import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from helpers.arena import needs_arena
from small_world import QUIET, rabbit, room, run, wolf

from arena_trees.robot.clock import SECOND
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import Cue
from arena_trees.robot.timing import TICK
from arena_trees.simulation.physics.arena import Arena
from arena_trees.simulation.physics.robot import SensorParameters
from arena_trees.world.body import TURTLEBOT4
from arena_trees.world.footprint import Solid

NO_REFLEX = QUIET.with_changes({"base.bump_reflex": False})
NOISY = SensorParameters()


def digest_of_a_run(seed):
    """Return a hash of everything that two noisy robots read, and of their true poses."""
    box = Solid("box", Pose2D(0.6, 0.4, 0.3), 0.3, 0.3, 0.45)
    arena = Arena(room(box), [wolf(Pose2D(-1.0, 0.0), NOISY), rabbit(Pose2D(1.0, -0.2, 2.0), NOISY)], seed)
    hasher = hashlib.sha256()
    for tick in range(400):
        for index, robot in enumerate(arena.robots.values()):
            robot.drive(Twist2D(0.25, math.sin(tick / 40.0 + index)))
        arena.step()
        for robot in arena.robots.values():
            reading = robot.read()
            if reading.scan is not None:
                hasher.update(reading.scan.ranges.tobytes())
            others = (reading.odometry, reading.pose, reading.detections, reading.bumpers, reading.more.get("battery"))
            hasher.update(repr((others, robot.truth)).encode())
    return hasher.hexdigest()


@needs_arena
def test_equal_seeds_give_equal_bytes_in_two_processes():
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    code = "import test_arena; print(test_arena.digest_of_a_run(7))"
    paths = [here, os.path.join(here, "simulation"), os.path.dirname(here)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    digests = {
        subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    }
    assert digests == {digest_of_a_run(7) + "\n"}
    assert digest_of_a_run(8) != digest_of_a_run(7)


def test_a_robot_that_is_carried_stands_there_at_rest_and_touches_nothing():
    arena = Arena(room(), [wolf(Pose2D(-1.0, 0.0)), rabbit(Pose2D(0.0, 0.0))], 0)
    while not arena.contacts:
        arena.robots["wolf"].drive(Twist2D(0.3, 0.0))
        arena.step()
    there = Pose2D(-1.0, 1.0, 2.0)
    arena.carry("wolf", there)
    assert (arena.true_pose("wolf"), arena.true_twist("wolf")) == (there, Twist2D())
    run(arena, 1.0)
    assert not arena.contacts
    assert arena.true_pose("wolf").distance_to(there.x, there.y) < 0.2, "what it was driving it drives on for a while"
    assert arena.true_pose("rabbit").distance_to(0.0, 0.0) < 0.2


def test_a_robot_that_is_carried_away_while_it_drives_does_not_slip_on():
    arena = Arena(room(), [wolf(Pose2D(-1.0, 0.0)), rabbit(Pose2D(1.5, 1.5))], 0)
    for _ in range(50):
        arena.robots["wolf"].drive(Twist2D(0.3, 0.0))
        arena.step()
    arena.carry("wolf", Pose2D(0.0, 0.0, math.pi / 2))
    arena.step()
    assert abs(arena.true_pose("wolf").x) < 1e-4


def test_one_tick_is_20_ms_and_cues_are_noted_with_their_time():
    arena = Arena(room(), [wolf()], 1)
    assert arena.now == 0
    assert arena.robots["wolf"].read().odometry is None
    arena.step()
    assert arena.now == TICK == arena.robots["wolf"].now() == 20_000_000
    arena = Arena(room(), [wolf()], 1)
    run(arena, 0.1)
    arena.robots["wolf"].cue(Cue("CATCH"))
    assert arena.robots["wolf"].cues == [(5 * TICK, "CATCH")]


def test_an_arc_is_driven_as_commanded():
    arena = Arena(room(), [wolf(Pose2D(0.0, -0.5))], 1)
    run(arena, 1.0, wolf=Twist2D(0.2, 0.5))
    before = arena.true_pose("wolf")
    run(arena, 2.0, wolf=Twist2D(0.2, 0.5))
    moved = before.relative(arena.true_pose("wolf"))
    radius = 0.2 / 0.5
    assert moved.yaw == pytest.approx(1.0, abs=0.01)
    assert moved.x == pytest.approx(radius * math.sin(1.0), abs=0.01)
    assert moved.y == pytest.approx(radius * (1.0 - math.cos(1.0)), abs=0.01)


@pytest.mark.parametrize("yaw", [0.0, 0.5])
def test_a_wall_stalls_a_robot_without_letting_it_in(yaw):
    arena = Arena(room(), [wolf(Pose2D(2.0, 0.0, yaw), NO_REFLEX)], 1)
    deepest = 0.0
    for _ in range(250):
        arena.robots["wolf"].drive(Twist2D(0.306, 0.0))
        arena.step()
        deepest = max(deepest, arena.true_pose("wolf").x + TURTLEBOT4.radius - 2.6)
    assert ("wolf", "wall_east") in arena.contacts
    assert 0.0 < deepest < 0.01
    if yaw == 0.0:
        assert abs(arena.true_twist("wolf").linear) < 1e-3
        assert arena.robots["wolf"].read().bumpers.pressed == {"bump_front_center"}


def test_robots_push_but_do_not_pass_through_each_other():
    arena = Arena(room(), [wolf(Pose2D(-0.5, 0.0), NO_REFLEX), rabbit(Pose2D(0.5, 0.0, math.pi), NO_REFLEX)], 1)
    run(arena, 4.0, wolf=Twist2D(0.3, 0.0), rabbit=Twist2D(0.3, 0.0))
    gap = arena.true_pose("wolf").distance_to(arena.true_pose("rabbit").x, arena.true_pose("rabbit").y)
    assert 2 * TURTLEBOT4.radius - 0.01 < gap < 2 * TURTLEBOT4.radius + 0.005
    assert arena.contacts == {("wolf", "rabbit"), ("rabbit", "wolf")}


@pytest.mark.parametrize(
    ("bearing_deg", "zone"),
    [
        (0, "bump_front_center"),
        (40, "bump_front_right"),
        (-40, "bump_front_left"),
        (75, "bump_right"),
        (-75, "bump_left"),
    ],
)
def test_bumper_zones(bearing_deg, zone):
    arena = Arena(room(), [wolf(Pose2D(2.35, 0.0, math.radians(bearing_deg)), NO_REFLEX)], 1)
    pressed = set()
    for _ in range(100):
        arena.robots["wolf"].drive(Twist2D(0.3, 0.0))
        arena.step()
        pressed |= arena.robots["wolf"].truth.pressed
        if pressed:
            break
    assert pressed == {zone}


def test_nothing_is_felt_behind():
    arena = Arena(room(), [wolf(Pose2D(2.4, 0.0, math.pi), NO_REFLEX)], 1)
    run(arena, 2.0, wolf=Twist2D(-0.1, 0.0))
    assert ("wolf", "wall_east") in arena.contacts
    assert arena.robots["wolf"].read().bumpers.pressed == frozenset()


@pytest.mark.parametrize("surface", ["normal", "glass", "dark"])
def test_every_surface_is_solid(surface):
    arena = Arena(room(Solid("box", Pose2D(1.0, 0.0), 0.4, 0.4, 0.5, surface)), [wolf(Pose2D(), NO_REFLEX)], 1)
    run(arena, 5.0, wolf=Twist2D(0.3, 0.0))
    assert arena.true_pose("wolf").x == pytest.approx(0.8 - TURTLEBOT4.radius, abs=0.01)


def test_rates_are_exact_over_ten_seconds():
    arena = Arena(room(), [wolf(Pose2D(), NOISY), rabbit(Pose2D(1.0, 1.0), NOISY)], 3)
    run(arena, 11.0)
    before = {name: measured(robot) for name, robot in arena.robots.items()}
    run(arena, 10.0)
    for name, robot in arena.robots.items():
        counted = {key: measured(robot)[key] - before[name][key] for key in before[name]}
        assert counted == {"scan": 76, "odometry": 200, "pose": 200, "detections": 300, "bumpers": 100, "battery": 10}


def measured(robot):
    """Return the sequence numbers of what was measured, arrived or not."""
    return {
        "scan": robot._lidar._sequence,
        "odometry": robot._odometry._sequence,
        "pose": robot._localisation._sequence,
        "detections": robot.camera._frames._sequence,
        "bumpers": robot._bumpers._sequence,
        "battery": robot._more["battery"]._sequence,
    }


def test_messages_arrive_after_their_latency_and_not_before():
    arena = Arena(room(), [wolf(Pose2D(), NOISY)], 5)
    robot = arena.robots["wolf"]
    in_flight = 0
    for _ in range(200):
        arena.step()
        reading = robot.read()
        for message, latency in ((reading.scan, 0.03), (reading.detections, 0.15), (reading.odometry, 0.0)):
            if message is not None:
                assert message.arrival - message.stamp == round(latency * SECOND)
                assert message.arrival <= arena.now
        in_flight = max(in_flight, len(robot.camera.delivery._pending))
        if reading.detections is not None:
            # Nothing newer has arrived: the age is the latency, a period and a tick at most.
            assert 0.15 * SECOND <= arena.now - reading.detections.stamp <= (0.15 + 1 / 30 + 0.04) * SECOND
    assert in_flight >= 4


def test_a_further_robot_does_not_change_the_noise_of_another():
    def readings(*robots):
        arena = Arena(room(), [wolf(Pose2D(-1.0, 0.0), NOISY), *robots], 9)
        run(arena, 4.0, wolf=Twist2D(0.1, 0.3))
        reading = arena.robots["wolf"].read()
        return reading.odometry, reading.pose, reading.scan

    alone, together = readings(), readings(rabbit(Pose2D(2.0, 2.0)))
    assert alone[:2] == together[:2]
    same = alone[2].ranges == together[2].ranges
    assert 0.9 < np.mean(same) < 1.0


def test_another_rate_of_one_sensor_does_not_change_the_others():
    def readings(sensors):
        arena = Arena(room(), [wolf(Pose2D(), sensors)], 9)
        run(arena, 4.0, wolf=Twist2D(0.1, 0.3))
        return arena.robots["wolf"].read()

    plain, changed = readings(NOISY), readings(NOISY.with_changes({"camera.rate_hz": 10.0, "lidar.noise_m": 0.05}))
    assert plain.odometry == changed.odometry
    assert plain.pose == changed.pose
    assert plain.detections.sequence > changed.detections.sequence


@pytest.mark.parametrize(
    ("pose", "words"),
    [
        (Pose2D(2.5, 0.0), "robots.wolf.start: the start is inside wall_east (got [2.5, 0.0])"),
        (Pose2D(1.0, 1.1), "robots.wolf.start: the start is inside box (got [1.0, 1.1])"),
        (Pose2D(math.nan, 0.0), "robots.wolf.start: the pose is not finite"),
    ],
)
def test_a_start_inside_something_is_refused(pose, words):
    layout = room(Solid("box", Pose2D(1.0, 1.0), 0.2, 0.2, 0.4))
    with pytest.raises(ConfigError, match="start") as caught:
        Arena(layout, [wolf(pose)], 1)
    assert str(caught.value).startswith(words)


def test_robots_that_start_in_each_other_or_share_a_name_are_refused():
    with pytest.raises(ConfigError, match=r"robots\.rabbit\.start: the start is inside wolf"):
        Arena(room(), [wolf(), rabbit(Pose2D(0.3, 0.0))], 1)
    with pytest.raises(ConfigError, match="two robots have this name"):
        Arena(room(), [wolf(), wolf(Pose2D(1.0, 0.0))], 1)


def test_the_battery_empties_faster_while_driving():
    def charge(twist):
        arena = Arena(room(), [wolf(Pose2D(-1.0, 0.0))], 1)
        run(arena, 5.0, wolf=twist)
        return arena.robots["wolf"].read().more["battery"].charge

    resting, driving = charge(Twist2D()), charge(Twist2D(0.3, 0.0))
    assert 1.0 - resting == pytest.approx(8.0 * 5.0 / 3600.0 / 26.0, rel=1e-6)
    assert driving < resting


def test_two_arenas_in_one_process_do_not_touch_each_other():
    one, two = (Arena(room(), [wolf(Pose2D(), NOISY)], 4) for _ in range(2))
    for _ in range(50):
        one.step()
        one.step()
        two.step()
    run(two, 1.0)
    assert json.dumps(repr(one.robots["wolf"].read().pose)) == json.dumps(repr(two.robots["wolf"].read().pose))
