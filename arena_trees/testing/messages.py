"""Messages of a game must refuse whatever is none: anybody may send anything."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from arena_trees.games.game import Game
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.robot.messaging.inbox import Mailbox
from arena_trees.robot.messaging.messages import Message

__all__ = ["check_messages"]

_NOT_MAPS: tuple[Any, ...] = (None, True, 17, -1.5, math.nan, "garbage", [], [["garbage"]])
_ODD = (None, True, -1, 1 << 80, math.nan, "garbage\x00" * 100, [None], {"no such key": None})
"""Values for a single field; one that takes half of them takes anything."""
_UNKNOWN = "no_such_key"


def check_messages(game: Game, sent: Iterable[Message]) -> None:
    """Send garbage of each topic to a mailbox.

    Args:
        game: whose messages
        sent: messages of a trial, from which better garbage is made

    Raises:
        AssertionError: some is taken, or not counted
    """
    examples: dict[str, Mapping[str, Any]] = {}
    for message in sent:
        examples.setdefault(message.topic, message.payload)
    for model in game.messages:
        example = examples.get(model.topic)
        for payload in _garbage(model, example):
            assert _refuses(game, model, payload), f"topic {model.topic} of {game.name} takes {payload!r:.200}"
        if example is not None:
            assert not _refuses(game, model, example), (
                f"topic {model.topic} of {game.name} refuses its own {example!r:.200}"
            )
            _check_fields(game, model, example)


def _garbage(model: type[GameMessage], example: Mapping[str, Any] | None) -> Iterator[Any]:
    yield from _NOT_MAPS
    yield {_UNKNOWN: 1}
    required = [name for name, field in model.model_fields.items() if field.is_required()]
    if required:
        yield {}
    if example is not None:
        yield {_UNKNOWN: 1, **example}
        for name in required:
            yield {key: value for key, value in example.items() if key != name}


def _check_fields(game: Game, model: type[GameMessage], example: Mapping[str, Any]) -> None:
    for name in example:
        taken = [value for value in _ODD if not _refuses(game, model, {**example, name: value})]
        assert len(taken) < len(_ODD) / 2, (
            f"topic {model.topic} of {game.name} takes anything as {name}: {taken!r:.200}"
        )


def _refuses(game: Game, model: type[GameMessage], payload: Any) -> bool:
    """Return whether a mailbox refuses a payload and counts it; it must do both or neither."""
    mailbox = Mailbox(game.messages)
    inbox = mailbox.take([Message(model.topic, "somebody", 0, 1, 0, payload)], 0)
    refused = not inbox.received
    assert refused is (sum(mailbox.refusals.values()) == 1), (
        f"topic {model.topic} of {game.name} does not count refusals"
    )
    return refused
