"""The referee: one verdict a claim, one capture a round, whatever the line does to the messages."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_trees.games.wolf_rabbit.referee import Outcome, Referee, RefereeParameters
from arena_trees.robot.clock import SECOND
from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.messages import Message
from arena_trees.robot.percepts import GamePhase

TICK = SECOND // 50


class Truth:
    """A world of three numbers."""

    def __init__(self, distance: float = 3.0) -> None:
        self.metres = distance
        self.in_territory = True
        self.in_own = True

    def distance(self, wolf: str, rabbit: str) -> float:
        assert (wolf, rabbit) == ("wolf", "rabbit")
        return self.metres

    def inside_wolf_territory(self, rabbit: str) -> bool:
        return self.in_territory

    def inside_own_fence(self, rabbit: str) -> bool:
        return self.in_own


def claim(number: object, about: object = 1, *, sender: str = "wolf", epoch: int = 0, sequence: int = 1) -> Message:
    return Message("catch_claim", sender, epoch, sequence, 0, {"claim": number, "round": about})


def playing(distance: float = 3.0, **rules: float) -> tuple[Referee, Truth]:
    truth = Truth(distance)
    referee = Referee("wolf", "rabbit", truth, RefereeParameters(**rules))
    referee.start_round(0)
    referee.step(0, [])
    return referee, truth


def test_waits_until_a_round_begins():
    referee = Referee("wolf", "rabbit", Truth(0.5))
    payload = referee.step(0, [claim(1, 0)])
    assert payload is not None
    assert payload["phase"] == "WAITING"
    assert payload["verdicts"] == {"1": False}
    assert referee.outcome is None


@pytest.mark.parametrize(("distance", "accepted"), [(0.40, True), (0.60, True), (0.601, False), (math.nan, False)])
def test_claim_is_judged_by_true_distance(distance: float, accepted: bool):
    referee, _ = playing(distance)
    payload = referee.step(TICK, [claim(3)])
    assert payload is not None, "a verdict is told at once"
    assert payload["verdicts"] == {"3": accepted}
    assert payload["phase"] == ("CAPTURED" if accepted else "ACTIVE")
    assert payload["rabbit_alive"] is not accepted
    assert (referee.outcome is Outcome.CAUGHT) is accepted
    assert referee.judgements[0].in_play


def test_a_repeated_claim_keeps_its_first_verdict():
    referee, truth = playing(2.0)
    referee.step(TICK, [claim(1)])
    truth.metres = 0.5
    assert referee.step(2 * TICK, [claim(1)]) is None
    assert referee.phase is GamePhase.ACTIVE
    referee.step(3 * TICK, [claim(2), claim(1)])
    assert referee.payload()["verdicts"] == {"1": False, "2": True}
    assert [judgement.claim for judgement in referee.judgements] == [1, 2]


def test_the_state_is_repeated_ten_times_a_second():
    referee, _ = playing()
    told = [tick for tick in range(1, 101) if referee.step(tick * TICK, []) is not None]
    assert told == list(range(5, 101, 5))


def test_time_out_is_survival_and_a_claim_at_the_bell_is_late():
    referee, _ = playing(0.5, round_duration=1.0)
    payload = referee.step(SECOND, [claim(1)])
    assert payload is not None
    assert (payload["phase"], payload["rabbit_alive"]) == ("SURVIVED", True)
    assert payload["verdicts"] == {"1": False}
    assert not referee.judgements[0].in_play
    assert referee.outcome is Outcome.SURVIVED
    assert referee.ended_at == SECOND


def test_abort_ends_a_round_once():
    referee, _ = playing()
    referee.abort(TICK, "operator")
    referee.abort(2 * TICK, "again")
    assert (referee.outcome, referee.reason, referee.ended_at) == (Outcome.ABORTED, "operator", TICK)
    assert referee.step(2 * TICK, []) is not None


def test_the_next_round_refuses_claims_of_the_one_before():
    referee, _ = playing(0.5)
    referee.step(TICK, [claim(1)])
    with pytest.raises(ArenaTreesError, match="still being played"):
        playing()[0].start_round(TICK)
    referee.start_round(2 * TICK)
    payload = referee.step(3 * TICK, [claim(2, about=1)])
    assert payload is not None
    assert (payload["round"], payload["phase"]) == (2, "ACTIVE")
    assert payload["verdicts"] == {"1": True, "2": False}
    assert not referee.judgements[-1].in_play
    referee.step(4 * TICK, [claim(3, about=2)])
    assert referee.outcome is Outcome.CAUGHT


@pytest.mark.parametrize("number", [0, -1, True, 1.5, "1", None, 1 << 40, math.nan])
def test_what_is_no_claim_is_counted_and_dropped(number: object):
    referee, _ = playing(0.5)
    referee.step(TICK, [claim(number), claim(1, sender="rabbit"), claim(2, about=True)])
    assert (referee.refused, referee.judgements, referee.phase) == (2, [], GamePhase.ACTIVE)


def test_a_restarted_wolf_counts_from_one_again():
    referee, truth = playing(2.0)
    referee.step(TICK, [claim(1, epoch=1)])
    truth.metres = 0.5
    referee.step(2 * TICK, [claim(1, epoch=2), claim(5, epoch=1)])
    assert referee.payload()["verdicts"] == {"1": True}


def test_memory_is_bounded_and_an_ancient_duplicate_is_not_judged_again():
    referee, truth = playing(2.0)
    referee.step(TICK, [claim(number) for number in range(1, 201)])
    truth.metres = 0.5
    referee.step(2 * TICK, [claim(1), claim(136)])
    assert referee.phase is GamePhase.ACTIVE
    assert len(referee.payload()["verdicts"]) == 64
    assert len(referee.judgements) == 200


def test_fences_are_told_at_once_and_an_escape_is_for_good():
    referee, truth = playing(escape_time=1.0)
    truth.in_territory = truth.in_own = False
    payload = referee.step(TICK, [])
    assert payload is not None
    assert (payload["inside_wolf_territory"], payload["rabbit_escaped"]) == (False, False)
    truth.in_own = True
    referee.step(SECOND, [])
    truth.in_own = False
    referee.step(SECOND + TICK, [])
    assert not referee.payload()["rabbit_escaped"], "it was back in between"
    referee.step(2 * SECOND + TICK, [])
    truth.in_own = True
    referee.step(3 * SECOND, [])
    assert referee.payload()["rabbit_escaped"]


@settings(max_examples=150, deadline=None)
@given(
    claims=st.lists(st.tuples(st.integers(1, 6), st.integers(0, 3), st.integers(1, 80)), min_size=1, max_size=40),
    distances=st.lists(st.floats(0.0, 1.2), min_size=1, max_size=20),
)
def test_at_most_one_capture_a_round_and_verdicts_never_change(
    claims: list[tuple[int, int, int]], distances: list[float]
):
    referee, truth = playing(round_duration=1.0)
    first: dict[str, bool] = {}
    for tick in range(1, 81):
        truth.metres = distances[tick % len(distances)]
        referee.step(tick * TICK, [claim(number, about) for number, about, at in claims if at == tick])
        for number, verdict in referee.payload()["verdicts"].items():
            assert first.setdefault(number, verdict) is verdict
        if referee.phase is not GamePhase.ACTIVE and tick % 10 == 0:
            referee.start_round(tick * TICK)
    judged = [judgement.claim for judgement in referee.judgements]
    assert len(judged) == len(set(judged))
    captures = [judgement.round for judgement in referee.judgements if judgement.accepted]
    assert len(captures) == len(set(captures))
    assert all(judgement.distance <= 0.6 for judgement in referee.judgements if judgement.accepted)
