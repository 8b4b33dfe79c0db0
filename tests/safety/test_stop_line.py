"""Stop lines at the gate: how long a lease lasts, what is held without one, and what is not."""

import math
from dataclasses import replace

import pytest
from helpers.bench import Bench
from helpers.examples import given_often
from helpers.scans import rectangle
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.percepts import Percepts
from arena_trees.safety.gate import VelocityGate
from arena_trees.safety.motion_limit import Situation
from arena_trees.safety.parameters import GateParameters
from arena_trees.safety.stop_line import Lease, StopLine, StopLineLimit, line_limit, permitted
from arena_trees.world.geofence import Geofence

P = GateParameters()
LINE = StopLine("south", 0.3, -0.7, math.pi / 2, 0.3)
LINES = (LINE,)
CROSSING = tuple(
    StopLine(f"side {number}", *at, (number + 1) * math.pi / 2, 0.3)
    for number, at in enumerate(((0.3, -0.7), (0.7, 0.3), (-0.3, 0.7), (-0.7, -0.3)))
)
FULL = Twist2D(0.306, 0.0)


def front(line, pose):
    """Return how far (m) a robot's front is over a line, and how far its centre is aside of the line's middle."""
    at = line.pose.relative(pose)
    return at.x + P.hull_radius, abs(at.y)


def before(over, aside=0.0, yaw=0.0, line=LINE):
    """Return the pose of a robot whose front is so far over the line, m; turned by yaw from its direction."""
    return line.pose.compose(Pose2D(over - P.hull_radius, aside, yaw))


class Scheduler:
    """Whoever gives leases: a robot hears its newest word in every step.

    Attributes:
        lease: how long (s) the newest lease is, or None
        number: of the robot's message that it answers
    """

    def __init__(self, lease=None, number=7):
        self.lease, self.number = lease, number

    def __call__(self, percepts):
        return None if self.lease is None else Lease((1, self.number), percepts.now, self.lease)


def bench(pose, lines=LINES, scheduler=None):
    limits = () if lines is None else (StopLineLimit(lines, scheduler or Scheduler()),)
    made = Bench(VelocityGate(P, limits=limits), rectangle(6.0), pose)
    made.settle()
    return made


def test_a_lease_ends_with_its_length_less_the_clocks_error_and_counts_for_nothing_before_it_came():
    lease = Lease((1, 7), SECOND, 2.0)
    end = SECOND + from_seconds(1.98)
    assert lease.stands(SECOND)
    assert lease.stands(end)
    assert not lease.stands(end + 1)
    assert not lease.stands(SECOND - 1)


def test_repeating_a_lease_makes_it_no_longer_but_a_new_answer_does():
    known, again = Lease((1, 7), 0, 2.0), Lease((1, 7), SECOND, 2.0)
    assert permitted(None, again) == again
    assert permitted(known, again) == known
    assert permitted(known, Lease((1, 7), SECOND, 3.0)) == Lease((1, 7), 0, 3.0)
    for number in ((1, 8), (2, 7)):
        assert permitted(known, Lease(number, SECOND, 2.0)).arrival == SECOND
    assert permitted(known, None) is None


def test_a_lease_of_days_is_not_believed():
    assert not Lease((1, 1), 0, 1e6).stands(61 * SECOND)


def test_a_robot_without_a_place_gets_no_speed_and_diagnostics_tell_of_the_lease():
    limit = StopLineLimit(LINES, Scheduler(), received=lambda percepts: {"scheduler": "silent"})
    situation = Situation(P, Percepts(0), Pose2D(), ZERO, None)
    assert limit.limit(None, situation, FULL) == (0.0, None)
    assert limit.report(None, Percepts(0)) == {"scheduler": "silent", "lease": "none"}
    assert limit.report(Lease((1, 1), 0, 2.0), Percepts(SECOND)) == {"scheduler": "silent", "lease": "stands"}


@pytest.mark.parametrize(
    "numbers", [(math.nan, 0.0, 0.0, 0.3), (0.0, 0.0, math.inf, 0.3), (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, math.inf)]
)
def test_a_line_that_is_none_is_refused(numbers):
    with pytest.raises(ValueError, match="south"):
        StopLine("south", *numbers)


commands = st.lists(
    st.tuples(st.floats(-0.3, 0.5), st.floats(-2.5, 2.5) | st.just(0.0), st.integers(5, 60)), min_size=3, max_size=12
)


@given_often(60, commands, st.floats(-0.6, -P.line_margin), st.floats(-0.28, 0.28), st.floats(-math.pi, math.pi))
def test_without_a_lease_no_command_brings_the_front_over_the_line(plan, over, aside, yaw):
    """Until it passes beside the line, which stops nobody."""
    made = bench(before(over, aside, yaw))
    for linear, angular, ticks in plan:
        for _ in range(ticks):
            made.step(Twist2D(linear, angular))
            now, beside = front(LINE, made.pose)
            if now > 0.0:
                assert beside >= LINE.half_width
                return


@given_often(60, commands, st.floats(-P.line_margin, 0.02), st.floats(-0.2, 0.2), st.floats(-math.pi, math.pi))
def test_within_the_margin_no_command_brings_the_front_nearer(plan, over, aside, yaw):
    made = bench(before(over, aside, yaw))
    for linear, angular, ticks in plan:
        for _ in range(ticks):
            made.step(Twist2D(linear, angular))
            now, beside = front(LINE, made.pose)
            if beside >= LINE.half_width:
                return
            # The base follows late, so that one that turns and begins to drive rolls a little.
            assert now < over + 0.002


@given_often(
    25,
    st.sampled_from(CROSSING),
    st.floats(-0.6, -0.05),
    st.floats(-0.2, 0.2),
    st.floats(-1.2, 1.2),
    st.booleans(),
    st.floats(-0.1, 0.1),
)
def test_driven_at_ahead_or_backwards_it_stands_close_before_the_line(line, over, aside, yaw, backwards, angular):
    heading = yaw + math.pi if backwards else yaw
    made = bench(before(over, aside, heading, line), CROSSING)
    most = -math.inf
    for _ in range(700):
        # Straight on in the direction in which it looks, but for a little.
        decision = made.step(Twist2D(-0.15 if backwards else 0.3, angular if made.tick % 50 < 25 else -angular))
        over, beside = front(line, made.pose)
        if beside > line.half_width:
            return
        most = max(most, over)
    assert -0.05 < most < 0.0
    assert decision.reasons[0] == StopLineLimit.reason


@pytest.mark.parametrize("over", [-0.6, -0.3, -0.12, -0.1])
def test_a_lease_that_ends_on_the_way_stops_the_robot_before_the_line(over):
    scheduler = Scheduler(12.0)
    made = bench(before(-1.0), scheduler=scheduler)
    made.step(FULL)
    while front(LINE, made.pose)[0] < over:
        assert made.step(FULL).reasons == ()
    scheduler.lease = None
    most = max(front(LINE, made.pose)[0] for _ in range(200) if made.step(FULL))
    assert over < most < 0.0
    assert made.twist.linear < 0.01


def test_a_lease_that_nobody_renews_closes_the_line_again():
    made = bench(before(-0.1), scheduler=Scheduler(2.0))
    while made.tick < 101:
        assert made.step(ZERO).reasons == ()
    assert [made.step(FULL).reasons for _ in range(60)][-1] == (StopLineLimit.reason,)
    assert front(LINE, made.pose)[0] < 0.0


@given_often(60, commands, st.floats(-0.6, 0.6), st.floats(-0.5, 0.5), st.floats(-math.pi, math.pi))
def test_with_a_lease_the_gate_is_as_one_without_lines(plan, over, aside, yaw):
    pose = before(over, aside, yaw)
    held, free = bench(pose, scheduler=Scheduler(60.0)), bench(pose, lines=None)
    for linear, angular, ticks in plan:
        for _ in range(ticks):
            assert held.step(Twist2D(linear, angular)) == free.step(Twist2D(linear, angular))


def passed(pose, command, lines=CROSSING, motion=None):
    """Return whether a robot without a lease may do what is commanded."""
    return line_limit(P, lines, pose, command if motion is None else motion, command) == abs(command.linear)


@given(st.floats(0.031, 0.5), st.floats(-0.6, 0.6), st.floats(-math.pi, math.pi), st.floats(-2.0, 2.0))
def test_a_robot_whose_front_is_beyond_is_not_held(over, aside, yaw, angular):
    for linear in (0.3, -0.15):
        assert passed(before(over, aside, yaw), Twist2D(linear, angular), LINES)


@given(
    st.floats(-1.0, 0.5), st.floats(-0.2, 0.8), st.floats(-0.5, 0.5), st.floats(-1.0, 1.0),
    st.sampled_from(CROSSING),
)  # fmt: skip
def test_a_robot_that_leaves_is_not_held_in_the_other_lane_nor_in_its_own(over, aside, yaw, angular, line):
    assert passed(before(over, aside, math.pi + yaw, line), Twist2D(0.3, angular))
    assert passed(before(over, aside, yaw, line), Twist2D(-0.15, angular))


@given(st.floats(-0.019, 0.029), st.floats(-0.46, 0.46), st.floats(-1.5, 1.5), st.sampled_from(CROSSING))
def test_at_the_line_no_motion_ahead_is_left(over, aside, yaw, line):
    for linear, turned in ((0.3, 0.0), (-0.15, math.pi)):
        command = Twist2D(linear, 0.0)
        assert line_limit(P, CROSSING, before(over, aside, yaw + turned, line), command, command) == 0.0


@given(st.floats(-0.5, 0.5), st.floats(-0.6, 0.6), st.floats(-math.pi, math.pi), st.floats(0.1, 1.9))
def test_turning_on_the_spot_is_never_limited(over, aside, yaw, angular):
    made = bench(before(over, aside, yaw))
    for command in (Twist2D(0.0, angular), Twist2D(0.0, -angular)):
        decisions = [made.step(command) for _ in range(25)]
        assert decisions[-1].twist == command
        assert not any(decision.reasons for decision in decisions)


def test_a_robot_may_drive_to_where_it_waits_turn_there_and_drive_away():
    made = bench(before(-0.5))
    while front(LINE, made.pose)[0] < -0.05:
        left = -0.05 - front(LINE, made.pose)[0]
        assert made.step(Twist2D(min(0.3, 0.02 + 1.5 * left), 0.0)).reasons == ()
    while made.twist != ZERO:
        made.step(ZERO)
    assert -0.05 <= front(LINE, made.pose)[0] < -0.03
    assert made.step(Twist2D(-0.15, 0.0)).reasons == ()
    for _ in range(100):
        made.step(Twist2D(0.0, 1.57))
    assert StopLineLimit.reason not in {reason for _ in range(100) for reason in made.step(FULL).reasons}
    assert front(LINE, made.pose)[0] < -0.4


def test_an_arc_over_the_lines_end_is_held_and_the_way_beside_it_is_not():
    pose = before(-0.03, LINE.half_width + P.hull_radius + 0.01)
    assert passed(pose, FULL, LINES)
    assert passed(pose, Twist2D(0.3, 2.0), LINES)
    assert not passed(pose, Twist2D(0.3, -2.0), LINES)
    # Who has passed beside the line before it bends in is inside.
    assert passed(before(0.0, LINE.half_width + P.hull_radius + 0.01), Twist2D(0.3, -2.0), LINES)


def test_the_arc_that_the_base_is_on_counts_as_well():
    pose, away = before(-0.05, 0.0, 1.4), Twist2D(0.3, 1.9)
    assert passed(pose, away, LINES)
    assert not passed(pose, away, LINES, motion=Twist2D(0.3, -1.9))
    # One that hardly moves is on no arc.
    assert passed(pose, away, LINES, motion=Twist2D(0.01, -1.9))


def test_a_lease_for_one_area_lifts_no_line_of_another():
    lines = (replace(LINE, area=1),)
    made = bench(before(-0.5), lines=lines, scheduler=Scheduler(12.0))
    reasons = {reason for _ in range(150) for reason in made.step(FULL).reasons}
    assert reasons == {StopLineLimit.reason}
    assert front(LINE, made.pose)[0] < 0.0
    known = Lease((1, 7), 0, 2.0)
    assert permitted(known, Lease((1, 7), SECOND, 2.0, 1)) == Lease((1, 7), SECOND, 2.0, 1)


def test_a_robot_that_does_not_know_where_it_is_stands():
    made = bench(before(-1.0), scheduler=Scheduler(12.0))
    for _ in range(10):
        made.step(FULL)
    assert made.twist.linear > 0.1
    made.lost = True
    decisions = [made.step(FULL) for _ in range(60)]
    assert decisions[-1].twist == ZERO
    assert decisions[-1].reasons == ("localisation lost",)


def test_a_fence_and_lines_hold_together():
    square = Geofence("square", [(-1.5, -1.5), (1.5, -1.5), (1.5, 1.5), (-1.5, 1.5)])
    limits = (StopLineLimit(CROSSING, Scheduler()),)
    made = Bench(VelocityGate(P, square, limits), rectangle(6.0), Pose2D(0.3, -1.2, math.pi / 2))
    made.settle()
    reasons = {reason for _ in range(150) for reason in made.step(FULL).reasons}
    assert reasons == {StopLineLimit.reason}
    assert front(LINE, made.pose)[0] < 0.0
    reasons = {reason for _ in range(300) for reason in made.step(Twist2D(-0.15, 0.0)).reasons}
    assert reasons == {"fence"}
    assert square.signed_distance(made.pose.x, made.pose.y) > 0.0


def test_a_gate_without_lines_asks_for_no_place():
    made = bench(before(-0.1), lines=None)
    assert made.step(FULL).reasons == ()
    assert made.gate.state.place is None


def test_the_lines_judge_what_the_fence_has_left_and_are_named_only_where_they_take_more():
    """A fence right before a line leaves no speed that the line could take."""
    fence = Geofence("strip", [(-2, -2), (2, -2), (2, -0.8), (-2, -0.8)])
    made = Bench(VelocityGate(P, fence, (StopLineLimit(LINES, Scheduler()),)), rectangle(6.0), before(-0.3))
    made.settle()
    assert {reason for _ in range(150) for reason in made.step(FULL).reasons} == {"fence"}
    # At the speed that is wanted, the line would take it away.
    assert not passed(made.pose, FULL, LINES)
