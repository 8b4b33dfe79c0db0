"""What a robot that crosses does in every tick: find its place, watch the traffic, talk to the scheduler."""

from __future__ import annotations

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour, PerceptBehaviour
from arena_trees.behaviours.crossroads.mind import CrosserMind
from arena_trees.games.crossroads.messages import Stage, Turn
from arena_trees.games.crossroads.scheduling.states import states_in
from arena_trees.robot import keys
from arena_trees.robot.percepts import PoseEstimate

__all__ = ["Astray", "FindPlace", "StageIs", "TalkToScheduler", "TurnIs", "WatchTraffic"]

_STANDING = 0.01
"""A robot slower than this stands, m/s."""


class FindPlace(PerceptBehaviour):
    """Carry the place on the round on to now; belongs into the sensing branch, first. Returns SUCCESS always.

    Blackboard Variables:
        * pose (PoseEstimate) [r], odometry (Odometry) [r]

    Args:
        name: of the behaviour
        robot: name of the robot
        mind: shared with the other leaves
    """

    def __init__(self, name: str, robot: str, mind: CrosserMind) -> None:
        super().__init__(name, robot, (keys.POSE, keys.ODOMETRY))
        self.mind = mind

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self.mind.reset()

    def update(self) -> Status:
        """Carry on, and look for a lane where the robot is on no way."""
        mind = self.mind
        pose = mind.locate(self.now, self.percepts.pose, self.percepts.odometry)
        if pose is not None and not mind.on_way and mind.stage is not Stage.PASSING:
            # It was put elsewhere, or begins.
            mind.leave_way()
            mind.find_lane(self.now)
        self.feedback_message = "on no lane" if mind.round is None else str(mind.round)
        return Status.SUCCESS


class WatchTraffic(PerceptBehaviour):
    """Look for what is on the way. Returns SUCCESS always.

    Blackboard Variables:
        * scan (Scan) [r]
    """

    def __init__(self, name: str, robot: str, mind: CrosserMind) -> None:
        super().__init__(name, robot, (keys.SCAN,))
        self.mind = mind

    def update(self) -> Status:
        """Look."""
        self.mind.watch(self.percepts.scan)
        self.feedback_message = "free" if self.mind.ahead is None else "somebody ahead"
        return Status.SUCCESS


class TalkToScheduler(ActionBehaviour):
    """Hear the scheduler, ask it, keep the lease alive and report. Returns SUCCESS always.

    Blackboard Variables:
        * inbox (Inbox) [r]: ``crossing``
        * outbox [w]: ``crossing_request`` and ``crossing_claim``
        * cues [w]: GRANT, once for each lease
    """

    def __init__(self, name: str, robot: str, mind: CrosserMind) -> None:
        super().__init__(name, robot, (keys.INBOX,))
        self.mind = mind
        self._granted: int | None = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._granted = None

    def update(self) -> Status:
        """Take what was heard, and say what is due."""
        mind, client = self.mind, self.mind.client
        if client is None or mind.round is None:
            self.feedback_message = "takes no part"
            return Status.SUCCESS
        states = [received.message for received in states_in(self.percepts.inbox)]
        sure = mind.progress - mind.live.value.place_margin
        said = client.step(self.now, states, sure, mind.first, abs(mind.speed) < _STANDING)
        if said is not None:
            self.send(said)
        if client.granted_at is not None and client.granted_at != self._granted:
            self.show("GRANT")
        self._granted = client.granted_at
        self.feedback_message = client.stage.value
        return Status.SUCCESS


class Astray(PerceptBehaviour):
    """SUCCESS where the robot does not know that it is on its way, so that it stands. FAILURE otherwise.

    Blackboard Variables:
        * pose (PoseEstimate) [r]
    """

    def __init__(self, name: str, robot: str, mind: CrosserMind) -> None:
        super().__init__(name, robot, (keys.POSE,))
        self.mind = mind

    def update(self) -> Status:
        """Look at the pose's age, and at the way."""
        pose: PoseEstimate | None = self.percepts.pose
        placed = self.fresh(pose, self.mind.live.value.pose_timeout)
        self.feedback_message = "" if placed and self.mind.on_way else "off its way" if placed else "no pose"
        return Status.FAILURE if placed and self.mind.on_way else Status.SUCCESS


class StageIs(PerceptBehaviour):
    """SUCCESS while the robot is in a stage. FAILURE otherwise."""

    def __init__(self, name: str, robot: str, mind: CrosserMind, stage: Stage) -> None:
        super().__init__(name, robot)
        self.mind = mind
        self.stage = stage

    def update(self) -> Status:
        """Look at the stage; LEFT is that of this round, not the one before it."""
        there = self.mind.left if self.stage is Stage.LEFT else self.mind.stage is self.stage
        return Status.SUCCESS if there else Status.FAILURE


class TurnIs(PerceptBehaviour):
    """SUCCESS while the robot's round goes a way. FAILURE otherwise."""

    def __init__(self, name: str, robot: str, mind: CrosserMind, turn: Turn) -> None:
        super().__init__(name, robot)
        self.mind = mind
        self.turn = turn

    def update(self) -> Status:
        """Look at the round."""
        movement = self.mind.crossing
        return Status.SUCCESS if movement is not None and movement.turn is self.turn else Status.FAILURE
