"""The light ring of a Create 3: six lights, their colours and animations, and what is to be seen at an instant.

Document 002, algorithm 7: a static colour is one frame for all six lights, an animation a sequence of
frames, and a new command overrides a running animation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from arena_trees.robot.clock import from_seconds

__all__ = ["FRAME_TIME", "LEDS", "LIGHTS", "OFF", "Colour", "Frame", "Light", "LightPlayer"]

Colour = tuple[int, int, int]
"""Red, green and blue, 0 to 255 each."""

Frame = tuple[Colour, ...]
"""One colour for each of the six lights, in the order of the base's message."""

LEDS = 6
FRAME_TIME = 0.15
"""How long a frame of an animation is seen, s."""

_FRAME_NS = from_seconds(FRAME_TIME)


@dataclass(frozen=True, slots=True)
class Light:
    """A colour or an animation.

    Attributes:
        name: as the table of shows names it
        frames: seen one after the other for :data:`FRAME_TIME` each, and again from the first; a single one
            is a static colour, and none gives the ring back to the base
        seconds: how long all of it is seen; then the base has its ring back
    """

    name: str
    frames: tuple[Frame, ...]
    seconds: float

    def __post_init__(self) -> None:
        if any(len(frame) != LEDS for frame in self.frames):
            raise ValueError(f"light {self.name}: a frame has {LEDS} colours")
        if any(part not in range(256) for frame in self.frames for colour in frame for part in colour):
            raise ValueError(f"light {self.name}: a colour has three numbers from 0 to 255")


class LightPlayer:
    """What the ring shows. Never two things at once: a light that is let in ends the one before.

    A light of the same or a higher priority overrides; a lower one is refused while another is seen. Keeps
    no clock of its own: every instant is given, ns of a clock that does not go back.
    """

    def __init__(self) -> None:
        self._light: Light | None = None
        self._priority = 0
        self._started = 0
        self._ends = 0

    def show(self, light: Light, priority: int, now: int) -> bool:
        """Show a light from now on; return whether it was let in.

        Args:
            light: :data:`OFF` ends whatever is seen, of any priority
            priority: the higher, the more important
            now: ns
        """
        if light.frames and priority < self._priority and self.frame(now) is not None:
            return False
        self._light = light if light.frames else None
        self._priority = priority
        self._started = now
        self._ends = now + from_seconds(light.seconds)
        return True

    def release(self) -> None:
        """Give the ring back to the base."""
        self._light = None

    def frame(self, now: int) -> Frame | None:
        """Return what is to be seen at an instant (ns); None where the ring is the base's."""
        light = self._light
        if light is None or now >= self._ends:
            return None
        return light.frames[(now - self._started) // _FRAME_NS % len(light.frames)]

    def next_change(self, now: int) -> int | None:
        """Return the first instant after now (both ns) at which another frame begins, or the ring is released.

        None where the ring is the base's already.
        """
        if self._light is None or now >= self._ends:
            return None
        if len(self._light.frames) == 1:
            return self._ends
        return min(self._ends, self._started + ((now - self._started) // _FRAME_NS + 1) * _FRAME_NS)


_BLACK = (0, 0, 0)
_WHITE = (255, 255, 255)
_YELLOW = (255, 200, 0)
_ORANGE = (255, 120, 0)
_RED = (255, 0, 0)
_GREEN = (0, 255, 0)
_CYAN = (0, 200, 255)
_BLUE = (0, 60, 255)
_VIOLET = (90, 0, 160)
_PINK = (255, 80, 160)


def _all(colour: Colour) -> Frame:
    return (colour,) * LEDS


def _steady(colour: Colour) -> tuple[Frame, ...]:
    return (_all(colour),)


def _blink(*colours: Colour) -> tuple[Frame, ...]:
    """Return frames with the whole ring in one colour after the other."""
    return tuple(_all(colour) for colour in colours)


def _spin(colour: Colour, ground: Colour = _BLACK, lit: int = 1) -> tuple[Frame, ...]:
    """Return frames in which so many neighbouring lights run around the ring."""
    return tuple(
        tuple(colour if (led - first) % LEDS < lit else ground for led in range(LEDS)) for first in range(LEDS)
    )


def _fill(colour: Colour, ground: Colour = _BLACK) -> tuple[Frame, ...]:
    """Return frames in which one light after the other gets the colour."""
    return tuple(tuple(colour if led <= last else ground for led in range(LEDS)) for last in range(LEDS))


def _drain(colour: Colour) -> tuple[Frame, ...]:
    """Return frames in which one light after the other goes out."""
    return (*reversed(_fill(colour)), _all(_BLACK))


def _halves(left: Colour, right: Colour) -> tuple[Frame, ...]:
    """Return frames in which the lights have two colours by turns."""
    one = tuple((left, right)[led % 2] for led in range(LEDS))
    return (one, tuple((right, left)[led % 2] for led in range(LEDS)))


OFF = Light("OFF", (), 0.0)
"""Gives the ring back to the base."""

LIGHTS: Mapping[str, Light] = MappingProxyType(
    {
        light.name: light
        for light in (
            OFF,
            # Wolf and rabbit.
            Light("CHASE", _steady(_ORANGE), 2.0),
            Light("LOST", _steady(_BLUE), 2.0),
            Light("CATCH", _steady(_GREEN), 4.0),
            Light("DEAD", _steady(_WHITE), 6.0),
            Light("BREACH", _steady(_RED), 3.0),
            Light("REST", _steady(_VIOLET), 3.0),
            # PacMan.
            Light("START", (*_fill(_YELLOW), *_spin(_BLACK, _YELLOW), *_blink(_BLACK, _YELLOW)), 8.0),
            Light("PELLET", _steady(_WHITE), 0.3),
            Light("POWER_PELLET", _halves(_BLUE, _WHITE), 3.0),
            Light("GHOST", _spin(_PINK, _CYAN, 3), 1.5),
            Light("GAME_OVER", (*_blink(_RED, _BLACK, _RED, _BLACK), *_drain(_RED)), 5.0),
            Light("WIN", (*_spin(_GREEN, _YELLOW, 2), *_halves(_GREEN, _YELLOW), *_spin(_CYAN, _PINK, 2)), 4.0),
            # The crossing.
            Light("GRANT", _fill(_GREEN), 1.5),
            Light("YIELD", _blink(_ORANGE, _BLACK), 2.0),
            # The engagement.
            Light("LASER", _spin(_RED, lit=2), 0.9),
            Light("HIT", _blink(_WHITE, _RED), 2.0),
        )
    }
)
"""Name to its light."""
