"""Whether a ghost goes for the robot: believed of those that do, and soon no more of those that turn away."""

import numpy as np
import pytest

from arena_trees.control.evasion.timed_grid import TimedGrid
from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.games.pacman.arcade.ghosts import Ghost
from arena_trees.games.pacman.messages import GhostView
from arena_trees.games.pacman.planning.ghost_hunting import HuntBelief
from arena_trees.games.pacman.rules import GhostKind, GhostRules
from arena_trees.robot.clock import SECOND
from arena_trees.world.maps.occupancy_map import OccupancyMap


@pytest.fixture(scope="module")
def space() -> FreeSpace:
    """Two halls of 4 x 6 m side by side, with a door of 1 m between them."""
    free = np.zeros((120, 164), np.bool_)
    free[2:118, 2:162] = True
    free[:, 81:83] = False
    free[50:70, 81:83] = True
    return FreeSpace(OccupancyMap.build(free, 0.05), 0.27, 0.2)


def watched(space: FreeSpace, kind: GhostKind, seed: int, seconds: float = 30.0) -> list[float]:
    """Return what is believed each half a second of a ghost, while the robot goes to and fro in one hall."""
    ghost = Ghost("one", kind, space, np.random.default_rng(seed), GhostRules(base_speed=0.15))
    ghost.spawn(0, place=(7.0, 5.0))
    belief, found = HuntBelief(TimedGrid(space)), []
    for half in range(round(2.0 * seconds)):
        robot = (1.0 + 0.1 * abs(half % 40 - 20), 1.0)
        ghost.step((half + 1) * SECOND // 2, robot)
        belief.watch(ghost.view(), robot)
        found.append(belief.chance("one"))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_one_that_chases_is_believed_to(space: FreeSpace, seed: int) -> None:
    found = watched(space, "chase", seed)
    assert found[0] < 0.2
    # No more than can be unlearned soon.
    assert 0.9 < found[-1] < 0.99


def test_of_those_that_wander_few_are(space: FreeSpace) -> None:
    found = [watched(space, "clyde_source", seed, 60.0) for seed in range(12)]
    assert np.mean([belief for way in found for belief in way]) < 0.45


def test_one_that_turns_away_is_soon_believed_to_go_elsewhere(space: FreeSpace) -> None:
    belief, robot = HuntBelief(TimedGrid(space)), (1.0, 1.0)
    for x in np.arange(3.5, 1.0, -0.05):
        belief.watch(GhostView("one", float(x), 1.0, speed=0.25), robot)
    assert belief.chance("one") > 0.8
    for y in np.arange(1.0, 3.5, 0.05):
        belief.watch(GhostView("one", 1.0, float(y), speed=0.25), robot)
    assert belief.chance("one") < 0.2


def test_one_that_stands_is_put_elsewhere_or_flees_says_nothing(space: FreeSpace) -> None:
    belief, robot = HuntBelief(TimedGrid(space)), (1.0, 1.0)
    before = belief.chance("one")
    for ghost in (GhostView("one", 3.5, 1.0), GhostView("one", 3.5, 1.0), GhostView("one", 7.0, 5.0)):
        belief.watch(ghost, robot)
    for y in np.arange(5.0, 3.0, -0.05):
        belief.watch(GhostView("one", 7.0, float(y), frightened=True), robot)
    assert belief.chance("one") == before
    belief.reset()
    assert belief.chance("one") == before
