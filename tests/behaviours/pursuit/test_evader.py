"""The evader's leaves and its tree, by percepts made by hand."""

from __future__ import annotations

import itertools
import math

import pytest
from helpers.tree_bench import TICK, TreeBench
from py_trees.common import Status

from arena_trees.behaviours.pursuit.dead_reckoning import DeadReckoning
from arena_trees.behaviours.pursuit.evader.dodge import Dodge
from arena_trees.behaviours.pursuit.evader.explore import MoveForward, Rotate
from arena_trees.behaviours.pursuit.evader.hide import InPlainView, TakeCover
from arena_trees.behaviours.pursuit.evader.parameters import EvaderParameters
from arena_trees.behaviours.pursuit.evader.threat import AimedAt, ChaserNear, IsHit, ThreatKnown
from arena_trees.games.pursuit.messages import PursuitPhase, PursuitState, Threat
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.inbox import Inbox, Received
from arena_trees.robot.percepts import Bumpers
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.sensors.ranges.sensor import RangeReading, Ranges
from arena_trees.trees.pursuit import evader

STREAMS = RandomStreams(7)
HULL = 0.17


def live(**values) -> Live:
    return Live(EvaderParameters(**values))


class Evader(TreeBench):
    def hear(self, *messages) -> Evader:
        newest = {type(one): {"rules": Received(one, "rules", 0, 1, self.now, self.now)} for one in messages}
        self.put(inbox=Inbox(newest, 1))
        return self

    def chaser(self, x: float, y: float, barrel: float = 0.0) -> Evader:
        return self.hear(Threat(x=x, y=y, yaw=0.0, barrel=barrel, reach=3.0))

    def beams(self, **distances: float) -> Evader:
        readings = tuple(RangeReading(name, Pose2D(), far, 8.0) for name, far in distances.items())
        return self.put(ranges=Ranges(*self.stamps(), readings))


def generator(name: str = "test"):
    return STREAMS.generator(name)


def test_it_moves_away_from_the_chaser_and_never_towards_it():
    for yaw, status in ((0.0, Status.RUNNING), (math.pi, Status.SUCCESS)):
        bench = Evader().set_up(MoveForward("move", "robot", live(), generator(), HULL))
        bench.pose(1.0, 0.0, yaw).chaser(-1.0, 0.0)
        outcome = bench.tick()
        assert outcome.status is status
        assert (outcome.command is not None) is (status is Status.RUNNING)


def test_each_way_ahead_has_a_speed_of_its_own():
    speeds = set()
    root = MoveForward("move", "robot", live(), generator(), HULL)
    bench = Evader().set_up(root)
    for _ in range(20):
        bench.points()
        speeds.add(bench.tick().command[0])
        assert bench.points((0.3, 0.0)).tick().status is Status.SUCCESS
    assert len(speeds) == 20
    assert all(0.10 <= speed <= 0.20 for speed in speeds)


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_it_stops_for_what_is_ahead_by_lidar_and_by_single_beams(side):
    bench = Evader().set_up(MoveForward("move", "robot", live(), generator(), HULL))
    assert bench.points((0.2, 0.6 * side)).tick().status is Status.RUNNING
    assert bench.points((0.3, 0.3 * side)).tick().status is Status.SUCCESS
    bench = Evader().set_up(MoveForward("move", "robot", live(), generator(), HULL))
    names = ("front_right", "front_left")
    far = {"front_left": math.inf, "front_right": math.inf, "back_left": 0.1, "back_right": 0.1}
    assert bench.beams(**far).tick().status is Status.RUNNING
    assert bench.beams(**far | {names[side > 0.0]: 0.29}).tick().status is Status.SUCCESS


def test_it_turns_until_the_way_leads_away_and_chance_agrees():
    bench = Evader().set_up(Rotate("rotate", "robot", live(move_chance=1.0), generator(), HULL))
    bench.pose(1.0, 0.0, math.pi).chaser(-1.0, 0.0)
    assert {bench.tick().status for _ in range(50)} == {Status.RUNNING}
    bench.pose(1.0, 0.0, 0.0)
    assert Status.SUCCESS in {bench.tick().status for _ in range(6)}
    # With a chance of one in ten it turns on for a while.
    waits = []
    for number in range(200):
        bench = Evader(f"robot_{number}").set_up(
            Rotate("rotate", f"robot_{number}", live(move_chance=0.1), generator(f"{number}"), HULL)
        )
        ticks = 1
        while bench.tick().status is Status.RUNNING:
            ticks += 1
        waits.append(ticks // 5)
    assert 7.0 < sum(waits) / len(waits) < 11.0


def test_it_turns_to_both_sides():
    sides = set()
    root = Rotate("rotate", "robot", live(move_chance=1.0), generator(), HULL)
    bench = Evader().set_up(root)
    for _ in range(20):
        bench.points((0.3, 0.0))
        sides.add(math.copysign(1.0, bench.tick().command[1]))
        bench.points()
        while bench.tick().status is Status.RUNNING:
            pass
    assert sides == {-1.0, 1.0}


@pytest.mark.parametrize(
    ("x", "barrel", "status"),
    [(2.0, 0.1, Status.SUCCESS), (4.4, 0.0, Status.SUCCESS), (4.6, 0.0, Status.FAILURE), (2.0, 0.3, Status.FAILURE)],
)
def test_it_is_aimed_at_by_a_barrel_that_points_at_it_nearly_within_reach(x, barrel, status):
    bench = Evader().set_up(AimedAt("aimed", "robot", live()))
    assert bench.pose(x, 0.0).chaser(0.0, 0.0, barrel).tick().status is status


def test_old_news_of_the_chaser_are_none():
    for leaf in (AimedAt("aimed", "robot", live()), ThreatKnown("known", "robot", live())):
        bench = Evader().set_up(leaf)
        bench.pose(2.0, 0.0).chaser(0.0, 0.0)
        assert bench.tick().status is Status.SUCCESS
        bench.now += 1_100_000_000
        assert bench.tick().status is Status.FAILURE


def test_it_dodges_across_the_beam_and_reverses_at_random_times():
    bench = Evader().set_up(Dodge("dodge", "robot", live(), generator(), HULL))
    bench.pose(2.0, 0.0, 0.0).chaser(0.0, 0.0).points()
    # It looks along the beam, and turns first.
    assert bench.tick().command[0] == 0.0
    assert abs(bench.tick().command[1]) == 1.0
    bench.pose(2.0, 0.0, math.pi / 2.0)
    speeds = []
    for _ in range(1000):
        bench.chaser(0.0, 0.0)
        speeds.append(bench.tick().command[0])
    turns = [number for number, (one, other) in enumerate(itertools.pairwise(speeds)) if one != other]
    assert set(speeds) == {-0.2, 0.2}
    lengths = {(b - a) * TICK / 1e9 for a, b in itertools.pairwise(turns)}
    assert len(lengths) > 5
    assert all(0.58 <= length <= 2.02 for length in lengths)


def test_it_dodges_into_no_wall():
    bench = Evader().set_up(Dodge("dodge", "robot", live(), generator(), HULL))
    bench.pose(2.0, 0.0, math.pi / 2.0).points((0.4, 0.0))
    speeds = {bench.chaser(0.0, 0.0).tick().command[0] for _ in range(300)}
    assert speeds == {-0.2}
    bench.points((0.4, 0.0), (-0.4, 0.0))
    assert {bench.chaser(0.0, 0.0).tick().command[0] for _ in range(300)} == {0.0}


def test_it_hides_behind_a_box_of_the_arena():
    bench = Evader().set_up(TakeCover("hide", "robot", live(manner="hide", arena="pursuit_room_wall.yaml"), HULL))
    x, y, yaw = 1.0, 0.2, 0.0
    for _ in range(50 * 60):
        outcome = bench.pose(x, y, yaw).chaser(-2.0, 0.0).points().tick()
        v, w = outcome.command
        yaw += 0.02 * w
        x, y = x + 0.02 * v * math.cos(yaw), y + 0.02 * v * math.sin(yaw)
        assert not (1.4 - 0.17 < x < 2.0 + 0.17 and -3.2 < y < 0.6)
        if outcome.feedback == "hidden":
            break
    assert outcome.feedback == "hidden"
    assert x > 2.17


def test_without_an_arena_or_a_chaser_it_does_not_hide():
    bench = Evader().set_up(TakeCover("hide", "robot", live(), HULL))
    assert bench.pose().chaser(1.0, 0.0).tick().status is Status.FAILURE
    bench = Evader().set_up(TakeCover("hide", "robot", live(manner="hide", arena="pursuit_room_boxes.yaml"), HULL))
    assert bench.pose().tick().status is Status.FAILURE
    # There is nothing to hide behind but the walls of the room.
    bench = Evader().set_up(TakeCover("hide", "robot", live(manner="hide", arena="pursuit_room.yaml"), HULL))
    assert bench.pose().chaser(1.0, 0.0).tick().status is Status.FAILURE


def in_plain_view(**values) -> Evader:
    parameters = live(manner="hide_and_dodge", arena="pursuit_room_wall.yaml", **values)
    return Evader().set_up(InPlainView("seen", "robot", parameters, HULL))


def test_it_is_in_plain_view_where_nothing_hides_it_and_cover_is_far():
    # The chaser is west of the long wall, whose northern end is at (1.4 to 2.0, 0.6).
    for x, y, feedback in ((-1.0, 1.0, "in plain view"), (1.6, 1.0, "cover is near"), (2.4, -1.0, "hidden")):
        outcome = in_plain_view().pose(x, y).chaser(0.0, -1.0).tick()
        assert outcome.feedback == feedback
        assert outcome.status is (Status.SUCCESS if feedback == "in plain view" else Status.FAILURE)
    assert in_plain_view(cover_near=0.1).pose(1.6, 1.0).chaser(0.0, -1.0).tick().status is Status.SUCCESS


def test_it_abides_by_what_it_saw_for_half_a_second():
    bench = in_plain_view().pose(-1.0, 1.0).chaser(-2.0, 0.0)
    assert bench.tick().status is Status.SUCCESS
    bench.pose(2.4, -1.0)
    statuses = [outcome.status for outcome in bench.ticks(30)]
    assert statuses.index(Status.FAILURE) == 24
    assert set(statuses[24:]) == {Status.FAILURE}


def test_in_plain_view_are_all_that_know_no_cover_and_none_that_know_no_chaser():
    bench = Evader().set_up(InPlainView("seen", "robot", live(manner="hide_and_dodge"), HULL))
    assert bench.pose().tick().status is Status.FAILURE
    assert bench.chaser(1.0, 0.0).tick().status is Status.SUCCESS
    bench = Evader().set_up(
        InPlainView("seen", "robot", live(manner="hide_and_dodge", arena="pursuit_room.yaml"), HULL)
    )
    assert bench.pose().chaser(1.0, 0.0).tick().status is Status.SUCCESS


@pytest.mark.parametrize(("x", "status"), [(0.9, Status.SUCCESS), (1.1, Status.FAILURE)])
def test_a_chaser_is_near_wherever_its_barrel_points(x, status):
    bench = Evader().set_up(ChaserNear("near", "robot", live()))
    assert bench.tick().status is Status.FAILURE
    assert bench.pose(x, 0.0).chaser(0.0, 0.0, math.pi).tick().status is status


@pytest.mark.parametrize(
    ("evader_at", "chaser_at", "barrel", "active"),
    [
        # In the open: aimed at, not aimed at, aimed at from afar, and with the chaser's hull near.
        ((-1.0, 1.0), (-3.0, 1.0), 0.0, "Dodge on the spot"),
        ((-1.0, 1.0), (-3.0, 1.0), 1.0, "Take cover"),
        ((-3.0, -3.0), (3.5, 3.5), -2.36, "Take cover"),
        ((-1.0, 1.0), (-1.8, 1.0), 1.0, "Dodge on the spot"),
        # Behind the wall, and one step from it.
        ((2.4, -1.0), (0.0, -1.0), 0.0, "Take cover"),
        ((1.6, 1.0), (0.0, -1.0), 0.9, "Take cover"),
    ],
)
def test_one_that_hides_and_dodges_dodges_in_plain_view_alone(evader_at, chaser_at, barrel, active):
    root = evader.create_root("robot", live(manner="hide_and_dodge", arena="pursuit_room_wall.yaml"), STREAMS)
    bench = Evader().set_up(root)
    bench.odometry().pose(*evader_at).chaser(*chaser_at, barrel).points()
    assert bench.tick().active == active


def test_with_nothing_to_hide_behind_it_dodges_and_explores():
    root = evader.create_root("robot", live(manner="hide_and_dodge", arena="pursuit_room.yaml"), STREAMS)
    bench = Evader().set_up(root)
    bench.odometry().pose(2.0, 0.0).chaser(0.0, 0.0).points()
    assert bench.tick().active == "Dodge on the spot"
    bench.chaser(0.0, 0.0, math.pi)
    assert bench.tick().active in ("Move forward", "Rotate")


def test_the_other_manners_have_no_such_branch():
    for manner in ("source", "hide", "dodge"):
        root = evader.create_root("robot", live(manner=manner, arena="pursuit_room_wall.yaml"), STREAMS)
        assert "Dodge in plain view" not in [node.name for node in root.iterate()]


def test_it_is_out_once_the_ball_was_hit():
    bench = Evader().set_up(IsHit("hit", "robot"))
    for phase, status in ((PursuitPhase.CHASE, Status.FAILURE), (PursuitPhase.HIT, Status.SUCCESS)):
        bench.hear(PursuitState(phase=phase, shots=1, ignored=0, hits=0))
        assert bench.tick().status is status


@pytest.mark.parametrize("manner", ["source", "hide", "dodge", "hide_and_dodge"])
def test_the_tree_plays_alone_and_stands_when_hit(manner):
    root = evader.create_root("robot", live(manner=manner, arena="pursuit_room_boxes.yaml"), STREAMS)
    bench = Evader().set_up(root)
    bench.odometry().pose(0.5, 0.5)
    active = {bench.points(*([(0.3, 0.0)] if number > 200 else [])).tick().active for number in range(300)}
    assert active == {"Rotate", "Move forward"}
    bench.hear(PursuitState(phase=PursuitPhase.HIT, shots=1, ignored=0, hits=1))
    outcome = bench.tick()
    assert (outcome.active, outcome.command, outcome.cues) == ("Stand", (0.0, 0.0), ["HIT"])
    assert bench.tick().cues == []


def test_reckoning_begins_at_the_start_whatever_the_odometry_says_there():
    bench = Evader().set_up(DeadReckoning("reckon", "robot"))
    assert bench.tick().status is Status.SUCCESS
    assert bench.get("reckoned") is None
    bench.odometry(5.0, 1.0, math.pi / 2.0).tick()
    bench.odometry(5.0, 2.0, math.pi / 2.0).tick()
    way = bench.get("reckoned")
    assert (way.x, way.y, way.yaw) == (pytest.approx(1.0), pytest.approx(0.0), pytest.approx(0.0))


def test_after_a_bump_it_backs_off_and_turns_before_it_explores_again():
    bench = Evader().set_up(evader.create_root("robot", live(), STREAMS))

    def tick(x: float, *zones: str):
        bench.put(bumpers=Bumpers(*bench.stamps(), frozenset(zones)))
        return bench.points().odometry(x).pose(x).tick()

    assert tick(0.0).active == "Move forward"
    assert tick(0.0, "bump_left").active == "Back off from it"
    turning = tick(-0.16)
    assert (turning.active, turning.command[0]) == ("Turn from the bump", 0.0)
    assert turning.command[1] != 0.0
    leaves = [tick(-0.16).active for _ in range(500)]
    assert leaves[-1] != "Turn from the bump" and "Move forward" in leaves
