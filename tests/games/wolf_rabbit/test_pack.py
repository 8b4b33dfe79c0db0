"""Wolves of a pack: what they tell each other, who drives the rabbit, and who cuts it off."""

import math
from typing import Any

import pytest
from helpers.tree_bench import TreeBench, target
from py_trees.common import Status

from arena_trees.behaviours.bumps import BumpedObstacles
from arena_trees.behaviours.wolf_rabbit.pack import CutsOff, HuntInPack
from arena_trees.behaviours.wolf_rabbit.parameters import WolfParameters
from arena_trees.behaviours.wolf_rabbit.watch_arena import WatchArena
from arena_trees.games.wolf_rabbit.blackboard import CaughtSigns, PackPlan
from arena_trees.games.wolf_rabbit.messages import ISOLATED, GameState, Sighting
from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.messaging.inbox import Inbox, Received
from arena_trees.robot.percepts import FenceStatus
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.wolf_rabbit.wolf import create_root

FENCE = ((-2.0, -2.0), (2.0, -2.0), (2.0, 2.0), (-2.0, 2.0))
LIVE = Live(WolfParameters(pack=True, pack_ahead=0.9, pack_memory_s=0.8, pack_period=0.2))


class Wolf(TreeBench):
    """The wolf "grey", where it is put."""

    def __init__(self, x: float, y: float, fence: Any = FENCE) -> None:
        super().__init__("grey")
        self.set_up(HuntInPack("pack", "grey", LIVE, fence))
        self.pose(x, y).odometry(x, y)
        self.mates: dict[str, Received[Sighting]] = {}
        self.told()

    def told(self, **sightings: tuple[float, float, tuple[float, float] | None]) -> "Wolf":
        """Receive what other wolves report: their places, and the rabbit's."""
        for name, (x, y, rabbit) in sightings.items():
            _, now, sequence = self.stamps()
            self.mates[name] = Received(Sighting(x=x, y=y, rabbit=rabbit), name, 1, sequence, now, now)
        self.put(inbox=Inbox({Sighting: dict(self.mates)}, 1, ()))
        return self

    def plan(self) -> PackPlan:
        self.tick()
        plan: PackPlan = self.get("pack")
        return plan


def test_it_reports_where_it_is_and_the_rabbit_that_it_sees_and_no_more_often_than_asked() -> None:
    wolf = Wolf(1.0, 0.5)
    sent = [message for outcome in wolf.ticks(25) for message in outcome.outbox]
    assert sent == [Sighting(x=1.0, y=0.5, rabbit=None)] * 3
    wolf.follow(target(wolf, position=(2.0, 1.5)))
    sent = [message for outcome in wolf.ticks(10) for message in outcome.outbox]
    assert [message.rabbit for message in sent] == [(pytest.approx(2.0), pytest.approx(1.5))]
    wolf.follow(target(wolf, position=(2.0, 1.5), in_sight=False))
    sent = [message for outcome in wolf.ticks(10) for message in outcome.outbox]
    assert [message.rabbit for message in sent] == [None]


def test_a_place_in_the_odometry_is_reported_in_the_map() -> None:
    wolf = Wolf(0.0, 0.0)
    wolf.pose(1.0, 1.0, math.pi / 2).odometry(5.0, 0.0, 0.0)
    wolf.follow(target(wolf, position=(6.0, 0.0)))
    assert wolf.plan().rabbit == (pytest.approx(1.0), pytest.approx(2.0))


def test_the_nearest_drives_and_the_other_goes_to_where_the_rabbit_flees_to() -> None:
    rabbit = (0.0, 0.0)
    assert Wolf(-0.5, 0.0).told(black=(1.5, 0.0, rabbit)).plan() == PackPlan(rabbit)
    plan = Wolf(0.0, 1.5).told(black=(-0.5, 0.0, rabbit)).plan()
    assert plan.rabbit == rabbit
    assert plan.place == (pytest.approx(0.9), pytest.approx(0.0))


def test_what_it_sees_itself_counts_for_more_than_what_it_is_told() -> None:
    wolf = Wolf(0.0, 1.5).told(black=(-0.5, 0.0, (0.3, 0.3)))
    wolf.follow(target(wolf, position=(0.0, 0.0)))
    assert wolf.plan().rabbit == (pytest.approx(0.0), pytest.approx(0.0))


def test_the_newest_of_what_it_is_told_counts() -> None:
    wolf = Wolf(0.0, 1.9).told(black=(-0.5, 0.0, (0.0, 0.0)))
    wolf.now += SECOND // 10
    wolf.told(aaron=(1.9, 1.9, (0.1, 0.1)))
    wolf.mates = dict(sorted(wolf.mates.items()))
    assert wolf.told().plan().rabbit == (0.1, 0.1)


def test_several_go_to_either_side() -> None:
    rabbit = (0.0, 0.0)
    wolf = Wolf(0.0, 1.9).told(black=(-0.5, 0.0, rabbit), white=(0.0, -1.9, None))
    place = wolf.plan().place
    assert math.hypot(*place) == pytest.approx(0.9)
    assert math.degrees(math.atan2(place[1], place[0])) == pytest.approx(-35.0)
    # "white" comes after "grey".
    assert Wolf(0.0, 1.9).told(aaron=(0.0, -1.9, None), black=(-0.5, 0.0, rabbit)).plan().place[1] > 0.0


def test_who_drives_changes_only_for_one_that_is_clearly_nearer() -> None:
    rabbit = (0.0, 0.0)
    wolf = Wolf(0.0, 1.2).told(black=(-1.1, 0.0, rabbit))
    assert wolf.plan().place is not None
    wolf.told(black=(-1.3, 0.0, rabbit))
    assert wolf.plan().place is not None
    wolf.told(black=(-1.5, 0.0, rabbit))
    assert wolf.plan().place is None


def test_there_and_near_the_rabbit_it_hunts_by_itself() -> None:
    rabbit = (0.0, 0.0)
    assert Wolf(0.9, 0.2).told(black=(-0.5, 0.0, rabbit)).plan() == PackPlan(rabbit)
    assert Wolf(0.0, 0.8).told(black=(-0.5, 0.0, rabbit)).plan() == PackPlan(rabbit)


def test_its_place_is_inside_the_fence_and_its_warning_band() -> None:
    rabbit = (1.7, 0.0)
    wolf = Wolf(0.0, 1.9).told(black=(1.0, 0.0, rabbit))
    assert wolf.plan().place == (pytest.approx(2.0), pytest.approx(0.0))
    wolf.fence(FenceStatus.SAFE)
    assert wolf.plan().place == (pytest.approx(1.5), pytest.approx(0.0))
    assert Wolf(0.0, 1.9, ()).told(black=(1.0, 0.0, rabbit)).plan().place == (pytest.approx(2.6), pytest.approx(0.0))


def test_what_is_old_counts_no_more_and_one_alone_has_no_part() -> None:
    wolf = Wolf(0.0, 1.5).told(black=(-0.5, 0.0, (0.0, 0.0)))
    assert wolf.plan().place is not None
    wolf.now += SECOND
    assert wolf.plan() == PackPlan()
    wolf.follow(target(wolf, position=(0.0, 0.0)))
    assert wolf.plan().place is None
    assert Wolf(0.0, 1.5).put(pose=None).tick().outbox == []


def test_a_wolf_is_not_told_by_itself() -> None:
    assert Wolf(0.0, 1.5).told(grey=(-0.5, 0.0, (0.0, 0.0))).plan() == PackPlan()


@pytest.mark.parametrize(("place", "status"), [(None, Status.FAILURE), ((1.0, 0.0), Status.SUCCESS)])
def test_it_cuts_off_while_it_has_a_place(place: Any, status: Status) -> None:
    bench = TreeBench().put(pack=PackPlan((0.0, 0.0), place))
    assert bench.set_up(CutsOff("?", "robot")).tick().status is status


def watching(pack: PackPlan) -> TreeBench:
    bench = TreeBench().put(bumped=BumpedObstacles(), pack=pack, caught_signs=CaughtSigns())
    return bench.set_up(WatchArena("watch", "robot", LIVE, FENCE, pack=True)).pose().odometry().points()


def test_the_way_leads_to_its_place_though_it_sees_the_rabbit() -> None:
    bench = watching(PackPlan((1.0, 0.0), (1.0, 1.0)))
    bench.follow(target(bench)).tick()
    assert bench.get("room").way == ((1.0, 1.0),)
    bench = watching(PackPlan((1.0, 0.0)))
    bench.follow(target(bench)).tick()
    assert bench.get("room") is None


def test_a_rabbit_that_another_sees_is_looked_for_there() -> None:
    for y in (1.5, -1.5):
        bench = watching(PackPlan((0.0, y)))
        for _ in range(50):
            bench.pose().odometry().tick()
        view = bench.get("room")
        towards = view.look if not view.way else math.atan2(view.way[-1][1], view.way[-1][0])
        assert math.copysign(1.0, towards) == math.copysign(1.0, y), view


def test_a_rabbit_that_is_caught_is_no_sighting_of_anybody() -> None:
    wolf = Wolf(0.0, 0.0).told(black=(1.0, 1.0, (1.2, 1.2)))
    state = ISOLATED.model_copy(update={"caught": {"ruby": (1.2, 1.1)}})
    _, now, sequence = wolf.stamps()
    game = Received(state, "referee", 1, sequence, now, now)
    wolf.put(inbox=Inbox({Sighting: dict(wolf.mates), GameState: {"referee": game}}, sequence, (game,)))
    assert wolf.plan() == PackPlan()
    wolf.follow(target(wolf, position=(1.3, 1.2)))
    sent = [message for outcome in wolf.ticks(10) for message in outcome.outbox]
    assert [message.rabbit for message in sent] == [None]
    wolf.follow(target(wolf, position=(-1.3, 1.2)))
    assert wolf.plan().rabbit == (pytest.approx(-1.3), pytest.approx(1.2))


def test_only_a_wolf_of_a_pack_has_the_leaves_of_one() -> None:
    def names(**values: Any) -> set[str]:
        return {node.name for node in create_root("w", Live(WolfParameters(**values)), RandomStreams(1)).iterate()}

    assert names(pack=True) - names() == {"Hunt in a pack", "Cut off", "Another drives it?", "Go ahead of it"}
    assert names(pack=True, strategy="source") == names(strategy="source")
