"""Stand still."""

from __future__ import annotations

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour

__all__ = ["StandStill"]


class StandStill(ActionBehaviour):
    """Command zero. RUNNING always.

    Blackboard Variables:
        * command [w]: zero
        * cues [w]: the given event, when it begins

    Args:
        name: of the behaviour
        robot: name of the robot
        event: cue to show when it begins, if any
    """

    def __init__(self, name: str, robot: str, event: str | None = None) -> None:
        super().__init__(name, robot)
        self.event = event

    def initialise(self) -> None:
        """Show the event."""
        if self.event is not None:
            self.show(self.event)

    def update(self) -> Status:
        """Command zero velocity; RUNNING always."""
        self.drive(0.0, 0.0)
        return Status.RUNNING
