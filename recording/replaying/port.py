"""A recorded robot behind the same ports as a real one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena_trees.recording.recording import SEQUENCES_OF, RobotRecording
from arena_trees.recording.traces.tick import Tick
from arena_trees.robot.geometry import Twist2D
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.percepts import Cue, Readings, Stamped
from arena_trees.robot.turret import TurretRates

__all__ = ["RecordedMessages", "RecordedPort"]


class RecordedPort:
    """Hands over what a robot had at each instant; implements :class:`~arena_trees.robot.ports.RobotPort`.

    What the tree commands is not driven anywhere: the sensors go on showing what they showed.

    Args:
        robot: its recording
        name: of the robot that is played
    """

    def __init__(self, robot: RobotRecording, name: str) -> None:
        self._name = name
        self._now = 0
        self._streams: dict[str, tuple[Sequence[Stamped], list[int]]] = {
            key: (messages, robot.seen[part].tolist() if (part := SEQUENCES_OF.get(key, key)) in robot.seen else [])
            for key, messages in robot.streams().items()
        }
        self._next = dict.fromkeys(self._streams, 0)

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self._name

    def now(self) -> int:
        """Return the instant that is played, ns."""
        return self._now

    def go_to(self, now: int) -> None:
        """Play an instant (ns), no earlier than the one before."""
        self._now = now

    def read(self) -> Readings:
        """Return the newest message of each sensor that had been seen by now."""
        newest: dict[str, Any] = {}
        more: dict[str, Stamped] = {}
        for key, (messages, seen) in self._streams.items():
            place = self._next[key]
            while place < len(seen) and seen[place] <= self._now:
                place += 1
            self._next[key] = place
            if place:
                (newest if key in SEQUENCES_OF else more)[key] = messages[place - 1]
        return Readings(self._now, **newest, more=more)

    def next_seen(self) -> int | None:
        """Return when the next message will be seen, ns; None behind the last."""
        times = [seen[self._next[key]] for key, (_, seen) in self._streams.items() if self._next[key] < len(seen)]
        return min(times, default=None)

    def newest_seen(self) -> int | None:
        """Return when the newest message of those that have been read was seen, ns; None before the first."""
        times = [seen[self._next[key] - 1] for key, (_, seen) in self._streams.items() if self._next[key]]
        return max(times, default=None)

    def drive(self, twist: Twist2D) -> None:
        """Drive nothing."""

    def aim(self, rates: TurretRates) -> None:
        """Turn nothing."""

    def fire(self) -> None:
        """Fire nothing."""

    def cue(self, cue: Cue) -> None:
        """Show nothing."""


class RecordedMessages:
    """A robot's messages in replay, received as recorded; implements :class:`~arena_trees.robot.ports.MessagePort`.

    Args:
        name: of the robot
        messages: all recorded messages, by sender, epoch and sequence number
        clock: the port, for stamps

    Attributes:
        missing: messages that the robot received, and the recording lacks
    """

    def __init__(self, name: str, messages: Mapping[tuple[str, int, int], Message], clock: RecordedPort) -> None:
        self.missing = 0
        self._name = name
        self._messages = messages
        self._clock = clock
        self._received: list[Message] = []
        self._sent = 0

    def deliver(self, tick: Tick) -> None:
        """Have the messages ready that came in before a tick."""
        self._received = [self._messages[key] for key in tick.received if key in self._messages]
        self.missing += len(tick.received) - len(self._received)

    def send(self, topic: str, payload: Mapping[str, Any]) -> Message:
        """Return the message, which nobody receives."""
        self._sent += 1
        return Message(topic, self._name, 0, self._sent, self._clock.now(), dict(payload))

    def receive(self) -> Sequence[Message]:
        """Return what came in before this tick."""
        received, self._received = self._received, []
        return received
