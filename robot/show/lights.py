"""The light ring of a Create 3: six lights, their colours and animations, and what is to be seen at an instant.

As in the source system, a static colour is one frame for all six lights, an animation a sequence of
frames, and a new command overrides a running animation.
"""

from __future__ import annotations

from dataclasses import dataclass

from arena_trees.robot.clock import from_seconds

__all__ = [
    "BLACK",
    "BLUE",
    "CYAN",
    "FRAME_TIME",
    "GREEN",
    "LEDS",
    "OFF",
    "ORANGE",
    "PINK",
    "RED",
    "VIOLET",
    "WHITE",
    "YELLOW",
    "Colour",
    "Frame",
    "Light",
    "LightPlayer",
    "blink",
    "drain",
    "fill",
    "halves",
    "spin",
    "steady",
    "whole",
]

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
        name: for people and results files
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

    def frame(self, now: int) -> Frame | None:
        """Return what is to be seen at an instant (ns); None where the ring is the base's."""
        light = self._light
        if light is None or now >= self._ends:
            return None
        return light.frames[(now - self._started) // _FRAME_NS % len(light.frames)]


BLACK = (0, 0, 0)
WHITE = (255, 255, 255)
YELLOW = (255, 200, 0)
ORANGE = (255, 120, 0)
RED = (255, 0, 0)
GREEN = (0, 255, 0)
CYAN = (0, 200, 255)
BLUE = (0, 60, 255)
VIOLET = (90, 0, 160)
PINK = (255, 80, 160)


def whole(colour: Colour) -> Frame:
    """Return the frame with the whole ring in one colour."""
    return (colour,) * LEDS


def steady(colour: Colour) -> tuple[Frame, ...]:
    """Return the one frame of a static colour."""
    return (whole(colour),)


def blink(*colours: Colour) -> tuple[Frame, ...]:
    """Return frames with the whole ring in one colour after the other."""
    return tuple(whole(colour) for colour in colours)


def spin(colour: Colour, ground: Colour = BLACK, lit: int = 1) -> tuple[Frame, ...]:
    """Return frames in which so many neighbouring lights run around the ring."""
    return tuple(
        tuple(colour if (led - first) % LEDS < lit else ground for led in range(LEDS)) for first in range(LEDS)
    )


def fill(colour: Colour, ground: Colour = BLACK) -> tuple[Frame, ...]:
    """Return frames in which one light after the other gets the colour."""
    return tuple(tuple(colour if led <= last else ground for led in range(LEDS)) for last in range(LEDS))


def drain(colour: Colour) -> tuple[Frame, ...]:
    """Return frames in which one light after the other goes out."""
    return (*reversed(fill(colour)), whole(BLACK))


def halves(left: Colour, right: Colour) -> tuple[Frame, ...]:
    """Return frames in which the lights have two colours by turns."""
    one = tuple((left, right)[led % 2] for led in range(LEDS))
    return (one, tuple((right, left)[led % 2] for led in range(LEDS)))


OFF = Light("OFF", (), 0.0)
"""Gives the ring back to the base."""
