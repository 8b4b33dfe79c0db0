"""A stream of commands, such as velocities: what it commands now, and whether its sender died while driving."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.safety.parameters import GuardParameters

__all__ = ["CommandStream"]

NOT_ADVANCING = "stamp does not advance"
OLD = "stamp too old"
FUTURE = "stamp in the future"

_ZEROS_AT_REST = 5
"""Zeros in a row by which a sender reports a halt."""

_BACK = 3
"""How often in a second the numbers go back only where two senders count; one that starts anew does it once."""

CommandT = TypeVar("CommandT")


class CommandStream(Generic[CommandT]):
    """Judges each message of a stream by its stamp when it comes, and later by its arrival alone.

    A message counts if its stamp is later than that of the message before and lies near its
    arrival; so neither a sender that repeats itself nor what was held up on the way is obeyed.
    A zero stops the robot whatever its stamp.

    Attributes:
        refused: why the newest message does not count, or None if it does
        spoilt: whether any message since the last reset was no valid command, whoever sent it and whatever its stamp

    Args:
        parameters: timeouts
        zero: the command that stops
        is_valid: whether a command is one, such as a finite velocity
    """

    def __init__(
        self, parameters: GuardParameters, zero: CommandT, is_valid: Callable[[CommandT], bool] = lambda _: True
    ) -> None:
        self.refused: str | None = None
        self.spoilt = False
        self._is_valid = is_valid
        self._timeout = from_seconds(parameters.command_timeout)
        self._tolerance = from_seconds(parameters.stamp_tolerance)
        self._patience = from_seconds(parameters.tree_timeout)
        self._label: int | None = None
        self._received: int | None = None
        self._arrival: int | None = None
        self._zero = self._command = zero
        self._zeros = 0
        self._number: int | None = None
        self._went_back: deque[int] = deque(maxlen=_BACK)

    def take(self, command: CommandT, label: int, stamp: int, arrival: int, number: int | None = None) -> None:
        """Take a message in.

        Args:
            command: what it commands; may be anything
            label: its stamp as its sender wrote it, ns; zero if it has none
            stamp: the same on the receiver's monotonic clock, ns
            arrival: on that clock, ns
            number: by which its sender counts its messages, if that is known
        """
        if number is not None and self._number is not None and number <= self._number:
            self._went_back.append(arrival)
        self._number = number
        self.spoilt = self.spoilt or not self._is_valid(command)
        if self.away(arrival):
            # What came before the silence may be of another sender.
            self._zeros = 0
        # Compared with the message before, not with the newest stamp: a clock that went back costs one message.
        advanced = label > 0 and (self._label is None or label > self._label)
        self._label, self._received = label, arrival
        self.refused = None
        if not advanced:
            self.refused = NOT_ADVANCING
        elif stamp < arrival - self._tolerance:
            self.refused = OLD
        elif stamp > arrival + self._tolerance:
            self.refused = FUTURE
        if self.refused is None:
            self._arrival = arrival
        if self.refused is None or command == self._zero:
            self._command = command
            self._zeros = self._zeros + 1 if command == self._zero else 0

    def command(self, now: int) -> CommandT | None:
        """Return what is commanded now (ns), or None where no message that counts is fresh."""
        if self._arrival is None or not 0 <= now - self._arrival <= self._timeout:
            return None
        return self._command

    def age(self, now: int) -> int | None:
        """Return the time (ns) since any message came, or None."""
        return None if self._received is None else now - self._received

    def away(self, now: int) -> bool:
        """Return whether the sender has been silent for long, or never spoke."""
        return self._received is None or now - self._received > self._patience

    def died(self, now: int) -> bool:
        """Return whether the sender fell silent while it commanded motion."""
        return self._command != self._zero and self.away(now)

    def at_rest(self, now: int) -> bool:
        """Return whether the sender commands a standstill, as one does that was deactivated, or is away."""
        return self.stands or self.away(now)

    @property
    def stands(self) -> bool:
        """Whether the newest commands, five and more in a row, are zeros."""
        return self._zeros >= _ZEROS_AT_REST

    def rivals(self, now: int) -> bool:
        """Return whether two senders command in turn."""
        return len(self._went_back) == _BACK and now - self._went_back[0] <= SECOND

    def expire(self, now: int) -> None:
        """Obey nothing that came before now (ns), from when on a sender that commanded motion is missed."""
        self._arrival, self._zeros = None, 0
        if self._received is not None:
            self._received = now

    def reset(self) -> None:
        """Begin anew: only what comes from now on counts, and nobody is missed."""
        self._command, self._arrival, self._zeros, self.spoilt = self._zero, None, 0, False
