"""What an inbox holds of a crossing's schedulers: one, as a rule."""

from __future__ import annotations

from arena_trees.games.crossroads.messages import Crossing, SchedulerState
from arena_trees.robot.messaging.inbox import Inbox, Received

__all__ = ["obeyed_state", "state_texts", "states_in"]


def states_in(inbox: Inbox) -> tuple[Received[Crossing], ...]:
    """Return the newest state of each scheduler, in the order of arrival; what one tells of another is left out."""
    return tuple(told for told in inbox[Crossing].values() if told.message.scheduler == told.sender)


def obeyed_state(inbox: Inbox) -> Received[Crossing] | None:
    """Return the newest state of the scheduler that robots obey, or None.

    It is the one of the highest epoch, then name, of those that are not STANDBY.
    """
    active = (told for told in states_in(inbox) if told.message.state is not SchedulerState.STANDBY)
    return max(active, key=lambda told: (told.message.epoch, told.message.scheduler), default=None)


def state_texts(inbox: Inbox) -> str:
    """Return what schedulers say, in words; empty before the first word."""
    return "; ".join(str(told.message) for told in states_in(inbox))
