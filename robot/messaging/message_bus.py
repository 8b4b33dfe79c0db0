"""The arena's message bus: it sends each message to all others, with delay, loss, duplication and reordering."""

from __future__ import annotations

import copy
import heapq
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from pydantic import model_validator

from arena_trees.robot.clock import from_seconds
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.messaging.loss_bursts import LossBursts
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.random_streams import RandomStreams

__all__ = ["BusParameters", "BusPort", "MessageBus"]


Disturb = Callable[[Message, str, Sequence[int]], Sequence[int]]


class BusParameters(Parameters):
    """How the bus delays, loses, doubles and reorders messages.

    Bursts are of the whole bus: robots on one Wi-Fi share its channel, and what jams it loses everybody's messages.
    """

    delay_s: float = parameter(0.02, "time from sending to arrival", "s", ge=0, le=10)
    jitter_s: float = parameter(0.0, "longest time added to the delay, uniform", "s", ge=0, le=10)
    loss: float = parameter(0.0, "share of messages that never arrive", ge=0, le=1)
    bursts_per_minute: float = parameter(
        0.0, "mean number of bursts of loss in a minute; every message sent in one is lost", ge=0, le=60
    )
    burst_s: float = parameter(0.5, "mean length of such a burst; lengths are exponential", "s", gt=0, le=60)
    duplication: float = parameter(0.0, "share of messages that arrive twice", ge=0, le=1)
    reordering: float = parameter(0.0, "share of messages that later ones may overtake", ge=0, le=1)
    reordering_s: float = parameter(0.2, "longest time that such a message is held back", "s", ge=0, le=10)

    @model_validator(mode="after")
    def _leaves_time_between_bursts(self) -> BusParameters:
        if self.bursts_per_minute * self.burst_s >= 60.0:
            raise ValueError(f"bursts of {self.burst_s:g} s leave no time between them")
        return self


class MessageBus:
    """Carries each message from one participant to all others.

    What happens to a message depends only on the seed, on who sends and receives it, and on its place
    among that sender's messages: a further participant disturbs no other line. Bursts of loss come and go with time,
    for all lines at once.

    Args:
        clock: returns the instant of now, ns
        streams: the world's random streams
        parameters: what the line does to messages
        disturb: returns when copies of a message arrive (ns), of the message, its receiver, and when they would
    """

    def __init__(
        self,
        clock: Callable[[], int],
        streams: RandomStreams,
        parameters: BusParameters | None = None,
        disturb: Disturb | None = None,
    ) -> None:
        self.clock = clock
        self.parameters = parameters or BusParameters()
        self._disturb = disturb
        self._streams = streams.child("bus")
        self._ports: dict[str, BusPort] = {}
        self._lines: dict[tuple[str, str], _Line] = {}
        # No participant's name has a space, so no line has this stream.
        bursts = self._streams.generator("loss bursts")
        self._bursts = LossBursts(self.parameters.bursts_per_minute, self.parameters.burst_s, bursts)

    def port(self, name: str, epoch: int = 0) -> BusPort:
        """Return the line of a new participant.

        Args:
            name: the participant, unique on the bus
            epoch: number of its life

        Raises:
            ValueError: the name is taken
        """
        if name in self._ports:
            raise ValueError(f"{name!r} is on the bus already")
        for other in self._ports:
            self._lines[name, other] = _Line(self._streams.generator(f"{name}.{other}"), self.parameters)
            self._lines[other, name] = _Line(self._streams.generator(f"{other}.{name}"), self.parameters)
        port = BusPort(self, name, epoch)
        self._ports[name] = port
        return port

    def renew(self, name: str) -> BusPort:
        """Return the line of a participant that lives anew, with the next epoch; what was on its way to it is lost.

        Raises:
            KeyError: there is no such participant
        """
        port = self._ports[name] = BusPort(self, name, self._ports[name].epoch + 1)
        return port

    def carry(self, message: Message) -> None:
        """Put a message on its way to everybody but its sender."""
        jammed = self._bursts.lost(message.stamp)
        for name, port in self._ports.items():
            if name != message.sender:
                arrivals: Sequence[int] = self._lines[message.sender, name].arrivals(message.stamp, jammed)
                if self._disturb is not None:
                    arrivals = self._disturb(message, name, arrivals)
                for arrival in arrivals:
                    port.expect(arrival, message)


class BusPort:
    """One participant's :class:`~arena_trees.robot.ports.MessagePort`."""

    def __init__(self, bus: MessageBus, name: str, epoch: int) -> None:
        self.name = name
        self.epoch = epoch
        self._bus = bus
        self._sent = 0
        self._expected = 0
        self._inbox: list[tuple[int, int, Message]] = []

    def send(self, topic: str, payload: Mapping[str, Any]) -> Message:
        """Send a message to everybody else; the payload is copied."""
        self._sent += 1
        message = Message(topic, self.name, self.epoch, self._sent, self._bus.clock(), copy.deepcopy(dict(payload)))
        self._bus.carry(message)
        return message

    def receive(self) -> Sequence[Message]:
        """Return what has arrived since the last call, oldest arrival first."""
        now = self._bus.clock()
        arrived = []
        while self._inbox and self._inbox[0][0] <= now:
            arrived.append(heapq.heappop(self._inbox)[2])
        return arrived

    def expect(self, arrival: int, message: Message) -> None:
        """Have a message arrive at an instant (ns); of two at one instant, the one sent first comes first."""
        self._expected += 1
        heapq.heappush(self._inbox, (arrival, self._expected, message))


class _Line:
    """What happens on the way from one participant to another."""

    def __init__(self, random: np.random.Generator, parameters: BusParameters) -> None:
        self._random = random
        self._parameters = parameters
        self._last = 0

    def arrivals(self, sent: int, jammed: bool) -> list[int]:
        """Return the instants (ns) at which copies of a message sent now arrive: none, one or two.

        Args:
            sent: instant of now, ns
            jammed: whether the bus carries nothing now
        """
        p = self._parameters
        # Six draws a message, always, so that one setting does not shift what another one does.
        lost, twice, jitter, second_jitter, held, hold = self._random.random(6).tolist()
        if jammed or lost < p.loss:
            return []
        arrival = sent + from_seconds(p.delay_s + jitter * p.jitter_s)
        if held < p.reordering:
            arrival += from_seconds(hold * p.reordering_s)
        else:
            # Jitter alone does not reorder: the line is a stream.
            arrival = self._last = max(arrival, self._last)
        if twice < p.duplication:
            return [arrival, arrival + from_seconds(second_jitter * max(p.jitter_s, p.delay_s))]
        return [arrival]
