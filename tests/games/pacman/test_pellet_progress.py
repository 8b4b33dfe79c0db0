"""Whether a robot gets nearer to its pellets, and which it puts aside."""

from arena_trees.behaviours.pacman.pellet_progress import PelletProgress
from arena_trees.robot.clock import SECOND


def test_coming_nearer_is_progress_and_standing_is_not() -> None:
    progress = PelletProgress()
    progress.update([1, 2])
    for second in range(39):
        progress.watch(second * SECOND, {1: max(4.3, 10.0 - 0.3 * second)})
        assert not progress.is_nowhere(20.0, 60.0)
    progress.watch(39 * SECOND, {1: 4.25})
    assert progress.is_nowhere(21.0, 60.0) is False
    assert progress.is_nowhere(20.0, 60.0)


def test_to_and_fro_between_two_pellets_is_nowhere() -> None:
    progress = PelletProgress()
    progress.update([1, 2])
    found = None
    for second in range(200):
        # 5 m from one to the other, and back; neither is ever nearer than 0.4 m.
        way = 0.4 + abs(second % 20 - 10) * 0.5
        progress.watch(second * SECOND, {1 + second // 10 % 2: way})
        if found is None and progress.is_nowhere(20.0, 60.0):
            found = second
    assert found <= 50


def watched(progress: PelletProgress, begin: int, seconds: int, way: float, hindered: bool = False) -> int:
    """Watch for some seconds, and return when that ended."""
    for second in range(begin, begin + seconds + 1):
        progress.watch(second * SECOND, {1: way}, hindered)
    return begin + seconds


def test_waiting_does_not_count_being_driven_off_begins_anew_and_a_ghost_is_a_reason_for_patience():
    progress = PelletProgress()
    progress.update([1])
    now = watched(progress, 0, 10, 2.0)
    progress.pause()
    now = watched(progress, now + 60, 9, 2.0)
    assert not progress.is_nowhere(20.0, 60.0)
    now = watched(progress, now, 1, 2.0)
    assert progress.is_nowhere(20.0, 60.0)
    progress.pause()
    watched(progress, now + 1, 19, 4.0)
    assert not progress.is_nowhere(20.0, 60.0)
    progress = PelletProgress()
    progress.update([1])
    now = watched(progress, 0, 59, 2.0, hindered=True)
    assert not progress.is_nowhere(20.0, 60.0)
    watched(progress, now, 1, 2.0, hindered=True)
    assert progress.is_nowhere(20.0, 60.0)


def test_a_pellet_is_tried_again_once_when_others_were_collected_since() -> None:
    progress = PelletProgress()
    progress.update([1, 2, 3])
    progress.put_aside(2)
    assert (progress.aside, progress.gave_up) == ((2,), False)
    progress.update([2, 3])
    assert (progress.aside, progress.gave_up) == ((2,), False)
    progress.put_aside(3)
    # Pellet 1 was collected after 2 was put aside, and nothing after 3 was.
    assert (progress.aside, progress.gave_up) == ((3,), False)
    progress.put_aside(2)
    assert (progress.aside, progress.gave_up) == ((2, 3), True)
    progress.update([2])
    assert (progress.aside, progress.gave_up) == ((2,), True)


def test_a_robot_without_pellets_has_given_nothing_up() -> None:
    progress = PelletProgress()
    progress.update([1])
    progress.put_aside(1)
    assert progress.gave_up
    progress.update([])
    assert (progress.aside, progress.gave_up) == ((), False)
    progress.reset()
    assert not progress.is_nowhere(20.0, 60.0)
