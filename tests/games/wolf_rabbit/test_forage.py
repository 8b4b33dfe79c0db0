"""Carrots: believed, wanted, driven to, eaten, and grown again."""

import math
from typing import Any

import pytest
from helpers.tree_bench import TICK, WIDTH, TreeBench
from py_trees.common import Status

from arena_trees.behaviours.wolf_rabbit.forage import CarrotWanted, EatCarrot, GoToCarrot, SpotCarrots
from arena_trees.behaviours.wolf_rabbit.parameters import RabbitParameters
from arena_trees.control.sign_range import CAMERA, Camera
from arena_trees.games.wolf_rabbit.blackboard import Carrots, EatenCarrots
from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.detections import Detection
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.wolf_rabbit.rabbit import create_root

LIVE = Live(
    RabbitParameters(
        carrot_size=0.15, carrot_hunger=70.0, carrot_speed=0.15, carrot_reach=0.35, carrot_eat_s=1.0,
        carrot_energy=40.0, carrot_regrow_s=20.0, forages=True,
    )
)  # fmt: skip


def carrot(ahead: float, left: float = 0.0, label: str = "carrot") -> Detection:
    """Return the box of a carrot's sign that stands somewhere in base_link, m."""
    focal = CAMERA.focal_px(WIDTH)
    depth = ahead - CAMERA.x
    side = 0.15 * focal / depth
    middle = WIDTH / 2.0
    return Detection(label, 1.0, middle - focal * left / depth, middle + focal * (CAMERA.z - 0.075) / depth, side, side)


def spotting() -> TreeBench:
    bench = TreeBench().put(eaten=EatenCarrots())
    return bench.set_up(SpotCarrots("carrots", "robot", LIVE)).odometry()


def places(bench: TreeBench) -> tuple[tuple[float, float], ...]:
    bench.tick()
    found: Carrots = bench.get("carrots")
    return found.places


def test_a_carrot_is_believed_once_two_images_have_shown_it_at_one_place() -> None:
    bench = spotting()
    assert places(bench.see(carrot(1.5))) == ()
    # Not a new image.
    assert places(bench) == ()
    ((x, y),) = places(bench.see(carrot(1.5)))
    assert (x, y) == (pytest.approx(1.5, abs=0.12), pytest.approx(0.0, abs=0.02))
    assert len(places(bench.see(carrot(1.5), carrot(2.5, 0.8)))) == 1
    assert len(places(bench.see(carrot(2.5, 0.8)))) == 2


def test_the_newest_sighting_of_a_carrot_is_where_it_stands() -> None:
    bench = spotting()
    for ahead in (1.5, 1.5, 1.9):
        found = places(bench.see(carrot(ahead)))
    assert found == ((pytest.approx(1.9, abs=0.12), pytest.approx(0.0, abs=0.02)),)


@pytest.mark.parametrize("box", [carrot(1.5, label="wolf_sign"), carrot(3.5)], ids=["another sign", "far away"])
def test_other_signs_and_far_ones_are_none(box: Detection) -> None:
    bench = spotting()
    for _ in range(4):
        assert places(bench.see(box)) == ()


def test_it_is_placed_by_where_the_robot_was_when_the_image_was_taken() -> None:
    bench = spotting()
    for k in range(10):
        bench.odometry(0.0, 0.0, 0.1 * k)
        bench.tick()
    for _ in range(2):
        # Taken four ticks before, at 0.6 rad.
        found = places(bench.see(carrot(1.5), delay=4 * TICK))
    ((x, y),) = found
    assert math.atan2(y, x) == pytest.approx(0.6, abs=0.11)


def test_it_is_placed_by_the_camera_that_took_the_image() -> None:
    narrow = Camera(2.0 * math.atan(0.5 * math.tan(CAMERA.hfov / 2.0)), CAMERA.x, CAMERA.z)
    bench = TreeBench().put(eaten=EatenCarrots())
    bench.set_up(SpotCarrots("carrots", "robot", LIVE, narrow)).odometry()
    for _ in range(2):
        found = places(bench.see(carrot(1.0)))
    assert found == ((pytest.approx(2.0, abs=0.2), pytest.approx(0.0, abs=0.02)),)


def test_one_that_was_eaten_is_gone_until_it_has_grown_again() -> None:
    bench = spotting()
    for _ in range(2):
        found = places(bench.see(carrot(1.5)))
    bench.put(eaten=EatenCarrots((((1.4, 0.1), bench.now),)))
    assert len(found) == 1 and places(bench) == ()
    bench.now += 19 * SECOND
    assert places(bench) == ()
    bench.now += SECOND
    assert len(places(bench)) == 1


@pytest.mark.parametrize(
    ("energy", "known", "status"),
    [
        (69.0, ((1.0, 0.0),), Status.SUCCESS),
        (70.0, ((1.0, 0.0),), Status.FAILURE),
        (69.0, (), Status.FAILURE),
    ],
)
def test_a_carrot_is_wanted_by_who_is_hungry_and_knows_of_one(energy: float, known: Any, status: Status) -> None:
    bench = TreeBench().put(energy=energy, carrots=Carrots(known))
    assert bench.set_up(CarrotWanted("?", "robot", LIVE)).tick().status is status


def test_it_drives_to_the_nearest_round_what_is_in_the_way_until_it_is_in_reach() -> None:
    bench = TreeBench().put(carrots=Carrots(((2.0, 0.0), (0.0, 3.0))))
    bench.set_up(GoToCarrot("go", "robot", LIVE)).odometry().points()
    outcome = bench.tick()
    assert (outcome.status, outcome.command) == (Status.RUNNING, (pytest.approx(0.15), pytest.approx(0.0)))
    assert bench.points((0.4, 0.1)).tick().command[1] < 0.0
    assert bench.points().odometry(0.0, 2.0).tick().command[1] > 0.0
    assert bench.odometry(1.6, 0.0).tick().status is Status.RUNNING
    outcome = bench.odometry(1.7, 0.0).tick()
    assert (outcome.status, outcome.command) == (Status.SUCCESS, None)
    assert bench.put(carrots=Carrots()).tick().status is Status.FAILURE


def test_eating_takes_its_time_gives_energy_once_and_is_shown() -> None:
    bench = TreeBench().put(carrots=Carrots(((2.0, 0.0), (0.3, 0.0))), energy=30.0)
    bench.set_up(EatCarrot("eat", "robot", LIVE)).odometry()
    first, *rest = bench.ticks(51)
    assert first.cues == ["EAT"]
    assert {outcome.command for outcome in [first, *rest]} == {(0.0, 0.0)}
    assert [outcome.status for outcome in rest] == [Status.RUNNING] * 49 + [Status.SUCCESS]
    assert bench.get("energy") == 70.0
    assert [place for place, _ in bench.get("eaten").places] == [(0.3, 0.0)]
    bench.put(energy=90.0).ticks(51)
    assert bench.get("energy") == 100.0


def test_a_meal_that_is_broken_off_gives_nothing() -> None:
    bench = TreeBench().put(carrots=Carrots(((0.3, 0.0),)), energy=30.0)
    bench.set_up(EatCarrot("eat", "robot", LIVE)).odometry().ticks(30)
    bench.root.stop(Status.INVALID)
    bench.ticks(30)
    assert bench.get("energy") == 30.0


def test_a_rabbit_forages_before_it_wanders_and_flees_before_it_forages() -> None:
    bench = TreeBench("rabbit")
    bench.set_up(create_root("rabbit", LIVE, RandomStreams(1))).points()
    names = []
    for k in range(60):
        bench.odometry().pose()
        if k == 20:
            bench.put(energy=50.0)
        bench.see(carrot(1.5), *([Detection("wolf_sign", 1.0, 125.0, 60.0, 40.0, 40.0)] if k >= 40 else []))
        names.append(bench.tick().active)
    assert names[19] in ("Scan", "Forward") and names[39] == "Go to the carrot" and names[59] == "Hide at home"
