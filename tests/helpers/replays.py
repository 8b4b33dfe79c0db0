"""What a replay of a robot that was recorded on ROS must have in common with its recording."""

from arena_trees.recording.replaying.replay import ReplayResult

__all__ = ["assert_it_does_the_same"]


def assert_it_does_the_same(replayed: ReplayResult) -> None:
    """Fail where the robot does other things in its replay.

    A busy machine brings messages to the tree and to the recorder at different instants: velocities differ a little
    then, for as long as a filter remembers.

    Raises:
        AssertionError: in more than a tenth of the ticks another leaf runs, or half of the ticks differ in anything
    """
    elsewhere = (replayed.recorded_leaves - replayed.leaves).total()
    assert elsewhere <= 0.1 * replayed.compared, replayed.first
    assert replayed.different <= 0.5 * replayed.compared, replayed.first
