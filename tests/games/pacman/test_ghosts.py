"""Ghosts: exactly their speed, continuous, on free ground, each kind as it should, and the same with the same seed."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.games.pacman.arcade.ghost_policies import POLICIES
from arena_trees.games.pacman.arcade.ghosts import Ghost
from arena_trees.games.pacman.arcade.hunt import Hunt
from arena_trees.games.pacman.rules import GhostKind, GhostRules
from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.world.maps.map_files import find_map
from arena_trees.world.maps.occupancy_map import load_map

TICK = SECOND // 50
FAR = (5.0, -4.8)
HOME = (0.0, 0.0)
SPACE = FreeSpace(load_map(find_map("flat")), 0.25)
KINDS: tuple[GhostKind, ...] = tuple(POLICIES)


def ghost(kind: GhostKind, seed: int = 1, hunt: Hunt | None = None, **rules: float) -> Ghost:
    made = Ghost("clyde", kind, SPACE, np.random.default_rng(seed), GhostRules(**rules), FAR, hunt)
    made.spawn(0, HOME)
    return made


def circling(now: int) -> tuple[float, float]:
    angle = 0.3 * now / SECOND
    return math.cos(angle) - 1.0, 0.4 * math.sin(angle)


def way(walker, seconds, tick=TICK, robot=circling):
    """Return the places of a ghost at its begin and after each tick, shape (k, 2)."""
    places = [walker.position]
    for now in range(tick, from_seconds(seconds) + 1, tick):
        walker.step(now, robot(now))
        places.append(walker.position)
    return np.array(places)


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_never_faster_than_its_speed_and_stays_on_free_ground(kind: GhostKind) -> None:
    places = way(ghost(kind), 60.0)
    steps = np.hypot(*np.diff(places, axis=0).T)
    assert steps.max() <= 0.25 * 0.02 + 1e-9
    # Between two nodes 0.1 m apart a wall can be nearer by that much of a corner.
    assert min(SPACE.map.clearance_at(x, y) for x, y in places) >= 0.2


@pytest.mark.parametrize("kind", ["clyde_source", "puppy_guard"])
def test_it_never_rests_and_its_speed_is_exact(kind: GhostKind) -> None:
    coarse, fine = way(ghost(kind), 40.0, 5 * TICK), way(ghost(kind), 40.0, SECOND // 1000)
    # The length of a fine way is speed times time; a coarse one cuts the bends.
    assert np.hypot(*np.diff(fine, axis=0).T).sum() == pytest.approx(10.0, rel=0.01)
    # Whatever the rate, it is at the same place at the same time.
    assert coarse == pytest.approx(fine[::100], abs=1e-6)


@settings(deadline=None, max_examples=30)
@given(
    kind=st.sampled_from(KINDS),
    seed=st.integers(0, 2**32),
    speed=st.floats(0.05, 2.0),
    ticks=st.lists(st.integers(1, 2 * SECOND), min_size=1, max_size=30),
    frights=st.sets(st.integers(0, 29)),
)
def test_any_ghost_moves_continuously(kind, seed, speed, ticks, frights):
    walker, twin = ghost(kind, seed), ghost(kind, seed)
    now = 0
    for number, tick in enumerate(ticks):
        now += tick
        before = walker.position
        for one in (walker, twin):
            one.speed = speed
            if number in frights:
                one.frighten(now - tick)
            one.step(now, circling(now))
        assert math.dist(before, walker.position) <= speed * tick / SECOND + 1e-9
        assert walker.position == twin.position
        view = walker.view()
        assert math.hypot(view.vx, view.vy) == pytest.approx(walker.pace, abs=1e-9) or view.vx == view.vy == 0.0


def test_velocity_tells_where_it_will_be_and_waiting_is_no_walking():
    walker = ghost("clyde_source")
    walker.step(SECOND)
    view = walker.view()
    walker.step(SECOND + SECOND // 100_000)
    x, y = walker.position
    assert (x - view.x, y - view.y) == pytest.approx((view.vx * 1e-5, view.vy * 1e-5), abs=1e-9)
    walker = ghost("clyde_source")
    walker.step(SECOND)
    before = walker.position
    walker.wait(10 * SECOND)
    assert (walker.view().vx, walker.view().vy) == (0.0, 0.0)
    walker.step(10 * SECOND + TICK)
    assert math.dist(before, walker.position) <= 0.25 * 0.02 + 1e-9


def test_the_documents_clyde_takes_no_notice_of_the_robot() -> None:
    assert np.array_equal(
        way(ghost("clyde_source", 5), 60.0), way(ghost("clyde_source", 5), 60.0, robot=lambda _: None)
    )
    places = way(ghost("clyde_source", 5), 600.0, SECOND)
    # It comes into every room.
    for x, y in ((-1.0, 1.2), (5.0, 1.2), (-1.0, -4.8), (5.0, -4.8)):
        assert np.hypot(*(places - (x, y)).T).min() < 2.0


def test_a_chaser_catches_who_stands() -> None:
    places = way(ghost("chase"), 90.0, robot=lambda _: (-1.0, 1.2))
    assert math.dist(places[-1], (-1.0, 1.2)) < 0.15
    assert way(ghost("chase", 2), 30.0, robot=lambda _: None)[-1].tolist() != places[0].tolist()


def test_clyde_chases_from_afar_and_turns_when_near() -> None:
    walker = ghost("clyde", shy_distance=2.0)
    gaps = [math.dist(place, HOME) for place in way(walker, 120.0, robot=lambda _: HOME)]
    assert 1.9 < min(gaps) < 2.05
    close = ghost("clyde")
    places = way(close, 120.0, robot=lambda _: close.position)[-2000:]
    corner = SPACE.points.min(axis=0)
    assert np.hypot(*(places - corner).T).max() < 2.0
    assert (np.hypot(*np.diff(places, axis=0).T) > 0.0).all(), "he walks about there"


def hunted(kind, seconds, robot, start=None, pellets=(), leader=None, waves=(), **rules):
    """Return the places of a ghost in each tick, and of the robot that it hunts, shape (k, 2)."""
    hunt = Hunt(waves)
    walker = ghost(kind, hunt=hunt, **rules)
    if start is not None:
        walker.spawn(0, HOME, start)
    places = []
    for now in range(TICK, from_seconds(seconds) + 1, TICK):
        hunt.observe(now, robot(now), pellets, leader)
        walker.step(now, robot(now))
        places.append((walker.position, robot(now)))
    ghosts, robots = np.array(places).swapaxes(0, 1)
    return ghosts, robots


CORNERS = {"blinky": (1, 1), "pinky": (-1, 1), "inky": (1, -1), "clyde": (-1, -1)}


@pytest.mark.parametrize("kind", CORNERS)
def test_the_arcades_four_scatter_each_to_its_corner_and_then_hunt(kind):
    ghosts, _ = hunted(kind, 100.0, lambda _: HOME, waves=(60.0, 40.0), shy_distance=1.5)
    corner = (SPACE.points * CORNERS[kind]).max(axis=0) * CORNERS[kind]
    gaps = np.hypot(*(ghosts - corner).T)
    assert gaps[50 * 50 : 50 * 60].max() < 3.0, "it walks about there"
    assert math.dist(ghosts[-1], HOME) < 2.0


def test_waves_alternate_and_the_last_goes_on():
    hunt, seen = Hunt((2.0, 3.0, 2.0)), []
    for second in range(10):
        hunt.observe(second * SECOND, HOME)
        seen.append(hunt.scattering)
    assert seen == [True] * 2 + [False] * 3 + [True] * 2 + [False] * 3
    assert not Hunt().scattering
    endless = Hunt((1.0, 1.0))
    for second in range(4):
        endless.observe(second * SECOND, HOME)
    assert endless.scattering
    paused = Hunt((2.0,))
    for second in range(9):
        paused.observe(second * SECOND, HOME, paused=True)
    assert paused.scattering


def test_pinky_goes_ahead_of_who_drives_and_inky_to_the_other_side_of_blinky():
    def driving(now: int) -> tuple[float, float]:
        return (-1.0 + min(0.02 * now / SECOND, 1.0), 0.0)

    ghosts, robots = hunted("pinky", 60.0, driving, start=(0.0, 1.5))
    assert ghosts[-1][0] - robots[-1][0] == pytest.approx(1.5, abs=0.3)
    ghosts, robots = hunted("inky", 60.0, driving, start=(0.0, 1.5), leader=(-0.6, 0.4))
    ahead = robots[-1] + (0.75, 0.0)
    assert math.dist(ghosts[-1], 2.0 * ahead - (-0.6, 0.4)) < 0.3


def test_an_ambusher_is_there_before_the_robot_where_a_chaser_runs_behind():
    """The robot drives from the flat's middle to a pellet in a corner room, faster than either ghost."""
    goal = (5.0, -4.8)
    route = np.array(SPACE.path(HOME, goal))
    walked = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(route, axis=0).T))))

    def robot(now: int) -> tuple[float, float]:
        way = min(0.3 * now / SECOND, walked[-1])
        return float(np.interp(way, walked, route[:, 0])), float(np.interp(way, walked, route[:, 1]))

    seconds = walked[-1] / 0.3
    pellets = ((1, (-1.0, -4.8)), (2, goal), (3, (5.0, 1.2)))
    middle_x, middle_y = route[len(route) // 2]
    for kind, met in (("chase", False), ("ambusher", True)):
        ghosts, robots = hunted(kind, seconds, robot, start=(middle_x, middle_y + 1.0), pellets=pellets)
        assert (np.hypot(*(ghosts - robots).T).min() < 0.3) == met, kind


def test_a_puppy_guard_stays_with_its_pellet() -> None:
    places = way(ghost("puppy_guard"), 300.0, SECOND // 5)
    assert np.hypot(*(places - FAR).T).max() <= 1.5 + 1e-9
    # It does not stand still: it comes round the pellet.
    angles = np.arctan2(places[:, 1] - FAR[1], places[:, 0] - FAR[0])
    assert {int(angle // (math.pi / 2.0)) for angle in angles} == {-2, -1, 0, 1}


def test_it_appears_far_from_the_robot_where_the_robot_can_be() -> None:
    for seed in range(30):
        assert SPACE.distance(HOME, ghost("clyde_source", seed).position) >= 2.0
    # Nowhere is that far: as far as the map allows.
    far = SPACE.distances_from(*HOME).max()
    assert SPACE.distance(HOME, ghost("clyde_source", spawn_distance=100.0).position) == pytest.approx(far)
    placed = ghost("chase")
    placed.spawn(0, HOME, (0.1, 0.1))
    assert math.dist(placed.position, (0.1, 0.1)) < 0.1


def test_fright_makes_a_chaser_slow_and_flee_and_ends() -> None:
    walker = ghost("chase", fright_time=8.0, fright_factor=0.5)
    walker.spawn(0, HOME, (0.0, 1.5))
    walker.frighten(0)
    places = way(walker, 8.0, robot=lambda _: HOME)
    assert np.hypot(*np.diff(places, axis=0).T).sum() == pytest.approx(8.0 * 0.125, rel=0.02)
    assert min(math.dist(place, HOME) for place in places) > 1.0
    assert walker.frightened
    assert walker.view().frightened
    walker.step(from_seconds(9.0), HOME)
    assert not walker.frightened
    assert walker.pace == 0.25


def test_the_speed_of_the_rounds() -> None:
    assert [GhostRules().speed(number) for number in (1, 2, 3, 4)] == pytest.approx([0.25, 0.30, 0.35, 0.40])
