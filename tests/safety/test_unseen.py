"""What a LiDAR does not look at is not free: the unseen limit, and what the obstacle limit keeps there."""

import math
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from helpers.bench import TICK, Bench
from helpers.examples import given_often
from helpers.scans import BEAMS, cast, clearance, laser, rectangle
from hypothesis import strategies as st

from arena_trees.robot.geometry import Pose2D, Twist2D, wrap
from arena_trees.robot.percepts import Percepts
from arena_trees.robot.scan import Scan
from arena_trees.safety.gate import VelocityGate
from arena_trees.safety.motion_limit import Situation
from arena_trees.safety.parameters import GateParameters
from arena_trees.safety.unseen import UnseenLimit
from arena_trees.sensors.ranges.sensor import RangeReading, Ranges
from arena_trees.world.body import Body, RangeMount

P = GateParameters()
ROOM = rectangle(6.0)
BACK, AHEAD = Twist2D(-0.15, 0.0), Twist2D(0.3, 0.0)


@dataclass
class NarrowBench(Bench):
    """Its LiDAR has beams in some directions only.

    Attributes:
        middle: bearing of the view's middle, base_link, rad
        width: of the view, rad
    """

    middle: float = 0.0
    width: float = math.pi
    scanned: Pose2D = field(default_factory=Pose2D)

    def altered(self, percepts):
        if self.tick % 7 == 0:
            self.scanned = self.pose
            return replace(percepts, scan=Scan.from_laser(self.measured(percepts.now)))
        return percepts

    def measured(self, now):
        step = math.tau / BEAMS
        count = int(self.width / step)
        first = round((self.middle - self.width / 2.0 + math.pi) / step)
        ranges = cast(self.walls, self.pose)[(first + np.arange(count)) % BEAMS]
        begin = -math.pi + first * step
        angles = {"angle_min": begin, "angle_max": begin + (count - 1) * step, "angle_increment": step}
        return laser(ranges, now, self.tick + 1, **angles)

    def looked_at(self, pose, *bearings_deg):
        """Return whether the newest scan looked where points of the hull are, at bearings from base_link.

        The pose is that at which the gate decided: a tick later the robot has turned on.
        """
        hull = [pose.compose(Pose2D(0.0, 0.0, math.radians(one))) for one in bearings_deg]
        points = [one.compose(Pose2D(P.hull_radius + P.side_margin)) for one in hull]
        off = (wrap(self.scanned.bearing_to(point.x, point.y) - self.middle) for point in points)
        return all(abs(one) <= self.width / 2.0 + 0.02 for one in off)


def bench(middle_deg=0.0, width_deg=180.0, walls=ROOM, pose=None, gate=None):
    made = NarrowBench(
        gate or VelocityGate(P), walls, pose or Pose2D(), middle=math.radians(middle_deg), width=math.radians(width_deg)
    )
    made.settle()
    return made


def test_a_robot_whose_lidar_looks_ahead_does_not_reverse_blindly():
    wall = np.concatenate([ROOM, [[-1.0, -1.0, -1.0, 1.0]]])
    made = bench(walls=wall)
    reasons = {made.step(BACK).reasons for _ in range(500)}
    assert reasons == {("unseen",)}
    assert made.pose == Pose2D()
    # It may turn, and see where it wanted to go.
    while abs(wrap(made.pose.yaw - math.pi)) > 0.05:
        assert abs(made.step(Twist2D(0.0, 1.0)).twist.angular) > 0.0
    for _ in range(7):
        made.step(Twist2D())
    for _ in range(100):
        made.step(AHEAD)
    assert made.pose.x < -0.3


@pytest.mark.parametrize("width", [58.0, 90.0, 180.0, 270.0, 359.0])
def test_ahead_a_lidar_that_looks_there_limits_nothing(width):
    made = bench(width_deg=width)
    for command in (AHEAD, Twist2D(0.2, 0.5), Twist2D(0.2, -0.5)):
        assert {made.step(command).reasons for _ in range(100)} == {()}


@pytest.mark.parametrize(("width", "reasons"), [(330.0, ("unseen",)), (356.0, ())])
def test_a_gap_too_narrow_for_anything_to_hide_in_is_none(width, reasons):
    assert bench(width_deg=width).step(BACK).reasons == reasons


@pytest.mark.parametrize("body", [Body(), Body(ranges=[RangeMount(name="rear", x=-0.17, y=0.0, yaw_deg=180.0)])])
def test_ahead_where_nothing_looks_the_robot_feels_its_way(body):
    """Also with a beam that looks there, for it sees one point and nothing beside it."""
    made = bench(middle_deg=180.0, gate=VelocityGate(P, body=body))
    if body.ranges:
        rear = RangeReading("rear", body.ranges[0].pose, 4.0, 4.0)
        altered = made.altered
        made.altered = lambda percepts: replace(
            altered(percepts), more={"ranges": Ranges(percepts.now, percepts.now, made.tick + 1, (rear,))}
        )
    made.settle()
    for _ in range(100):
        decision = made.step(AHEAD)
    assert decision.reasons == ("unseen",)
    assert decision.twist.linear == P.unseen_speed
    assert made.step(Twist2D(0.04, 0.0)).reasons == ()
    for _ in range(100):
        assert made.step(BACK).reasons == ()


@pytest.mark.parametrize("middle", [90.0, -90.0, 80.0])
def test_a_robot_whose_lidar_looks_to_one_side_does_not_drive_along_the_edge_of_the_view(middle):
    made = bench(middle_deg=middle)
    for _ in range(50):
        assert made.step(BACK).twist.linear == 0.0
    for _ in range(50):
        decision = made.step(AHEAD)
    assert (decision.twist.linear, decision.reasons) == (P.unseen_speed, ("unseen",))


def test_a_body_without_a_lidar_is_held_by_its_beams_alone():
    mounts = [RangeMount(name="front", x=0.17, y=0.0, yaw_deg=0.0)]
    gate = VelocityGate(P, body=Body(lidar=False, ranges=mounts))
    for tick in range(30):
        now = tick * TICK
        reading = RangeReading("front", mounts[0].pose, 4.0, 4.0)
        decision = gate.decide(Percepts(now, more={"ranges": Ranges(now, now, tick + 1, (reading,))}), BACK)
    assert decision.reasons == ()
    assert decision.twist == BACK


def test_a_gate_that_heeds_no_obstacles_heeds_no_view():
    made = bench(gate=VelocityGate(GateParameters(obstacles=False)))
    assert made.step(BACK).reasons == ()


def test_a_path_that_bends_out_of_the_view_is_driven_as_far_as_that_reaches():
    """The LiDAR looks from a little to the right to the left: to the left it may bend, to the right hardly."""
    made = bench(middle_deg=70.0, width_deg=180.0)
    assert made.step(Twist2D(0.1, 0.5)).reasons == ()
    assert made.step(Twist2D(0.1, -1.0)).reasons == ("unseen",)


@pytest.mark.parametrize(("yaw_deg", "limited"), [(10.0, False), (25.0, True), (-25.0, True)])
def test_the_view_does_not_turn_with_the_robot_until_the_next_scan(yaw_deg, limited):
    limit, made = UnseenLimit(), bench(width_deg=60.0)
    seen = limit.observe(None, Situation(P, made.percepts, Pose2D(), Twist2D(), None))
    turned = Pose2D(0.0, 0.0, math.radians(yaw_deg))
    later = replace(made.percepts, now=made.percepts.now + 400_000_000)
    speed, memory = limit.limit(seen, Situation(P, later, turned, Twist2D(), None), AHEAD)
    assert memory is seen
    assert speed == (P.unseen_speed if limited else math.inf)


def test_a_turn_that_no_base_makes_brings_nothing_into_view():
    limit, made = UnseenLimit(), bench()
    seen = limit.observe(None, Situation(P, made.percepts, Pose2D(), Twist2D(), None))
    about = Situation(P, made.percepts, Pose2D(0.0, 0.0, math.pi), Twist2D(), None)
    assert limit.limit(seen, about, BACK)[0] == 0.0
    assert limit.limit(seen, about, AHEAD)[0] == P.unseen_speed


def test_what_went_out_of_view_is_still_there():
    """A pole beside the way of a robot that looks ahead in 60 degrees is lost from sight before the hull is there."""
    pole = np.concatenate([ROOM, rectangle(0.02, 0.02, 1.0, 0.16)])
    made = bench(width_deg=60.0, walls=pole)
    for _ in range(600):
        made.step(Twist2D(0.2, 0.0))
        assert clearance(pole, made.pose) > P.hull_radius
    # Seen again, and gone, it holds the robot no longer.
    made.walls = ROOM
    for command in (Twist2D(0.0, 0.5), Twist2D(0.0, -0.5)):
        for _ in range(50):
            made.step(command)
    for _ in range(200):
        made.step(Twist2D(0.2, 0.0))
    assert made.pose.x > 1.5


commands = st.lists(st.tuples(st.floats(-0.4, 0.6), st.floats(-2.5, 2.5), st.integers(5, 60)), min_size=3, max_size=8)


@given_often(40, commands, st.floats(-180.0, 180.0), st.floats(30.0, 350.0))
def test_whatever_is_commanded_nothing_goes_where_nothing_looks(plan, middle, width):
    made = bench(middle, width)
    for linear, angular, ticks in plan:
        for _ in range(ticks):
            pose = made.pose
            decision = made.step(Twist2D(linear, angular))
            assert decision.twist.angular * angular >= 0.0
            assert abs(decision.twist.linear) <= abs(linear)
            if decision.twist.linear > P.unseen_speed:
                assert made.looked_at(pose, 0.0)
            if decision.twist.linear < 0.0:
                assert made.looked_at(pose, 110.0, 140.0, 180.0, -140.0, -110.0)


@given_often(25, commands, st.floats(-math.pi, math.pi), st.floats(180.0, 300.0), st.integers(0, 2**32 - 1))
def test_whatever_is_commanded_after_a_look_round_nothing_is_hit(plan, yaw, width, seed):
    rng = np.random.default_rng(seed)
    boxes = [rectangle(0.15, 0.1, *rng.uniform(-1.2, 1.2, 2)) for _ in range(4)]
    start = next(
        pose
        for pose in (Pose2D(*rng.uniform(-1.1, 1.1, 2), yaw) for _ in range(1000))
        if clearance(np.concatenate(boxes), pose) > 0.25
    )
    walls = np.concatenate([rectangle(1.4), *boxes])
    made = bench(0.0, width, walls, start, VelocityGate(GateParameters(unseen_speed=0.0)))
    for _ in range(round(math.tau / 1.5 * 50)):
        made.step(Twist2D(0.0, 1.5))
    for linear, angular, ticks in plan:
        for _ in range(ticks):
            made.step(Twist2D(linear, angular))
            assert clearance(walls, made.pose) > P.hull_radius
