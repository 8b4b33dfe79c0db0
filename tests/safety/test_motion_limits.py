"""The list of motion limits: what a gate makes of any limits, in which order, and where their memory is."""

import math

import pytest
from helpers.scans import scan_of_points
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.percepts import Bumpers, Odometry, Percepts, PoseEstimate
from arena_trees.safety.bumper import BumperLimit
from arena_trees.safety.fence_limit import FenceLimit
from arena_trees.safety.frozen_scan import FrozenScanLimit
from arena_trees.safety.gate import GateInputs, GateState, VelocityGate, limits_of, need_place, step
from arena_trees.safety.motion_limit import MotionLimit, Situation
from arena_trees.safety.obstacle import ObstacleLimit
from arena_trees.safety.parameters import GateParameters
from arena_trees.safety.stop_line import StopLineLimit
from arena_trees.safety.stuck_odometry import StuckOdometryLimit
from arena_trees.safety.unseen import UnseenLimit
from arena_trees.world.geofence import Geofence

P = GateParameters()
FENCE = Geofence("square", [(-2, -2), (2, -2), (2, 2), (-2, 2)])
TICK = 20_000_000


class Fixed(MotionLimit[int]):
    """Answers always the same, and counts in its memory how often it was asked."""

    def __init__(self, speed, name="fixed", rest=False, place=False):
        self.speed, self.reason, self.judges_rest, self.needs_place = speed, name, rest, place
        self.judged = []

    def observe(self, memory, situation):
        return (memory or 0) + 1

    def limit(self, memory, situation, wanted):
        self.judged.append(wanted)
        return self.speed, memory + 1000

    def report(self, memory, percepts):
        return {self.reason: str(memory)}


def percepts(tick, pose=True):
    now, number = tick * TICK, tick + 1
    scan = scan_of_points([(3.0, 0.0)], now, number)
    place = PoseEstimate(now, now, number, Pose2D()) if pose else None
    return Percepts(now, scan, Odometry(now, now, number, Pose2D(), ZERO), place)


def driven(limits, command, ticks=40, pose=True):
    """Return the newest state, twist and reasons of a robot that is held at a place."""
    state, twist, reasons = GateState(), ZERO, ()
    for tick in range(ticks):
        state, twist, reasons = step(P, limits, state, GateInputs(percepts(tick, pose), command))
    return state, twist, reasons


speeds = st.floats() | st.floats(-1.0, 1.0)


@given(
    st.lists(st.tuples(speeds, st.booleans()), max_size=5),
    st.floats(-0.15, 0.306),
    st.floats(-1.0, 1.0) | st.just(0.0),
)
def test_whatever_limits_answer_they_only_take_speed_away_and_leave_rotation(answers, linear, angular):
    """Also where the answer is negative, infinite or no number."""
    command = Twist2D(linear, angular)
    _, free, named = driven((), command)
    limits = [Fixed(speed, str(number), rest) for number, (speed, rest) in enumerate(answers)]
    _, twist, reasons = driven(limits, command)
    assert twist.is_finite
    assert twist.angular == free.angular
    assert abs(twist.linear) <= abs(free.linear)
    assert twist.linear * free.linear >= 0.0
    if linear == 0.0:
        assert twist == free
        assert reasons == ()
    for speed, _ in answers:
        allowed = speed if speed > 0.0 else 0.0
        assert abs(twist.linear) <= allowed
    # Worst first: in the order of the list, caps behind.
    acted = reasons[: len(reasons) - len(named)]
    assert reasons == (*sorted(acted, key=int), *named)


def test_a_limit_judges_what_is_wanted_or_what_those_behind_it_have_left():
    side, rest, first = Fixed(0.05, "side"), Fixed(0.3, "rest", rest=True), Fixed(0.2, "first")
    _, twist, reasons = driven((rest, first, side), Twist2D(0.3, 1.0))
    assert twist.linear == 0.05
    assert reasons == ("first", "side", "speed cap")
    wanted = first.judged[-1]
    assert side.judged[-1] == wanted
    assert wanted.linear > 0.2
    assert rest.judged[-1] == Twist2D(0.05, wanted.angular)


def test_a_limit_of_the_rest_is_not_asked_where_nothing_is_left():
    rest = Fixed(0.0, "rest", rest=True)
    assert driven((rest, Fixed(0.0, "other")), Twist2D(0.3, 0.0))[2] == ("other",)
    assert not rest.judged


def test_memory_is_in_the_state_alone_and_grows_also_while_the_robot_stands():
    limits = (Fixed(1.0, "a"), Fixed(1.0, "b"))
    state, _, _ = driven(limits, None, ticks=5)
    assert state.memories == (5, 5)
    inputs = GateInputs(percepts(40), Twist2D(0.2, 0.0))
    moving, _, _ = driven(limits, Twist2D(0.2, 0.0), ticks=40)
    once, again = step(P, limits, moving, inputs), step(P, limits, moving, inputs)
    assert once == again
    assert once[0].memories == tuple(memory + 1001 for memory in moving.memories)


@pytest.mark.parametrize("place", [True, False])
def test_a_robot_stands_without_a_place_where_one_of_its_limits_needs_it(place):
    limits = (Fixed(1.0), Fixed(1.0, place=place))
    assert need_place(limits) is place
    state, twist, reasons = driven(limits, Twist2D(0.2, 0.0), pose=False)
    assert (reasons == ("localisation lost",)) is place
    assert (twist == ZERO) is place
    assert state.place is None


def test_every_robot_has_the_same_limits_and_those_of_its_game_stand_before_them():
    own = Fixed(1.0)
    kinds = (Fixed, ObstacleLimit, FrozenScanLimit, UnseenLimit, StuckOdometryLimit, BumperLimit, FenceLimit)
    assert tuple(type(limit) for limit in VelocityGate(P, FENCE, (own,)).limits) == kinds
    assert tuple(type(limit) for limit in limits_of()) == kinds[1:6]
    assert not need_place(limits_of())
    reasons = {"obstacle", "scan frozen", "unseen", "odometry stuck", "bumper", "fence", "stop line"}
    assert {kind.reason for kind in (*kinds[1:], StopLineLimit)} == reasons


def test_diagnostics_tell_what_each_limit_tells():
    gate = VelocityGate(P, FENCE, (Fixed(1.0),))
    gate.decide(percepts(0), None)
    assert gate.report(percepts(0)) == {"fixed": "1", "zone": "square"}


def test_a_limit_that_needs_a_place_gives_no_speed_without_one():
    situation = Situation(P, percepts(0), Pose2D(), ZERO, None)
    assert situation.here is None
    assert FenceLimit(FENCE).limit(None, situation, Twist2D(0.2, 0.0)) == (0.0, None)


def test_a_pressed_bumper_takes_motion_ahead_only():
    pressed = Percepts(0, bumpers=Bumpers(0, 0, 1, frozenset({"bump_left"})))
    for known, linear, speed in ((pressed, 0.1, 0.0), (pressed, -0.1, math.inf), (Percepts(0), 0.1, math.inf)):
        situation = Situation(P, known, Pose2D(), ZERO, None)
        assert BumperLimit().limit(None, situation, Twist2D(linear, 0.0)) == (speed, None)
