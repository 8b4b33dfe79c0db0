"""The truth about robots, as rules and judges see it: from the arena, a tracking system, or a recording alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.quick_init import quick_init
from arena_trees.robot.record import TickRecord

__all__ = ["End", "Observation", "Truth", "TruthSample"]


@quick_init
@dataclass(frozen=True, slots=True)
class TruthSample:
    """What is true of one robot at an instant.

    Attributes:
        robot: its name
        now: the instant, ns since the trial's begin
        pose: of base_link, map frame
        twist: velocity, base_link
        contacts: names of what it touches: robots, walls, boxes
        turret: where its turret points, yaw and pitch (rad, base_link); None where it has none
        fired: whether it has fired its weapon since the sample before
    """

    robot: str
    now: int
    pose: Pose2D
    twist: Twist2D = field(default_factory=Twist2D)
    contacts: frozenset[str] = frozenset()
    turret: tuple[float, float] | None = None
    fired: bool = False


Truth = Mapping[str, TruthSample]
"""Robot name to what is true of it; a robot that is not seen is not in it."""


@dataclass(frozen=True, slots=True)
class End:
    """How the rules ended a game.

    Attributes:
        outcome: one word, such as ``caught``
        reason: what ended it, a phrase
        now: when, ns since the trial's begin
    """

    outcome: str
    reason: str
    now: int


@quick_init
@dataclass(frozen=True, slots=True)
class Observation:
    """All that a judge sees of one instant.

    Attributes:
        now: the instant, ns since the trial's begin
        step: time from this instant to the next observation, as planned, ns
        truth: of every robot that is seen
        ticks: each robot's account of its tick of this instant; none of a robot whose computer is dead
        messages: what robots and rules sent since the observation before, in that order
        state: what the rules would now send to a newcomer; from outside, the newest that they sent. None without rules
        end: how the rules have ended the game, or None
        carried: robots that were carried away since the observation before
    """

    now: int
    step: int
    truth: Truth
    ticks: Mapping[str, TickRecord] = field(default_factory=dict)
    messages: Sequence[Message] = ()
    state: GameMessage | None = None
    end: End | None = None
    carried: frozenset[str] = frozenset()
