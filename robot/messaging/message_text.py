"""Messages as text: JSON in std_msgs/String, on the topics of ROS and in recordings."""

from __future__ import annotations

import json
from collections.abc import Mapping

from arena_trees.robot.messaging.json_text import JsonError, JsonLimits, read_json
from arena_trees.robot.messaging.messages import Message

__all__ = ["MAXIMUM_BYTES", "message_from_text", "message_to_text"]

MAXIMUM_BYTES = 65_536
"""A longer message is neither sent on ROS nor read there."""

_LIMITS = JsonLimits(bytes=MAXIMUM_BYTES)

_KEYS = frozenset(Message.__dataclass_fields__)

_LONGEST_NAME = 200


def message_to_text(message: Message) -> str:
    """Return a message as text.

    Raises:
        ValueError: a value is not finite, or is none that JSON knows
    """
    values = {name: getattr(message, name) for name in Message.__dataclass_fields__}
    try:
        # Letters as they are: a text that is passed on becomes no longer than it came.
        return json.dumps(values, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    except TypeError as error:
        raise ValueError(f"message on {message.topic!r}: {error}") from error


def message_from_text(text: str, limits: JsonLimits = _LIMITS) -> Message:
    """Return the message in a text, which may be anything.

    Raises:
        JsonError: it holds none, or breaks the limits
    """
    values = read_json(text, limits)
    if not isinstance(values, dict) or values.keys() != _KEYS or not isinstance(values["payload"], Mapping):
        raise JsonError(f"a message has {', '.join(sorted(_KEYS))}, and its payload is a map")
    for key in ("topic", "sender"):
        name = values[key]
        if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_NAME or not name.isprintable():
            raise JsonError(f"{key}: must be a name of 1 to {_LONGEST_NAME} printable characters")
    for key in ("epoch", "sequence", "stamp"):
        number = values[key]
        if type(number) is not int or number < 0:
            raise JsonError(f"{key}: must be a whole number, zero or more")
    return Message(**values)
