"""Records a game on ROS from outside, as the arena records its trials."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from arena_trees.experiments.plan import TrialPlan, draw_world
from arena_trees.games.contacts import CONTACTS_TOPIC
from arena_trees.games.game_end import END_TOPIC
from arena_trees.nodes.monitors.raw_subscription import subscribe_raw
from arena_trees.recording.bags import cdr
from arena_trees.recording.bags.bag import EMPTY
from arena_trees.recording.bags.robot_writer import robot_topics
from arena_trees.recording.bags.writer import BagWriter, Topic
from arena_trees.recording.info import INFO
from arena_trees.recording.markers import encode_outlines
from arena_trees.recording.outlines import layout_outlines
from arena_trees.recording.trial_recorder import MARKERS, message_topics
from arena_trees.robot.ros_messages.gate_decisions import DECISIONS, GATE_INFO
from arena_trees.robot.ros_messages.layout import SHOTS_TOPIC

__all__ = ["GameRecorder"]

_STRING = "std_msgs/msg/String"


class GameRecorder:
    """Subscribes to what robots and rules of a scenario publish, and writes it into a bag, by the game's clock.

    Args:
        node: whose subscriptions they are
        plan: what is played
        index: of the trial
        game_namespace: where the game's messages are
        path: of the rosbag2 directory, which must not exist
        now: returns the game's clock, ns
        info: what ``/recording`` holds, besides what the robots publish of themselves

    Raises:
        RecordingError: the directory exists, or cannot be made
    """

    def __init__(
        self,
        node: Any,
        plan: TrialPlan,
        index: int,
        game_namespace: str,
        path: Path,
        now: Callable[[], int],
        info: Mapping[str, Any],
    ) -> None:
        self._now = now
        self._info = dict(info)
        world = encode_outlines(layout_outlines(plan, draw_world(plan, index).standing))
        self._before: list[tuple[int, bytes]] = [(0, _text(self._info)), (1, world)]
        sent = (*message_topics(plan, game_namespace), f"{game_namespace}/{CONTACTS_TOPIC}")
        subscribed = [Topic(name, _STRING) for name in sent]
        subscribed.append(Topic(f"{game_namespace}/{END_TOPIC}", _STRING, latched=True))
        for name, robot in plan.robots.items():
            subscribed += robot_topics(name, body=robot.body)
            subscribed += [Topic(f"/{name}/{topic}", _STRING, latched=True) for topic in (INFO, GATE_INFO)]
            subscribed.append(Topic(f"/{name}/{DECISIONS}", _STRING))
            subscribed.append(Topic(f"/{name}/{SHOTS_TOPIC}", EMPTY))
        own = [
            Topic(f"/{INFO}", _STRING, latched=True),
            Topic(MARKERS, "visualization_msgs/msg/MarkerArray", latched=True),
        ]
        self._bag = BagWriter(path, [*own, *subscribed])
        for number, topic in enumerate(subscribed, len(own)):
            subscribe_raw(node, topic, partial(self._take, number))

    def end(self, ended: Mapping[str, Any]) -> None:
        """Write how the game ended, and the bag's index."""
        self._take(0, _text({**self._info, "end": {**ended, "failed_messages": self._bag.failed}}))
        self._bag.close()

    def _take(self, topic: int, data: bytes) -> None:
        self._before.append((topic, data))
        now = self._now()
        # What comes before the clock is kept until there is one.
        if now > 0:
            for message in self._before:
                self._bag.write(message[0], now, message[1])
            self._before = []


def _text(info: Mapping[str, Any]) -> bytes:
    return cdr.string(json.dumps(info))
