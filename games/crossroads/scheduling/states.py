"""What an inbox holds of a crossing's schedulers: one, as a rule."""

from __future__ import annotations

from arena_trees.games.crossroads.messages import Crossing, SchedulerState
from arena_trees.robot.messaging.inbox import Inbox, Received

__all__ = ["obeyed_state", "state_texts", "states_in"]


def states_in(inbox: Inbox) -> tuple[Received[Crossing], ...]:
    """Return the newest state of each scheduler, in the order of arrival; what one tells of another is left out."""
    return tuple(received for received in inbox[Crossing].values() if received.message.scheduler == received.sender)


def obeyed_state(inbox: Inbox) -> Received[Crossing] | None:
    """Return the newest state of the scheduler that robots obey, or None.

    It is the one of the highest epoch, then name, of those that are not STANDBY.
    """
    active = (received for received in states_in(inbox) if received.message.state is not SchedulerState.STANDBY)
    return max(active, key=lambda received: (received.message.epoch, received.message.scheduler), default=None)


def state_texts(inbox: Inbox) -> str:
    """Return what schedulers say, in words; empty before the first word."""
    return "; ".join(str(received.message) for received in states_in(inbox))
