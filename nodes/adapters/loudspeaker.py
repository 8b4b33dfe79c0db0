"""The loudspeaker of a Create 3: songs by its action where the base offers it, by its topic else."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.action import ActionClient
from rclpy.duration import Duration

from arena_trees.nodes.runtime.optional_types import optional_type
from arena_trees.nodes.runtime.qos import COMMAND
from arena_trees.robot.show.songs import Song

__all__ = ["Loudspeaker"]


class Loudspeaker:
    """Plays one song at a time; a new one takes the place of the one before. Nothing but :meth:`wait` waits.

    Topics:
        * ``cmd_audio`` (irobot_create_msgs/AudioNoteVector, reliable, keep last 1) [published]

    Actions:
        * ``audio_note_sequence`` (irobot_create_msgs/AudioNoteSequence) [client]

    Args:
        node: whose publisher and client they are
        tune: type of the message
        note: type of one note
    """

    def __init__(self, node: Any, tune: Any, note: Any) -> None:
        self._node = node
        self._tune = tune
        self._note = note
        self._publisher = node.create_publisher(tune, "cmd_audio", COMMAND)
        self._action: Any = optional_type(node, "irobot_create_msgs", "action", "AudioNoteSequence", "sounds by action")
        self._client = None if self._action is None else ActionClient(node, self._action, "audio_note_sequence")
        self._number = 0
        self._goal: Any = None
        self._unanswered: set[Any] = set()

    def play(self, song: Song) -> None:
        """Play a song instead of what is being played."""
        self.stop()
        message = self._message(song)
        if self._client is None or not self._client.server_is_ready():
            self._publisher.publish(message)
            return
        goal = self._action.Goal(iterations=1, note_sequence=message)
        self._await(self._client.send_goal_async(goal), partial(self._take_answer, self._number, message))

    def stop(self) -> None:
        """End the song that is played by the action, also one that the base has not acknowledged yet."""
        self._number += 1
        if self._goal is not None:
            self._await(self._goal.cancel_goal_async())
            self._goal = None

    def wait(self, patience_s: float) -> None:
        """Let the executor work until the base has answered all it was asked, or so much time (s) has passed."""
        end = time.monotonic() + patience_s
        while self._unanswered and (left_s := end - time.monotonic()) > 0:
            self._node.executor.spin_once(timeout_sec=left_s)

    def close(self) -> None:
        """End the action's client, which rclpy leaves where it is when its node ends."""
        if self._client is not None:
            self._client.destroy()

    def _take_answer(self, number: int, message: Any, answer: Any) -> None:
        goal = answer.result()
        if number != self._number:
            if goal.accepted:
                self._await(goal.cancel_goal_async())
        elif goal.accepted:
            self._goal = goal
        else:
            # It may be at the end of another song still.
            self._publisher.publish(message)

    def _await(self, answer: Any, take: Callable[[Any], object] = lambda answer: None) -> None:
        """Count an answer among those that are still to come, until it has been taken."""

        def take_and_forget(answer: Any) -> None:
            take(answer)
            self._unanswered.discard(answer)

        self._unanswered.add(answer)
        answer.add_done_callback(take_and_forget)

    def _message(self, song: Song) -> Any:
        message = self._tune(append=False)
        message.notes = [
            self._note(frequency=round(note.frequency), max_runtime=Duration(seconds=note.seconds).to_msg())
            for note in song.notes
        ]
        message.header.stamp = self._node.get_clock().now().to_msg()
        return message
