"""What is said at a crossing, with defaults for what a test does not care about."""

from typing import Any

from arena_trees.games.crossroads.messages import (
    Approach,
    Claim,
    Crossing,
    CrossingRequest,
    Holder,
    SchedulerState,
    Stage,
    Turn,
    Urgency,
)
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.robot.messaging.inbox import Received
from arena_trees.robot.messaging.messages import Message


def claim(
    robot: str,
    approach: Approach,
    turn: Turn,
    stage: Stage = Stage.WAITING,
    kind: type[Claim] = CrossingRequest,
    **more: Any,
) -> Claim:
    """Return what a robot says in its first life, with its first request."""
    values: dict[str, Any] = {
        "epoch": 1,
        "sequence": 1,
        "request": 1,
        "urgency": Urgency.NORMAL,
        "first": False,
        "progress": 0.0,
        "waited": 0.0,
        "lease": 0.0,
        "scheduler": None,
        "heard": (),
        **more,
    }
    return kind(robot=robot, stage=stage, approach=approach, movement=turn, **values)


def holder(robot: str, approach: Approach, turn: Turn, request: int = 1, **more: Any) -> Holder:
    """Return one who holds the crossing, in its first life."""
    values = {"epoch": 1, "progress": 0.0, "answers": 0, "lease": 0.0, **more}
    return Holder(robot=robot, request=request, approach=approach, turn=turn, **values)


def crossing(
    scheduler: str = "s", epoch: int = 1, sequence: int = 1, holders: tuple[Holder, ...] = (), **more: Any
) -> Crossing:
    """Return the state that an open scheduler tells."""
    values = {"state": SchedulerState.OPEN, "done": (), **more}
    return Crossing(scheduler=scheduler, epoch=epoch, sequence=sequence, holders=holders, **values)


def heard(message: GameMessage, sender: str, now: int = 0, epoch: int = 0, sequence: int = 1) -> Received[Any]:
    """Return a message as it is heard at the instant (ns) at which it was sent."""
    return Received(message, sender, epoch, sequence, now, now)


def carried(message: GameMessage, sender: str, now: int = 0, epoch: int = 0, sequence: int = 1) -> Message:
    """Return a message as it is sent (now: ns)."""
    return Message(message.topic, sender, epoch, sequence, now, message.encode())
