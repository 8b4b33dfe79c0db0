"""Whether and how a ghost hunts: believed of those that do, and soon no more of those that turn away."""

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
    belief, found, fields = HuntBelief(TimedGrid(space)), [], np.stack([space.distances_from(3.0, 5.0)])
    for half in range(round(2.0 * seconds)):
        robot = (1.0 + 0.1 * abs(half % 40 - 20), 1.0)
        ghost.step((half + 1) * SECOND // 2, robot)
        belief.follow(half * SECOND // 2, robot, fields)
        belief.watch(ghost.view())
        found.append(belief.chance("one"))
    return found


def standing(space: FreeSpace) -> HuntBelief:
    """Return a belief for a robot that stands in a corner, where no pellet is left."""
    belief = HuntBelief(TimedGrid(space))
    belief.follow(0, (1.0, 1.0), np.empty((0, len(space))))
    return belief


@pytest.mark.parametrize("seed", range(4))
def test_one_that_chases_is_believed_to(space: FreeSpace, seed: int) -> None:
    found = watched(space, "chase", seed)
    assert found[0] < 0.2
    # No more than can be unlearned soon.
    assert 0.9 < found[-1] < 0.995


def test_of_those_that_wander_few_are(space: FreeSpace) -> None:
    found = [watched(space, "clyde_source", seed, 60.0) for seed in range(12)]
    assert np.mean([belief for way in found for belief in way]) < 0.45


def test_one_that_turns_away_is_soon_believed_to_go_elsewhere(space: FreeSpace) -> None:
    belief = standing(space)
    for x in np.arange(3.5, 1.0, -0.05):
        belief.watch(GhostView("one", float(x), 1.0, speed=0.25))
    assert belief.chance("one") > 0.8
    for y in np.arange(1.0, 3.5, 0.05):
        belief.watch(GhostView("one", 1.0, float(y), speed=0.25))
    assert belief.chance("one") < 0.2


def test_one_that_stands_is_put_elsewhere_or_flees_says_nothing(space: FreeSpace) -> None:
    belief = standing(space)
    before = belief.chance("one")
    for ghost in (GhostView("one", 3.5, 1.0), GhostView("one", 3.5, 1.0), GhostView("one", 7.0, 5.0)):
        belief.watch(ghost)
    for y in np.arange(5.0, 3.0, -0.05):
        belief.watch(GhostView("one", 7.0, float(y), frightened=True))
    assert belief.chance("one") == before
    belief.reset()
    assert belief.chance("one") == before


def test_who_cuts_off_is_told_from_who_chases(space: FreeSpace) -> None:
    """The robot goes along one wall to a pellet; one ghost goes to that pellet, and one to the robot."""
    belief, pellet = HuntBelief(TimedGrid(space)), (1.0, 5.0)
    fields = np.stack([space.distances_from(*pellet), space.distances_from(7.0, 1.0)])
    for k in range(60):
        belief.follow(k * SECOND // 5, (1.0, 1.0 + 0.01 * k), fields)
        belief.watch(GhostView("cutter", 3.8 - 0.045 * k, 5.0))
        belief.watch(GhostView("chaser", 3.8 - 0.045 * k, 1.0))
    assert belief.chances("cutter")["cuts_off"] > 0.8
    assert belief.chances("chaser")["chases"] > 0.8
