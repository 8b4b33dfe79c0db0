"""Several rabbits: the signs of those that are caught, and which of two the wolf goes on to track."""

import math

import pytest
from helpers.tree_bench import TICK, TreeBench, box
from py_trees.common import Status

from arena_trees.behaviours.wolf_rabbit.parameters import WolfParameters
from arena_trees.behaviours.wolf_rabbit.round_over import RoundOver
from arena_trees.behaviours.wolf_rabbit.track_rabbit import LeaveOutCaught, TrackRabbit, TrackRabbitBySource
from arena_trees.control.sign_range import sign_range
from arena_trees.games.wolf_rabbit.blackboard import CaughtSigns
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.detections import Detection

LIVE = Live(WolfParameters())
FAR = box(width=40.0)
RANGE = sign_range(FAR, 250, 250, LIVE.value.camera, LIVE.value.sign)
assert RANGE is not None
CUT = Detection("rabbit_sign", 1.0, 125.0, 125.0, 250.0, 250.0)
"""Fills the image: its range is not known."""


def left(
    *boxes: Detection, caught: dict[str, tuple[float, float]], pose: tuple[float, float, float] = (0, 0, 0)
) -> int:
    """Return how many signs of an image are left."""
    bench = TreeBench()
    bench.set_up(LeaveOutCaught("leave out", "robot", LIVE)).pose(*pose).odometry(*pose).game(caught=caught)
    bench.see(*boxes)
    bench.tick()
    return len(bench.get("caught_signs").left(bench.get("detections")).boxes)


@pytest.mark.parametrize(
    ("away", "remains"), [(0.0, False), (0.40, False), (-0.40, False), (0.45 + 2 * RANGE.sigma, True)]
)
def test_a_sign_where_a_rabbit_was_caught_is_left_out(away: float, remains: bool) -> None:
    assert left(FAR, caught={"ruby": (RANGE.distance + away, 0.0)}) == remains
    assert left(FAR, caught={"ruby": (RANGE.distance, away)}) == remains


def test_the_place_is_of_the_map_and_the_wolf_stands_anywhere_in_it() -> None:
    place = (1.0, 2.0 + RANGE.distance)
    assert left(FAR, caught={"ruby": place}, pose=(1.0, 2.0, math.pi / 2)) == 0
    assert left(FAR, caught={"ruby": place}, pose=(1.0, 2.0, -math.pi / 2)) == 1


def test_other_signs_and_images_without_a_caught_rabbit_stay_as_they_are() -> None:
    place = {"ruby": (RANGE.distance, 0.0)}
    assert left(FAR, box("carrot"), box("wolf_sign"), caught=place) == 2
    assert left(FAR, FAR, caught={}) == 2
    assert left(FAR, box(x=240.0, width=10.0), caught=place) == 1


def test_a_sign_that_fills_the_image_is_of_who_was_caught_right_ahead() -> None:
    assert left(CUT, caught={"ruby": (0.5, 0.0)}) == 0
    assert left(CUT, caught={"ruby": (-0.5, 0.0)}) == 1
    assert left(CUT, caught={"ruby": (3.0, 0.0)}) == 1


def test_an_image_is_compared_with_where_the_wolf_was_when_it_was_exposed() -> None:
    bench = TreeBench()
    bench.set_up(LeaveOutCaught("leave out", "robot", LIVE)).game(caught={"ruby": (RANGE.distance, 0.0)})
    for k in range(20):
        bench.pose(yaw=0.2 * max(0, k - 9)).odometry(yaw=0.2 * max(0, k - 9))
        if k == 19:
            bench.see(FAR, delay=10 * TICK)
        bench.tick()
    assert bench.get("caught_signs").boxes == (0,)


def test_an_earlier_run_is_forgotten() -> None:
    bench = TreeBench()
    bench.set_up(LeaveOutCaught("leave out", "robot", LIVE)).pose().odometry()
    bench.game(caught={"ruby": (RANGE.distance, 0.0)}).see(FAR).tick()
    assert bench.get("caught_signs").boxes == (0,)
    bench.root.setup()
    assert bench.get("caught_signs").boxes == ()


@pytest.mark.parametrize("track", [TrackRabbit, TrackRabbitBySource])
def test_the_rabbit_that_is_tracked_stays_so_though_another_shows_more_clearly(track: type[TrackRabbit]) -> None:
    bench = TreeBench()
    bench.put(caught_signs=CaughtSigns()).set_up(track("track", "robot", LIVE))
    first = box(x=80.0, confidence=0.6)
    for k in range(40):
        bench.pose().odometry().points()
        bench.see(*([first] if k < 10 else [box(x=180.0, confidence=0.9), first]))
        bench.tick()
    target = bench.get("target")
    assert target.box.x == 80.0
    assert target.hits > 10


@pytest.mark.parametrize("track", [TrackRabbit, TrackRabbitBySource])
def test_a_sign_that_is_left_out_is_no_target(track: type[TrackRabbit]) -> None:
    bench = TreeBench()
    bench.put(caught_signs=CaughtSigns((0,))).set_up(track("track", "robot", LIVE))
    for _ in range(20):
        bench.pose().odometry().points().see(box(x=80.0, confidence=0.9), box(x=180.0, confidence=0.6)).tick()
    assert bench.get("target").box.x == 180.0


def test_the_round_is_over_for_a_rabbit_that_is_caught_and_goes_on_for_the_others() -> None:
    def over(robot: str) -> Status:
        bench = TreeBench(robot)
        bench.set_up(RoundOver("over?", robot)).game(caught={"ruby": (1.0, 0.0)}).tick()
        return bench.root.status

    assert [over(robot) for robot in ("ruby", "hazel", "wolf")] == [Status.SUCCESS, Status.FAILURE, Status.FAILURE]
