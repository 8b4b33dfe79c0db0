"""Messages of games: one pydantic model a topic, from which JSON, checks, the inbox, recordings and ROS all follow."""

from __future__ import annotations

import json
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import Self

from arena_trees.robot.errors import ArenaTreesError

__all__ = ["Count", "Duration", "GameMessage", "MessageError", "Name", "Number"]

Count = Annotated[int, Field(ge=0, lt=1 << 53)]
"""A whole number that JSON carries without loss, zero or more."""

Number = Annotated[float, Field(ge=-1e6, le=1e6)]
"""A number so small that what is computed of it stays finite, in nanoseconds, too."""

Duration = Annotated[float, Field(ge=0, le=1e6)]
"""Seconds, zero or more."""

Name = Annotated[str, Field(min_length=1, max_length=64)]
"""A name of 1 to 64 characters."""


class MessageError(ArenaTreesError):
    """A payload is not what its topic's model says."""


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
            MessageError: it is none; the text is one line
        """
        # By way of JSON: strict there still takes a list for a tuple and a text for an enumeration.
        try:
            return cls.model_validate_json(json.dumps(payload))
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise MessageError(f"no message of topic {cls.topic!r}: {place}: {first['msg']}") from error
        except (TypeError, ValueError, RecursionError) as error:
            raise MessageError(f"no message of topic {cls.topic!r}: {error}") from error
