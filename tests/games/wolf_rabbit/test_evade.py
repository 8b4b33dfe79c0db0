"""A rabbit that knows by LiDAR who moves, and keeps away from it."""

import math

import numpy as np
import pytest
from helpers.scans import cast, laser, rectangle
from helpers.tree_bench import TreeBench
from py_trees.common import Status

from arena_trees.behaviours.wolf_rabbit.evade import Evade, SenseThreats, ThreatNear
from arena_trees.behaviours.wolf_rabbit.parameters import RabbitParameters
from arena_trees.games.wolf_rabbit.blackboard import Threats
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.scan import Scan
from arena_trees.trees.wolf_rabbit.rabbit import create_root

LIVE = Live(RabbitParameters(manner="keep_away"))
HULL = 0.17


def around(x: float, y: float, now: int, sequence: int) -> Scan:
    """Return a scan of a room of 6 m, a box, and a round hull at a place, from the origin."""
    turns = np.linspace(0.0, math.tau, 25)
    ring = np.stack((x + HULL * np.cos(turns), y + HULL * np.sin(turns)), axis=1)
    hull = np.concatenate((ring[:-1], ring[1:]), axis=1)
    walls = np.concatenate((rectangle(3.0), rectangle(0.15, x=-1.0, y=1.0), hull))
    return Scan.from_laser(laser(cast(walls, Pose2D()), now, sequence))


def watched(ways: list[tuple[float, float]]) -> TreeBench:
    """Return a bench on which a hull has been at places, one a scan, an eighth of a second apart."""
    bench = TreeBench().set_up(SenseThreats("Robots that move", "robot", LIVE))
    for number, (x, y) in enumerate(ways):
        bench.odometry().put(scan=around(x, y, bench.now, number + 1)).tick(6)
    return bench


def test_a_hull_that_moves_is_known_and_a_box_is_not():
    places: Threats = watched([(1.5, 0.03 * step) for step in range(12)]).get("threats")
    (found,) = places.places
    assert math.dist(found, (1.5, 0.35)) < 0.12


def test_a_hull_that_stands_is_no_threat():
    assert watched([(1.5, 0.0)] * 12).get("threats") == Threats()


def test_a_threat_out_of_sight_is_believed_for_a_while():
    bench = watched([(1.5, 0.03 * step) for step in range(12)])
    room = laser(cast(rectangle(3.0), Pose2D()), bench.now, 100)
    bench.put(scan=Scan.from_laser(room)).tick(50)
    assert len(bench.get("threats").places) == 1
    bench.tick(100)
    assert bench.get("threats") == Threats()


@pytest.mark.parametrize(("x", "status"), [(1.0, Status.SUCCESS), (3.0, Status.FAILURE)])
def test_a_threat_is_near_within_a_distance(x: float, status: Status):
    bench = TreeBench().set_up(ThreatNear("Robot near?", "robot", LIVE)).odometry()
    assert bench.put(threats=Threats(((x, 0.0),))).tick().status is status
    assert bench.put(threats=Threats()).tick().status is Status.FAILURE


def evading(threat: tuple[float, float], fence: tuple[tuple[float, float], ...] = ()) -> tuple[float, float]:
    """Return what a rabbit commands that looks along x, in a room of 6 m."""
    bench = TreeBench().set_up(Evade("Keep away", "robot", LIVE, fence)).odometry().pose()
    bench.put(scan=around(*threat, bench.now, 1), threats=Threats((threat,)))
    outcome = bench.tick()
    assert outcome.status is Status.RUNNING
    assert outcome.command is not None
    return outcome.command


def test_it_drives_on_from_one_behind_and_turns_from_one_ahead():
    speed, _ = evading((-1.2, 0.0))
    assert speed > 0.15
    speed, rate = evading((1.2, 0.0))
    assert speed == 0.0
    assert abs(rate) > 1.0


def test_it_stays_inside_its_fence():
    fence = ((-2.0, -2.0), (0.4, -2.0), (0.4, 2.0), (-2.0, 2.0))
    _, free = evading((-1.2, 0.0))
    _, fenced = evading((-1.2, 0.0), fence)
    assert abs(fenced) > abs(free) + 0.5


def test_without_a_scan_or_a_threat_it_fails():
    bench = TreeBench().set_up(Evade("Keep away", "robot", LIVE)).odometry()
    assert bench.put(threats=Threats(((1.0, 0.0),)), scan=None).tick().status is Status.FAILURE
    assert bench.put(threats=Threats(), scan=around(1.0, 0.0, bench.now, 1)).tick().status is Status.FAILURE


@pytest.mark.parametrize(("manner", "evades"), [("source", False), ("keep_away", True), ("hide", True)])
def test_the_documents_rabbit_has_no_such_leaves(manner: str, evades: bool):
    root = create_root("rabbit", Live(RabbitParameters(manner=manner)), RandomStreams(1))
    assert any(isinstance(leaf, Evade) for leaf in root.iterate()) is evades
