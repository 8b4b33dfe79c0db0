"""A robot's side of the crossing's protocol: asking, leases, two schedulers, leaving."""

from typing import Any

import pytest
from helpers.crossing_words import crossing, holder

from arena_trees.games.crossroads.layout.words import Key
from arena_trees.games.crossroads.messages import (
    Approach,
    Crossing,
    CrossingClaim,
    CrossingRequest,
    Done,
    SchedulerState,
    Stage,
    Turn,
)
from arena_trees.games.crossroads.scheduling.client import CrossingClient
from arena_trees.games.crossroads.scheduling.protocol import ProtocolParameters
from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.errors import ArenaTreesError

S, E, N, W = Approach.SOUTH, Approach.EAST, Approach.NORTH, Approach.WEST
STRAIGHT, RIGHT, LEFT = Turn.STRAIGHT, Turn.RIGHT, Turn.LEFT
TIMES = ProtocolParameters()


class Ear:
    """A client that has asked, and the messages of schedulers."""

    def __init__(self, epoch: int = 1) -> None:
        self.client = CrossingClient("a", epoch)
        self.client.ask(0, Key(S, STRAIGHT))
        self.sent: dict[int, int] = {}
        self.kinds: set[type] = set()
        self.reported = 0
        self.step(0.0)

    def step(self, now: float, *states: Crossing, **state: Any) -> None:
        said = self.client.step(from_seconds(now), states, **state)
        if said is not None:
            self.sent[said.sequence] = from_seconds(now)
            self.kinds.add(type(said))

    def grant(self, answers: int, scheduler: str = "s", epoch: int = 1, request: int = 1) -> Crossing:
        row = holder("a", S, STRAIGHT, request, answers=answers, lease=TIMES.lease)
        self.reported += 1
        return crossing(scheduler, epoch, self.reported, (row,))


def test_who_waits_repeats_its_request_and_who_holds_a_lease_its_claim_more_often():
    ear = Ear()

    def spoken(begin: float) -> list[float]:
        ear.sent.clear()
        ear.kinds.clear()
        for tick in range(1, 51):
            ear.step(begin + 0.02 * tick)
        return [round(now / SECOND - begin, 2) for now in ear.sent.values()]

    assert spoken(0.0) == [0.2, 0.4, 0.6, 0.8, 1.0]
    assert ear.kinds == {CrossingRequest}
    ear.step(1.0, ear.grant(1))
    assert spoken(1.0) == [round(0.1 * number, 1) for number in range(1, 11)]
    assert ear.kinds == {CrossingClaim}


def test_a_lease_counts_from_when_the_question_was_sent():
    ear = Ear()
    ear.step(6.0, ear.grant(1))
    left = TIMES.lease * (1 - TIMES.clock_drift) - 6.0
    assert ear.client.lease_left(from_seconds(6.0)) == pytest.approx(left)
    assert ear.client.may_enter(from_seconds(6.0), left - 0.1)
    assert not ear.client.may_enter(from_seconds(6.0), left + 0.01)
    with pytest.raises(ArenaTreesError, match="no lease"):
        ear.client.enter(from_seconds(6.0), left + 0.01)


def test_a_lease_that_ran_out_is_gone_and_its_late_grants_count_for_nothing():
    ear = Ear()
    ear.step(0.1, ear.grant(1))
    assert ear.client.request == 1
    ear.step(13.0, ear.grant(1))
    assert ear.client.request == 2
    newest = max(ear.sent)
    ear.step(13.1, ear.grant(newest, request=1))
    assert ear.client.lease_left(from_seconds(13.1)) == 0.0
    ear.step(13.2, ear.grant(newest, request=2))
    assert ear.client.lease_left(from_seconds(13.2)) > 0.0


def test_a_lease_that_came_late_and_runs_out_early_is_gone_too():
    ear = Ear()
    ear.step(8.0, ear.grant(1))
    ear.step(11.8)
    assert (ear.client.request, ear.client.lease_left(from_seconds(11.8)) > 0.0) == (1, True)
    ear.step(11.9)
    assert (ear.client.request, ear.client.lease_left(from_seconds(11.9)) > 0.0) == (2, False)


def test_a_robot_that_cannot_enter_gives_its_lease_back():
    ear = Ear()
    for tick in range(80):
        ear.step(tick / 10, ear.grant(max(ear.sent, default=0)), standing=True)
    assert ear.client.request == 2


def test_what_was_granted_to_an_earlier_life_counts_for_nothing():
    ear = Ear(epoch=2)
    ear.step(0.1, ear.grant(1))
    assert ear.client.lease_left(from_seconds(0.1)) == 0.0


def test_nobody_enters_while_two_schedulers_are_heard_and_the_higher_is_obeyed():
    ear = Ear()
    ear.step(0.1, ear.grant(1, "s"))
    assert ear.client.may_enter(from_seconds(0.1), 1.0)
    ear.step(0.2, ear.grant(1, "t"))
    assert not ear.client.may_enter(from_seconds(0.2), 1.0)
    assert ear.client.scheduler == ("t", 1)
    ear.step(0.5, ear.grant(2, "s", request=2))
    assert ear.client.lease_left(from_seconds(0.5)) == 0.0
    ear.step(1.0, ear.grant(2, "t", request=2))
    assert not ear.client.may_enter(from_seconds(1.0), 1.0)
    assert ear.client.may_enter(from_seconds(1.6), 1.0)


def test_who_is_inside_goes_on_without_a_lease_and_repeats_that_it_left():
    ear = Ear()
    ear.step(0.1, ear.grant(1))
    ear.client.enter(from_seconds(0.1), 8.0)
    with pytest.raises(ArenaTreesError, match="inside"):
        ear.client.ask(from_seconds(0.2), Key(E, LEFT))
    ear.step(30.0)
    assert ear.client.stage is Stage.PASSING
    ear.client.leave()
    before = len(ear.sent)
    ear.kinds.clear()
    for tick in range(10):
        ear.step(31.0 + tick)
    assert (len(ear.sent), ear.kinds) == (before + 10, {CrossingClaim})


def test_who_has_left_repeats_that_until_it_is_acknowledged():
    ear = Ear()
    ear.step(0.1, ear.grant(1))
    ear.client.enter(from_seconds(0.1), 1.0)
    ear.client.leave()
    ear.sent.clear()
    for tick in range(1, 21):
        ear.step(0.1 + 0.02 * tick)
    assert len(ear.sent) == 2
    ear.reported += 1
    ear.step(0.6, crossing("s", 1, ear.reported, done=(Done("a", 1, 1),)))
    ear.sent.clear()
    for tick in range(1, 51):
        ear.step(0.6 + 0.02 * tick)
    assert not ear.sent


def test_a_scheduler_that_starts_anew_is_given_who_held_the_crossing_when_it_was_open_last():
    client = CrossingClient("a", 1)
    client.ask(0, Key(S, STRAIGHT))
    other = holder("b", E, STRAIGHT)
    said = client.step(from_seconds(0.5), [crossing("s", 1, 1, (other,))])
    assert said.heard == ()
    said = client.step(from_seconds(1.0), [crossing("s", 2, 1, state=SchedulerState.REBUILDING)])
    assert said.heard == (other,)


def test_a_lease_and_what_a_robot_does_with_it_are_sent_at_once():
    ear = Ear()

    def is_sent(tick: int, *states: Crossing) -> bool:
        ear.sent.clear()
        ear.step(0.02 * tick, *states)
        return bool(ear.sent)

    assert is_sent(1, ear.grant(1)) and not is_sent(2)
    ear.client.enter(from_seconds(0.04), 1.0)
    assert is_sent(3) and not is_sent(4)
    ear.client.leave()
    assert is_sent(5) and not is_sent(6)
    ear.client.ask(from_seconds(0.12), Key(S, STRAIGHT))
    assert is_sent(7) and not is_sent(8)
