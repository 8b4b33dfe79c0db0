"""A navigator that is told what to say, such as a client of Nav2 might say it."""

from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.ports import NavigationStatus

__all__ = ["GivenNavigator"]


class GivenNavigator:
    """Notes its goals; implements :class:`~arena_trees.robot.ports.Navigator`.

    Attributes:
        goals: that it was sent, the newest last
        cancels: how often it was told to give a goal up
        state: what it says of the newest goal
    """

    def __init__(self) -> None:
        self.goals: list[Pose2D] = []
        self.cancels = 0
        self.state = NavigationStatus.ACTIVE

    def send_goal(self, goal: Pose2D) -> None:
        self.goals.append(goal)

    def status(self) -> NavigationStatus:
        return self.state

    def cancel(self) -> None:
        self.cancels += 1

    def velocity(self) -> Twist2D | None:
        """Return 0.1 m/s and 0.2 rad/s, once there was a goal."""
        return Twist2D(0.1, 0.2) if self.goals else None
