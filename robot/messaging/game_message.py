"""Messages of games: one pydantic model a topic, from which JSON, checks, the inbox, recordings and ROS all follow."""

from __future__ import annotations

import json
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from typing_extensions import Self

from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.messaging.json_text import JsonLimits, check_plain, first_fault, one_line

__all__ = ["Count", "CountKey", "Duration", "GameMessage", "MessageError", "Name", "Number"]

_LIMITS = JsonLimits(bytes=1 << 22, values=1 << 20)
"""Of a payload; how long a text may be that comes from outside, its reader specifies."""

_LONGEST_COUNT = len(str(1 << 53))

Count = Annotated[int, Field(ge=0, lt=1 << 53)]
"""A whole number that JSON carries without loss, zero or more."""


def _plain_digits(key: Any) -> Any:
    """Return the number that a key of JSON means; pydantic would take " 3", "+3", "3_0" and "3.0", too."""
    if not isinstance(key, str):
        return key
    if not (len(key) <= _LONGEST_COUNT and key.isascii() and key.isdigit() and str(int(key)) == key):
        raise ValueError("a key must be a whole number in plain digits")
    return int(key)


CountKey = Annotated[Count, BeforeValidator(_plain_digits)]
"""A :data:`Count` as the key of a map: plain digits in JSON, so that no two texts are one key."""

Number = Annotated[float, Field(ge=-1e6, le=1e6)]
"""A number so small that what is computed of it stays finite, in nanoseconds, too."""

Duration = Annotated[float, Field(ge=0, le=1e6)]
"""Seconds, zero or more."""

Name = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[^\x00-\x1f\x7f]+$")]
"""A name of 1 to 64 characters without control characters, which terminals obey and JSON writes out at length."""


class MessageError(ArenaTreesError):
    """A payload is not as its topic's model specifies."""


class GameMessage(BaseModel):
    """Base of every message of a game: frozen, strict, no unknown keys, no NaN and no infinity.

    A subclass names its topic::

        class Place(GameMessage, topic="place"):
            x: float
            y: float

    Class Args:
        topic: name under which it is sent: ``/arena/<topic>`` on ROS
        forget_after_s: a sender that sends nothing for longer is forgotten by the inbox, so that a later life of lower
            number may follow it, s; never where not given
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, strict=True)

    topic: ClassVar[str] = ""
    forget_after_s: ClassVar[float | None] = None

    def __init_subclass__(cls, topic: str | None = None, forget_after_s: float | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if topic is not None:
            if not topic.isidentifier():
                raise TypeError(f"{cls.__name__}: a topic is a plain word, not {topic!r}")
            cls.topic = topic
        if forget_after_s is not None:
            cls.forget_after_s = forget_after_s

    def encode(self) -> dict[str, Any]:
        """Return the payload: plain values alone, as JSON has them."""
        return self.model_dump(mode="json")

    @classmethod
    def decode(cls, payload: Any) -> Self:
        """Return the message in a payload, which may be anything.

        Raises:
            MessageError: it is none, or breaks the limits of :mod:`~arena_trees.robot.messaging.json_text`; the text is
                one short line
        """
        try:
            check_plain(payload, _LIMITS)
            # By way of JSON: strict there still takes a list for a tuple and a text for an enumeration.
            return cls.model_validate_json(json.dumps(payload))
        except ValidationError as error:
            raise MessageError(f"no message of topic {cls.topic!r}: {first_fault(error)}") from error
        except (TypeError, ValueError, ArithmeticError, RecursionError) as error:
            # What a game's own validators may let through, too.
            raise MessageError(f"no message of topic {cls.topic!r}: {one_line(str(error))}") from error
