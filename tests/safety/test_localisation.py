"""Where a robot is, by its newest pose and its odometry since."""

import pytest

from arena_trees.robot.clock import from_seconds
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.percepts import PoseEstimate
from arena_trees.safety.localisation import localise
from arena_trees.safety.parameters import GateParameters
from arena_trees.safety.reckoning import plausible_pose

LIMITS = GateParameters()


def test_a_pose_is_taken_once_and_odometry_carries_it_on_however_the_speed_changes():
    estimate = PoseEstimate(0, 0, 1, Pose2D(1.0, 2.0, 0.0))
    place, _ = localise(LIMITS, None, estimate, Pose2D(), ZERO, 0)
    again, reason = localise(LIMITS, place, estimate, Pose2D(0.03, 0.0), Twist2D(0.3, 0.0), from_seconds(0.2))
    assert again is place and reason is None
    assert place.now_at(Pose2D(0.03, 0.0)) == Pose2D(1.03, 2.0)
    newer = PoseEstimate(0, from_seconds(0.2), 1, Pose2D(1.1, 2.0, 0.0))
    assert localise(LIMITS, place, newer, Pose2D(0.1, 0.0), ZERO, from_seconds(0.2))[0].pose == newer.pose


@pytest.mark.parametrize(("x", "y", "plausible"), [(1e6, -1e6, True), (1.1e6, 0.0, False), (0.0, -1.1e6, False)])
def test_poses_more_than_a_thousand_kilometres_away_are_absurd(x, y, plausible):
    assert plausible_pose(Pose2D(x, y)) is plausible
