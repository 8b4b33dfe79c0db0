"""Whether a robot knows where it is: the age of its pose, and jumps that its wheels did not make."""

from __future__ import annotations

from dataclasses import dataclass, replace

from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.geometry import Pose2D, Twist2D, wrap
from arena_trees.robot.percepts import PoseEstimate
from arena_trees.robot.quick_init import quick_init
from arena_trees.safety.parameters import GateParameters
from arena_trees.safety.reasons import GateReason
from arena_trees.safety.reckoning import advance, plausible_pose

__all__ = ["Place", "localise"]


@quick_init
@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """The newest pose in the map frame, and where odometry had the robot then.

    Attributes:
        sequence: of the pose
        arrival: of the pose, ns
        pose: map frame
        base: odom frame, at the same time
        jumped: when (ns) the pose last jumped, or None once that is over
    """

    sequence: int
    arrival: int
    pose: Pose2D
    base: Pose2D
    jumped: int | None = None

    def now_at(self, base: Pose2D) -> Pose2D:
        """Return the pose (map frame) for a later place of the base (odom frame)."""
        return self.pose.compose(self.base.relative(base))


def localise(
    parameters: GateParameters,
    place: Place | None,
    estimate: PoseEstimate | None,
    base: Pose2D,
    twist: Twist2D,
    now: int,
) -> tuple[Place | None, str | None]:
    """Return where the robot is, and why that is not to be trusted, or None.

    Args:
        parameters: of the gate
        place: of the step before
        estimate: newest pose
        base: the robot's pose now, odom frame
        twist: the robot's twist now
        now: ns
    """
    if estimate is None or not plausible_pose(estimate.pose):
        return place, GateReason.LOCALISATION_LOST
    age = estimate.age(now)
    if age > from_seconds(parameters.pose_timeout):
        return place, GateReason.LOCALISATION_LOST
    if place is None or estimate.sequence != place.sequence or estimate.arrival != place.arrival:
        place = _renewed(parameters, place, estimate, advance(base, twist, -age / SECOND), now)
    if place.jumped is None:
        return place, None
    since = now - place.jumped
    if since < 0:
        return replace(place, jumped=now), GateReason.LOCALISATION_JUMPED
    if since < from_seconds(parameters.pose_hold):
        return place, GateReason.LOCALISATION_JUMPED
    return replace(place, jumped=None), None


def _renewed(parameters: GateParameters, place: Place | None, estimate: PoseEstimate, base: Pose2D, now: int) -> Place:
    pose = estimate.pose
    if place is None:
        return Place(estimate.sequence, estimate.arrival, pose, base)
    expected = place.now_at(base)
    jumped = place.jumped
    too_far = expected.distance_to(pose.x, pose.y) > parameters.pose_jump
    if too_far or abs(wrap(expected.yaw - pose.yaw)) > parameters.pose_turn:
        jumped = now
    return Place(estimate.sequence, estimate.arrival, pose, base, jumped)
