"""What people see and hear when a robot tells an event: the table behind the light ring and the sounds.

To show a further event, add it to :data:`SHOWS` under the name that the tree gives it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

__all__ = ["SHOWS", "Note", "Show"]

_A3, _E4, _A4, _C5, _E5, _A5 = 220, 330, 440, 523, 659, 880


@dataclass(frozen=True, slots=True)
class Note:
    """One tone.

    Attributes:
        frequency: Hz
        duration: s
    """

    frequency: int
    duration: float


@dataclass(frozen=True, slots=True)
class Show:
    """The lights and sounds of one event.

    Attributes:
        colour: red, green and blue of the whole ring, 0 to 255 each
        hold: how long the ring keeps the colour, s; then the robot has its lights back
        tune: tones, in their order; empty for silence
    """

    colour: tuple[int, int, int]
    hold: float
    tune: tuple[Note, ...] = ()


SHOWS: Mapping[str, Show] = MappingProxyType(
    {
        "CHASE": Show((255, 120, 0), 2.0, (Note(_A4, 0.1), Note(_E5, 0.1))),
        "LOST": Show((0, 60, 255), 2.0, (Note(_E4, 0.2),)),
        "CATCH": Show((0, 255, 0), 4.0, (Note(_C5, 0.15), Note(_E5, 0.15), Note(_A5, 0.4))),
        "DEAD": Show((255, 255, 255), 6.0, (Note(_A4, 0.2), Note(_E4, 0.2), Note(_A3, 0.5))),
        "BREACH": Show((255, 0, 0), 3.0, (Note(_A5, 0.15), Note(_A4, 0.15), Note(_A5, 0.15))),
        "REST": Show((90, 0, 160), 3.0),
    }
)
"""Event to its show."""
