"""Injected sensor faults."""

import math
from typing import get_args

import pytest
from helpers.arena import needs_arena

from arena_trees.recording.loading import load_recording
from arena_trees.recording.play import play
from arena_trees.recording.replaying.plan import plan_replay
from arena_trees.recording.replaying.replay import replay
from arena_trees.robot.clock import SECOND
from arena_trees.robot.detections import Detection, Detections
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.percepts import Bumpers, Cue, Odometry, Readings
from arena_trees.robot.turret import TurretRates
from arena_trees.sensors.battery.sensor import Battery
from arena_trees.simulation.sensors.faults import Fault, FaultyPort
from arena_trees.simulation.sensors.garbage import garbage


class Robot:
    name = "wolf"

    def __init__(self) -> None:
        self.time = 0
        self.pose = Pose2D(1.0, 2.0, math.pi / 2)
        self.driven: list[Twist2D] = []
        self.cues: list[Cue] = []

    def now(self) -> int:
        return self.time

    def read(self) -> Readings:
        stamp = (self.time, self.time, 1 + self.time)
        return Readings(self.time, odometry=Odometry(*stamp, self.pose, ZERO), more={"battery": Battery(*stamp, 0.5)})

    def drive(self, twist: Twist2D) -> None:
        self.driven.append(twist)

    def aim(self, rates: TurretRates) -> None:
        self.aimed = rates

    def fire(self) -> None:
        self.shots = getattr(self, "shots", 0) + 1

    def cue(self, cue: Cue) -> None:
        self.cues.append(cue)


def test_a_silent_sensor_keeps_its_last_message():
    robot = Robot()
    port = FaultyPort(robot, [Fault(robot="robot", sensor="battery", at_s=1.0, for_s=2.0)])
    seen = []
    for second in (0, 1, 2, 3):
        robot.time = second * SECOND
        battery = port.read().more["battery"]
        seen.append(battery.stamp // SECOND)
    assert seen == [0, 0, 0, 3]
    assert FaultyPort(robot, [Fault(robot="robot", sensor="battery")]).read().more == {}


def played(kind, **more):
    """Return what a port with a fault from 1 s to 3 s hands over: stamp, age and number, s, and yaw, tick for tick."""
    robot = Robot()
    fault = Fault(robot="robot", sensor="odometry", kind=kind, at_s=1.0, for_s=2.0, **more)
    port = FaultyPort(robot, [fault])
    seen = []
    for tick in range(9):
        robot.time = tick * SECOND // 2
        robot.pose = Pose2D(0.5 * tick, 0.0, 0.0)
        odometry = port.read().odometry
        seen.append((odometry.stamp / SECOND, odometry.arrival / SECOND, odometry.pose.x))
    return seen


HEALTHY = [(0.5 * tick, 0.5 * tick, 0.5 * tick) for tick in range(9)]


@pytest.mark.parametrize(
    ("kind", "disturbed"),
    [
        ("silent", [(0.5, 0.5, 0.5)] * 4),
        ("frozen", [(0.5, now, 0.5) for now in (1.0, 1.5, 2.0, 2.5)]),
        ("stuck", [(now, now, 0.5) for now in (1.0, 1.5, 2.0, 2.5)]),
        ("delayed", [(0.5, 0.5, 0.5), (0.5, 0.5, 0.5), (1.0, 2.0, 1.0), (1.5, 2.5, 1.5)]),
    ],
)
def test_what_a_fault_does_to_stamps_arrivals_and_values(kind, disturbed):
    assert played(kind) == [*HEALTHY[:2], *disturbed, *HEALTHY[6:]]


@pytest.mark.parametrize("kind", ["silent", "intermittent"])
def test_what_came_during_a_silence_is_lost_and_does_not_come_after_it(kind):
    robot = Robot()
    port = FaultyPort(robot, [Fault(robot="robot", sensor="odometry", kind=kind, at_s=1.0, for_s=0.5, period_s=2.0)])
    before, during, after = (robot.read().odometry, Robot().read().odometry, Robot().read().odometry)
    seen = []
    for now_s, newest in ((0.5, before), (1.2, during), (1.6, during), (1.7, after), (1.8, after)):
        robot.time = round(now_s * SECOND)
        robot.read = lambda newest=newest: Readings(robot.time, odometry=newest)
        seen.append(port.read().odometry)
    assert [one is two for one, two in zip(seen, (before, before, before, after, after), strict=True)] == [True] * 5


def test_an_intermittent_sensor_is_silent_for_half_of_each_period():
    assert [x for _, _, x in played("intermittent", period_s=2.0)] == [0.0, 0.5, 0.5, 0.5, 2.0, 2.5, 3.0, 3.5, 4.0]


def test_garbage_has_times_and_no_numbers_and_is_the_same_object_while_nothing_new_comes():
    robot = Robot()
    port = FaultyPort(robot, [Fault(robot="robot", sensor=name, kind="garbage") for name in ("odometry", "battery")])
    robot.time = SECOND
    readings = port.read()
    assert (readings.odometry.stamp, readings.odometry.sequence) == (SECOND, 1 + SECOND)
    assert math.isnan(readings.odometry.pose.yaw) and math.isnan(readings.odometry.twist.linear)
    assert math.isnan(readings.more["battery"].charge)


def test_what_is_made_of_one_message_is_one_message():
    robot = Robot()
    message = robot.read()
    robot.read = lambda: message
    port = FaultyPort(robot, [Fault(robot="robot", sensor="odometry", kind="garbage")])
    assert port.read().odometry is port.read().odometry


@pytest.mark.parametrize("kind", ["frozen", "stuck"])
def test_a_sensor_that_is_stuck_from_the_start_has_measured_once(kind):
    robot = Robot()
    port = FaultyPort(robot, [Fault(robot="robot", sensor="odometry", kind=kind)])
    first = port.read().odometry
    robot.time, robot.pose = SECOND, Pose2D()
    assert port.read().odometry.pose == first.pose == Pose2D(1.0, 2.0, math.pi / 2)


def test_texts_and_sets_of_texts_become_garbage():
    pressed = garbage(Bumpers(1, 2, 3, frozenset({"bump_left"})))
    assert pressed == Bumpers(1, 2, 3, frozenset({"garbage"}))
    (box,) = garbage(Detections(1, 2, 3, 250, 200, (Detection("sign", 0.5, 1.0, 2.0, 3.0, 4.0),))).boxes
    assert box.label == "garbage" and math.isnan(box.x)


@needs_arena
@pytest.mark.parametrize("sensor", ["scan", "odometry", "pose", "detections", "bumpers", "battery"])
@pytest.mark.parametrize("kind", get_args(Fault.model_fields["kind"].annotation))
def test_no_fault_of_a_sensor_breaks_a_game_or_its_recording(kind, sensor, tmp_path):
    faults = [{"robot": "wolf", "sensor": sensor, "kind": kind, "at_s": 0.5, "delay_s": 0.3}]
    changes = {"duration_s": 1.5, "faults": faults}
    (trial,) = play("wolf_rabbit_open", changes=changes, trials=1, record=tmp_path / "recordings").trials
    assert not trial.faults
    recording = load_recording(tmp_path / "recordings" / "trial_000")
    result = replay(plan_replay(recording, "wolf"))
    assert (result.compared, result.first) == (75, None)


def test_a_fault_of_a_sensor_that_the_robot_lacks_is_refused():
    changes = {"faults": [{"robot": "wolf", "sensor": "turret", "kind": "stuck"}]}
    with pytest.raises(ConfigError, match="wolf has no such sensor"):
        play("wolf_rabbit_open", changes=changes, trials=1)


def test_the_rest_passes():
    robot = Robot()
    port = FaultyPort(robot, [])
    port.drive(ZERO)
    port.cue(Cue("CATCH"))
    assert (port.name, port.now(), robot.driven, robot.cues) == ("wolf", 0, [ZERO], [Cue("CATCH")])
