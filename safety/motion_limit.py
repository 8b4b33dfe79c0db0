"""The motion limit: what takes away the motion that makes things worse, and leaves rotation and the way out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.percepts import Percepts
from arena_trees.safety.localisation import Place
from arena_trees.safety.parameters import GateParameters

__all__ = ["Limits", "MotionLimit", "Situation"]

MemoryT = TypeVar("MemoryT")


class Situation(NamedTuple):
    """What motion limits judge by in one step.

    Attributes:
        parameters: of the gate
        percepts: what the robot knows; their clock is the step's
        base: the robot's pose now, odom frame
        motion: the robot's twist now
        place: where the robot is in the map frame; None where no limit needs it, or it is not known
        driven: what was let through in the step before
    """

    parameters: GateParameters
    percepts: Percepts
    base: Pose2D
    motion: Twist2D
    place: Place | None
    driven: Twist2D = ZERO

    @property
    def here(self) -> Pose2D | None:
        """The robot's pose now, map frame, or None."""
        return None if self.place is None else self.place.now_at(self.base)


class MotionLimit(Protocol[MemoryT]):
    """One directional limit of the velocity gate; derive from it, so that what is not specified has its default.

    It has no hidden state. What it learns is its memory: an immutable value that the gate keeps in its own state and
    hands in again, None at first. Whatever a limit answers, the gate only makes a robot slower by it.

    Attributes:
        reason: the name under which the gate tells that the limit acted
        needs_place: whether it needs the robot's place in the map frame; without one the robot stands
        judges_rest: whether it judges the motion that the limits behind it in the list have left, and not the one
            that is wanted. At less speed, one that turns is on a narrower arc: such a limit judges the arc that will
            be driven, and is named only where it takes away still more
        topics: of the messages that it reads out of the percepts
    """

    reason: ClassVar[str]
    needs_place: ClassVar[bool] = False
    judges_rest: ClassVar[bool] = False
    topics: tuple[str, ...] = ()

    def observe(self, memory: MemoryT | None, situation: Situation) -> MemoryT | None:
        """Return the memory with what is new; asked in every step, also where the robot must stand."""
        return memory

    def blind(self, memory: MemoryT | None) -> str | None:
        """Return why the robot must stand for want of what the limit sees by, one of the gate's stops, or None.

        Args:
            memory: after :meth:`observe`
        """
        return None

    @abstractmethod
    def limit(self, memory: MemoryT | None, situation: Situation, wanted: Twist2D) -> tuple[float, MemoryT | None]:
        """Return the greatest speed (m/s, not negative) in the direction of a motion, and the memory.

        Args:
            memory: after :meth:`observe`
            situation: of this step; with a place, where the limit needs one
            wanted: finite, with a linear speed that is not zero
        """
        ...

    def report(self, memory: MemoryT | None, percepts: Percepts) -> Mapping[str, str]:
        """Return what diagnostics tell of it, in words."""
        return {}


Limits = Sequence[MotionLimit[Any]]
"""Motion limits, the worst first."""
