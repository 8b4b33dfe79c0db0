"""The crossing's scheduler: order, classes, leases, deaths, restarts, rivals."""

import pytest
from helpers.crossing_model import PLAN, START, CrossingModel
from helpers.crossing_words import claim, heard, holder
from helpers.scheduler_desk import LISTENED, Desk

from arena_trees.games.crossroads.layout.plan import CrossingParameters, CrossingPlan
from arena_trees.games.crossroads.layout.words import Key
from arena_trees.games.crossroads.messages import (
    Approach,
    CrossingRequest,
    Identity,
    SchedulerState,
    Stage,
    Turn,
    Urgency,
)
from arena_trees.games.crossroads.scheduling.client import CrossingClient
from arena_trees.games.crossroads.scheduling.protocol import ProtocolParameters
from arena_trees.games.crossroads.scheduling.scheduler import CrossingScheduler
from arena_trees.games.crossroads.scheduling.source_scheduler import SourceScheduler
from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.messaging.game_message import MessageError
from arena_trees.robot.messaging.message_text import MAXIMUM_BYTES, message_to_text
from arena_trees.robot.messaging.messages import Message

S, E, N, W = Approach.SOUTH, Approach.EAST, Approach.NORTH, Approach.WEST
STRAIGHT, RIGHT, LEFT = Turn.STRAIGHT, Turn.RIGHT, Turn.LEFT
TIMES = ProtocolParameters()


def test_those_who_do_not_meet_go_together_and_the_third_waits():
    desk = Desk()
    says = [desk.say("a", S, STRAIGHT), desk.say("b", N, STRAIGHT), desk.say("c", E, STRAIGHT)]
    assert desk.hear(*says) == {"a", "b"}
    # Out of its way for good, both of them: no need to wait until they have left.
    clear_a = PLAN.clear_from(Key(S, STRAIGHT), Key(E, STRAIGHT))
    clear_b = PLAN.clear_from(Key(N, STRAIGHT), Key(E, STRAIGHT))
    passing = [
        desk.say("a", S, STRAIGHT, Stage.PASSING, progress=clear_a),
        desk.say("b", N, STRAIGHT, Stage.PASSING, progress=clear_b - 0.01),
    ]
    assert desk.hear(*passing) == {"a", "b"}
    assert desk.hear(desk.say("b", N, STRAIGHT, Stage.PASSING, progress=clear_b)) == {"a", "b", "c"}


def test_one_follows_the_other_from_the_same_side_but_not_one_that_is_silent():
    desk = Desk()
    desk.hear(desk.say("a", S, STRAIGHT))
    inside = desk.say("a", S, STRAIGHT, Stage.PASSING, progress=0.6)
    assert desk.hear(inside, desk.say("b", S, STRAIGHT)) == {"a", "b"}
    silent = Desk()
    silent.hear(silent.say("a", S, STRAIGHT))
    silent.hear(silent.say("a", S, STRAIGHT, Stage.PASSING, progress=0.6))
    assert silent.hear(silent.say("b", S, STRAIGHT), after=2.0) == {"a"}


def test_nobody_is_let_in_who_has_fallen_silent():
    desk = Desk()
    desk.hear(desk.say("a", S, STRAIGHT), desk.say("b", E, STRAIGHT))
    left = desk.say("a", S, STRAIGHT, Stage.LEFT)
    assert desk.hear(left, after=TIMES.fresh + 0.1) == set()
    assert desk.hear(desk.say("b", E, STRAIGHT)) == {"b"}


def test_an_old_request_is_not_passed_any_more():
    desk = Desk()
    desk.hear(desk.say("a", E, LEFT))
    # In the way of b alone is a; c would be in the way of b, and could go.
    young = [desk.say("b", S, STRAIGHT, waited=1.0), desk.say("c", E, RIGHT)]
    assert not PLAN.together(Key(S, STRAIGHT), Key(E, RIGHT))
    desk.hear(desk.say("a", E, LEFT, Stage.PASSING, progress=0.95))
    assert desk.hear(*young) == {"a", "c"}
    desk = Desk()
    desk.hear(desk.say("a", E, LEFT))
    desk.hear(desk.say("a", E, LEFT, Stage.PASSING, progress=0.95))
    assert desk.hear(desk.say("b", S, STRAIGHT, waited=21.0), desk.say("c", E, RIGHT)) == {"a"}


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
def test_an_emergency_goes_next_and_lends_its_place_to_who_stands_before_it(order):
    desk = Desk()
    desk.hear(desk.say("a", S, LEFT))
    waiting = [
        desk.say("b", E, LEFT, waited=5.0),
        desk.say("c", W, STRAIGHT),
        desk.say("d", W, LEFT, urgency=Urgency.EMERGENCY, first=False),
    ]
    assert desk.hear(*(waiting[index] for index in order)) == {"a"}
    assert [entry.claim.robot for _, entry in desk.scheduler.queue(desk.now)] == ["c", "b"]
    assert desk.hear(desk.say("a", S, LEFT, Stage.LEFT)) == {"c"}


def test_a_request_is_heard_once_however_often_it_arrives():
    desk = Desk()
    asked = desk.say("a", S, STRAIGHT)
    left = desk.say("a", S, STRAIGHT, Stage.LEFT)
    assert desk.hear(asked, asked) == {"a"}
    assert desk.hear(left) == set()
    assert desk.hear(asked, left, asked) == set()


def test_a_robot_that_contradicts_itself_and_a_claim_of_another_are_refused():
    desk = Desk()
    desk.hear(desk.say("a", S, STRAIGHT, request=2))
    assert desk.hear(desk.say("a", E, LEFT, request=2), desk.say("a", S, STRAIGHT, Stage.LEFT, request=1)) == {"a"}
    assert desk.scheduler.refused == 2
    (holder,) = desk.scheduler.holders
    assert holder.key == Key(S, STRAIGHT)
    desk = Desk()
    assert desk.hear(heard(claim("b", S, STRAIGHT, first=True), "a")) == set()
    assert desk.scheduler.refused == 1


@pytest.mark.parametrize("payload", [{}, {"robot": "a"}, None], ids=["empty", "short", "none"])
def test_what_is_no_claim_is_refused(payload):
    with pytest.raises(MessageError):
        CrossingRequest.decode(payload)


def test_a_robot_that_dies_inside_closes_what_it_may_reach_until_it_is_seen_to_be_away():
    desk = Desk()
    desk.hear(desk.say("a", S, STRAIGHT))
    desk.hear(desk.say("a", S, STRAIGHT, Stage.PASSING, progress=0.5))
    assert desk.hear(after=3600.0) == {"a"}
    assert [entry.claim.robot for entry in desk.scheduler.closed(desk.now)] == ["a"]
    assert [row.lease for row in desk.scheduler.crossing(desk.now).holders] == [0.0]
    says = [desk.say("b", E, STRAIGHT), desk.say("c", N, STRAIGHT)]
    assert desk.hear(*says) == {"a", "c"}
    desk.scheduler.seen_clear(desk.now, "a")
    desk.hear(desk.say("c", N, STRAIGHT, Stage.LEFT))
    assert desk.hear(desk.say("b", E, STRAIGHT)) == {"b"}


def test_nobody_is_seen_away_who_may_still_enter_on_a_lease():
    desk = Desk()
    desk.hear(desk.say("a", S, STRAIGHT))
    with pytest.raises(ArenaTreesError, match="lease"):
        desk.scheduler.seen_clear(desk.now, "a")
    desk.hear(after=TIMES.lease + 0.1)
    desk.scheduler.seen_clear(desk.now, "a")
    assert not desk.scheduler.holders


def test_a_new_life_ends_what_the_old_one_held():
    desk = Desk()
    desk.hear(desk.say("a", S, STRAIGHT))
    desk.hear(desk.say("a", S, STRAIGHT, Stage.PASSING, progress=0.5))
    assert desk.hear(desk.say("a", W, LEFT, Stage.LEFT, epoch=2, request=0)) == set()


def test_a_restart_grants_nothing_for_a_lease_and_learns_who_is_inside():
    scheduler = CrossingScheduler("s", 2, PLAN)
    desk = Desk()
    passing = desk.say("a", S, STRAIGHT, Stage.PASSING, progress=0.5)
    dead = Desk()
    dead.hear(dead.say("x", W, STRAIGHT))
    remembered = dead.scheduler.crossing(dead.now).holders
    waiting = desk.say("b", E, LEFT, heard=remembered)
    scheduler.step(0, [passing, waiting])
    assert scheduler.state is SchedulerState.REBUILDING
    scheduler.step(from_seconds(TIMES.lease), [])
    assert {entry.claim.robot for entry in scheduler.holders} == {"a", "x"}
    now = from_seconds(TIMES.lease * 1.02)
    scheduler.step(now, [desk.say("b", E, LEFT), desk.say("c", N, RIGHT)])
    assert scheduler.state is SchedulerState.OPEN
    # b would meet both; c meets nobody.
    assert {entry.claim.robot for entry in scheduler.holders} == {"a", "x", "c"}


@pytest.mark.parametrize(
    ("own", "known", "remembered", "holds"),
    [
        (1, Stage.WAITING, 1, True),
        (1, Stage.LEFT, 1, False),
        (1, Stage.LEFT, 2, True),
        (2, Stage.WAITING, 1, False),
    ],
    ids=["let in after it spoke", "left since", "let in again", "asks anew"],
)
def test_what_others_remember_counts_where_it_is_newer(own: int, known: Stage, remembered: int, holds: bool):
    scheduler, desk = CrossingScheduler("s", 2, PLAN), Desk()
    held = holder("x", W, STRAIGHT, remembered, progress=0.4)
    scheduler.step(0, [desk.say("x", W, STRAIGHT, known, request=own), desk.say("b", E, LEFT, heard=(held,))])
    assert bool(scheduler.holders) is holds


@pytest.mark.parametrize("kind", [CrossingScheduler, SourceScheduler])
def test_a_new_life_is_heard_also_where_the_way_that_it_has_not_asked_for_does_not_exist(kind):
    plan = CrossingPlan(CrossingParameters(approaches=3))
    scheduler = kind("s", 1, plan)
    for sequence, now in enumerate((0, LISTENED), 1):
        asked = claim("a", W, STRAIGHT, first=True, sequence=sequence)
        scheduler.step(now, [heard(asked, "a", epoch=1, sequence=sequence)])
    assert scheduler.holders
    said = CrossingClient("a", 2).step(LISTENED, [])
    assert Key(S, STRAIGHT) not in plan.movements
    scheduler.step(LISTENED, [heard(said, "a", epoch=2)])
    assert not scheduler.holders
    assert scheduler.refused == 0


def test_with_a_roster_a_restart_ends_when_everyone_has_answered():
    desk = Desk()
    scheduler = CrossingScheduler("s", 2, PLAN, roster=["a", "b", "c"])
    scheduler.step(
        0,
        [
            desk.say("a", S, STRAIGHT, scheduler=Identity("s", 2)),
            desk.say("b", N, STRAIGHT, scheduler=Identity("s", 1)),
        ],
    )
    assert scheduler.state is SchedulerState.REBUILDING
    assert scheduler.missing == ("b", "c")
    scheduler.step(SECOND, [desk.say("b", N, STRAIGHT, scheduler=Identity("s", 2))])
    assert scheduler.state is SchedulerState.REBUILDING
    scheduler.seen_clear(SECOND, "c")
    scheduler.step(2 * SECOND, [])
    assert scheduler.state is SchedulerState.OPEN


def test_of_two_schedulers_one_gives_way_and_the_other_listens():
    low, high = CrossingScheduler("a", 1, PLAN), CrossingScheduler("b", 1, PLAN)
    now, said = 0, {"a": [], "b": []}
    states = []
    for tick in range(400):
        now = tick * SECOND // 10
        both = {}
        for scheduler, other in ((low, "b"), (high, "a")):
            # They hear each other from the 20th second on.
            state = scheduler.step(now, said[other] if 200 <= tick < 300 else [])
            both[scheduler.name] = [heard(state, scheduler.name, now, sequence=tick + 1)] if state else []
        said = both
        states.append((low.state.value, high.state.value))
    assert states[190] == ("OPEN", "OPEN")
    assert states[205] == ("STANDBY", "REBUILDING")
    # The high one opens again a lease after the last that it heard of the low one.
    assert states[330] == ("STANDBY", "OPEN")


def test_four_at_once_are_served_within_the_bound():
    model = CrossingModel(4)
    for robot, approach in zip(model.robots, (S, E, N, W), strict=True):
        model.ask(robot, Key(approach, LEFT), Urgency.NORMAL)
    clearing = model.scheduler.clearing_time(0.3, 1e3, -START, 0.2)
    bound = model.scheduler.wait_bound(4, clearing)
    assert bound == pytest.approx(TIMES.patience + 4 * clearing)
    while model.entries < 4:
        model.step()
        model.check()
        assert model.now < from_seconds(bound)


def test_the_bound_counts_those_of_a_higher_class_who_come_later():
    scheduler = CrossingScheduler("s", 1, PLAN)
    normal = scheduler.wait_bound(8, 10.0, Urgency.NORMAL, again=30.0)
    assert normal == pytest.approx(20.0 + (1 + 7 * (1 + 4)) * 10.0)
    assert scheduler.wait_bound(8, 10.0, Urgency.EMERGENCY, again=30.0) == pytest.approx(20.0 + 8 * 10.0)


def test_invented_names_take_no_room_from_known_robots_and_of_strangers_the_silent_go_first():
    desk = Desk(known=("a",))
    desk.hear(*(desk.say(f"nobody {number}", S, STRAIGHT) for number in range(300)))
    desk.hear(desk.say("guest", E, RIGHT))
    entries = desk.scheduler._table.entries
    assert len(entries) <= 64
    assert "guest" in entries
    assert "nobody 299" in entries
    assert "a" in desk.hear(desk.say("a", N, RIGHT), after=1.0) or "a" in entries


def test_names_that_claim_to_be_inside_are_never_forgotten_and_take_no_room_from_known_robots():
    desk = Desk(roster=("a",))
    inside = [desk.say(f"nobody {number}", S, STRAIGHT, Stage.PASSING) for number in range(300)]
    desk.hear(*inside)
    desk.hear(desk.say("a", E, STRAIGHT))
    assert "a" in desk.scheduler._table.entries
    assert len(desk.scheduler.holders) <= 64
    assert desk.scheduler.refused == 300 - len(desk.scheduler.holders)


def test_a_forged_life_of_the_highest_number_ends_when_it_is_silent():
    desk = Desk()
    forged = claim("a", S, STRAIGHT, Stage.LEFT, epoch=(1 << 53) - 1, sequence=(1 << 53) - 1)
    desk.hear(heard(forged, "a", desk.now, epoch=(1 << 53) - 1))
    since = desk.now
    while not desk.hear(desk.say("a", S, STRAIGHT)):
        assert desk.now - since < 11 * SECOND
    assert desk.now - since > 9 * SECOND


def test_what_is_played_back_frees_no_place_of_one_that_is_inside_and_silent():
    """Its old LEFT, of an earlier request or an earlier life, comes again when nothing else has for a minute."""
    desk = Desk()
    old = [desk.say("a", S, STRAIGHT, Stage.LEFT), desk.say("a", S, STRAIGHT, Stage.LEFT, epoch=0)]
    desk.hear(desk.say("a", S, STRAIGHT, request=2))
    desk.hear(desk.say("a", S, STRAIGHT, Stage.PASSING, request=2, progress=0.3))
    assert desk.hear(*old, after=60.0) == {"a"}
    assert desk.hear(desk.say("b", E, STRAIGHT)) == {"a"}


def test_the_fullest_state_of_a_crossing_fits_into_a_message_of_ros():
    """As many rows as there may be, with the longest names that letters of four bytes and long numbers give."""
    name, most = "\U0001f407" * 64, (1 << 53) - 1
    row = holder(name, S, STRAIGHT, most, epoch=most, progress=-123456.123456789, answers=most, lease=123456.12345678)
    said = claim("a", S, STRAIGHT, heard=(row,) * 128)
    text = message_to_text(Message(said.topic, "a", most, most, most, said.encode()))
    assert len(text.encode()) <= MAXIMUM_BYTES
