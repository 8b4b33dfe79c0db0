"""The inbox: the newest accepted message of each sender, for every topic that a participant subscribes to."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Generic, TypeVar, cast

from arena_trees.robot.clock import STALE, from_seconds
from arena_trees.robot.messaging.game_message import GameMessage, MessageError
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.messaging.order import counts_after, is_silent
from arena_trees.robot.quick_init import quick_init

__all__ = ["EMPTY", "Inbox", "Mailbox", "Received"]

MessageT = TypeVar("MessageT", bound=GameMessage)

_MOST_SENDERS = 256
"""Senders of one topic that are remembered; of more, the one that has been silent longest is forgotten."""

_MOST_REASONS = 100
"""Reasons of refusals that are counted apart, unknown topics among them."""

_OTHERS = "inbox: other unknown topics"

_MOST_RECENT = 256
"""Messages whose content is remembered."""


@quick_init
@dataclass(frozen=True, slots=True)
class Received(Generic[MessageT]):
    """One accepted message.

    Attributes:
        message: its model
        sender: name of the participant that sent it
        epoch: number of the sender's life
        sequence: number within the sender's life
        stamp: instant of sending, ns of the sender's clock
        arrival: instant of arrival, ns of the receiver's clock
    """

    message: MessageT
    sender: str
    epoch: int
    sequence: int
    stamp: int
    arrival: int

    def age(self, now: int) -> int:
        """Return the time since the arrival, ns; a sender's clock is another's. Stale where the clock went back."""
        return STALE if now < self.arrival else now - self.arrival


_recent: OrderedDict[int, tuple[Message, GameMessage]] = OrderedDict()
"""Messages that were read of late, by identity: what many participants in one process hear is read once."""

_NOBODY: Mapping[str, Received[Any]] = MappingProxyType({})


class Inbox:
    """A snapshot: what was accepted up to an instant. It does not change.

    ``inbox[Place]["blue"]`` is the newest :class:`Received` of topic ``place`` from ``blue``.

    Attributes:
        sequence: how many messages have been accepted since the beginning
        received: the messages that came in since the snapshot before, in the order of arrival: late and repeated ones,
            too, which change nothing of what is newest
    """

    __slots__ = ("_newest", "received", "sequence")

    def __init__(
        self,
        newest: Mapping[type[GameMessage], Mapping[str, Received[Any]]] = MappingProxyType({}),
        sequence: int = 0,
        received: tuple[Received[Any], ...] = (),
    ) -> None:
        self._newest = newest
        self.sequence = sequence
        self.received = received

    def __getitem__(self, model: type[MessageT]) -> Mapping[str, Received[MessageT]]:
        """Return the newest message of each sender, in the order of their arrival; empty where there is none."""
        return self._newest.get(model, _NOBODY)

    def newest(self, model: type[MessageT]) -> Received[MessageT] | None:
        """Return the message with the highest epoch and sequence of any sender, or None.

        For topics that one participant at a time speaks on, such as those of a game's rules. Whoever was silent already
        when the last one of them spoke (:data:`~arena_trees.robot.messaging.order.SILENT_AFTER`) is passed over.
        """
        held = self._newest.get(model)
        if not held:
            return None
        if len(held) == 1:
            (only,) = held.values()
            return only
        last = max(one.arrival for one in held.values())
        speaking = (one for one in held.values() if not is_silent(one.arrival, last))
        return max(speaking, key=lambda one: (one.epoch, one.sequence, one.sender))

    def of(self, model: type[MessageT]) -> Iterator[Received[MessageT]]:
        """Yield those of :attr:`received` that are of one topic."""
        for one in self.received:
            if type(one.message) is model:
                yield cast("Received[MessageT]", one)

    def __str__(self) -> str:
        """Return topic and senders, for viewers."""
        held = (f"{model.topic} of {', '.join(by)}" for model, by in self._newest.items() if by)
        return "; ".join(held) or "empty"


EMPTY = Inbox()
"""Of one who has received nothing."""


class Mailbox:
    """Takes messages in, checks them by their topics' models, and keeps the newest of each sender.

    A message that is older than the newest of its sender, by (epoch, sequence), changes nothing: it came late or twice.
    That is so until the sender has been silent for a while (:mod:`~arena_trees.robot.messaging.order`).

    Attributes:
        inbox: the newest snapshot
        refusals: how many messages were refused, by reason, such as ``game: malformed``

    Args:
        subscribes: models of the topics that are read
        known: models of further topics, which are passed over; a topic that is neither is refused
    """

    def __init__(self, subscribes: Iterable[type[GameMessage]], known: Iterable[type[GameMessage]] = ()) -> None:
        self.inbox = EMPTY
        self.refusals: Counter[str] = Counter()
        self._models = {model.topic: model for model in subscribes}
        self._known = {model.topic for model in known}
        self._newest: dict[type[GameMessage], Mapping[str, Received[Any]]] = {}

    def take(self, messages: Sequence[Message], now: int) -> Inbox:
        """Take messages in (now: ns) and return the snapshot; the same one where nothing has changed."""
        if not messages:
            if self.inbox.received:
                self.inbox = Inbox(self.inbox._newest, self.inbox.sequence)
            return self.inbox
        received = []
        sequence = self.inbox.sequence
        for message in messages:
            one = self._decoded(message, now)
            if one is not None:
                received.append(one)
                sequence += self._keep(one, now)
        if received or self.inbox.received:
            self.inbox = Inbox(dict(self._newest), sequence, tuple(received))
        return self.inbox

    def _decoded(self, message: Message, now: int) -> Received[Any] | None:
        model = self._models.get(message.topic)
        if model is None:
            if message.topic not in self._known:
                reason = f"inbox: unknown topic {message.topic[:64]!r}"
                self.refusals[reason if reason in self.refusals or len(self.refusals) < _MOST_REASONS else _OTHERS] += 1
            return None
        try:
            content = _content(model, message)
        except MessageError:
            self.refusals[f"{message.topic}: malformed"] += 1
            return None
        return Received(content, message.sender, message.epoch, message.sequence, message.stamp, now)

    def _keep(self, one: Received[Any], now: int) -> bool:
        """Keep a message if it is its sender's newest; return whether it is."""
        model = type(one.message)
        held = self._newest.get(model, _NOBODY)
        if model.forget_after_s is not None:
            longest = from_seconds(model.forget_after_s)
            held = {name: other for name, other in held.items() if 0 <= now - other.arrival <= longest}
        before = held.get(one.sender)
        if before is not None and not counts_after(
            (one.epoch, one.sequence), (before.epoch, before.sequence), before.arrival, now
        ):
            return False
        # In the order of arrival: the newest last.
        kept = {name: other for name, other in held.items() if name != one.sender}
        while len(kept) >= _MOST_SENDERS:
            del kept[next(iter(kept))]
        self._newest[model] = {**kept, one.sender: one}
        return True


def _content(model: type[MessageT], message: Message) -> MessageT:
    """Return the content of a message.

    Raises:
        MessageError: it is none of the model
    """
    known = _recent.get(id(message))
    if known is not None and known[0] is message and type(known[1]) is model:
        return known[1]
    content = model.decode(message.payload)
    while len(_recent) >= _MOST_RECENT:
        _recent.popitem(last=False)
    _recent[id(message)] = message, content
    return content
