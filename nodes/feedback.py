"""The feedback node: a robot's events as lights and sounds of its Create 3."""

from __future__ import annotations

import sys
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.duration import Duration
from rclpy.node import Node
from std_msgs.msg import String

from arena_trees.games.registry import game_of_role, load_games
from arena_trees.nodes.adapters.loudspeaker import Loudspeaker
from arena_trees.nodes.runtime.optional_types import optional_type
from arena_trees.nodes.runtime.parameters import declare, read
from arena_trees.nodes.runtime.process import run
from arena_trees.nodes.runtime.qos import COMMAND, EVENTS
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.show.cues import CuePlayer, Show
from arena_trees.robot.show.lights import LEDS, Frame

__all__ = ["Feedback", "FeedbackParameters", "main"]

_LOOK_S = 0.05
"""Between two looks at what the ring shows, while it is ours."""

_FAREWELL_S = 0.5
"""Longest wait at the end for the base to acknowledge that it has its lights back, and again that it is silent."""

_BLACK = ((0, 0, 0),) * LEDS


class FeedbackParameters(Parameters):
    """What is shown."""

    role: str = parameter("", "role of the robot, whose game's events are shown; empty for those of all games")
    lights: bool = parameter(True, "show events on the light ring")
    sounds: bool = parameter(True, "play a tune with events")


class Feedback(Node):
    """Shows the events of the robot's game; of others nothing is shown.

    Without irobot_create_msgs nothing is shown at all, which is logged once.

    Topics:
        * ``cues`` (std_msgs/String, reliable, keep last 50) [subscribed]: name of an event; with ``/light``
          or ``/song`` behind it for this part of its show alone
        * ``cmd_lightring`` (irobot_create_msgs/LightringLeds, reliable, keep last 1) [published]
        * ``cmd_audio`` (irobot_create_msgs/AudioNoteVector, reliable, keep last 1) [published]: reliable, as
          the base has needed it since H.1.1

    Actions:
        * ``audio_note_sequence`` (irobot_create_msgs/AudioNoteSequence) [client]: used where the base offers
          it, ``cmd_audio`` else

    Parameters:
        those of :class:`FeedbackParameters`
    """

    def __init__(self) -> None:
        super().__init__("feedback")
        declare(self, FeedbackParameters, read_only=True)
        wanted = read(self, FeedbackParameters)
        lights = self._types("light ring", "LightringLeds", "LedColor") if wanted.lights else None
        sounds = self._types("sounds", "AudioNoteVector", "AudioNote") if wanted.sounds else None
        # By what the events say when; on a steady clock, for a light must end also where simulated time stands.
        self._clock = Clock(clock_type=ClockType.STEADY_TIME)
        self._player = CuePlayer(_shows(wanted.role))
        self._ring = None if lights is None else _Ring(self, *lights)
        self._speaker = None if sounds is None else Loudspeaker(self, *sounds)
        self._timer: Any = self.create_timer(_LOOK_S, self._update_ring, clock=self._clock)
        self._timer.cancel()
        self._cues = self.create_subscription(String, "cues", self._on_cue, EVENTS)

    def halt(self) -> None:
        """Be silent, and give the lights back to the base."""
        self._timer.cancel()
        self.destroy_subscription(self._cues)
        if self._speaker is not None:
            self._speaker.stop()
        if self._ring is not None:
            self._ring.show(None)
            self._ring.wait()
        if self._speaker is not None:
            # A song that the base takes only now would else go on.
            self._speaker.wait(_FAREWELL_S)

    def destroy_node(self) -> None:
        """End the speaker, and the node."""
        if self._speaker is not None:
            self._speaker.close()
        super().destroy_node()

    def _on_cue(self, message: Any) -> None:
        lit, song = self._player.play(message.data, self._now())
        if song is not None and self._speaker is not None:
            self._speaker.play(song)
        if lit and self._ring is not None:
            self._timer.reset()
            self._update_ring()

    def _update_ring(self) -> None:
        frame = self._player.frame(self._now())
        if self._ring is not None:
            self._ring.show(frame)
        if frame is None:
            self._timer.cancel()

    def _now(self) -> int:
        return int(self._clock.now().nanoseconds)

    def _types(self, feature: str, whole: str, part: str) -> tuple[Any, Any] | None:
        """Return two message types of the base, or None where they are not installed."""
        found = [optional_type(self, "irobot_create_msgs", "msg", name, feature) for name in (whole, part)]
        return None if None in found else (found[0], found[1])


class _Ring:
    """The light ring; taken from the base while something is shown, and no longer.

    Args:
        node: whose publisher it is
        lights: type of the message
        colour: type of one light
    """

    def __init__(self, node: Any, lights: Any, colour: Any) -> None:
        self._node = node
        self._lights = lights
        self._colour = colour
        self._shown: Frame | None = None
        self._publisher = node.create_publisher(lights, "cmd_lightring", COMMAND)

    def show(self, frame: Frame | None) -> None:
        """Show a frame; None gives the lights back, where they are ours. What is shown already is not sent again."""
        if frame == self._shown:
            return
        self._shown = frame
        message = self._lights(override_system=frame is not None)
        message.leds = [self._colour(red=red, green=green, blue=blue) for red, green, blue in frame or _BLACK]
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)

    def wait(self) -> None:
        """Wait until the base has acknowledged the last order, but not long."""
        self._publisher.wait_for_all_acked(Duration(seconds=_FAREWELL_S))


def _shows(role: str) -> dict[str, Show]:
    """Return which lights and sounds there are, by event.

    Raises:
        ConfigError: there is no such role
    """
    games = [game_of_role(role)] if role else load_games().values()
    return {event: show for game in games for event, show in game.shows.items()}


def main() -> None:
    """Run the node."""
    sys.exit(run(Feedback))


if __name__ == "__main__":
    main()
