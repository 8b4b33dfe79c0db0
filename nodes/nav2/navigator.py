"""Nav2 as a navigator: goals that never stay open, whatever becomes of acknowledgements, results and the server."""

from __future__ import annotations

import math
import uuid
from collections import OrderedDict
from dataclasses import dataclass
from functools import partial
from typing import Any

from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from geometry_msgs.msg import PoseStamped, TwistStamped
from rclpy.clock import Clock, ClockType

from arena_trees.nodes.adapters.convert import fill
from arena_trees.nodes.adapters.timelines import nanoseconds
from arena_trees.nodes.nav2.action import ACTIVE, FINISHED, NAME, Nav2Action
from arena_trees.nodes.nav2.parameters import Nav2Parameters
from arena_trees.nodes.runtime.optional_types import optional_type
from arena_trees.nodes.runtime.qos import SENSOR
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.ports import NavigationStatus
from arena_trees.robot.ros_messages import layout

__all__ = ["Nav2Navigator"]

_FAILURES = {
    GoalStatus.STATUS_CANCELED: "the goal was cancelled by another",
    GoalStatus.STATUS_ABORTED: "the goal was aborted by Nav2",
}
_REMEMBERED = 256
"""Goals that are recognised as ours where the server reports that it is still at them."""


@dataclass(slots=True, eq=False)
class _Goal:
    """A goal, of which the server may or may not know.

    Attributes:
        key: its identifier
        begun: when it was wanted, ns
        sent: when it was sent, or None
        accepted: when we learnt that the server has accepted it, or None
        stamp: when the server did, ns of its clock
        updated: when the server last reported on it
        asked: when its result was last asked for
        cancel_at: when it is cancelled next, once it was given up
        given_up: when it was
        ended: whether the server is done with it, or has never taken it
    """

    key: bytes
    begun: int
    sent: int | None = None
    accepted: int | None = None
    stamp: int = 0
    updated: int = 0
    asked: int = 0
    cancel_at: int = 0
    given_up: int = 0
    ended: bool = False


class Nav2Navigator:
    """Drives by Nav2; implements :class:`~arena_trees.robot.ports.Navigator`.

    A goal ends SUCCEEDED or FAILED within bounded time: by its result, by the server's status, or by a
    timeout. One that is given up is cancelled by its identifier again and again until the server reports that
    it has ended, also where it is acknowledged only then. A goal that replaces another one is left to Nav2
    to preempt: a cancel would end both.

    Everything is called in the executor's thread, and nothing waits.

    Topics:
        * ``cmd_vel_nav`` (geometry_msgs/TwistStamped, best effort, keep last 1) [subscribed]: Nav2's velocity

    Actions:
        * ``navigate_to_pose`` (nav2_msgs/NavigateToPose) [client]

    Attributes:
        reason: why the newest goal failed; empty where it did not
        parameters: how long Nav2 is waited for

    Args:
        node: whose client and subscription they are
        parameters: how long Nav2 is waited for

    Raises:
        ConfigError: nav2_msgs is not installed
    """

    def __init__(self, node: Any, parameters: Nav2Parameters | None = None) -> None:
        action = optional_type(node, "nav2_msgs", "action", "NavigateToPose", "navigation by Nav2")
        if action is None:
            raise ConfigError("navigation by Nav2 needs nav2_msgs, which is not installed")
        self.reason = ""
        self.parameters = parameters or Nav2Parameters()
        self._node = node
        self._clock = Clock(clock_type=ClockType.STEADY_TIME)
        self._status = NavigationStatus.IDLE
        self._goal: _Goal | None = None
        self._pose: Any = None
        self._given_up: dict[bytes, _Goal] = {}
        self._ours: OrderedDict[bytes, None] = OrderedDict()
        self._velocity: tuple[int, int, Twist2D] | None = None
        self._action = Nav2Action(node, action, self._take_status, self._take_feedback)
        node.create_subscription(TwistStamped, "cmd_vel_nav", self._take_velocity, SENSOR)
        values = self.parameters
        period = min(0.1, values.ask_period, values.cancel_period, values.acknowledge_timeout)
        self._timer = node.create_timer(period, self._check, clock=self._clock)

    def send_goal(self, goal: Pose2D) -> None:
        """Begin to drive to a goal; replaces the goal before.

        Raises:
            ValueError: the goal is not finite
        """
        if not all(math.isfinite(value) for value in (goal.x, goal.y, goal.yaw)):
            raise ValueError(f"the goal is not finite: {goal}")
        now = self._now()
        self._give_up(now + from_seconds(self.parameters.preemption_time))
        self._goal = _Goal(uuid.uuid4().bytes, begun=now, updated=now)
        self._pose = self._pose_message(goal)
        self._status, self.reason = NavigationStatus.ACTIVE, ""
        if self._action.ready:
            self._send(self._goal)

    def status(self) -> NavigationStatus:
        """Return the state of the newest goal."""
        return self._status

    def cancel(self) -> None:
        """Give up the goal, if any."""
        if self._goal is not None:
            self._end(NavigationStatus.IDLE)
        self._status, self.reason = NavigationStatus.IDLE, ""

    def velocity(self) -> Twist2D | None:
        """Return Nav2's newest velocity for the goal; None where it is old, or may belong to another goal."""
        goal = self._goal
        if goal is None or goal.accepted is None or self._velocity is None:
            return None
        arrived, stamp, velocity = self._velocity
        too_old = self._now() - arrived > from_seconds(self.parameters.velocity_age)
        # Both stamps are the server's; one that was never set is not compared.
        of_another = arrived < goal.accepted or 0 < stamp < goal.stamp
        return None if too_old or of_another else velocity

    def halt(self) -> None:
        """Cancel every goal that the server may be at, before the node ends."""
        self._end(NavigationStatus.IDLE)
        self._timer.cancel()

    def _now(self) -> int:
        return int(self._clock.now().nanoseconds)

    def _pose_message(self, goal: Pose2D) -> Any:
        message = PoseStamped()
        message.header.frame_id = self.parameters.frame
        message.header.stamp = self._node.get_clock().now().to_msg()
        return fill(message, {"pose": layout.pose_fields(goal)})

    def _send(self, goal: _Goal) -> None:
        goal.sent = goal.updated = self._now()
        self._ours[goal.key] = None
        while len(self._ours) > _REMEMBERED:
            self._ours.popitem(last=False)
        self._action.send(goal.key, self._pose, partial(self._take_answer, goal))

    def _end(self, status: NavigationStatus, reason: str = "") -> None:
        """End the newest goal; whatever the server may still do is cancelled, for nothing will preempt it."""
        now = self._now()
        self._give_up(now)
        self._status, self.reason = status, reason
        for goal in self._given_up.values():
            goal.cancel_at = min(now, goal.cancel_at)
        self._cancel_given_up(now)

    def _give_up(self, cancel_at: int) -> None:
        """Want the newest goal no more, and cancel it at an instant (ns), where the server is still at it then."""
        goal, self._goal = self._goal, None
        if goal is not None and goal.sent is not None and not goal.ended:
            goal.given_up, goal.cancel_at = self._now(), cancel_at
            self._given_up[goal.key] = goal

    def _check(self) -> None:
        """Do what is due."""
        now, goal = self._now(), self._goal
        if goal is not None:
            self._check_newest(goal, now)
        self._cancel_given_up(now)

    def _check_newest(self, goal: _Goal, now: int) -> None:
        values = self.parameters
        if goal.sent is None:
            if self._action.ready:
                self._send(goal)
            elif now - goal.begun > from_seconds(values.server_timeout):
                self._end(NavigationStatus.FAILED, f"there is no server of {NAME}")
        elif goal.accepted is None:
            if now - goal.sent > from_seconds(values.acknowledge_timeout):
                self._end(NavigationStatus.FAILED, "the goal was not acknowledged")
        elif now - goal.updated > from_seconds(values.silence_timeout):
            self._end(NavigationStatus.FAILED, "the server says nothing of the goal")
        elif now - max(goal.updated, goal.asked) > from_seconds(values.ask_period):
            self._ask(goal, now)

    def _cancel_given_up(self, now: int) -> None:
        values = self.parameters
        for goal in list(self._given_up.values()):
            if now - goal.given_up > from_seconds(values.remember_time):
                del self._given_up[goal.key]
            elif now >= goal.cancel_at and self._action.ready:
                goal.cancel_at = now + from_seconds(values.cancel_period)
                self._action.cancel(goal.key, partial(self._take_cancel, goal, goal.accepted is not None))

    def _ask(self, goal: _Goal, now: int) -> None:
        goal.asked = now
        self._action.ask(goal.key, partial(self._take_result, goal))

    def _accept(self, goal: _Goal, stamp: int) -> None:
        """Note that the server has a goal."""
        now = self._now()
        goal.updated = now
        if goal.accepted is None:
            goal.accepted, goal.stamp = now, stamp
            if goal is self._goal:
                self._ask(goal, now)
            else:
                self._cancel_given_up(now)

    def _take_answer(self, goal: _Goal, accepted: bool, stamp: int) -> None:
        if not accepted:
            self._finish(goal, "the goal was rejected")
        elif not goal.ended:
            if goal is not self._goal:
                now = self._now()
                goal.given_up = now
                goal.cancel_at = now if self._goal is None else max(now, goal.cancel_at)
                self._given_up[goal.key] = goal
            self._accept(goal, stamp)

    def _take_result(self, goal: _Goal, status: int) -> None:
        if status == GoalStatus.STATUS_UNKNOWN:
            self._finish(goal, "the server does not know the goal, as after a restart")
        elif status in FINISHED:
            self._finish(goal, _FAILURES.get(status))

    def _take_cancel(self, goal: _Goal, known: bool, code: int) -> None:
        """Take the answer to a cancel; ``known`` is whether the goal was acknowledged when that was sent."""
        terminated = code == CancelGoal.Response.ERROR_GOAL_TERMINATED
        # Before its acknowledgement, which may overtake this answer, a goal that is unknown may be on its way.
        unknown = code == CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID and known
        if terminated or unknown:
            self._finish(goal, "the goal had ended before")

    def _finish(self, goal: _Goal, failure: str | None) -> None:
        """Note that the server is done with a goal, and why it failed, if it did."""
        goal.ended = True
        self._given_up.pop(goal.key, None)
        self._ours.pop(goal.key, None)
        if goal is self._goal and failure is None:
            self._end(NavigationStatus.SUCCEEDED)
        elif goal is self._goal:
            self._end(NavigationStatus.FAILED, failure or "")

    def _take_status(self, key: bytes, status: int, stamp: int) -> None:
        newest = self._goal
        goal = newest if newest is not None and newest.key == key else self._given_up.get(key)
        if status in FINISHED:
            if goal is not None:
                self._finish(goal, _FAILURES.get(status))
        elif status in ACTIVE:
            if goal is None and key in self._ours:
                # It was believed to be over.
                now = self._now()
                goal = self._given_up[key] = _Goal(key, begun=now, sent=now, cancel_at=now, given_up=now)
            if goal is not None:
                self._accept(goal, stamp)

    def _take_feedback(self, key: bytes) -> None:
        if self._goal is not None and self._goal.key == key:
            self._goal.updated = self._now()

    def _take_velocity(self, message: Any) -> None:
        velocity = layout.twist(message.twist)
        self._velocity = (self._now(), nanoseconds(message.header.stamp), velocity) if velocity.is_finite else None
