"""The game controller's messages: folded in order, and refused whole where they are malformed."""

from __future__ import annotations

import math
from typing import Any

import pytest
from helpers.scripted import pacman_game

from arena_trees.games.pacman.messages import PacmanGame, PacmanPhase
from arena_trees.perception.intake import Intake
from arena_trees.robot.messages import Message
from arena_trees.robot.percepts import Readings

GHOST = ["clyde", 1.0, 2.0, 0.1, 0.0, 0.25, False]


def message(sequence: int, payload: Any, epoch: int = 0) -> Message:
    return Message("pacman", "controller", epoch, sequence, 0, payload)


def taken(*messages: Message) -> tuple[PacmanGame | None, Intake]:
    intake = Intake()
    return intake.take(Readings(50), messages).pacman, intake


def test_before_the_first_message_there_is_no_game_and_the_trace_has_no_number_for_it() -> None:
    game, intake = taken()
    assert game is None
    assert len(intake.percepts.sequences()) == 8


def test_a_message_becomes_the_percept_stamped_with_its_arrival() -> None:
    game, intake = taken(message(1, pacman_game("RUNNING", ghosts=[GHOST])))
    assert game is not None
    assert (game.stamp, game.arrival, game.sequence) == (50, 50, 1)
    assert game.phase is PacmanPhase.RUNNING
    assert [pellet.id for pellet in game.pellets] == [0, 1]
    assert game.ghosts[0].vx == 0.1
    assert intake.percepts.sequences()[8:] == (1,)


def test_late_and_double_messages_are_ignored_and_a_restarted_sender_is_heard() -> None:
    game, _ = taken(
        message(2, pacman_game("RUNNING")), message(1, pacman_game("MENU")), message(2, pacman_game("MENU"))
    )
    assert game is not None
    assert game.phase is PacmanPhase.RUNNING
    game, _ = taken(message(9, pacman_game("RUNNING")), message(1, pacman_game("MENU"), epoch=1))
    assert game is not None
    assert game.phase is PacmanPhase.MENU


@pytest.mark.parametrize(
    "payload",
    [
        None,
        [],
        {},
        {**pacman_game("RUNNING"), "phase": "PLAYING"},
        pacman_game("RUNNING", score=-1),
        pacman_game("RUNNING", score=True),
        pacman_game("RUNNING", pellets=[[0, math.nan, 0.0, False]]),
        pacman_game("RUNNING", pellets=[[0, 10**400, 0.0, False]]),
        pacman_game("RUNNING", pellets=[[0, 1.0, 0.0]]),
        pacman_game("RUNNING", pellets=[[0, 1.0, 0.0, 1]]),
        pacman_game("RUNNING", pellets=[[n, 1.0, 0.0, False] for n in range(5001)]),
        pacman_game("RUNNING", ghosts=[[*GHOST[:2], math.inf, *GHOST[3:]]]),
        pacman_game("RUNNING", ghosts=[GHOST[:-1]]),
        pacman_game("RUNNING", ghosts=[["", *GHOST[1:]]]),
        pacman_game("RUNNING", home=[0.0, 0.0]),
        pacman_game("RUNNING", home=[0.0, 0.0, "north"]),
        pacman_game("RUNNING", death_radius=math.nan),
        pacman_game("RUNNING", death_radius="0.25"),
    ],
)
def test_a_malformed_message_is_refused_whole_and_leaves_the_last_good_one(payload: Any) -> None:
    game, intake = taken(message(1, pacman_game("STARTING")), message(2, payload))
    assert game is not None
    assert (game.phase, game.sequence) == (PacmanPhase.STARTING, 1)
    assert intake.refusals == {"pacman: malformed": 1}
