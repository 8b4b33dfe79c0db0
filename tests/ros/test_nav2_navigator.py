"""The Nav2 client against a real action server: each fault by itself."""

import math

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("nav2_msgs.action", reason="nav2_msgs is not installed")

from action_msgs.srv import CancelGoal
from geometry_msgs.msg import TwistStamped
from helpers.nav2_bench import PATIENT, QUICK, Deaf, Lost, Nav2Bench
from helpers.nav2_server import Manner

from arena_trees.nodes.nav2.navigator import Nav2Navigator
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.ports import NavigationStatus

ACTIVE, SUCCEEDED, FAILED, IDLE = (
    NavigationStatus.ACTIVE, NavigationStatus.SUCCEEDED, NavigationStatus.FAILED, NavigationStatus.IDLE,
)  # fmt: skip


@pytest.fixture(scope="module")
def bench():
    bench = Nav2Bench()
    yield bench
    bench.close()


@pytest.fixture(autouse=True)
def fresh(bench):
    bench.begin()
    yield
    bench.navigator.cancel()
    bench.quiet()


def test_it_arrives_and_its_velocity_counts_while_it_drives(bench):
    bench.server.manner.lasts = 60.0
    assert bench.navigator.velocity() is None
    number = bench.go()
    assert bench.navigator.status() is ACTIVE
    velocity = bench.until(bench.navigator.velocity, "a velocity")
    assert velocity.linear == pytest.approx(0.001 * number)
    bench.server.finish()
    assert bench.end() is SUCCEEDED
    assert bench.navigator.velocity() is None
    assert bench.server.ended[-1] == (number, "succeeded")
    assert bench.navigator.reason == ""


def test_an_old_velocity_and_one_that_is_not_finite_do_not_count(bench):
    bench.server.manner.lasts = 60.0
    bench.go()
    bench.until(bench.navigator.velocity, "a velocity")
    bench.server.manner.answers = False
    bench.until(lambda: bench.navigator.velocity() is None, "the velocity's end")
    assert bench.navigator.status() is ACTIVE
    bench.server.manner.answers = True
    bench.until(bench.navigator.velocity, "a velocity")
    message = TwistStamped()
    message.twist.linear.x = math.nan
    bench.navigator._take_velocity(message)
    assert bench.navigator.velocity() is None


def test_a_goal_that_is_not_finite_is_refused(bench):
    with pytest.raises(ValueError, match="not finite"):
        bench.navigator.send_goal(Pose2D(math.nan, 0.0, 0.0))
    assert bench.navigator.status() is not ACTIVE


def test_a_rejected_goal_and_an_aborted_one_fail(bench):
    bench.server.manner.accepts = False
    bench.go()
    assert (bench.end(), bench.navigator.reason) == (FAILED, "the goal was rejected")
    bench.server.manner = Manner(arrives=False)
    bench.go()
    assert (bench.end(), bench.navigator.reason) == (FAILED, "the goal was aborted by Nav2")


def test_a_goal_that_was_given_up_is_cancelled_when_its_late_acknowledgement_arrives(bench):
    bench.server.manner = Manner(answer_after=math.inf, lasts=60.0)
    number = bench.go()
    bench.spin()
    bench.navigator.cancel()
    assert bench.navigator.status() is IDLE
    bench.answer()
    bench.until(lambda: (number, "cancelled") in bench.server.ended, "the cancel")


def test_an_acknowledgement_may_come_when_nobody_remembers_the_goal(bench):
    bench.navigator.parameters = QUICK.with_changes({"remember_time": 0.1})
    bench.server.manner = Manner(answer_after=math.inf, lasts=60.0)
    with Deaf(bench.node):
        number = bench.go()
        # A cancel that comes with the goal would wait for the goal's answer.
        bench.until(bench.server.asked, "the goal")
        bench.navigator.cancel()
        bench.until(lambda: not bench.navigator._given_up, "forgetfulness")
        bench.answer()
        bench.until(lambda: (number, "cancelled") in bench.server.ended, "the cancel")


def test_a_goal_that_is_acknowledged_too_late_fails_and_is_cancelled(bench):
    bench.navigator.parameters = QUICK
    bench.server.manner = Manner(answer_after=math.inf, lasts=60.0)
    number = bench.go()
    assert (bench.end(), bench.navigator.reason) == (FAILED, "the goal was not acknowledged")
    bench.answer()
    bench.until(lambda: (number, "cancelled") in bench.server.ended, "the cancel")


def test_an_answer_to_a_cancel_that_the_acknowledgement_has_overtaken_ends_nothing(bench, monkeypatch):
    bench.server.manner.lasts = 60.0
    with monkeypatch.context() as patched:
        asked = []
        patched.setattr(bench.navigator._action, "cancel", lambda key, then: asked.append(then))
        number = bench.go()
        bench.navigator.cancel()
        bench.until(lambda: any(goal.accepted for goal in bench.navigator._given_up.values()), "the acknowledgement")
        # When it was sent, the server had not taken the goal.
        asked[0](CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID)
    bench.until(lambda: (number, "cancelled") in bench.server.ended, "the cancel")


def test_a_lost_acknowledgement_is_made_up_for_by_the_status(bench):
    bench.server.manner.lasts = 60.0
    with Lost(bench.lines[0]) as lost:
        number = bench.go()
        assert bench.until(bench.navigator.velocity, "a velocity").linear == pytest.approx(0.001 * number)
        bench.server.manner = Manner()
        bench.go()
        assert bench.end() is SUCCEEDED
    assert lost.count == 2


def test_a_lost_acknowledgement_and_no_status_fail_and_the_goal_is_cancelled(bench):
    bench.navigator.parameters = QUICK
    bench.server.manner.lasts = 60.0
    with Lost(bench.lines[0]), Deaf(bench.node):
        number = bench.go()
        assert (bench.end(), bench.navigator.reason) == (FAILED, "the goal was not acknowledged")
        bench.until(lambda: (number, "cancelled") in bench.server.ended, "the cancel")


def test_a_lost_result_is_made_up_for_by_the_status_or_asked_for_again(bench):
    with Lost(bench.lines[1]):
        bench.go()
        assert bench.end() is SUCCEEDED
    with Deaf(bench.node):
        with Lost(bench.lines[1]) as lost:
            bench.go()
            bench.until(lambda: lost.count, "the question")
        assert bench.end() is SUCCEEDED


def test_a_lost_cancel_is_repeated_and_so_is_a_refused_one(bench):
    bench.server.manner.lasts = 60.0
    number = bench.go()
    bench.until(bench.navigator.velocity, "a velocity")
    bench.server.manner.refuses_cancels = 2
    with Lost(bench.lines[2], requests=True) as lost:
        bench.navigator.cancel()
        bench.until(lambda: lost.count > 1, "a second try")
    assert bench.server.active() == [number]
    bench.until(lambda: (number, "cancelled") in bench.server.ended, "the cancel")
    assert bench.server.manner.refuses_cancels == 0


def test_a_server_that_says_nothing_fails_the_goal_and_has_it_cancelled_afterwards(bench):
    bench.server.manner.lasts = 60.0
    number = bench.go()
    bench.until(bench.navigator.velocity, "a velocity")
    bench.navigator.parameters = QUICK
    bench.server.manner.answers = False
    assert (bench.end(), bench.navigator.reason) == (FAILED, "the server says nothing of the goal")
    bench.server.manner.answers = True
    bench.until(lambda: (number, "cancelled") in bench.server.ended, "the cancel")


def test_a_restarted_server_fails_the_goal_and_takes_the_next(bench):
    bench.server.manner.lasts = 60.0
    bench.go()
    bench.until(bench.navigator.velocity, "a velocity")
    bench.server.stop()
    bench.server.start()
    assert bench.end() is FAILED
    assert bench.navigator.reason == "the server does not know the goal, as after a restart"
    bench.server.manner = Manner()
    bench.go()
    assert bench.end() is SUCCEEDED


def test_without_a_server_a_goal_waits_for_it_but_not_for_ever():
    bench = Nav2Bench("elsewhere", serving=False)
    try:
        bench.go()
        assert (bench.end(), bench.navigator.reason) == (FAILED, "there is no server of navigate_to_pose")
        bench.navigator.parameters = PATIENT
        bench.go()
        bench.spin()
        bench.server.start()
        assert bench.end() is SUCCEEDED
    finally:
        bench.close()


def test_a_new_goal_replaces_the_one_before_and_only_its_velocity_counts(bench):
    bench.server.manner.lasts = 60.0
    bench.go()
    bench.until(bench.navigator.velocity, "a velocity")
    bench.server.manner = Manner(answer_after=0.1, lasts=60.0)
    number = bench.go()
    heard = []

    def driven():
        velocity = bench.navigator.velocity()
        heard.extend([round(1000.0 * velocity.linear)] if velocity else [])
        return len(heard) > 10

    bench.until(driven, "velocities")
    bench.server.finish()
    bench.until(lambda: driven() and bench.navigator.status() is not ACTIVE, "the end")
    assert set(heard) == {number}
    assert bench.navigator.status() is SUCCEEDED
    assert bench.server.ended[-2:] == [(number - 1, "aborted"), (number, "succeeded")]


def test_a_goal_that_the_server_does_not_preempt_is_cancelled_in_the_end(bench):
    bench.server.manner = Manner(lasts=60.0, preempts=False)
    first = bench.go()
    bench.until(bench.navigator.velocity, "a velocity")
    second = bench.go()
    bench.until(lambda: (first, "cancelled") in bench.server.ended, "the cancel")
    assert bench.navigator.status() is ACTIVE
    assert bench.server.active() == [second]


def test_the_end_of_the_node_leaves_no_goal(bench):
    other = Nav2Navigator(bench.node, PATIENT)
    bench.until(lambda: other._action.ready, "the server")
    bench.server.manner.lasts = 60.0
    other.send_goal(Pose2D(0.0, 0.0, 0.0))
    bench.until(bench.server.active, "the goal")
    other.halt()
    bench.until(lambda: not bench.server.active(), "the cancel")
    other._ours.clear()
