"""Who touches whom in a simulated arena, as a text: JSON of a stamp and of pairs of names."""

from __future__ import annotations

import json
from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict, ValidationError

from arena_trees.robot.messaging.json_text import JsonError, read_json

__all__ = ["CONTACTS_TOPIC", "Pairs", "contacts_text", "read_contacts"]

CONTACTS_TOPIC = "contacts"
"""Topic of the text, in the game's namespace."""

Pairs = frozenset[tuple[str, str]]


class _Contacts(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    stamp: int
    pairs: tuple[tuple[str, str], ...]


def contacts_text(stamp: int, pairs: Iterable[tuple[str, str]]) -> str:
    """Return who touches whom from an instant on (ns) as a text."""
    return json.dumps({"stamp": stamp, "pairs": sorted(pairs)})


def read_contacts(text: str) -> tuple[int, Pairs]:
    """Return the instant (ns) and the pairs that such a text holds.

    Raises:
        JsonError: it is none
    """
    read_json(text)
    try:
        found = _Contacts.model_validate_json(text)
    except ValidationError as error:
        raise JsonError("no contacts") from error
    return found.stamp, frozenset(found.pairs)
