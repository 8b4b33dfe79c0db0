"""Nav2's action NavigateToPose by the services and topics that it is made of; nothing here waits.

rclpy's ActionClient knows a goal only once it is acknowledged: it cancels, and asks for a result, by the handle that
comes with the acknowledgement, and keeps the server's status of other goals to itself. Here a goal can be cancelled
and asked for by its identifier alone, so one whose acknowledgement or result was lost is still ours to end.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from action_msgs.msg import GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from rclpy.qos import QoSProfile, qos_profile_action_status_default
from unique_identifier_msgs.msg import UUID

from arena_trees.nodes.adapters.timelines import nanoseconds

__all__ = ["ACTIVE", "FINISHED", "NAME", "Nav2Action"]

NAME = "navigate_to_pose"

ACTIVE = (GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING, GoalStatus.STATUS_CANCELING)
FINISHED = (GoalStatus.STATUS_SUCCEEDED, GoalStatus.STATUS_CANCELED, GoalStatus.STATUS_ABORTED)

_MOST_PENDING = 64
"""Requests of a kind whose answer is waited for; the oldest is forgotten for a new one."""


class Nav2Action:
    """The line to Nav2.

    Actions:
        * ``navigate_to_pose`` (nav2_msgs/NavigateToPose) [client]

    Args:
        node: whose clients and subscriptions they are
        action: type of the action
        on_status: called with identifier, status (``action_msgs/GoalStatus``) and instant of acceptance (ns of
            the server's clock) of every goal that the server knows, also those of others
        on_feedback: called with the identifier of a goal that is worked at
    """

    def __init__(
        self,
        node: Any,
        action: Any,
        on_status: Callable[[bytes, int, int], None],
        on_feedback: Callable[[bytes], None],
    ) -> None:
        self._impl = action.Impl
        self._goal = action.Goal
        base = f"{NAME}/_action"
        self._sender = _Line(node.create_client(self._impl.SendGoalService, f"{base}/send_goal"))
        self._asker = _Line(node.create_client(self._impl.GetResultService, f"{base}/get_result"))
        self._canceller = _Line(node.create_client(CancelGoal, f"{base}/cancel_goal"))
        self._on_status = on_status
        self._on_feedback = on_feedback
        latched = qos_profile_action_status_default
        node.create_subscription(GoalStatusArray, f"{base}/status", self._take_status, latched)
        node.create_subscription(
            self._impl.FeedbackMessage, f"{base}/feedback", self._take_feedback, QoSProfile(depth=10)
        )

    @property
    def ready(self) -> bool:
        """Whether there is a server."""
        return all(line.ready for line in (self._sender, self._asker, self._canceller))

    def send(self, key: bytes, pose: Any, then: Callable[[bool, int], None]) -> None:
        """Send a goal.

        Args:
            key: its identifier, 16 bytes that no other goal has
            pose: geometry_msgs/PoseStamped
            then: called with whether it was accepted, and when (ns of the server's clock)
        """
        request = self._impl.SendGoalService.Request(goal_id=_uuid(key), goal=self._goal(pose=pose))
        self._sender.call(request, lambda answer: then(answer.accepted, nanoseconds(answer.stamp)))

    def ask(self, key: bytes, then: Callable[[int], None]) -> None:
        """Ask how a goal ended; ``then`` is called with its status once it has, or at once where it is not known."""
        request = self._impl.GetResultService.Request(goal_id=_uuid(key))
        self._asker.call(request, lambda answer: then(answer.status))

    def cancel(self, key: bytes, then: Callable[[int], None]) -> None:
        """Cancel a goal; ``then`` is called with the return code of ``action_msgs/CancelGoal``."""
        request = CancelGoal.Request()
        request.goal_info.goal_id = _uuid(key)
        self._canceller.call(request, lambda answer: then(answer.return_code))

    def _take_status(self, message: Any) -> None:
        for one in message.status_list:
            self._on_status(bytes(one.goal_info.goal_id.uuid), one.status, nanoseconds(one.goal_info.stamp))

    def _take_feedback(self, message: Any) -> None:
        self._on_feedback(bytes(message.goal_id.uuid))


class _Line:
    """A service's client whose answers may never come.

    Args:
        client: of rclpy
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self._pending: deque[Any] = deque()

    @property
    def ready(self) -> bool:
        return bool(self.client.service_is_ready())

    def call(self, request: Any, then: Callable[[Any], None]) -> None:
        while self._pending and (len(self._pending) >= _MOST_PENDING or self._pending[0].done()):
            self.client.remove_pending_request(self._pending.popleft())
        future = self.client.call_async(request)
        self._pending.append(future)
        future.add_done_callback(lambda done: then(done.result()))


def _uuid(key: bytes) -> Any:
    return UUID(uuid=list(key))
