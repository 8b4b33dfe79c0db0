"""The referee: one verdict a claim, one capture a round, whatever the line does to the messages."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_trees.games.truth import Truth, TruthSample
from arena_trees.games.wolf_rabbit.messages import CatchClaim, GamePhase, GameState
from arena_trees.games.wolf_rabbit.referee import Referee
from arena_trees.games.wolf_rabbit.rules import WolfRabbitRules
from arena_trees.robot.clock import SECOND
from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.inbox import Mailbox
from arena_trees.robot.messaging.messages import Message

TICK = SECOND // 50
ROUND = ((-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (-9.0, 9.0))
ELSEWHERE = ((20.0, 20.0), (21.0, 20.0), (21.0, 21.0))


class Game:
    """A referee in a world of a distance and two fences."""

    def __init__(self, distance: float | None = 3.0, duration_s: float = 180.0, **rules: float) -> None:
        self.metres = distance
        self.fences = {"wolf": ROUND, "rabbit": ROUND}
        self.referee = Referee(("wolf",), ("rabbit",), self.fences, duration_s, WolfRabbitRules(**rules))
        self.mailbox = Mailbox((GameState, CatchClaim))

    def truth(self, now: int) -> Truth:
        samples = {"wolf": TruthSample("wolf", now, Pose2D())}
        if self.metres is not None:
            samples["rabbit"] = TruthSample("rabbit", now, Pose2D(self.metres, 0.0))
        return samples

    def step(self, now: int, messages: Sequence[Message] = ()) -> GameState | None:
        said = list(self.referee.step(now, self.truth(now), self.mailbox.take(messages, now)))
        assert len(said) < 2
        return said[0] if said else None


def claim(number: object, about: object = 1, *, sender: str = "wolf", epoch: int = 0, sequence: int = 1) -> Message:
    return Message("catch_claim", sender, epoch, sequence, 0, {"claim": number, "round": about})


def playing(distance: float | None = 3.0, **rules: float) -> Game:
    game = Game(distance, **rules)
    game.referee.begin(0)
    game.step(0)
    return game


def test_waits_until_a_round_begins():
    game = Game(0.5)
    state = game.step(0, [claim(1, 0)])
    assert (state.phase, state.verdicts) == (GamePhase.WAITING, {1: False})
    assert game.referee.end is None


@pytest.mark.parametrize(("distance", "accepted"), [(0.40, True), (0.60, True), (0.601, False), (None, False)])
def test_claim_is_judged_by_true_distance(distance: float | None, accepted: bool):
    game = playing(distance)
    state = game.step(TICK, [claim(3)])
    assert state is not None, "a verdict is told at once"
    assert state.verdicts == {3: accepted}
    assert state.phase is (GamePhase.CAPTURED if accepted else GamePhase.ACTIVE)
    assert state.rabbit_alive is not accepted
    assert state.caught == {}, "a message to one rabbit's wolves names no place"
    end = game.referee.end
    assert (end is not None and end.outcome == "caught") is accepted


def test_a_repeated_claim_keeps_its_first_verdict():
    game = playing(2.0)
    game.step(TICK, [claim(1)])
    game.metres = 0.5
    assert game.step(2 * TICK, [claim(1)]) is None
    assert game.referee.phase is GamePhase.ACTIVE
    game.step(3 * TICK, [claim(2), claim(1)])
    assert game.referee.state.verdicts == {1: False, 2: True}


def test_the_state_is_repeated_ten_times_a_second():
    game = playing()
    reported = [tick for tick in range(1, 101) if game.step(tick * TICK) is not None]
    assert reported == list(range(5, 101, 5))


def test_time_out_is_survival_and_a_claim_at_the_bell_is_late():
    game = playing(0.5, duration_s=1.0)
    state = game.step(SECOND, [claim(1)])
    assert (state.phase, state.rabbit_alive, state.verdicts) == (GamePhase.SURVIVED, True, {1: False})
    end = game.referee.end
    assert (end.outcome, end.reason, end.now) == ("survived", "time is up", SECOND)


def test_stopping_ends_a_round_once():
    game = playing()
    game.referee.stop(TICK, "operator")
    game.referee.stop(2 * TICK, "again")
    end = game.referee.end
    assert (end.outcome, end.reason, end.now) == ("aborted", "operator", TICK)
    assert game.step(2 * TICK) is not None


def test_the_next_round_refuses_claims_of_the_one_before():
    game = playing(0.5)
    game.step(TICK, [claim(1)])
    with pytest.raises(ArenaTreesError, match="still being played"):
        playing().referee.begin(TICK)
    game.referee.begin(2 * TICK)
    state = game.step(3 * TICK, [claim(2, about=1)])
    assert (state.round, state.phase, state.verdicts) == (2, GamePhase.ACTIVE, {1: True, 2: False})
    game.step(4 * TICK, [claim(3, about=2)])
    assert game.referee.phase is GamePhase.CAPTURED


def test_nobody_else_claims_for_the_wolf():
    game = playing(0.5)
    game.step(TICK, [claim(1, sender="rabbit")])
    assert (game.referee.state.verdicts, game.referee.phase) == ({}, GamePhase.ACTIVE)


def test_a_restarted_wolf_counts_from_one_again():
    game = playing(2.0)
    game.step(TICK, [claim(1, epoch=1)])
    game.metres = 0.5
    game.step(2 * TICK, [claim(1, epoch=2), claim(5, epoch=1)])
    assert game.referee.state.verdicts == {1: True}


def test_memory_is_bounded_and_an_ancient_duplicate_is_not_judged_again():
    game = playing(2.0)
    game.step(TICK, [claim(number) for number in range(1, 201)])
    game.metres = 0.5
    game.step(2 * TICK, [claim(1), claim(136)])
    assert game.referee.phase is GamePhase.ACTIVE
    assert len(game.referee.state.verdicts) == 64


@pytest.mark.parametrize(("epoch", "number"), [((1 << 63) - 1, 1), (0, (1 << 31) - 1)])
def test_a_forged_claim_shuts_the_wolf_out_for_ten_seconds_and_no_longer(epoch: int, number: int):
    """Forged of the highest life, or of the highest number in the wolf's own life."""
    game = playing(2.0)
    game.step(TICK, [claim(1)])
    game.step(SECOND, [claim(number, epoch=epoch, sequence=(1 << 63) - 1)])
    game.metres = 0.5
    for tenth in range(11, 130):
        if game.referee.phase is not GamePhase.ACTIVE:
            break
        game.step(tenth * SECOND // 10, [claim(2, sequence=tenth)])
    assert game.referee.phase is GamePhase.CAPTURED
    end = game.referee.end
    assert end.now <= 11.2 * SECOND


def test_an_old_claim_that_is_played_back_is_not_judged_while_the_wolf_speaks():
    game = playing(2.0)
    game.step(TICK, [claim(1, epoch=1)])
    for second in range(1, 40):
        game.step(second * SECOND, [claim(1 + second, epoch=2)])
        game.metres = 0.5
        game.step(second * SECOND + TICK, [claim(7, epoch=1)])
        game.metres = 2.0
    assert game.referee.phase is GamePhase.ACTIVE


def test_whatever_is_claimed_the_verdicts_are_so_many():
    game = playing(2.0)
    for second in range(300):
        numbers = ((1 << 31) - 1 - second, second + 1, 1 << (second % 31))
        game.step(
            second * SECOND,
            [claim(number, epoch=second % 7 * (1 << 60), sequence=second) for number in numbers],
        )
        assert len(game.referee.state.verdicts) <= 64


def test_fences_are_told_at_once_and_an_escape_is_for_good():
    game = playing(escape_time=1.0)
    game.fences |= {"wolf": ELSEWHERE, "rabbit": ELSEWHERE}
    state = game.step(TICK)
    assert (state.inside_wolf_territory, state.rabbit_escaped) == (False, False)
    game.fences["rabbit"] = ROUND
    game.step(SECOND)
    game.fences["rabbit"] = ELSEWHERE
    game.step(SECOND + TICK)
    assert not game.referee.state.rabbit_escaped, "it was back in between"
    game.step(2 * SECOND + TICK)
    game.fences["rabbit"] = ROUND
    game.step(3 * SECOND)
    assert game.referee.state.rabbit_escaped


def test_a_rabbit_that_was_never_seen_has_not_escaped():
    game = playing(None, escape_time=1.0)
    game.fences = {"wolf": ELSEWHERE, "rabbit": ELSEWHERE}
    for second in range(1, 4):
        game.step(second * SECOND)
    assert (game.referee.state.rabbit_escaped, game.referee.state.inside_wolf_territory) == (False, True)


def test_diagnostics_say_how_the_round_goes_and_ended():
    game = playing(0.5)
    assert game.referee.diagnostics(TICK)[1:] == (
        "round 1: ACTIVE", {"phase": "ACTIVE", "round": "1", "reason": "", "claims judged": "0"},
    )  # fmt: skip
    game.step(TICK, [claim(1)])
    well, phrase, values = game.referee.diagnostics(TICK)
    assert (well, phrase, values["claims judged"]) == (True, "round 1: CAPTURED", "1")
    assert values["reason"] == game.referee.end.reason == "claim 1 at 0.50 m"


def test_a_rabbit_that_is_not_seen_is_where_it_was_seen_last():
    game = playing(escape_time=1.0)
    game.metres = None
    game.fences["rabbit"] = ELSEWHERE
    for second in range(1, 4):
        game.step(second * SECOND)
    assert not game.referee.state.rabbit_escaped
    game.metres = 3.0
    game.step(4 * SECOND)
    game.metres = None
    game.step(6 * SECOND)
    assert game.referee.state.rabbit_escaped


@settings(max_examples=150, deadline=None)
@given(
    claims=st.lists(st.tuples(st.integers(1, 6), st.integers(0, 3), st.integers(1, 80)), min_size=1, max_size=40),
    distances=st.lists(st.floats(0.0, 1.2), min_size=1, max_size=20),
)
def test_at_most_one_capture_a_round_and_verdicts_never_change(claims, distances):
    game = playing(duration_s=1.0)
    first: dict[int, bool] = {}
    captures: list[int] = []
    for tick in range(1, 81):
        game.metres = distances[tick % len(distances)]
        before = game.referee.phase
        game.step(tick * TICK, [claim(number, about) for number, about, at in claims if at == tick])
        state = game.referee.state
        for number, verdict in state.verdicts.items():
            assert first.setdefault(number, verdict) is verdict
        if before is GamePhase.ACTIVE and state.phase is GamePhase.CAPTURED:
            captures.append(state.round)
            assert game.metres <= 0.6
        if state.phase is not GamePhase.ACTIVE and tick % 10 == 0:
            game.referee.begin(tick * TICK)
    assert len(captures) == len(set(captures))


def test_each_of_two_wolves_has_verdicts_of_its_own():
    referee = Referee(("grey", "black"), ("rabbit",), {}, 180.0)
    mailbox = Mailbox((GameState, CatchClaim))
    truth = {"grey": Pose2D(), "black": Pose2D(2.6, 0.0), "rabbit": Pose2D(3.0, 0.0)}
    samples = {name: TruthSample(name, TICK, pose) for name, pose in truth.items()}
    referee.begin(0)
    heard = [claim(1, sender="grey"), claim(1, sender="red")]
    assert referee.step(TICK, samples, mailbox.take(heard, TICK))[0].verdicts_of == {"grey": {1: False}, "black": {}}
    (state,) = referee.step(2 * TICK, samples, mailbox.take([claim(1, sender="black")], 2 * TICK))
    assert (state.verdicts, state.verdicts_for("grey"), state.verdicts_for("black")) == ({}, {1: False}, {1: True})
    assert GameState.decode(state.encode()) == state
    assert referee.end.reason == "claim 1 of black at 0.40 m"


class Burrow:
    """A referee of two wolves and of rabbits, who stand where they are put."""

    def __init__(self, duration_s: float = 180.0, **rules: float) -> None:
        self.places = {"grey": (0.0, 0.0), "black": (9.0, 0.0), "ruby": (0.4, 0.0), "hazel": (0.0, 0.5)}
        self.fences = dict.fromkeys(self.places, ROUND)
        rabbits = [name for name in self.places if name not in ("grey", "black")]
        self.referee = Referee(("grey", "black"), rabbits, self.fences, duration_s, WolfRabbitRules(**rules))
        self.mailbox = Mailbox((CatchClaim,))
        self.now = 0
        self.referee.begin(0)

    def step(self, *messages: Message, seconds: float = 0.1) -> GameState:
        self.now += int(seconds * SECOND)
        truth = {name: TruthSample(name, self.now, Pose2D(*place)) for name, place in self.places.items()}
        self.referee.step(self.now, truth, self.mailbox.take(messages, self.now))
        return self.referee.state


def test_a_claim_is_of_the_nearest_rabbit_that_is_not_caught_and_the_last_one_ends_the_round():
    game = Burrow()
    state = game.step(claim(1, sender="grey"))
    assert (state.caught, state.phase, state.rabbit_alive) == ({"ruby": (0.4, 0.0)}, GamePhase.ACTIVE, True)
    assert game.referee.end is None
    assert GameState.decode(state.encode()) == state
    game.places["ruby"] = (0.1, 0.0)
    assert game.step().caught == state.caught, "it says where it was caught, not where it was pushed to"
    state = game.step(claim(2, sender="grey"))
    assert (state.caught.keys(), state.phase, state.rabbit_alive) == ({"ruby", "hazel"}, GamePhase.CAPTURED, False)
    assert game.referee.end.reason == "claim 2 of grey at 0.50 m"
    game.referee.begin(game.now)
    assert (game.step().caught, game.referee.phase) == ({}, GamePhase.ACTIVE)


def test_a_rabbit_that_is_caught_is_not_caught_again():
    game = Burrow()
    game.places["hazel"] = (5.0, 5.0)
    game.step(claim(1, sender="grey"))
    state = game.step(claim(2, sender="grey"))
    assert state.verdicts_for("grey") == {1: True, 2: False}
    game.places["black"] = (5.0, 5.0)
    assert game.step(claim(1, sender="black")).phase is GamePhase.CAPTURED


def test_each_rabbit_has_a_home_of_its_own_to_be_safe_at():
    game = Burrow(home_safe_s=10.0)
    game.step()
    game.places["ruby"] = (-3.0, 0.0)
    game.step()
    game.step(seconds=6.0)
    game.places["ruby"] = (0.4, 0.0)
    game.step()
    assert game.step(claim(1, sender="grey")).caught.keys() == {"hazel"}, "the nearer one is safe at home"
    assert game.step(claim(2, sender="grey")).caught.keys() == {"hazel"}
    assert game.step(claim(3, sender="grey"), seconds=11.0).phase is GamePhase.CAPTURED


def test_the_territory_and_the_escape_are_of_the_rabbits_that_are_left():
    game = Burrow(escape_time=1.0)
    game.fences |= {"grey": ELSEWHERE, "black": ((4.0, 4.0), (6.0, 4.0), (6.0, 6.0), (4.0, 6.0))}
    game.places["hazel"] = (5.0, 5.0)
    assert game.step().inside_wolf_territory, "one of two is"
    game.places |= {"black": (5.0, 5.2), "ruby": (9.5, 0.0)}
    assert game.step(claim(1, sender="black")).caught.keys() == {"hazel"}
    state = game.step()
    assert (state.inside_wolf_territory, state.rabbit_escaped) == (False, False)
    assert game.step(seconds=1.5).rabbit_escaped


def test_the_territory_is_looked_at_after_the_catch_too():
    game = playing(0.5)
    game.step(TICK, [claim(1)])
    game.step(2 * TICK)
    state = game.referee.state
    assert (state.phase, state.inside_wolf_territory, state.rabbit_escaped) == (GamePhase.CAPTURED, True, False)
    game.metres = 20.0
    game.step(3 * TICK)
    assert not game.referee.state.inside_wolf_territory


def test_the_state_of_a_game_with_one_wolf_names_no_wolf():
    state = playing(2.0).step(TICK, [claim(1)])
    assert not {"verdicts_of", "caught"} & state.encode().keys()
    assert state.verdicts_for("wolf") == {1: False}


def home_claims(away_s: float, at_home_s: float) -> bool:
    """Return whether a claim is accepted so long after a rabbit came home that had been away for so long."""
    game = playing(0.1, home_safe_s=10.0)
    now = 0
    for metres, seconds in ((1.0, away_s), (0.1, at_home_s)):
        game.metres = metres
        for _ in range(round(seconds * SECOND / TICK)):
            now += TICK
            game.step(now)
    state = game.step(now + TICK, [claim(1)])
    assert state is not None
    return state.verdicts == {1: True}


@pytest.mark.parametrize(
    ("away_s", "at_home_s", "accepted"),
    [(6.0, 1.0, False), (6.0, 9.9, False), (6.0, 10.2, True), (4.0, 1.0, True), (0.0, 1.0, True)],
    ids=["just home", "still safe", "for too long", "hardly gone", "never gone"],
)
def test_a_rabbit_that_came_home_is_safe_there_for_a_while(away_s: float, at_home_s: float, accepted: bool):
    assert home_claims(away_s, at_home_s) is accepted


def test_on_its_way_home_it_is_not_safe():
    game = playing(1.0, home_safe_s=10.0, home_again_s=0.0, catch_distance=2.0)
    game.metres = 0.1
    game.step(TICK)
    game.metres = 1.6
    game.step(2 * TICK)
    state = game.step(3 * TICK, [claim(1)])
    assert state is not None
    assert state.verdicts == {1: True}


def test_in_the_next_round_home_is_where_it_begins_then():
    game = playing(0.1, home_safe_s=10.0, home_again_s=0.0, catch_distance=5.0)
    game.referee.stop(TICK, "")
    game.metres = 4.0
    game.referee.begin(2 * TICK)
    for now, metres in ((3, 4.0), (4, 0.1), (5, 0.1)):
        game.metres = metres
        game.step(now * TICK)
    # It is back where the round before began, which is no home any more.
    assert game.step(6 * TICK, [claim(1, 2)]).verdicts[1]
