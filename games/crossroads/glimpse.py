"""What is seen of one robot at a crossing at one instant, and heard of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena_trees.games.crossroads.messages import (
    CROSSING_CLAIM_TOPIC,
    CROSSING_REQUEST_TOPIC,
    CrossingClaim,
    CrossingMessageError,
)
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.messages import Message

__all__ = ["Glimpse", "claims_of"]


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What is true of a robot at an instant, and what it said since the one before.

    Attributes:
        pose: of base_link, map frame
        twist: velocity, base_link
        claims: that it made, oldest first
        touched: whether it has a contact
    """

    pose: Pose2D
    twist: Twist2D
    claims: Sequence[CrossingClaim] = ()
    touched: bool = False


def claims_of(messages: Iterable[Message]) -> list[CrossingClaim]:
    """Return the claims among messages, in their order; what is malformed or another's is left out."""
    claims = []
    for message in messages:
        if message.topic in (CROSSING_REQUEST_TOPIC, CROSSING_CLAIM_TOPIC):
            try:
                claim = CrossingClaim.from_payload(message.payload)
            except CrossingMessageError:
                continue
            if claim.robot == message.sender:
                claims.append(claim)
    return claims
