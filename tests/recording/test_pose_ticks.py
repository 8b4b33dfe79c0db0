"""The poses of a robot's ticks take the place of what a recorder made of transforms."""

from arena_trees.recording.pose_ticks import with_poses
from arena_trees.recording.traces.encoder import PERIOD
from arena_trees.recording.traces.tick import Tick
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.percepts import PoseEstimate


def estimate(x: float, tick: int) -> PoseEstimate:
    return PoseEstimate(tick * PERIOD, tick * PERIOD, tick, Pose2D(x, 0.0, 0.0))


RECORDED = [(tick * PERIOD, estimate(0.5 * tick, tick)) for tick in range(100)]


def test_ticks_that_keep_no_pose_change_nothing():
    assert with_poses(RECORDED, ()) == RECORDED
    assert with_poses(RECORDED, [Tick(tick * PERIOD, b"") for tick in range(100)]) == RECORDED


def test_poses_of_ticks_count_and_each_is_had_once():
    ticks = [Tick(tick * PERIOD, b"", pose=estimate(tick // 2, tick // 2)) for tick in range(40, 60)]
    found = with_poses(RECORDED, ticks)
    assert [pose for instant, pose in found if 40 * PERIOD <= instant <= 59 * PERIOD] == [
        estimate(number, number) for number in range(20, 30)
    ]
    assert found[:40] == RECORDED[:40], "before the first tick there is nothing else"
    assert found[-35:] == RECORDED[65:], "nor after the last"


def test_a_gap_is_filled_by_what_was_recorded():
    ticks = [Tick(tick * PERIOD, b"", pose=estimate(-1.0, tick)) for tick in (*range(20), *range(80, 100))]
    found = [instant // PERIOD for instant, pose in with_poses(RECORDED, ticks) if pose.pose.x >= 0.0]
    assert found == list(range(25, 80))
