"""How a game ended, as a text: JSON of outcome, reason and stamp, or null while it is played."""

from __future__ import annotations

import json

from pydantic import BaseModel, ConfigDict, RootModel, ValidationError

from arena_trees.games.truth import End
from arena_trees.robot.messaging.json_text import JsonError, read_json

__all__ = ["END_TOPIC", "end_text", "read_end"]

END_TOPIC = "end"
"""Topic of the text, in the game's namespace."""


class _End(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    outcome: str
    reason: str
    stamp: int


class _Ended(RootModel[_End | None]):
    """How a game ended; None while it is played."""


def end_text(end: End | None) -> str:
    """Return how a game ended as a text; the stamp is in ns."""
    values = None if end is None else {"outcome": end.outcome, "reason": end.reason, "stamp": end.now}
    return json.dumps(values)


def read_end(text: str) -> End | None:
    """Return what such a text holds.

    Raises:
        JsonError: it is none
    """
    read_json(text)
    try:
        found = _Ended.model_validate_json(text).root
    except ValidationError as error:
        raise JsonError("no end of a game") from error
    return None if found is None else End(found.outcome, found.reason, found.stamp)
