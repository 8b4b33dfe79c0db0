"""Beams that do not come back: grazed, dark or in the sun."""

import math

import numpy as np
import pytest
from small_world import QUIET, room, wolf

from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.simulation.physics.arena import Arena
from arena_trees.simulation.sensors.beam_losses import BeamLosses, BeamLossParameters

BEAMS = 720


def losses(seed: int = 1, **values: float) -> BeamLosses:
    return BeamLosses(BeamLossParameters(**values), RandomStreams(seed).generator("lidar"), BEAMS)


def wall(distance: float) -> np.ndarray:
    """Return distances to an endless wall straight ahead of beam 0; -1 for beams that go away from it."""
    cosines = np.cos(math.tau / BEAMS * np.arange(BEAMS))
    return np.where(cosines > 0.02, distance / np.maximum(cosines, 0.02), -1.0)


def often(one: BeamLosses, distances: np.ndarray, surfaces: np.ndarray, scans: int = 400) -> np.ndarray:
    """Return how often each beam is lost."""
    return np.mean([one.lost(scan * SECOND // 8, distances, surfaces) for scan in range(scans)], axis=0)


def test_by_default_nothing_is_lost():
    assert not often(losses(), wall(1.0), np.zeros(BEAMS, np.int32), 20).any()


@pytest.mark.parametrize("distance", [0.5, 3.0])
def test_the_flatter_a_beam_the_more_often_it_is_lost_at_any_distance(distance: float):
    share = often(losses(grazing=0.9), wall(distance), np.zeros(BEAMS, np.int32))
    assert share[0] < 0.02
    for degrees in (45, 60, 80):
        expected = 0.9 * (1.0 - math.cos(math.radians(degrees))) ** 2
        assert share[2 * degrees] == pytest.approx(expected, abs=0.08), degrees


def test_an_edge_is_no_flat_beam():
    distances = np.where(np.arange(BEAMS) < BEAMS // 2, 1.0, 3.0)
    share = often(losses(grazing=1.0), distances, np.zeros(BEAMS, np.int32))
    assert share.max() < 0.02


def test_a_surface_is_dark_or_it_is_not():
    surfaces = np.arange(BEAMS, dtype=np.int32) // 36
    share = often(losses(dark_share=0.5, dark=0.8), np.ones(BEAMS), surfaces).reshape(20, 36).mean(axis=1)
    assert set(np.round(share, 1).tolist()) == {0.0, 0.8}


def test_a_beam_without_a_surface_is_not_dark():
    assert not often(losses(dark_share=1.0, dark=1.0), -np.ones(BEAMS), np.full(BEAMS, -1, np.int32)).any()


def test_a_sector_becomes_blind_and_recovers():
    one = losses(sectors_per_minute=12.0, sector_deg=90.0, sector_s=2.0)
    scans = np.array([one.lost(scan * SECOND // 8, np.ones(BEAMS), np.zeros(BEAMS, np.int32)) for scan in range(4000)])
    counts = scans.sum(axis=1)
    assert set(counts.tolist()) == {0, BEAMS // 4}
    begins = ((counts[1:] > 0) & (counts[:-1] == 0)).sum()
    # In 500 s, one every 5 s and 2 s long: a new one cannot begin meanwhile.
    assert begins == pytest.approx(500.0 / 7.0, rel=0.3)
    assert counts[counts > 0].size / begins == pytest.approx(16.0, abs=1.5)
    first = scans[np.argmax(counts > 0)]
    assert np.abs(np.diff(first.astype(int))).sum() <= 2, "it is one piece"


def test_in_the_arena_a_share_of_beams_is_lost():
    finite = {}
    for dark in (0.0, 0.9):
        sensors = QUIET.with_changes({"lidar.losses.dark_share": 1.0, "lidar.losses.dark": dark})
        arena = Arena(room(), [wolf(Pose2D(), sensors)], 3)
        for _ in range(50):
            arena.step()
        scan = arena.robots["wolf"].read().scan
        assert scan is not None
        finite[dark] = np.isfinite(scan.ranges).mean()
    assert finite[0.0] > 0.99
    assert finite[0.9] == pytest.approx(0.1, abs=0.05)
