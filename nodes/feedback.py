"""The feedback node: a robot's events as lights and sounds of its Create 3."""

from __future__ import annotations

import sys
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.duration import Duration
from rclpy.node import Node
from std_msgs.msg import String

from arena_trees.games.cues import SHOWS, Note
from arena_trees.nodes.optional_types import optional_type
from arena_trees.nodes.parameters import declare, read
from arena_trees.nodes.process import run
from arena_trees.nodes.qos import COMMAND, EVENTS
from arena_trees.robot.parameters import Parameters, parameter

__all__ = ["Feedback", "FeedbackParameters", "main"]

_LEDS = 6
_FAREWELL = Duration(seconds=0.5)
"""Longest wait at the end for the base to hear that it has its lights back."""


class FeedbackParameters(Parameters):
    """What is shown."""

    lights: bool = parameter(True, "show events on the light ring")
    sounds: bool = parameter(True, "play a tune with events")


class Feedback(Node):
    """Shows the events of :data:`~arena_trees.games.cues.SHOWS`; of others nothing is shown.

    Without irobot_create_msgs nothing is shown at all, which is logged once.

    Topics:
        * ``cues`` (std_msgs/String, reliable, keep last 50) [subscribed]: name of an event
        * ``cmd_lightring`` (irobot_create_msgs/LightringLeds, reliable, keep last 1) [published]
        * ``cmd_audio`` (irobot_create_msgs/AudioNoteVector, reliable, keep last 1) [published]: reliable, as
          the base has needed it since H.1.1

    Parameters:
        those of :class:`FeedbackParameters`
    """

    def __init__(self) -> None:
        super().__init__("feedback")
        declare(self, FeedbackParameters, read_only=True)
        wanted = read(self, FeedbackParameters)
        lights = self._types("light ring", "LightringLeds", "LedColor") if wanted.lights else None
        sounds = self._types("sounds", "AudioNoteVector", "AudioNote") if wanted.sounds else None
        self._ring = None if lights is None else _Ring(self, *lights)
        self._voice = None if sounds is None else _Voice(self, *sounds)
        self.create_subscription(String, "cues", self._show, EVENTS)

    def halt(self) -> None:
        """Give the lights back to the base."""
        if self._ring is not None:
            self._ring.release()
            self._ring.wait()

    def _show(self, message: Any) -> None:
        show = SHOWS.get(message.data)
        if show is None:
            return
        if self._ring is not None:
            self._ring.light(show.colour, show.hold)
        if self._voice is not None and show.tune:
            self._voice.play(show.tune)

    def _types(self, feature: str, whole: str, part: str) -> tuple[Any, Any] | None:
        """Return two message types of the base, or None where they are not installed."""
        found = [optional_type(self, "irobot_create_msgs", "msg", name, feature) for name in (whole, part)]
        return None if None in found else (found[0], found[1])


class _Ring:
    """The light ring; taken from the base while an event is shown, and no longer.

    Args:
        node: whose publisher it is
        lights: type of the message
        colour: type of one light
    """

    def __init__(self, node: Any, lights: Any, colour: Any) -> None:
        self._node = node
        self._lights = lights
        self._colour = colour
        self._clock = Clock(clock_type=ClockType.STEADY_TIME)
        self._timer: Any = None
        self._publisher = node.create_publisher(lights, "cmd_lightring", COMMAND)

    def light(self, colour: tuple[int, int, int], hold: float) -> None:
        """Show a colour for so long (s)."""
        self._stop_timer()
        self._send(colour, ours=True)
        self._timer = self._node.create_timer(hold, self.release, clock=self._clock)

    def release(self) -> None:
        """Give the lights back, where they are ours."""
        if self._timer is not None:
            self._stop_timer()
            self._send((0, 0, 0), ours=False)

    def wait(self) -> None:
        """Wait until the base has heard the last order, but not long."""
        self._publisher.wait_for_all_acked(_FAREWELL)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None

    def _send(self, colour: tuple[int, int, int], ours: bool) -> None:
        red, green, blue = colour
        message = self._lights(override_system=ours)
        message.leds = [self._colour(red=red, green=green, blue=blue) for _ in range(_LEDS)]
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)


class _Voice:
    """The loudspeaker.

    Args:
        node: whose publisher it is
        tune: type of the message
        note: type of one note
    """

    def __init__(self, node: Any, tune: Any, note: Any) -> None:
        self._node = node
        self._tune = tune
        self._note = note
        self._publisher = node.create_publisher(tune, "cmd_audio", COMMAND)

    def play(self, tune: tuple[Note, ...]) -> None:
        """Play a tune instead of what is being played."""
        message = self._tune(append=False)
        message.notes = [
            self._note(frequency=note.frequency, max_runtime=Duration(seconds=note.duration).to_msg()) for note in tune
        ]
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)


def main() -> None:
    """Run the node."""
    sys.exit(run(Feedback))


if __name__ == "__main__":
    main()
