"""Gates of bodies: defaults and bounds follow the body, and nothing beyond it is ever let through."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.safety.caps import capped
from arena_trees.safety.obstacle import Obstacles, obstacle_limit
from arena_trees.safety.parameters import GateParameters, StrictGateParameters
from arena_trees.safety.reckoning import plausible_rate, plausible_speed
from arena_trees.safety.stopping import stopping_distance
from arena_trees.world.body import TURTLEBOT4, Barrel, Body

FAST = Body(
    radius=0.2, height=0.27, mass=3.3, max_linear=2.0, max_reverse=1.0, max_angular=6.0, wheel_separation=0.3,
    acceleration=3.0, deceleration=4.0,
)  # fmt: skip
SLOW = Body(radius=0.1, max_linear=0.1, max_reverse=0.0, max_angular=0.8, wheel_separation=0.12, deceleration=0.5)

bodies = st.builds(
    Body,
    radius=st.floats(0.05, 1.0),
    max_linear=st.floats(0.05, 5.0),
    max_reverse=st.floats(0.0, 5.0),
    max_angular=st.floats(0.1, 20.0),
    wheel_separation=st.floats(0.02, 0.1),
    acceleration=st.floats(0.1, 20.0),
    deceleration=st.floats(0.1, 20.0),
)
speeds = st.floats(-1e6, 1e6)


@given(bodies, speeds, speeds)
def test_no_command_comes_through_that_is_beyond_the_body(body: Body, linear: float, angular: float):
    twist = capped(GateParameters.of(body)(), Twist2D(linear, angular))
    slack = 1.0 + 1e-9
    assert -body.max_reverse * slack <= twist.linear <= body.max_linear * slack
    assert abs(twist.angular) <= body.max_angular * slack
    wheel = abs(twist.linear) + abs(twist.angular) * body.wheel_separation / 2.0
    assert wheel <= body.max_linear * slack


@given(bodies)
def test_every_body_has_a_gate_that_is_not_loose_by_its_own_measure(body: Body):
    limits = StrictGateParameters.of(body)()
    assert limits.loosened == {} and limits.hull_radius == body.radius
    assert limits.body_radius < limits.hull_radius, "else the hull itself would not be seen to touch"
    assert plausible_speed(limits) >= max(body.max_linear, body.max_reverse)
    assert plausible_rate(limits) >= body.max_angular


def test_a_turtlebot_s_gate_is_as_it_always_was():
    for model in (GateParameters, StrictGateParameters):
        assert model.of(TURTLEBOT4) is model
        assert model.of(Body(height=0.19, mass=3.3, barrel=Barrel())) is model, "none of this is the gate's"
    assert plausible_rate(GateParameters()) == 2.1
    assert plausible_rate(GateParameters(max_angular=0.5)) == 2.1, "a limit makes no base turn more slowly"


def test_limits_are_compared_with_the_body_s():
    limits = GateParameters.for_body(FAST, {"max_linear": 1.8, "deceleration": 5.0, "hull_radius": 0.19})
    assert {key: str(limit) for key, limit in limits.loosened.items()} == {
        "deceleration": "5 m/s2 (default 4)",
        "hull_radius": "0.19 m (default 0.2)",
    }
    changed = limits.with_changes({"obstacle_margin": 0.1})
    assert (changed.max_linear, changed.obstacle_margin) == (1.8, 0.1)
    with pytest.raises(ConfigError, match="must not be looser than by default"):
        StrictGateParameters.for_body(FAST, {"deceleration": 4.1})
    with pytest.raises(ConfigError, match="must not be looser"):
        StrictGateParameters.for_body(SLOW, {"hull_radius": 0.09})


@pytest.mark.parametrize(
    "body, key, value",
    [
        (TURTLEBOT4, "max_linear", 0.47),
        (TURTLEBOT4, "max_angular", 1.91),
        (FAST, "max_linear", 2.01),
        (FAST, "max_reverse", 1.01),
        (FAST, "max_wheel", 2.5),
        (SLOW, "max_linear", 0.306),
        (SLOW, "breach_speed", 0.2),
        (SLOW, "max_reverse", 0.1),
        (FAST, "max_linear", math.nan),
        (FAST, "max_speed", 1.0),
    ],
)
def test_what_a_body_cannot_do_is_refused(body: Body, key: str, value: float):
    with pytest.raises(ConfigError) as caught:
        GateParameters.for_body(body, {key: value}, "scenario.yaml", "robots.wolf.gate")
    assert (caught.value.file, caught.value.key) == ("scenario.yaml", f"robots.wolf.gate.{key}")


def test_a_create_3_may_have_its_own_safety_off():
    assert set(GateParameters.for_body(TURTLEBOT4, {"max_linear": 0.46, "max_reverse": 0.46}).loosened) == {
        "max_linear",
        "max_reverse",
    }


@given(bodies)
def test_limits_of_a_body_reach_another_process_whole(body: Body):
    for model in (GateParameters, StrictGateParameters):
        limits = model.of(body)(side_margin=0.03)
        again = pickle.loads(pickle.dumps(limits))
        assert again == limits and type(again) is type(limits)


@given(
    st.sampled_from([TURTLEBOT4, FAST, SLOW, Body(radius=0.5, max_linear=1.5, wheel_separation=0.5)]),
    st.floats(0.05, 10.0),
)
def test_a_robot_stops_before_a_wall_by_its_own_size_and_brakes(body: Body, gap: float):
    limits = GateParameters.of(body)()
    y = np.linspace(-1.0, 1.0, 401)
    distance = body.radius + gap
    wall = Obstacles(1, 0, 0, Pose2D(), np.full_like(y, distance), y, distance)
    speed = obstacle_limit(limits, wall, Pose2D(), Twist2D(), Twist2D(body.max_linear), 0)
    way = stopping_distance(speed, limits.reaction_time, body.deceleration)
    assert way <= max(0.0, gap - limits.obstacle_margin) + 1e-9
    if gap > stopping_distance(body.max_linear, limits.reaction_time, body.deceleration) + 0.2:
        assert speed == body.max_linear, "it is held up by nothing"
