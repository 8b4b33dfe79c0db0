"""Injected sensor faults."""

import math

from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.percepts import Cue, Odometry, Readings
from arena_trees.robot.turret import TurretRates
from arena_trees.sensors.battery.sensor import Battery
from arena_trees.simulation.sensors.faults import Fault, FaultyPort


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


def test_the_rest_passes():
    robot = Robot()
    port = FaultyPort(robot, [])
    port.drive(ZERO)
    port.cue(Cue("CATCH"))
    assert (port.name, port.now(), robot.driven, robot.cues) == ("wolf", 0, [ZERO], [Cue("CATCH")])
