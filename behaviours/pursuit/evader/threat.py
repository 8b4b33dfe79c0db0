"""What the evader knows of the chaser: where it is and where its barrel points, as the rules say."""

from __future__ import annotations

from py_trees.common import Status

from arena_trees.behaviours.base import PerceptBehaviour
from arena_trees.behaviours.pursuit.evader.parameters import EvaderParameters
from arena_trees.games.pursuit.messages import PursuitPhase, PursuitState, Threat
from arena_trees.robot import keys
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.messaging.inbox import Inbox
from arena_trees.robot.percepts import PoseEstimate

__all__ = ["AimedAt", "ChaserCondition", "ChaserNear", "EvasionModeIs", "IsHit", "ThreatKnown", "newest_threat"]


def newest_threat(inbox: Inbox, now: int, timeout_s: float) -> Threat | None:
    """Return the newest message about the chaser that is not older than a time (s), or None."""
    newest = inbox.newest(Threat)
    if newest is None or newest.age(now) > from_seconds(timeout_s):
        return None
    return newest.message


class IsHit(PerceptBehaviour):
    """SUCCESS once the rules report that the ball was hit, or that the pursuit is over. FAILURE before.

    Blackboard Variables:
        * inbox (Inbox) [r]: PursuitState
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (keys.INBOX,))

    def update(self) -> Status:
        """Return SUCCESS if the newest pursuit state has the phase HIT or OVER, FAILURE otherwise."""
        newest = self.percepts.inbox.newest(PursuitState)
        if newest is None or newest.message.phase not in (PursuitPhase.HIT, PursuitPhase.OVER):
            return Status.FAILURE
        self.feedback_message = newest.message.phase.value
        return Status.SUCCESS


class EvasionModeIs(PerceptBehaviour):
    """SUCCESS where the parameter ``manner`` is one of the given. FAILURE otherwise.

    Blackboard Variables:
        * none

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        manners: the given
    """

    def __init__(self, name: str, robot: str, live: Live[EvaderParameters], *manners: str) -> None:
        super().__init__(name, robot)
        self.live = live
        self.manners = manners

    def update(self) -> Status:
        """Return SUCCESS if the parameter ``manner`` is one of the given, FAILURE otherwise."""
        return Status.SUCCESS if self.live.value.manner in self.manners else Status.FAILURE


class ThreatKnown(PerceptBehaviour):
    """SUCCESS while the evader knows where the chaser is, and where it is itself. FAILURE otherwise.

    Blackboard Variables:
        * inbox (Inbox) [r]: Threat
        * pose (PoseEstimate) [r]
    """

    def __init__(self, name: str, robot: str, live: Live[EvaderParameters]) -> None:
        super().__init__(name, robot, (keys.INBOX, keys.POSE))
        self.live = live

    def update(self) -> Status:
        """Return SUCCESS if there is a recent threat message and a pose, FAILURE otherwise."""
        threat = newest_threat(self.percepts.inbox, self.now, self.live.value.threat_timeout)
        known = threat is not None and self.percepts.pose is not None
        return Status.SUCCESS if known else Status.FAILURE


class ChaserCondition(PerceptBehaviour):
    """A condition on where the chaser is. FAILURE without a chaser or a pose."""

    def __init__(self, name: str, robot: str, live: Live[EvaderParameters]) -> None:
        super().__init__(name, robot, (keys.INBOX, keys.POSE))
        self.live = live

    def update(self) -> Status:
        """Return SUCCESS if the condition holds for the chaser that is known, FAILURE otherwise."""
        parameters = self.live.value
        threat = newest_threat(self.percepts.inbox, self.now, parameters.threat_timeout)
        estimate: PoseEstimate | None = self.percepts.pose
        if threat is None or estimate is None:
            self.feedback_message = "no chaser known"
            return Status.FAILURE
        return Status.SUCCESS if self.holds(threat, estimate.pose, parameters) else Status.FAILURE

    def holds(self, threat: Threat, pose: Pose2D, parameters: EvaderParameters) -> bool:
        """Return whether the condition holds of a chaser, with the evader at a pose of the map frame."""
        raise NotImplementedError


class ChaserNear(ChaserCondition):
    """SUCCESS while the chaser is nearer than ``dodge_near``, wherever it looks. FAILURE otherwise.

    Blackboard Variables:
        * inbox (Inbox) [r]: Threat
        * pose (PoseEstimate) [r]
    """

    def holds(self, threat: Threat, pose: Pose2D, parameters: EvaderParameters) -> bool:
        """Return whether the chaser is near."""
        return pose.distance_to(threat.x, threat.y) < parameters.dodge_near


class AimedAt(ChaserCondition):
    """SUCCESS while the chaser's barrel points at the evader, and nearly within reach. FAILURE otherwise.

    Blackboard Variables:
        * inbox (Inbox) [r]: Threat
        * pose (PoseEstimate) [r]
    """

    def holds(self, threat: Threat, pose: Pose2D, parameters: EvaderParameters) -> bool:
        """Return whether the barrel points at the evader from near enough."""
        away = pose.distance_to(threat.x, threat.y)
        off = abs(wrap(Pose2D(threat.x, threat.y, threat.barrel).bearing_to(pose.x, pose.y)))
        self.feedback_message = f"{away:.1f} m away"
        return off <= parameters.dodge_angle and away <= parameters.dodge_reach * threat.reach
