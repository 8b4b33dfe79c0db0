"""Injected sensor faults."""

import math

import pytest
from helpers.arena import needs_arena

from arena_trees.recording.loading import load_recording
from arena_trees.recording.play import play
from arena_trees.recording.replaying.plan import plan_replay
from arena_trees.recording.replaying.replay import replay
from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.yaml_files import validate
from arena_trees.robot.detections import Detection, Detections
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D, wrap
from arena_trees.robot.messaging.message_bus import MessageBus
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.percepts import Bumpers, Cue, Odometry, PoseEstimate, Readings
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.scan import LaserScan
from arena_trees.robot.timing import TICK
from arena_trees.robot.turret import TurretRates
from arena_trees.sensors.battery.sensor import Battery
from arena_trees.simulation.faults.computer_faults import ComputerFaults
from arena_trees.simulation.faults.fault import KINDS, Fault, drawn_faults
from arena_trees.simulation.faults.line_faults import LineFaults
from arena_trees.simulation.faults.sensor_faults import FaultyPort
from arena_trees.simulation.faults.values import garbage, wrong
from arena_trees.simulation.physics.arena import Arena
from arena_trees.simulation.physics.robot import RobotSpec
from arena_trees.world.footprint import Solid
from arena_trees.world.layout import Layout


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


@pytest.mark.parametrize("kind", KINDS["sensor"])
def test_what_came_during_a_fault_does_not_come_again_after_it(kind):
    robot = Robot()
    robot.time = SECOND
    before, during, after = (robot.read().odometry for _ in range(3))
    more = {"scale": 2.0} if kind == "wrong" else {}
    fault = Fault(robot="robot", sensor="odometry", kind=kind, at_s=1.0, for_s=0.5, period_s=2.0, delay_s=1.0, **more)
    port = FaultyPort(robot, [fault])
    seen = []
    for now_s, newest in ((0.5, before), (1.2, during), (1.5, during), (1.6, during), (1.7, after), (1.8, after)):
        robot.time = round(now_s * SECOND)
        robot.read = lambda newest=newest: Readings(robot.time, odometry=newest)
        seen.append(port.read().odometry)
    lost = kind in ("silent", "intermittent", "delayed")
    assert seen[0] is before and (seen[1] is before) is lost and seen[1] is not during
    assert [one is seen[1] for one in seen[2:4]] == [True, True]
    assert [one is after for one in seen[4:]] == [True, True]


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


def recorded(folder, *faults, duration_s=1.5):
    """Play wolf and rabbit with faults of the wolf, and replay the wolf's recording."""
    changes = {"duration_s": duration_s, "faults": [{"robot": "wolf", **fault} for fault in faults]}
    (trial,) = play("wolf_rabbit_open", changes=changes, trials=1, record=folder).trials
    assert not trial.faults
    return replay(plan_replay(load_recording(folder / "trial_000"), "wolf"))


@needs_arena
@pytest.mark.parametrize("sensors", [("battery", "detections", "scan"), ("bumpers", "pose", "odometry")])
@pytest.mark.parametrize("kind", KINDS["sensor"])
def test_no_fault_of_a_sensor_breaks_a_game_or_its_recording(kind, sensors, tmp_path):
    """One sensor after the other has it, and is well again."""
    more = {"scale": 1.1, "bias": 0.05, "yaw_deg": 5.0} if kind == "wrong" else {}
    result = recorded(
        tmp_path,
        *(
            {"sensor": sensor, "kind": kind, "at_s": 0.4 + 0.6 * number, "for_s": 0.5, "delay_s": 0.3, **more}
            for number, sensor in enumerate(sensors)
        ),
        duration_s=2.4,
    )
    assert (result.compared, result.first) == (120, None)


@needs_arena
@pytest.mark.parametrize(("part", "kind"), [(part, kind) for part in KINDS if part != "sensor" for kind in KINDS[part]])
def test_no_other_fault_breaks_a_game_or_its_recording(part, kind, tmp_path):
    more = {"for_s": 0.5} if kind == "restarted" else {}
    result = recorded(tmp_path, {"part": part, "kind": kind, "at_s": 0.5, **more})
    # A tree that starts anew forgets what its recording has, and two ticks at one instant are one to a recording.
    assert result.first is None or kind in ("restarted", "stands")


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"part": "base", "kind": "frozen"}, "fault of a base"),
        ({"part": "base", "kind": "slip", "sensor": "scan"}, "is of no sensor"),
        ({"part": "computer", "kind": "restarted"}, "give for_s"),
        ({"part": "computer", "kind": "killed", "for_s": 1.0}, "does not come back"),
        ({"every_s": 1.0}, "give a shorter for_s"),
        ({"every_s": 1.0, "for_s": 1.0}, "give a shorter for_s"),
        ({"kind": "wrong"}, "give scale, bias or yaw_deg"),
        ({"kind": "wrong", "scale": math.nan}, "finite"),
    ],
)
def test_a_fault_that_cannot_be_is_refused(values, reason):
    with pytest.raises((ConfigError, ValueError), match=reason):
        validate(Fault, {"robot": "wolf", **values}, "faults.yaml")


def test_a_fault_comes_again_and_begins_by_the_trials_seed():
    fault = Fault(robot="wolf", at_s=1.0, for_s=0.5, every_s=2.0)
    acts = [fault.acts(round(second * SECOND)) for second in (0.9, 1.0, 1.4, 1.5, 2.9, 3.0, 3.4, 3.6)]
    assert acts == [False, True, True, False, False, True, True, False]
    later = [Fault(robot="wolf", at_s=1.0), Fault(robot="wolf", at_s=1.0, random_s=2.0)]
    (same, drawn), (_, again), (_, other) = (drawn_faults(later, seed) for seed in (7, 7, 8))
    assert same is later[0]
    assert drawn == again != other
    apart = later[1].model_copy(update={"at_s": 1.5})
    first, second, third = drawn_faults([later[1], apart, later[1]], 7)
    assert first.at_s == third.at_s, "both at once"
    assert second.at_s != first.at_s + 0.5
    assert 1.0 <= drawn.at_s < 3.0


def test_a_sensor_that_is_wrong_is_plausible():
    scan = LaserScan.from_ranges([1.0, 2.0, 3.0, 4.0], 5, angle_min=0.0, angle_increment=math.pi / 2, range_min=0.1,
                                 range_max=9.0)  # fmt: skip
    turned = wrong(scan, 2.0, 0.5, math.pi / 2)
    assert turned.ranges.tolist() == [2.5, 4.5, 6.5, 8.5]
    # What it measured to the left shows ahead.
    assert (turned.angle_min, turned.stamp, turned.mount) == (-math.pi / 2, 5, scan.mount)
    estimate = wrong(PoseEstimate(1, 2, 3, Pose2D(1.0, 2.0, 3.0)), 1.0, 0.25, 1.0)
    assert estimate.pose == Pose2D(1.25, 2.0, wrap(4.0))
    assert wrong(Odometry(1, 2, 3, Pose2D(), Twist2D(0.2, 0.4)), 0.5, 0.1, 0.0).twist == Twist2D(0.2, 0.2)
    assert wrong(Battery(1, 2, 3, 0.5), 0.5, 0.1, 0.0).charge == pytest.approx(0.35)


def test_a_flood_is_news_in_every_tick_and_a_reading_that_has_not_come_is_none():
    robot = Robot()
    port = FaultyPort(robot, [Fault(robot="wolf", sensor="odometry", kind="flood", times=10)])
    message = robot.read().odometry
    robot.read = lambda: Readings(robot.time, odometry=message)
    seen = []
    for robot.time in (20_000_000, 40_000_000):
        odometry = port.read().odometry
        seen.append((odometry.stamp, odometry.arrival, odometry.sequence, odometry.pose))
    assert seen == [(20_000_000, 20_000_000, 11, message.pose), (40_000_000, 40_000_000, 21, message.pose)]
    robot.read = lambda: Readings(robot.time)
    assert port.read().odometry is None


def test_a_line_to_the_base_is_silent_late_or_comes_and_goes():
    def driven(kind, steps=8, **values):
        robot = Robot()
        port = FaultyPort(robot, [Fault(robot="wolf", part="base", kind=kind, at_s=1.0, for_s=2.0, **values)])
        for step in range(steps):
            robot.time = step * SECOND // 2
            port.drive(Twist2D(float(step), 0.0))
        return [twist.linear for twist in robot.driven]

    assert driven("silent") == [0.0, 1.0, 6.0, 7.0]
    # What was on its way when the line recovered does not come late.
    assert driven("delayed") == [0.0, 1.0, 2.0, 3.0, 6.0, 7.0]
    assert driven("delayed", 14, every_s=4.0)[4:] == [6.0, 7.0, 8.0, 9.0, 10.0, 11.0]
    assert driven("intermittent") == [0.0, 1.0, 3.0, 5.0, 6.0, 7.0]


def test_a_clock_that_jumps_or_stands_dates_what_comes_and_leaves_what_came():
    robot = Robot()
    port = FaultyPort(robot, [Fault(robot="wolf", part="clock", kind="jumps", at_s=1.0, by_s=-0.5, for_s=1.0)])
    message = robot.read().odometry
    robot.read = lambda: Readings(robot.time, odometry=message)
    robot.time = round(1.2 * SECOND)
    assert (port.now(), port.read().now, port.read().odometry.stamp) == (700_000_000, 700_000_000, 0)
    robot.time = 2 * SECOND
    assert port.now() == 2 * SECOND
    # There is nothing before the beginning of time.
    assert FaultyPort(robot, [Fault(robot="wolf", part="clock", kind="jumps", by_s=-3600.0)]).now() == 0
    port = FaultyPort(robot, [Fault(robot="wolf", part="clock", kind="stands", at_s=1.0, for_s=0.5)])
    shown = []
    for tenths in (9, 10, 12, 15, 20):
        robot.time = tenths * SECOND // 10
        shown.append(port.now() * 10 // SECOND)
    assert shown == [9, 10, 10, 10, 15]


def test_messages_on_a_faulty_line():
    def arrivals(kind, sender="wolf", receiver="rabbit", at=SECOND, **values):
        fault = Fault(robot="wolf", part="line", kind=kind, at_s=1.0, **values)
        return list(LineFaults([fault], RandomStreams(1))(Message("t", sender, 1, 1, at, {}), receiver, [at + 5]))

    assert arrivals("silent") == arrivals("silent", "rabbit", "wolf") == []
    assert arrivals("silent", "rabbit", "referee") == [SECOND + 5]
    assert arrivals("silent", at=SECOND - 1) == [SECOND + 4]
    assert arrivals("lossy", share=1.0) == []
    assert arrivals("delayed", delay_s=0.5) == [round(1.5 * SECOND) + 5]
    assert arrivals("flood", times=3) == [SECOND + 5] * 3
    first, second = arrivals("duplicated", share=1.0)
    assert first == SECOND + 5 < second <= first + SECOND // 2
    (late,) = arrivals("reordered", share=1.0)
    assert SECOND + 5 < late <= SECOND + 5 + SECOND // 2
    kept = sum(bool(LineFaults([Fault(robot="wolf", part="line", kind="lossy", share=0.25)], RandomStreams(seed))(
        Message("t", "wolf", 1, 1, 0, {}), "rabbit", [5])) for seed in range(400))  # fmt: skip
    assert 260 < kept < 340


def test_who_starts_anew_speaks_in_the_next_epoch_and_has_lost_what_was_on_its_way():
    now = [0]
    bus = MessageBus(lambda: now[0], RandomStreams(1))
    wolf, _ = bus.port("wolf"), bus.port("rabbit")
    wolf.send("t", {"x": 1})
    rabbit = bus.renew("rabbit")
    now[0] = SECOND
    assert rabbit.receive() == []
    assert rabbit.send("t", {}).epoch == 1
    wolf.send("t", {"x": 2})
    now[0] = 2 * SECOND
    assert [message.payload for message in rabbit.receive()] == [{"x": 2}]
    assert [message.epoch for message in wolf.receive()] == [1]
    assert bus.renew("rabbit").epoch == 2


def test_a_computer_is_killed_stopped_slow_or_starts_anew():
    def works(kind, **values):
        computer = ComputerFaults([Fault(robot="wolf", part="computer", kind=kind, at_s=0.04, **values)])
        return [(computer.starts_anew(now), computer.works(now)) for now in range(0, 8 * TICK, TICK)]

    assert works("killed") == [(False, True)] * 2 + [(False, False)] * 6
    assert works("stopped", for_s=0.06) == [(False, True)] * 2 + [(False, False)] * 3 + [(False, True)] * 3
    assert works("restarted", for_s=0.06) == [
        *works("stopped", for_s=0.06)[:5],
        (True, True),
        (False, True),
        (False, True),
    ]
    assert [one for _, one in works("slow", times=3)] == [True, True, True, False, False, True, False, False]


@needs_arena
def test_a_wheel_that_is_weak_bends_the_way_and_one_that_slips_is_counted():
    def way(*faults):
        arena = Arena(Layout("", (), {}, {}, {}), [RobotSpec("wolf", None, Pose2D())], 1)
        robot = arena.robots["wolf"]
        robot.hamper([Fault(robot="wolf", part="base", **values) for values in faults])
        while arena.now < 4 * SECOND:
            robot.drive(Twist2D(0.2, 0.0))
            arena.step()
        return arena.true_pose("wolf"), robot.reckoned(), robot.read().odometry.twist.linear

    straight, counted, speed = way()
    assert straight.x == pytest.approx(counted.x, rel=0.1)
    weak, counted, _ = way({"kind": "weak", "share": 0.3})
    assert weak.yaw > 0.3 and counted.yaw > 0.3
    slipped, counted, seen = way({"kind": "slip", "share": 0.5})
    assert slipped.x == pytest.approx(straight.x / 2.0, rel=0.02)
    assert counted.x == pytest.approx(straight.x, rel=0.1)
    assert seen == pytest.approx(speed, abs=0.03)
    sagged, counted, _ = way({"kind": "sag", "share": 0.5})
    assert sagged.x == pytest.approx(straight.x * 0.153 / 0.2, rel=0.03)
    assert counted.x == pytest.approx(sagged.x, rel=0.1)
    moved, counted, _ = way({"kind": "carried", "at_s": 2.0, "x_m": 1.0, "y_m": 0.5, "yaw_deg": 90.0})
    # It drives on to the north, and its odometry has noticed nothing.
    assert moved.x == pytest.approx(straight.x / 2.0 + 1.0, abs=0.05)
    assert moved.y == pytest.approx(straight.x / 2.0 + 0.5, abs=0.05)
    assert (counted.x, counted.y) == (pytest.approx(straight.x, rel=0.1), pytest.approx(0.0, abs=0.1))


@needs_arena
def test_nobody_is_put_down_in_a_wall_or_on_a_robot():
    wall = Solid.wall("north", (-3.0, 1.0), (3.0, 1.0), 0.1, 0.3, "normal")
    specs = [RobotSpec("wolf", None, Pose2D()), RobotSpec("rabbit", None, Pose2D(2.0, 0.0))]
    arena = Arena(Layout("", (wall,), {}, {}, {}), specs, 1)
    for name, values in (("wolf", {"x_m": 1.75}), ("rabbit", {"y_m": 1.0})):
        arena.robots[name].hamper([Fault(robot=name, part="base", kind="carried", **values)])
    arena.step()
    assert arena.true_pose("wolf").x == pytest.approx(0.75 * 1.75)
    assert arena.true_pose("rabbit").y == pytest.approx(0.75)
    assert not arena.contacts


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
