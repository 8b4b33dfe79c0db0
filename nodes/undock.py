"""The undock node: takes a robot off its dock before anything else of it begins, and ends."""

from __future__ import annotations

import sys
import time
import uuid
from typing import Any

from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from rclpy.action import ActionClient
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from unique_identifier_msgs.msg import UUID

from arena_trees.nodes.runtime.optional_types import optional_type
from arena_trees.nodes.runtime.parameters import declare, read
from arena_trees.nodes.runtime.process import run
from arena_trees.nodes.runtime.qos import SENSOR
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.errors import ArenaTreesError

__all__ = ["Undock", "UndockParameters", "main"]

_LOOK_S = 0.1
_FAREWELL_S = 0.2
"""Time that the last request gets to reach the base; whether it has, nobody can be asked."""


class UndockParameters(Parameters):
    """How long the base may take."""

    dock_timeout: float = parameter(
        30.0, "without a word of the dock, or of the base's action, for so long it is given up", "s", gt=0, le=600
    )
    undock_timeout: float = parameter(60.0, "longest time that the base may take to undock", "s", gt=0, le=600)


class Undock(Node):
    """Asks the base to leave its dock where the robot stands on one, and ends when it has.

    The base then drives by itself: backwards off the dock, and half a turn. Nothing else is to command it meanwhile, so
    launch files start the robot's other nodes after this one.

    Topics:
        * ``dock_status`` (irobot_create_msgs/DockStatus, best effort, keep last 1) [subscribed]

    Actions:
        * ``undock`` (irobot_create_msgs/Undock) [client]

    Parameters:
        those of :class:`UndockParameters`

    Attributes:
        outcome: None as long as there is something to do; then what went wrong, and nothing where all is well

    Raises:
        ArenaTreesError: irobot_create_msgs is not installed
    """

    def __init__(self) -> None:
        super().__init__("undock")
        declare(self, UndockParameters, read_only=True)
        self._wanted = read(self, UndockParameters)
        status = optional_type(self, "irobot_create_msgs", "msg", "DockStatus", "undocking")
        self._action: Any = optional_type(self, "irobot_create_msgs", "action", "Undock", "undocking")
        if status is None or self._action is None:
            raise ArenaTreesError(
                "undocking needs irobot_create_msgs: apt install ros-jazzy-irobot-create-msgs, or undock:=false"
            )
        self.outcome: str | None = None
        self._docked: bool | None = None
        self._asked = False
        self._goal = UUID(uuid=list(uuid.uuid4().bytes))
        self._clock = Clock(clock_type=ClockType.STEADY_TIME)
        self._since = self._now()
        self._client = ActionClient(self, self._action, "undock")
        # By itself, because rclpy's cancels only goals that have been acknowledged.
        self._canceller = self.create_client(CancelGoal, "undock/_action/cancel_goal")
        self.create_subscription(status, "dock_status", self._on_dock, SENSOR)
        self.create_timer(_LOOK_S, self._look, clock=self._clock)

    def halt(self) -> None:
        """Take the goal back where the base is not done with it."""
        if self._asked and self.outcome != "":
            request = CancelGoal.Request()
            request.goal_info.goal_id = self._goal
            self._canceller.call_async(request)
            time.sleep(_FAREWELL_S)

    def destroy_node(self) -> None:
        """End the action's client, which rclpy leaves where it is, and the node."""
        self._client.destroy()
        super().destroy_node()

    def _on_dock(self, message: Any) -> None:
        self._docked = message.is_docked

    def _look(self) -> None:
        """Begin once the base is there; give up where it takes too long."""
        if self.outcome is not None:
            return
        waited = self._now() - self._since
        if self._asked:
            if waited > from_seconds(self._wanted.undock_timeout):
                self._end(f"the base has not undocked within {self._wanted.undock_timeout:g} s")
        elif self._docked is False:
            self.get_logger().info("the robot is not docked")
            self._end("")
        elif self._docked and self._client.server_is_ready() and self._canceller.service_is_ready():
            self.get_logger().info("undocking")
            self._asked, self._since = True, self._now()
            self._client.send_goal_async(self._action.Goal(), goal_uuid=self._goal).add_done_callback(self._on_answer)
        elif waited > from_seconds(self._wanted.dock_timeout):
            missing = "dock_status" if self._docked is None else "the base's action undock"
            self._end(f"nothing was heard of {missing} for {self._wanted.dock_timeout:g} s: do the robot's nodes run?")

    def _on_answer(self, answer: Any) -> None:
        goal = answer.result()
        if not goal.accepted:
            self._end("the base refused to undock")
            return
        goal.get_result_async().add_done_callback(self._on_result)

    def _on_result(self, answer: Any) -> None:
        found = answer.result()
        if found.status != GoalStatus.STATUS_SUCCEEDED:
            self._end("the base could not undock")
        elif found.result.is_docked:
            self._end("the base says that it has undocked, and is docked still")
        else:
            self.get_logger().info("undocked")
            self._end("")

    def _end(self, outcome: str) -> None:
        if self.outcome is None:
            self.outcome = outcome

    def _now(self) -> int:
        return int(self._clock.now().nanoseconds)


def main() -> None:
    """Run the node until the robot is off its dock."""
    sys.exit(run(Undock, outcome=lambda node: node.outcome))


if __name__ == "__main__":
    main()
