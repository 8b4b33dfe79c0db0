"""What the referee says: as recordings and ROS carry it, and what is refused."""

import json

import pytest

from arena_trees.games.wolf_rabbit.messages import ISOLATED, CatchClaim, GamePhase, GameState, game_of
from arena_trees.robot.messaging.game_message import MessageError
from arena_trees.robot.messaging.inbox import EMPTY, Mailbox
from arena_trees.robot.messaging.messages import Message

STATE = {
    "phase": "CAPTURED",
    "round": 2,
    "rabbit_alive": False,
    "inside_wolf_territory": True,
    "rabbit_escaped": False,
    "verdicts": {"3": True},
}


def test_the_payload_is_what_recordings_have():
    state = GameState.decode(STATE)
    assert (state.phase, state.verdicts) == (GamePhase.CAPTURED, {3: True})
    assert json.loads(json.dumps(state.encode())) == STATE
    assert CatchClaim(claim=1, round=3).encode() == {"claim": 1, "round": 3}


@pytest.mark.parametrize(
    "changes",
    [
        {"phase": "LUNCH"},
        {"phase": 3},
        {"phase": ["ACTIVE"]},
        {"round": -1},
        {"round": True},
        {"round": 1.0},
        {"rabbit_alive": "yes"},
        {"rabbit_escaped": None},
        {"inside_wolf_territory": 1},
        {"verdicts": [True]},
        {"verdicts": {"x": True}},
        {"verdicts": {"3": 1}},
        {"verdicts": {"\u00b2": True}},
        {"verdicts": {str(number): True for number in range(10_001)}},
        {"extra": 1},
    ],
)
def test_a_malformed_state_is_refused(changes: dict[str, object]):
    with pytest.raises(MessageError):
        GameState.decode({**STATE, **changes})


@pytest.mark.parametrize("missing", STATE)
def test_a_state_is_whole(missing: str):
    with pytest.raises(MessageError):
        GameState.decode({key: value for key, value in STATE.items() if key != missing})


@pytest.mark.parametrize("claim", [0, -1, True, 1.5, "1", None, 1 << 40])
def test_what_is_no_claim_is_refused(claim: object):
    with pytest.raises(MessageError):
        CatchClaim.decode({"claim": claim, "round": 1})
    with pytest.raises(MessageError):
        CatchClaim.decode({"claim": 1, "round": True})


def test_a_robot_that_hears_nothing_relies_on_itself_and_else_on_the_newest_referee():
    assert game_of(EMPTY) is ISOLATED
    assert (ISOLATED.phase, ISOLATED.rabbit_alive) == (GamePhase.ACTIVE, True)
    mailbox = Mailbox((GameState,))
    inbox = mailbox.take([Message("game", "referee", 1, 5, 0, STATE)], 0)
    assert game_of(inbox).phase is GamePhase.CAPTURED
    restarted = Message("game", "referee", 2, 1, 0, {**STATE, "phase": "WAITING"})
    assert game_of(mailbox.take([restarted], 0)).phase is GamePhase.WAITING
