"""Messages of a bag before anybody has looked into them."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["RawMessage", "RawTopic"]


class RawTopic(NamedTuple):
    """A topic of a bag.

    Attributes:
        name: absolute
        type: of its messages; empty where the bag does not say
        encoding: of its messages; ``cdr`` in ROS 2
    """

    name: str
    type: str
    encoding: str


class RawMessage(NamedTuple):
    """A message of a bag.

    Attributes:
        topic: it is on
        logged: when it was recorded, ns
        published: when it was published, ns; as logged where the bag does not say
        sequence: number in its stream; 0 where the bag does not say
        data: serialised
    """

    topic: RawTopic
    logged: int
    published: int
    sequence: int
    data: bytes
