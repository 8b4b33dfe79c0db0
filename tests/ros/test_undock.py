"""The undock node as a program, with a base that has a dock and the action."""

import os
import signal
import subprocess

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("irobot_create_msgs.action", reason="irobot_create_msgs is not installed")

from helpers.patience import output, until
from irobot_create_msgs import action as actions
from irobot_create_msgs.msg import DockStatus
from rclpy.action import ActionServer, CancelResponse, GoalResponse


class Base:
    """A base that says whether it is docked, and undocks or does not.

    Attributes:
        docked: what it says of its dock
        accepts: whether it takes the goal
        how: how the goal ends: succeed, abort, or canceled; nothing as long as it lasts
        leaves: whether it is off its dock then
        asked: goals that came
    """

    def __init__(self, node):
        self.docked, self.accepts, self.how, self.leaves = True, True, "succeed", True
        self.asked, self.goals, self.cancelled = 0, [], 0
        self._speaker = node.create_publisher(DockStatus, "/wolf/dock_status", 10)
        node.create_timer(0.05, lambda: self._speaker.publish(DockStatus(is_docked=self.docked)))
        node.create_timer(0.05, self._end)
        self._server = ActionServer(
            node,
            actions.Undock,
            "/wolf/undock",
            lambda goal: actions.Undock.Result(),
            goal_callback=self._take,
            handle_accepted_callback=self.goals.append,
            cancel_callback=self._cancel,
        )

    def _take(self, request):
        self.asked += 1
        return GoalResponse.ACCEPT if self.accepts else GoalResponse.REJECT

    def _cancel(self, goal):
        self.cancelled += 1
        return CancelResponse.ACCEPT

    def _end(self):
        if self.how and self.goals:
            self.docked = self.docked and not self.leaves
            self.goals.pop().execute(lambda goal: (getattr(goal, self.how)(), self._result())[1])

    def _result(self):
        return actions.Undock.Result(is_docked=self.docked)


@pytest.fixture
def start(spawn):
    """Starts the program, and keeps what it writes."""

    def begin(*parameters, **environment):
        options = [part for parameter in parameters for part in ("-p", parameter)]
        written = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        return spawn("undock", "-r", "__ns:=/wolf", *options, env={**os.environ, **environment}, **written)

    return begin


def ended(process, watcher):
    """Return the exit code of the program, and the last line that it wrote."""
    until(lambda: process.poll() is not None, "its end", watcher.spin)
    said, _ = output(process)
    assert "Traceback" not in said, said
    return process.returncode, said.splitlines()[-1]


def test_a_docked_robot_is_undocked_before_it_ends(start, watcher):
    base = Base(watcher)
    base.how = ""
    process = start()
    until(lambda: base.goals, "a goal", watcher.spin)
    for _ in range(10):
        watcher.spin()
    assert process.poll() is None, "it waits for the base"
    base.how = "succeed"
    code, said = ended(process, watcher)
    assert (code, base.asked) == (0, 1)
    assert said.endswith("undocked")


def test_a_robot_that_is_not_docked_is_left_alone(start, watcher):
    base = Base(watcher)
    base.docked = False
    code, said = ended(start(), watcher)
    assert (code, base.asked) == (0, 0)
    assert said.endswith("the robot is not docked")


@pytest.mark.parametrize(
    ("manner", "said"),
    [
        ({"accepts": False}, "error: the base refused to undock"),
        ({"how": "abort"}, "error: the base could not undock"),
        ({"leaves": False}, "error: the base says that it has undocked, and is docked still"),
        ({"how": ""}, "error: the base has not undocked within 0.5 s"),
    ],
    ids=["refuses", "aborts", "stays", "hangs"],
)
def test_a_base_that_does_not_undock_is_an_error(start, watcher, manner, said):
    base = Base(watcher)
    vars(base).update(manner)
    assert ended(start("undock_timeout:=0.5"), watcher) == (2, said)
    if manner == {"how": ""}:
        until(lambda: base.cancelled, "the goal to be taken back", watcher.spin)


def test_a_base_that_is_not_there_is_an_error(start, watcher):
    code, said = ended(start("dock_timeout:=0.5"), watcher)
    assert code == 2
    assert said == "error: nothing was heard of dock_status for 0.5 s: do the robot's nodes run?"


def test_who_is_interrupted_takes_the_goal_back(start, watcher):
    base = Base(watcher)
    base.how = ""
    process = start()
    until(lambda: base.goals, "a goal", watcher.spin)
    process.send_signal(signal.SIGINT)
    until(lambda: base.cancelled, "the goal to be taken back", watcher.spin)
    assert ended(process, watcher)[0] == 0


def test_without_the_messages_of_the_base_it_says_what_to_install(start, watcher, tmp_path):
    (tmp_path / "irobot_create_msgs.py").touch()
    path = os.pathsep.join((str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])))
    code, said = ended(start(PYTHONPATH=path), watcher)
    assert code == 2
    assert said.startswith("error: undocking needs irobot_create_msgs: apt install ros-jazzy-irobot-create-msgs")
