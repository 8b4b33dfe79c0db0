"""Stop lines at the gate: what a lease is, what is held without one, and what is not."""

from __future__ import annotations

import math

import pytest
from helpers.bench import Bench
from helpers.scans import rectangle
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_trees.games.crossroads.messages import Approach, Crossing, CrossingNews, Holder, SchedulerState, Turn
from arena_trees.games.crossroads.stop_lines import stop_lines
from arena_trees.perception.checks import RefusedReadingError
from arena_trees.perception.crossing_fold import CrossingFold
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.messages import Message
from arena_trees.safety.gate import STOP_LINE, VelocityGate
from arena_trees.safety.parameters import GateParameters
from arena_trees.safety.stop_line import Permit, StopLine, StopLines, line_limit, permitted
from arena_trees.world.crossing.plan import CrossingParameters
from arena_trees.world.geofence import Geofence

P = GateParameters()
LINE = StopLine("south", 0.3, -0.7, math.pi / 2, 0.3)
LINES = StopLines("wolf", (LINE,))
CROSSING = stop_lines("wolf", CrossingParameters())
FULL = Twist2D(0.306, 0.0)
OPEN, STANDBY, REBUILDING = SchedulerState.OPEN, SchedulerState.STANDBY, SchedulerState.REBUILDING


def holder(robot="wolf", lease=12.0, answers=7, epoch=1):
    return Holder(robot, epoch, 3, Approach.SOUTH, Turn.STRAIGHT, 0.0, answers, lease)


def told(*holders, now=0, name="scheduler", epoch=5, state=OPEN):
    return Crossing(now, now, 1, name, epoch, state, holders)


def news(*states):
    arrival = max(state.arrival for state in states)
    return CrossingNews(arrival, arrival, 1, states)


def lease(*states, known=None, now=0):
    """Return whether the robot holds a lease."""
    permit = permitted(known, news(*states) if states else None, "wolf")
    return permit is not None and permit.stands(now)


def front(line, pose):
    """Return how far (m) a robot's front is over a line, and how far its centre is aside of the line's middle."""
    at = line.pose.relative(pose)
    return at.x + P.hull_radius, abs(at.y)


def before(over, aside=0.0, yaw=0.0, line=LINE):
    """Return the pose of a robot whose front is so far over the line, m; turned by yaw from its direction."""
    return line.pose.compose(Pose2D(over - P.hull_radius, aside, yaw))


def bench(pose, lines=LINES, crossing=None):
    made = Bench(VelocityGate(P, lines=lines), rectangle(6.0), pose, crossing=crossing)
    made.settle()
    return made


def test_without_a_message_there_is_no_permit():
    assert not lease()
    assert lease(told(holder()))


@pytest.mark.parametrize(
    "states",
    [
        (told(),),
        (told(holder("rabbit")),),
        (told(holder(lease=0.0)),),
        (told(holder(), state=STANDBY),),
        (told(holder()), told(epoch=6, name="a")),
        (told(holder()), told(name="z")),
        (told(holder()), told(name="z", state=REBUILDING)),
    ],
)
def test_who_is_not_named_by_the_scheduler_that_is_obeyed_has_none(states):
    assert not lease(*states)
    assert not lease(*reversed(states))


def test_one_that_has_given_way_and_one_of_a_lower_number_count_for_nothing():
    assert lease(told(holder()), told(name="z", epoch=9, state=STANDBY))
    assert lease(told(holder()), told(name="z", epoch=4))


def test_a_lease_ends_with_its_length_less_the_clocks_error_and_counts_for_nothing_before_it_came():
    granted = told(holder(lease=2.0), now=SECOND)
    end = SECOND + round(1.98 * SECOND)
    assert lease(granted, now=end)
    assert not lease(granted, now=end + 1)
    assert not lease(granted, now=SECOND - 1)


def test_repeating_a_lease_makes_it_no_longer_but_a_new_answer_does():
    known = permitted(None, news(told(holder(lease=2.0))), "wolf")
    again = told(holder(lease=2.0), now=SECOND)
    assert not lease(again, known=known, now=2 * SECOND)
    assert lease(again, now=2 * SECOND)
    assert lease(told(holder(lease=2.0, answers=8), now=SECOND), known=known, now=2 * SECOND)
    assert lease(told(holder(lease=2.0, epoch=2), now=SECOND), known=known, now=2 * SECOND)


def test_a_lease_of_days_is_not_believed():
    assert not Permit((1, 1), 0, 1e6).stands(61 * SECOND)


@pytest.mark.parametrize(
    "change",
    [
        {"holders": [["wolf", 1, 3, "south", "straight", 0.0, 7, math.nan]]},
        {"holders": [["wolf", 1, 3, "south", "straight", 0.0, 7, -1.0]]},
        {"holders": [["wolf", 1, 3, "up", "straight", 0.0, 7, 12.0]]},
        {"holders": "wolf"},
        {"state": "WIDE OPEN"},
        {"epoch": -1},
        {"scheduler": "somebody else"},
    ],
)
def test_a_malformed_message_gives_none(change):
    fold = CrossingFold()
    payload = told(holder()).to_payload()
    fold.fold(Message("crossing", "scheduler", 1, 1, 0, payload), 0)
    assert permitted(None, fold.news, "wolf") is not None
    fold = CrossingFold()
    with pytest.raises(RefusedReadingError):
        fold.fold(Message("crossing", "scheduler", 1, 1, 0, {**payload, **change}), 0)
    assert permitted(None, fold.news, "wolf") is None


@pytest.mark.parametrize(
    "numbers", [(math.nan, 0.0, 0.0, 0.3), (0.0, 0.0, math.inf, 0.3), (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, math.inf)]
)
def test_a_line_that_is_none_is_refused(numbers):
    with pytest.raises(ValueError, match="south"):
        StopLine("south", *numbers)


@pytest.mark.parametrize("approaches", [3, 4])
def test_the_lines_of_a_crossing_lie_across_the_lanes_that_lead_in(approaches):
    lines = stop_lines("wolf", CrossingParameters(approaches=approaches, lane_width=0.8, setback=0.2)).lines
    places = {line.name: (round(line.x, 9), round(line.y, 9)) for line in lines}
    assert places == {
        "south": (0.4, -1.0),
        "east": (1.0, 0.4),
        **({"north": (-0.4, 1.0)} if approaches == 4 else {}),
        "west": (-1.0, -0.4),
    }
    for line in lines:
        assert line.half_width == pytest.approx(0.4)
        # One metre on, a robot is in the square.
        on = line.pose.compose(Pose2D(0.3))
        assert max(abs(on.x), abs(on.y)) < 0.8


commands = st.lists(
    st.tuples(st.floats(-0.3, 0.5), st.floats(-2.5, 2.5) | st.just(0.0), st.integers(5, 60)), min_size=3, max_size=12
)


@settings(max_examples=60, deadline=None)
@given(commands, st.floats(-0.6, -P.line_margin), st.floats(-0.28, 0.28), st.floats(-math.pi, math.pi))
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


@settings(max_examples=60, deadline=None)
@given(commands, st.floats(-P.line_margin, 0.02), st.floats(-0.2, 0.2), st.floats(-math.pi, math.pi))
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


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(CROSSING.lines),
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
    assert decision.reasons[0] == STOP_LINE


@pytest.mark.parametrize("over", [-0.6, -0.3, -0.12, -0.1])
def test_a_lease_that_ends_on_the_way_stops_the_robot_before_the_line(over):
    made = bench(before(-1.0), crossing=news(told(holder())))
    made.step(FULL)
    while front(LINE, made.pose)[0] < over:
        assert made.step(FULL).reasons == ()
    made.crossing = news(told())
    most = max(front(LINE, made.pose)[0] for _ in range(200) if made.step(FULL))
    assert over < most < 0.0
    assert made.twist.linear < 0.01


def test_a_lease_that_nobody_renews_closes_the_line_again():
    made = bench(before(-0.1), crossing=news(told(holder(lease=2.0))))
    while made.tick < 101:
        assert made.step(ZERO).reasons == ()
    assert [made.step(FULL).reasons for _ in range(60)][-1] == (STOP_LINE,)
    assert front(LINE, made.pose)[0] < 0.0


@settings(max_examples=60, deadline=None)
@given(commands, st.floats(-0.6, 0.6), st.floats(-0.5, 0.5), st.floats(-math.pi, math.pi))
def test_with_a_lease_the_gate_is_as_one_without_lines(plan, over, aside, yaw):
    pose = before(over, aside, yaw)
    held, free = bench(pose, crossing=news(told(holder(lease=60.0)))), bench(pose, lines=None)
    for linear, angular, ticks in plan:
        for _ in range(ticks):
            assert held.step(Twist2D(linear, angular)) == free.step(Twist2D(linear, angular))


def passed(pose, command, lines=CROSSING, motion=None):
    """Return whether a robot without a lease may do what is commanded."""
    return line_limit(P, lines, pose, command if motion is None else motion, command) == abs(command.linear)


@settings(deadline=None)
@given(st.floats(0.031, 0.5), st.floats(-0.6, 0.6), st.floats(-math.pi, math.pi), st.floats(-2.0, 2.0))
def test_a_robot_whose_front_is_beyond_is_not_held(over, aside, yaw, angular):
    for linear in (0.3, -0.15):
        assert passed(before(over, aside, yaw), Twist2D(linear, angular), LINES)


@settings(deadline=None)
@given(
    st.floats(-1.0, 0.5), st.floats(-0.2, 0.8), st.floats(-0.5, 0.5), st.floats(-1.0, 1.0),
    st.sampled_from(CROSSING.lines),
)  # fmt: skip
def test_a_robot_that_leaves_is_not_held_in_the_other_lane_nor_in_its_own(over, aside, yaw, angular, line):
    assert passed(before(over, aside, math.pi + yaw, line), Twist2D(0.3, angular))
    assert passed(before(over, aside, yaw, line), Twist2D(-0.15, angular))


@settings(deadline=None)
@given(st.floats(-0.019, 0.029), st.floats(-0.46, 0.46), st.floats(-1.5, 1.5), st.sampled_from(CROSSING.lines))
def test_at_the_line_no_motion_ahead_is_left(over, aside, yaw, line):
    for linear, turned in ((0.3, 0.0), (-0.15, math.pi)):
        command = Twist2D(linear, 0.0)
        assert line_limit(P, CROSSING, before(over, aside, yaw + turned, line), command, command) == 0.0


@settings(deadline=None)
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
    assert STOP_LINE not in {reason for _ in range(100) for reason in made.step(FULL).reasons}
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


def test_a_robot_that_does_not_know_where_it_is_stands():
    made = bench(before(-1.0), crossing=news(told(holder())))
    for _ in range(10):
        made.step(FULL)
    assert made.twist.linear > 0.1
    made.lost = True
    decisions = [made.step(FULL) for _ in range(60)]
    assert decisions[-1].twist == ZERO
    assert decisions[-1].reasons == ("localisation lost",)


def test_a_fence_and_lines_hold_together():
    square = Geofence("square", [(-1.5, -1.5), (1.5, -1.5), (1.5, 1.5), (-1.5, 1.5)])
    made = Bench(VelocityGate(P, square, CROSSING), rectangle(6.0), Pose2D(0.3, -1.2, math.pi / 2))
    made.settle()
    reasons = {reason for _ in range(150) for reason in made.step(FULL).reasons}
    assert reasons == {STOP_LINE}
    assert front(LINE, made.pose)[0] < 0.0
    reasons = {reason for _ in range(300) for reason in made.step(Twist2D(-0.15, 0.0)).reasons}
    assert reasons == {"fence"}
    assert square.signed_distance(made.pose.x, made.pose.y) > 0.0


def test_a_gate_without_lines_knows_no_lease():
    made = bench(before(-0.1), lines=None, crossing=news(told(holder())))
    assert made.step(FULL).reasons == ()
    assert made.gate.state.permit is None
    assert made.gate.state.place is None
