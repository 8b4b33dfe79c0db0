"""Leaves of the sensing branch and the conditions, each by hand-made percepts: what they write, and when."""

import math
from typing import Any

import pytest
from helpers.crosser_bench import ROUNDS, CrosserBench
from helpers.crossing_words import crossing, heard, holder
from helpers.scans import scan_of_points
from py_trees.common import Status

from arena_trees.behaviours.crossroads.conditions import Astray, BoxIsClear, HasLeft, StageIs
from arena_trees.behaviours.crossroads.routes import RouteChooser
from arena_trees.behaviours.crossroads.scheduling import TalkToScheduler
from arena_trees.behaviours.crossroads.senses import FindPlace, WatchBox, WatchTraffic
from arena_trees.games.crossroads.blackboard import CrossingEntry, Route
from arena_trees.games.crossroads.layout.words import Key
from arena_trees.games.crossroads.messages import Approach, Crossing, CrossingClaim, Stage, Turn
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.inbox import Inbox
from arena_trees.robot.random_streams import RandomStreams


class PlaceBench(CrosserBench):
    """FindPlace, and a robot that is where it is put."""

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        chooser = RouteChooser(self.live, RandomStreams(1))
        self.set_up(FindPlace("Find its place", "robot", self.live, chooser))

    def stand(self, where: Pose2D) -> str:
        """Put the robot somewhere, and tick; return the feedback."""
        self.odometry()
        self.pose(where.x, where.y, where.yaw)
        return self.tick().feedback


def lane(approach: Approach, along: float, aside: float = 0.0) -> Pose2D:
    """Return the pose in an approach lane at a progress (m)."""
    return ROUNDS[Key(approach, Turn.STRAIGHT)].pose(along).compose(Pose2D(0.0, aside))


@pytest.mark.parametrize("approach", list(Approach))
def test_find_place_begins_a_route_in_the_lane_in_which_it_stands(approach: Approach) -> None:
    bench = PlaceBench(movement="right")
    began = bench.now
    assert bench.stand(lane(approach, -1.0, 0.04)) == f"{approach.value} right"
    route, progress = bench.get("route"), bench.get("progress")
    assert (route.lap, route.approach, route.turn, route.begun) == (1, approach, Turn.RIGHT, began)
    assert progress.along == pytest.approx(-1.0)
    assert (progress.error.cross_track, progress.error.heading) == pytest.approx((0.04, 0.0))
    assert progress.on_path
    assert progress.pose is not None


@pytest.mark.parametrize("where", [Pose2D(0.0, 0.0, 0.3), lane(Approach.SOUTH, 0.3), lane(Approach.SOUTH, -1.0, 0.3)])
def test_find_place_on_no_lane(where: Pose2D) -> None:
    bench = PlaceBench()
    assert bench.stand(where) == "on no lane"
    assert (bench.get("route"), bench.get("progress")) == (None, None)


def test_find_place_begins_anew_where_it_was_carried_but_not_inside() -> None:
    bench = PlaceBench()
    bench.stand(lane(Approach.SOUTH, -1.0))
    bench.put(entered=CrossingEntry(1, bench.now, 5.0))
    bench.now += 3_000_000_000
    assert bench.stand(lane(Approach.WEST, -1.0)).startswith("south")
    assert not bench.get("progress").on_path
    bench.put(left=1)
    assert bench.stand(lane(Approach.WEST, -1.0)).startswith("west")
    assert bench.get("route").lap == 2


def test_find_place_takes_the_next_route() -> None:
    bench = PlaceBench()
    bench.stand(lane(Approach.SOUTH, -1.0))
    following = Route(2, Approach.SOUTH, Turn.LEFT, bench.now, -1.0)
    bench.put(next_route=following)
    assert bench.stand(lane(Approach.SOUTH, -1.0)) == "south left"
    assert bench.get("route") is following


def test_find_place_says_where_the_scan_was_taken() -> None:
    bench = PlaceBench()
    bench.points((1.0, 0.0))
    bench.stand(lane(Approach.SOUTH, -1.0))
    place = lane(Approach.SOUTH, -1.0)
    assert bench.get("scan_pose").distance_to(place.x, place.y) < 1e-9


def watch() -> CrosserBench:
    bench = CrosserBench()
    bench.set_up(WatchTraffic("Watch", "robot", bench.live))
    path = bench.at(-1.0)
    bench.put(scan_pose=path.pose(-1.0))
    return bench


@pytest.mark.parametrize(("point", "lead"), [((0.8, 0.0), -0.2), ((0.8, 0.3), None), ((-0.5, 0.0), None)])
def test_watch_traffic_finds_what_is_on_the_path(point: tuple[float, float], lead: float | None) -> None:
    bench = watch()
    bench.points(point)
    assert bench.tick().feedback == ("free" if lead is None else "somebody ahead")
    assert bench.get("lead_progress") == (None if lead is None else pytest.approx(lead))


def test_watch_traffic_looks_anew_at_a_new_scan_or_a_new_route() -> None:
    bench = watch()
    bench.points((0.8, 0.0))
    bench.tick()
    path = bench.at(-0.8)
    bench.put(scan_pose=path.pose(-0.8))
    bench.tick()
    assert bench.get("lead_progress") == pytest.approx(-0.2)
    bench.at(-0.8, lap=4)
    bench.tick()
    assert bench.get("lead_progress") == pytest.approx(0.0)
    bench.put(route=None, progress=None)
    bench.tick()
    assert bench.get("lead_progress") is None


class TalkBench(CrosserBench):
    """TalkToScheduler, on the way to the line."""

    def __init__(self, *, asks_early: bool = True, **values: Any) -> None:
        super().__init__(**values)
        self.set_up(TalkToScheduler("Talk", "robot", self.live, asks_early=asks_early))
        self._number = 0

    def grant(self, answers: int = 1) -> None:
        """Put the scheduler's word that the robot's first request holds a lease."""
        self._number += 1
        held = holder("robot", Approach.SOUTH, Turn.STRAIGHT, epoch=2, answers=answers, lease=12.0)
        reported = heard(crossing("s", sequence=self._number, holders=(held,)), "s", self.now)
        self.put(inbox=Inbox({Crossing: {"s": reported}}, self._number, (reported,)))


def test_talk_takes_no_part_without_a_route() -> None:
    bench = TalkBench()
    outcome = bench.tick()
    assert (outcome.status, outcome.outbox, bench.get("lease")) == (Status.SUCCESS, [], None)


def test_talk_asks_reports_and_tells_the_lease() -> None:
    bench = TalkBench(urgency="priority")
    bench.at(-0.2)
    (said,) = bench.tick().outbox
    assert (said.request, said.stage, said.first, said.urgency.name) == (1, Stage.WAITING, True, "PRIORITY")
    assert said.progress == pytest.approx(-0.2 - bench.parameters.place_margin)
    assert (bench.get("lease").stage, bench.get("lease").granted_at) == (Stage.WAITING, None)
    bench.grant()
    now = bench.now
    assert bench.tick().cues == ["GRANT"]
    lease = bench.get("lease")
    assert lease.granted_at == now
    assert lease.left(now) > 11.0
    assert bench.tick().cues == []


def test_talk_follows_the_robot_in_and_out() -> None:
    bench = TalkBench()
    bench.at(0.0)
    bench.tick()
    bench.grant()
    bench.tick()
    bench.put(entered=CrossingEntry(3, bench.now, 5.0))
    (said,) = bench.tick().outbox
    assert isinstance(said, CrossingClaim)
    assert said.stage is bench.get("lease").stage is Stage.PASSING
    bench.put(left=3)
    (said,) = bench.tick().outbox
    assert said.stage is bench.get("lease").stage is Stage.LEFT
    bench.at(-1.0, lap=4)
    (said,) = bench.tick().outbox
    assert (said.request, said.stage, said.first) == (2, Stage.WAITING, False)


def test_talk_that_does_not_ask_early_asks_when_told() -> None:
    bench = TalkBench(asks_early=False)
    bench.at(0.0)
    (said,) = bench.tick().outbox
    assert (said.request, bench.get("lease").stage) == (0, Stage.LEFT)
    bench.put(asked=bench.now)
    (said,) = bench.tick().outbox
    assert (said.request, said.stage) == (1, Stage.WAITING)


@pytest.mark.parametrize(("along", "lead", "first"), [(-0.3, None, True), (-0.3, -0.2, False), (-0.7, None, False)])
def test_talk_says_whether_it_is_first(along: float, lead: float | None, first: bool) -> None:
    bench = TalkBench()
    bench.at(along)
    (said,) = bench.put(lead_progress=lead).tick().outbox
    assert said.first is first


def test_astray() -> None:
    bench = CrosserBench()
    bench.set_up(Astray("Off its way?", "robot", bench.live))
    assert (bench.tick().status, bench.root.feedback_message) == (Status.SUCCESS, "no pose")  # type: ignore[union-attr]
    bench.pose()
    outcome = bench.tick()
    assert (outcome.status, outcome.feedback) == (Status.SUCCESS, "off its path")
    bench.at(-1.0, aside=0.3)
    assert bench.tick().status is Status.SUCCESS
    bench.at(-1.0, aside=0.2)
    assert bench.tick().status is Status.FAILURE
    # The pose grows old.
    assert bench.tick(30).status is Status.SUCCESS


def test_stage_is() -> None:
    bench = CrosserBench()
    bench.set_up(StageIs("Inside?", "robot", Stage.PASSING))
    assert bench.tick().status is Status.FAILURE
    bench.hold(Stage.WAITING)
    assert bench.tick().status is Status.FAILURE
    bench.hold(Stage.PASSING)
    assert bench.tick().status is Status.SUCCESS


def test_has_left_asks_for_this_lap() -> None:
    bench = CrosserBench()
    bench.set_up(HasLeft("Has it left?", "robot"))
    assert bench.tick().status is Status.FAILURE
    bench.at(2.0)
    assert bench.put(left=2).tick().status is Status.FAILURE
    assert bench.put(left=3).tick().status is Status.SUCCESS


def boxed(points: list[tuple[float, float]], *holders: Any) -> CrosserBench:
    """Watch the box from before the southern line, where points (m, base_link) are seen and some hold leases."""
    bench = CrosserBench()
    bench.set_up(WatchBox("Watch the box", "robot", bench.live))
    bench.put(scan_pose=Pose2D(0.3, -0.9, math.pi / 2.0), scan=scan_of_points(points, bench.now))
    if holders:
        state = heard(crossing("scheduler", holders=holders), "scheduler", bench.now)
        bench.put(inbox=Inbox({Crossing: {"scheduler": state}}, 1, (state,)))
    bench.tick()
    return bench


HULL = [(0.9 + 0.05 * number, 0.3) for number in range(-2, 3)]
"""Round the box's middle."""


def test_whoever_is_in_the_box_without_a_lease_is_a_stranger() -> None:
    assert boxed(HULL).get("stranger")
    assert boxed(HULL, holder("other", Approach.WEST, Turn.RIGHT, 1, progress=0.0)).get("stranger")
    assert not boxed([]).get("stranger")
    # Beyond the box is a lane, and a few points are nobody.
    assert not boxed([(x + 0.9, y) for x, y in HULL]).get("stranger")
    assert not boxed(HULL[:3]).get("stranger")


def test_a_holder_is_none_and_may_have_gone_on_since() -> None:
    path = ROUNDS[Key(Approach.SOUTH, Turn.STRAIGHT)].movement.path
    along = next(0.05 * step for step in range(100) if path.pose(0.05 * step).y >= 0.0)
    seen = [(0.9 + 0.05 * number, 0.05) for number in range(-2, 3)]
    for behind in (0.0, 0.2, 0.4):
        lease = holder("other", Approach.SOUTH, Turn.STRAIGHT, 1, progress=along - behind)
        assert not boxed(seen, lease).get("stranger")
    assert boxed(seen, holder("other", Approach.SOUTH, Turn.STRAIGHT, 1, progress=0.0)).get("stranger")


def test_who_is_let_in_waits_for_a_stranger() -> None:
    bench = CrosserBench()
    bench.set_up(BoxIsClear("Nobody without a lease?", "robot"))
    bench.put(stranger=True)
    outcome = bench.tick()
    assert (outcome.status, outcome.feedback) == (Status.FAILURE, "somebody without a lease")
    bench.put(stranger=False)
    assert bench.tick().status is Status.SUCCESS
