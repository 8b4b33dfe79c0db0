"""The game's messages: the newest counts, and what is malformed is refused whole."""

import json
import math
from typing import Any

import pytest
from helpers.pacman_state import pacman_state

from arena_trees.games.pacman.messages import Finished, GhostView, PacmanGame, PacmanPhase, PacmanStatus
from arena_trees.perception.percept_filter import PerceptFilter
from arena_trees.robot.messaging.game_message import MessageError
from arena_trees.robot.messaging.inbox import Received
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.percepts import Readings

GHOST = ["clyde", 1.0, 2.0, 0.1, 0.0, 0.25, False]


def payload(phase: str, **changes: Any) -> dict[str, Any]:
    return {**pacman_state(phase).encode(), **changes}


def message(sequence: int, said: Any, epoch: int = 0) -> Message:
    return Message("pacman", "controller", epoch, sequence, 0, said)


def taken(*messages: Message) -> tuple[Received[PacmanGame] | None, PerceptFilter]:
    percept_filter = PerceptFilter(subscribes=(PacmanGame,))
    return percept_filter.take(Readings(50), messages).inbox.newest(PacmanGame), percept_filter


def test_a_message_is_received_with_its_arrival() -> None:
    game, _ = taken(message(1, payload("RUNNING", ghosts=[GHOST])))
    assert (game.arrival, game.sequence) == (50, 1)
    assert game.message.phase is PacmanPhase.RUNNING
    assert [pellet.id for pellet in game.message.pellets] == [0, 1]
    assert game.message.ghosts[0].vx == 0.1


def test_the_payloads_are_those_of_old_recordings() -> None:
    state = pacman_state(ghosts=(GhostView("clyde", 1.0, 2.0, 0.1, 0.0, 0.25, False),))
    assert json.loads(json.dumps(state.encode())) == {
        "phase": "RUNNING",
        "round": 1,
        "score": 0,
        "lives": 1,
        "spawned": 2,
        "pellets": [[0, 1.5, 0.0, False], [1, 0.0, 1.5, False]],
        "ghosts": [GHOST],
        "home": [-1.0, 0.0, 0.0],
        "pickup_radius": 0.25,
        "death_radius": 0.25,
    }
    assert PacmanGame.decode(state.encode()) == state
    assert PacmanStatus(status=Finished.AT_HOME, round=2).encode() == {"status": "AT_HOME", "round": 2}


@pytest.mark.parametrize(
    "said",
    [
        None,
        [],
        {},
        {**payload("RUNNING"), "phase": "PLAYING"},
        payload("RUNNING", score=-1),
        payload("RUNNING", score=True),
        payload("RUNNING", pellets=[[0, math.nan, 0.0, False]]),
        payload("RUNNING", pellets=[[0, 10**400, 0.0, False]]),
        payload("RUNNING", pellets=[[0, 1.0, 0.0]]),
        payload("RUNNING", pellets=[[0, 1.0, 0.0, 1]]),
        payload("RUNNING", pellets=[[n, 1.0, 0.0, False] for n in range(5001)]),
        payload("RUNNING", ghosts=[[*GHOST[:2], math.inf, *GHOST[3:]]]),
        payload("RUNNING", ghosts=[GHOST[:-1]]),
        payload("RUNNING", ghosts=[["", *GHOST[1:]]]),
        payload("RUNNING", home=[0.0, 0.0]),
        payload("RUNNING", home=[0.0, 0.0, "north"]),
        payload("RUNNING", death_radius=math.nan),
        payload("RUNNING", death_radius="0.25"),
    ],
)
def test_a_malformed_message_is_refused_whole_and_leaves_the_last_good_one(said: Any) -> None:
    game, percept_filter = taken(message(1, payload("STARTING")), message(2, said))
    assert (game.message.phase, game.sequence) == (PacmanPhase.STARTING, 1)
    assert percept_filter.refusals == {"pacman: malformed": 1}


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"status": "HOME", "round": 1},
        {"status": None, "round": 1},
        {"status": ["AT_HOME"], "round": 1},
        {"status": "AT_HOME", "round": "1"},
        {"status": "AT_HOME"},
    ],
)
def test_a_malformed_status_is_refused(said: Any) -> None:
    with pytest.raises(MessageError, match="pacman_status"):
        PacmanStatus.decode(said)
