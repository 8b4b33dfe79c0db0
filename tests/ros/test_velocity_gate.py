"""The velocity gate as a process of its own, over real DDS: what it stops, how soon, and what clears it."""

import contextlib
import json
import math
import os
import signal
import sys
import threading
import time
from itertools import pairwise
from types import SimpleNamespace

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")

from geometry_msgs.msg import PoseWithCovarianceStamped, Twist, TwistStamped
from helpers.gate_bench import PATIENT, GateBench
from helpers.node_bench import NodeBench
from helpers.patience import exit_code
from helpers.velocity_record import MS
from rclpy.clock import Clock, ClockType
from rclpy.exceptions import ParameterException
from rclpy.parameter import Parameter
from std_msgs.msg import String

from arena_trees.games.crossroads.messages import Approach, Crossing, Holder, SchedulerState, Turn
from arena_trees.games.registry import find_game
from arena_trees.nodes.adapters.convert import fill
from arena_trees.nodes.adapters.message_port import RosMessagePort
from arena_trees.nodes.runtime.qos import COMMAND, EVENTS, LATCHED
from arena_trees.nodes.velocity_gate import VelocityGateNode
from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.resources import config_path
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.ports import GateDecision
from arena_trees.robot.ros_messages.gate_decisions import DECISIONS, GATE_INFO, decode_decision
from arena_trees.world.arenas import load_fence, require_fence

STEADY = Clock(clock_type=ClockType.STEADY_TIME)


RELEASED = ("-r", "__ns:=/wolf", "-p", "start_latched:=false")


@pytest.fixture(scope="module")
def running():
    with GateBench(**PATIENT) as made:
        yield made


@pytest.fixture
def bench(running):
    """A robot that drives."""
    running.recover()
    return running


def test_it_waits_for_scans_and_commands_then_drives_then_stops_with_the_tree_at_rest():
    with GateBench(tree_timeout=2.0) as bench:
        bench.wait_for_state("no command")
        bench.drive(0.1)
        bench.wait_for_motion()
        bench.wait_for_state("ok")
        bench.scanning = False
        bench.wait_for_state("scan stale")
        bench.wait_for_standstill()
        bench.scanning = True
        bench.wait_for_motion()
        bench.command = None
        bench.wait_for_state("latched: tree died while moving")


def test_a_gate_that_is_started_by_hand_waits_for_a_reset_and_a_standstill():
    with GateBench(**{**PATIENT, "start_latched": True}) as bench:
        bench.wait_for_state("latched: not released since the gate started")
        bench.drive(0.1)
        bench.wait(lambda: bench.diagnosis("command age (s)") not in (None, "never"), "its commands")
        count = len(bench.sent)
        bench.wait(lambda: len(bench.sent) > count + 25, "more velocities")
        assert all(sent.is_zero for sent in bench.sent)
        assert bench.call("reset").message == "cleared: not released since the gate started"
        bench.wait_for_state("waiting until the tree commands a standstill")
        bench.drive(0.0)
        bench.wait_for_state("ok")
        bench.drive(0.1)
        bench.wait_for_motion()


def test_what_the_gate_decides_is_published_with_its_limits(bench):
    infos, texts = [], []
    bench.node.create_subscription(String, GATE_INFO, infos.append, LATCHED)
    bench.node.create_subscription(String, DECISIONS, texts.append, EVENTS)
    found = lambda: [decode_decision(line) for text in list(texts) for line in text.data.split("\n")]  # noqa: E731
    bench.wait(lambda: any(made.decision.twist.linear == 0.1 for made in found()), "a decision to drive")
    assert bench.call("stop").success
    bench.wait(lambda: found()[-1].decision.latched is not None, "a decision to stand")
    assert found()[-1].decision.twist == ZERO
    assert abs(found()[-1].now - bench.node.get_clock().now().nanoseconds) < 60 * SECOND
    assert json.loads(infos[-1].data)["scan_timeout"] == PATIENT["scan_timeout"]


def test_the_stop_service_latches_and_only_a_reset_and_a_standstill_clear_it(bench):
    assert bench.call("stop").success
    bench.wait_for_state("latched: operator stop: service")
    bench.wait_for_standstill()
    count = len(bench.states)
    bench.listen_to_state()
    bench.wait(lambda: len(bench.states) > count, "the state once more, for a late joiner")
    assert bench.states[-1] == "latched: operator stop: service"
    bench.wait(lambda: bench.diagnosis("latched for (s)") not in (None, ""), "a diagnosis")
    bench.wait(lambda: bench.diagnosis("latched") == "operator stop: service", "the diagnostics")
    bench.wait(lambda: float(bench.diagnosis("scan age (s)")) < 1.0, "a young scan")
    assert "TwistStamped" in bench.diagnosis("cmd_vel")
    answer = bench.call("reset")
    assert answer.success
    assert answer.message == "cleared: operator stop: service"
    bench.wait_for_state("waiting until the tree commands a standstill")
    bench.wait_for_standstill()
    bench.drive(0.0)
    bench.wait_for_state("ok")
    bench.drive(0.1)
    bench.wait_for_motion()
    assert bench.call("reset").message == "nothing was latched"


@pytest.mark.parametrize(
    ("topic", "kind", "pressed", "released", "reason"),
    [
        ("joy", "sensor_msgs.Joy", {"buttons": [0, 1]}, {"buttons": [1, 0]}, "operator stop: joystick button 1"),
        (
            "wheel_status", "irobot_create_msgs.WheelStatus", {"wheels_enabled": False}, {"wheels_enabled": True},
            "wheels disabled (e_stop)",
        ),
        (
            "hmi/buttons", "turtlebot4_msgs.UserButton", {"button": [False, True, False, False]}, {},
            "operator stop: button 2 at the display",
        ),
        (
            "interface_buttons", "irobot_create_msgs.InterfaceButtons", {"button_power": {"is_pressed": True}}, {},
            "operator stop: button_power on the base",
        ),
    ],
)  # fmt: skip
def test_buttons_and_the_base_latch_and_the_reset_is_refused_while_they_stand(
    bench, topic, kind, pressed, released, reason
):
    package, _, name = kind.partition(".")
    make = getattr(pytest.importorskip(f"{package}.msg", reason=f"{package} is not installed"), name)
    with bench.publishing(topic, fill(make(), pressed)):
        bench.wait_for_state(f"latched: {reason}")
        bench.wait_for_standstill()
        answer = bench.call("reset")
        assert not answer.success
        assert answer.message == f"still: {reason}"
    with bench.publishing(topic, fill(make(), released)):
        bench.recover()


def test_a_robot_on_its_dock_is_not_driven(bench):
    messages = pytest.importorskip("irobot_create_msgs.msg", reason="irobot_create_msgs is not installed")
    with bench.publishing("dock_status", messages.DockStatus(is_docked=True)):
        bench.wait_for_state("docked")
        bench.wait_for_standstill()
    with bench.publishing("dock_status", messages.DockStatus(is_docked=False)):
        bench.wait_for_motion()


def test_two_gates_on_one_robot_both_stand(bench):
    second = bench.start_gate()
    bench.wait_for_state(f"another publisher on cmd_vel: /{bench.robot}/velocity_gate")
    # Both speak, and neither lets anything through.
    bench.wait(lambda: bench.sent.alternates(50), "two gates")
    bench.wait_for_standstill()
    second.send_signal(signal.SIGTERM)
    assert exit_code(second) == 0
    bench.kill(second)
    bench.wait_for_motion()


def test_another_publisher_stops_the_robot_unless_it_is_allowed(bench):
    with bench.stranger("teleop_twist_joy_node") as stranger:
        stranger.create_publisher(TwistStamped, "cmd_vel", 1)
        bench.wait(lambda: bench.node.count_publishers("cmd_vel") == 2, "the joystick")
        seen = len(bench.sent)
        # Until its name has come as well, it is a stranger.
        bench.wait(lambda: len(bench.sent) > seen + 50 and not bench.sent[-1].is_zero, "motion after five more looks")
    with bench.stranger("rogue") as stranger:
        stranger.create_publisher(Twist, "cmd_vel", 1)
        bench.wait_for_state(f"another publisher on cmd_vel: /{bench.robot}/rogue")
        bench.wait_for_standstill()
    bench.wait_for_motion()


def test_two_trees_of_one_robot_stop_it(bench):
    tree = bench.start_tree()
    bench.wait_for_state("two trees command the robot")
    bench.wait_for_standstill()
    bench.kill(tree)
    bench.wait_for_motion()


def test_the_type_follows_a_base_that_comes_later():
    with GateBench(listens=None, **PATIENT) as bench:
        bench.drive(0.1)
        bench.wait_for_state("ok")
        bench.listen(Twist)
        bench.wait_for_motion()


def test_a_type_that_nobody_takes_stops_the_robot():
    with GateBench(listens=Twist, stamped_cmd_vel="true") as bench:
        bench.drive(0.1)
        bench.wait_for_state("cmd_vel is geometry_msgs/msg/TwistStamped, its subscriber wants geometry_msgs/msg/Twist")


def test_parameters_change_whole_or_not_at_all_and_are_looser_than_by_default_where_that_is_said():
    """The base takes velocities without a stamp."""
    with GateBench(listens=Twist, max_linear=0.32, max_wheel=0.32, **PATIENT) as bench:
        bench.drive(0.4)
        bench.wait(lambda: bool(bench.sent) and bench.sent[-1].linear == pytest.approx(0.32), "0.32 m/s")
        refused = bench.set_parameters(body_radius=0.2)[0]
        assert not refused.successful
        assert "body_radius must be less than hull_radius" in refused.reason
        assert bench.set_parameters(max_linear=9.0)[0].successful is False
        before = len(bench.sent)
        bench.wait(lambda: len(bench.sent) > before + 10, "more velocities")
        assert max(sent.linear for sent in bench.sent) == pytest.approx(0.32)
        before = len(bench.sent)
        assert bench.set_parameters(max_linear=0.1)[0].successful
        bench.wait(lambda: bench.sent[-1].linear == pytest.approx(0.1), "0.1 m/s")
        assert any(sent.is_zero for sent in bench.sent[before:])
        assert not bench.set_parameters(command_timeout=0.4)[0].successful
        assert bench.set_parameters(obstacle_margin=0.0)[0].successful


def test_no_limit_is_loosened_where_that_is_not_said():
    with NodeBench(VelocityGateNode, *RELEASED) as bench:
        (refused,) = bench.node.set_parameters([Parameter("obstacle_margin", value=0.0)])
    assert not refused.successful and "looser than by default" in refused.reason


def test_limits_are_those_of_the_body():
    # Double quotes: else the parser of --ros-args reads a map of its own.
    with GateBench(body='"{radius: 0.3, max_linear: 0.8, wheel_separation: 0.4}"', **PATIENT) as bench:
        bench.drive(2.0)
        bench.wait(lambda: bool(bench.sent) and bench.sent[-1].linear == pytest.approx(0.8), "0.8 m/s")
        refused = bench.set_parameters(max_linear=0.9)[0]
        assert not refused.successful and "max_linear" in refused.reason
        assert bench.set_parameters(max_linear=0.7)[0].successful


@pytest.mark.parametrize(
    ("option", "reported"),
    [
        ("max_linear:=9.0", "max_linear"),
        ("max_linaer:=0.1", "/wolf/velocity_gate: max_linaer: unknown key (got 0.1)"),
        ('body:="{radius: 9.0}"', "body.radius"),
        ("body:=round", "body: must be a map"),
        ("max_linear:=.nan", "max_linear"),
        ("max_linear:=fast", "max_linear"),
        ("max_linear:=0.4", "max_linear must not be looser than by default without allow_loose_gate: 0.4 m/s"),
        ("obstacles:=false", "obstacles must not be looser than by default without allow_loose_gate: false"),
        ("stamped_cmd_vel:=perhaps", "stamped_cmd_vel"),
        ("arena:=nowhere", "nowhere"),
        ("arena:=crossing_4", "role: is required in an arena without fences"),
        ("role:=sheep", "there is no such role"),
        ("command_timeout:=9.0", "command_timeout"),
    ],
)
def test_what_cannot_be_used_is_told_in_one_line(option, reported):
    with pytest.raises((ConfigError, ParameterException)) as refused:
        NodeBench(VelocityGateNode, "-r", "__ns:=/wolf", "-p", option)
    assert "\n" not in str(refused.value)
    assert reported in str(refused.value)


@pytest.mark.parametrize(("section", "reason"), [("/**", "moon"), ("/**/velocity_gate", "max_angular_speed")])
def test_keys_of_the_tree_may_stand_in_sections_for_every_node_alone(tmp_path, monkeypatch, section, reason):
    """Keys are looked at before the fence, which there is not."""
    file = tmp_path / "all.yaml"
    file.write_text(f"{section}: {{ros__parameters: {{max_angular_speed: 0.5, fence: {{hysteresis: 0.1}}}}}}")
    given = ("-r", "__ns:=/wolf", "--params-file", str(file), "-p", "role:=wolf", "-p", "arena:=arena_4x4")
    options = ["--ros-args", *given, "-p", "zone:=moon"]
    # Whose section a key stands in is read from the command line.
    monkeypatch.setattr(sys, "argv", [sys.argv[0], *options])
    with pytest.raises(ConfigError, match=reason):
        NodeBench(VelocityGateNode, *options[1:])


def test_a_simulated_clock_may_jump_and_stand_still():
    with GateBench(use_sim_time="true", **PATIENT) as bench:
        world = bench.run_in_simulated_time()
        bench.drive(0.1)
        bench.wait_for_motion()
        for jump in (-500 * 10**9, 3600 * 10**9):
            world.jump(jump)
            seen = len(bench.sent)
            bench.wait(lambda seen=seen: len(bench.sent) > seen + 50, "a second more")
            bench.wait_for_motion()
        world.pause()
        bench.wait_for_state("no command")
        bench.wait_for_standstill(50)
        world.resume()
        bench.wait_for_motion()
        assert not any("latched" in state for state in bench.states)


def test_with_a_fence_it_stands_until_it_knows_where_it_is_and_while_its_localisation_doubts():
    pytest.importorskip("tf2_msgs", reason="tf2_msgs is not installed")
    with GateBench(arena="arena_4x4", zone="wolf", **PATIENT) as bench:
        bench.drive(0.1)
        bench.wait_for_state("localisation lost")
        bench.wait_for_standstill()
        bench.locate()
        bench.wait_for_motion()
        amcl = bench.node.create_publisher(PoseWithCovarianceStamped, "amcl_pose", LATCHED)
        for variance, state in ((1.0, "localisation uncertain: by 1.00 m"), (math.nan, "not finite"), (0.01, "ok")):
            message = PoseWithCovarianceStamped()
            message.pose.covariance[0] = message.pose.covariance[7] = variance
            amcl.publish(message)
            bench.wait(lambda state=state: state in bench.states[-1], state)
        bench.wait_for_motion()


def test_at_a_crossing_it_stands_before_its_line_until_the_scheduler_names_it():
    pytest.importorskip("tf2_msgs", reason="tf2_msgs is not installed")
    messages = f"/game_{os.getpid()}"
    with GateBench(arena="crossing_4", role="crosser", game_namespace=messages, **PATIENT) as bench:
        scheduler = RosMessagePort(
            bench.node, "scheduler", find_game("crossroads"), (Crossing.topic,), game_namespace=messages
        )
        bench.drive(0.1)
        bench.wait_for_state("localisation lost")
        # Its front is 1 cm before the southern line.
        bench.locate(Pose2D(0.3, -0.88, math.pi / 2))
        bench.wait_for_state("ok")
        bench.wait(lambda: bench.diagnosis("limited by") == "stop line", "the line")
        assert bench.diagnosis("crossing") == "silent"
        bench.wait(lambda: float(bench.diagnosis("pose age (s)")) < 0.5, "a young pose")
        assert max(sent.linear for sent in bench.sent) == 0.0
        others = Holder("somebody", 1, 1, Approach.SOUTH, Turn.LEFT, 0.0, 1, 12.0)
        values = {"scheduler": "scheduler", "epoch": 1, "sequence": 1, "state": SchedulerState.OPEN, "done": ()}
        reported = Crossing(**values, holders=(others,))
        with repeated(bench, scheduler, reported):
            bench.wait(lambda: bench.diagnosis("crossing") == "scheduler OPEN: somebody", "what the scheduler says")
            assert bench.diagnosis("lease") == "none"
            assert max(sent.linear for sent in bench.sent) == 0.0
        mine = others._replace(robot=bench.robot, lease=3.0)
        granted = reported.model_copy(update={"sequence": 2, "holders": (others, mine)})
        with repeated(bench, scheduler, granted):
            bench.wait_for_motion()
            began = bench.sent[-1].stamp
            # Repeating it makes it no longer.
            bench.wait_for_standstill()
        stopped = max(sent.stamp for sent in bench.sent if not sent.is_zero)
        # By the stamps of the gate: a busy machine makes it no longer.
        assert stopped - began < 4500 * MS
        bench.wait(lambda: bench.diagnosis("lease") == "none", "the end of the lease")
        bench.drive(-0.1)
        bench.wait_for_motion()


def test_a_crossing_that_has_fences_too_needs_the_robots_own(tmp_path):
    text = config_path("arenas", "crossing_4.yaml").read_text(encoding="utf-8").split("starts:")[0]
    fence = "fences: {wolf: [[-3, -3], [3, -3], [3, 3], [-3, 3]]}\nstarts: {wolf: {position: [0.3, -2.7], yaw: 1.57}}"
    path = tmp_path / "fenced.yaml"
    path.write_text(text.replace("fenced: false", "fenced: true") + fence, encoding="utf-8")
    assert load_fence(str(path), "wolf").name == "wolf"
    with pytest.raises(ConfigError, match="no such fence"):
        load_fence(str(path), "rabbit")
    assert load_fence("crossing_4", "wolf") is None
    with pytest.raises(ConfigError, match="has no fence"):
        require_fence("crossing_4", "wolf")


@contextlib.contextmanager
def repeated(bench, port, state):
    """Send a scheduler's state at 20 Hz meanwhile."""
    timer = bench.node.create_timer(0.05, lambda: port.send(state.topic, state.encode()), clock=STEADY)
    try:
        yield
    finally:
        bench.destroy(timer)


def test_a_gate_with_a_fault_of_its_own_sends_zeros_and_latches():
    with NodeBench(VelocityGateNode, *RELEASED) as bench:
        sent = bench.hear(TwistStamped, "/wolf/cmd_vel")
        states = bench.hear(String, "/wolf/velocity_gate/state")
        bench.until(lambda: sent, "velocities")
        bench.node._percept_filter.take = None
        bench.until(lambda: states and states[-1].data.startswith("latched: gate raised TypeError"), "the latch")
        count = len(sent)
        bench.until(lambda: len(sent) > count + 25, "more velocities")
        assert all(message.twist == Twist() for message in sent)


def test_a_command_waits_for_nobody_and_a_flood_of_them_makes_no_more_than_100_steps_a_second():
    with NodeBench(VelocityGateNode, *RELEASED) as bench:
        sent = bench.hear(TwistStamped, "/wolf/cmd_vel")
        tree = bench.speaker(TwistStamped, "/wolf/cmd_vel_raw", COMMAND)
        bench.until(lambda: sent, "velocities")
        # By its timer alone it would wait for a minute.
        bench.node._step_again_in(60 * SECOND)
        bench.spin()
        count = len(sent)
        tree.publish(TwistStamped())
        bench.until(lambda: len(sent) > count, "an answer to the command")
        steps = []
        step = bench.node._step
        bench.node._step = lambda: (steps.append(time.monotonic_ns()), step())
        bench.until(lambda: len(steps) > 50, "steps", lambda: [tree.publish(TwistStamped()) for _ in range(5)])
        assert min(later - earlier for earlier, later in pairwise(steps)) > 9 * MS


def test_a_state_that_comes_and_goes_is_published_each_time_and_logged_once_in_a_while():
    with NodeBench(VelocityGateNode, *RELEASED) as bench:
        states = bench.hear(String, "/wolf/velocity_gate/state")
        logged = []
        bench.node.get_logger = lambda: SimpleNamespace(info=logged.append)
        for number in range(20):
            held = number % 2 == 0
            bench.node._guard.hold("hand", "held by hand" if held else None)
            bench.until(
                lambda held=held: states and ("held by hand" in states[-1].data) is held, "the state to be published"
            )
        assert 1 <= sum("held by hand" in line for line in logged) <= 3
        bench.node._guard.latch("operator stop: test")
        bench.until(lambda: any(line.startswith("latched: operator stop: test") for line in logged), "the latch")


def test_a_gate_that_is_held_up_after_it_decided_does_not_send_that():
    """As by SIGSTOP between the two."""
    with NodeBench(VelocityGateNode, *RELEASED) as bench:
        sent = bench.hear(TwistStamped, "/wolf/cmd_vel")
        late = threading.Event()

        def decide(percepts: object, malformed: int) -> GateDecision:
            if late.is_set():
                time.sleep(0.15)
            return GateDecision(Twist2D(0.1, 0.0))

        bench.node._guard.step = decide
        bench.until(lambda: sent and sent[-1].twist.linear.x == 0.1, "what was decided")
        late.set()
        bench.until(lambda: sent[-1].twist == Twist(), "zero")
        count = len(sent)
        bench.until(lambda: len(sent) > count + 5, "more velocities")
        assert all(message.twist == Twist() for message in sent[count:])
