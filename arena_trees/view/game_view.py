"""A game that is played in the arena, streamed to Foxglove."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any

from foxglove import Context, Parameter, start_server
from foxglove.messages import Log, LogLevel, SceneUpdate
from foxglove.websocket import Capability, ChannelView, Client, ServerListener, WebSocketServer
from py_trees.behaviour import Behaviour

from arena_trees.console.game_parts import GameParts
from arena_trees.console.pace import Pace
from arena_trees.console.tuning import Tuning
from arena_trees.experiments.plan import TrialPlan
from arena_trees.experiments.trial import Trial
from arena_trees.experiments.watching import Together
from arena_trees.games.picture import picture_shapes
from arena_trees.recording.bags.message_buffer import MessageBuffer
from arena_trees.recording.events import Event, EventLister
from arena_trees.recording.traces.encoder import TICKS, TREE
from arena_trees.recording.trial_recorder import Images, TrialRecorder, trial_info_of
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.record import TickRecord
from arena_trees.view.channels import Channels
from arena_trees.view.scene import robot_shapes, scene_update, timestamp
from arena_trees.world.layout_shapes import layout_shapes
from arena_trees.world.palette import robot_colour
from arena_trees.world.shapes import Shape

__all__ = ["LOG", "SCENE", "GameView", "has_pictures"]

LOG, SCENE = "/log", "/scene"

_HOST = "127.0.0.1"
_PERIOD_S = 1.0 / 25.0
"""Time between two parts that are sent."""
_TREE_SCHEMA = {
    "title": "arena_trees.Tree",
    "type": "object",
    "properties": {
        "tick": {"type": "integer"},
        "tip": {"type": "string", "description": "the leaf that runs"},
        "nodes": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "depth": {"type": "integer", "description": "0 for the root"},
                    "status": {"type": "string", "enum": ["INVALID", "RUNNING", "SUCCESS", "FAILURE"]},
                    "feedback": {"type": "string"},
                },
            },
        },
    },
}
_LEVELS = {"fault": LogLevel.Error, "loss": LogLevel.Warning, "gate": LogLevel.Warning, "bump": LogLevel.Warning}
_REFUSED = "refused"
"""Kind of an event that is no recording's: a parameter that was not changed."""


def has_pictures(plan: TrialPlan) -> bool:
    """Return whether the sign camera of any robot is rendered, so that there are pictures to show."""
    return any(robot.sensors.camera.kind == "rendered" for robot in plan.robots.values())


class GameView:
    """Plays a trial and streams it; who makes it closes it, which closes the trial.

    Channels have the topics and messages of the trial's recording (ROS 2 messages as CDR), but that ``/<robot>/tree``
    gives each node's status, as JSON, and takes the place of the recording's ``tree`` and ``ticks``. Besides there are
    ``/scene`` and ``/log``. Instants are those of the simulated clock.

    Attributes:
        channels: that are streamed
        port: on which the server listens, on this machine alone

    Args:
        trial: before its first tick
        scenario: name of what is played
        port: to listen on; 0 for any that is free
        is_tunable: whether parameters may be set; any page of a browser on this machine could

    Raises:
        ConfigError: the port is taken, or there is none of this number
    """

    def __init__(self, trial: Trial, scenario: str, port: int, is_tunable: bool = False) -> None:
        self._trial = trial
        self._is_tunable = is_tunable
        self._lock = threading.Lock()
        self._tuning = Tuning(trial)
        self._events = EventLister()
        self._queued: list[Event] = []
        self._is_end_logged = False
        self._shown: tuple[Shape, ...] | None = None
        self._last_ticks: dict[str, int] = {}
        self._colours = {name: robot_colour(number) for number, name in enumerate(trial.loops)}
        self._nodes = {name: tuple(_depths(loop.tree.root)) for name, loop in trial.loops.items()}
        with ExitStack() as stack:
            stack.callback(trial.close)
            context = Context()
            self.channels = Channels(context)
            stack.callback(self.channels.close)
            self._parts = GameParts(trial, scenario)
            images: Images = "whole" if has_pictures(trial.plan) else "none"
            info = trial_info_of(trial, scenario)
            self._recorder = TrialRecorder(MessageBuffer, trial, info, images, live=True)
            trial.observer = Together((self._parts, self._recorder))
            self._add_channels()
            listener = _Listener(self.channels.subscribed, self.parameters, self.change)
            self._server = _started(scenario, port, context, listener)
            stack.callback(self._server.stop)
            trial.begin()
            self._stack = stack.pop_all()

    @property
    def port(self) -> int:
        """Port on which the server listens."""
        return self._server.port

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._trial.judge.over or bool(self._trial.broken)

    def play(self, speed: float = 1.0, until: Callable[[], bool] = lambda: False) -> None:
        """Play, and go on to serve the last state where the game has ended.

        Args:
            speed: simulated seconds a second, more than 0
            until: asked between two parts whether to return
        """
        self.send()
        pace, sent = Pace(speed), time.perf_counter()
        while not until():
            now = time.perf_counter()
            if now - sent >= _PERIOD_S:
                self.send()
                sent = now
            elif self.is_over or now < pace.due:
                next_s = sent + _PERIOD_S if self.is_over else min(pace.due, sent + _PERIOD_S)
                time.sleep(max(0.0, next_s - now))
            else:
                self.step()
                pace.stepped()

    def step(self) -> None:
        """Play one tick."""
        # A parameter is changed between two ticks, never within one.
        with self._lock:
            self._trial.step()

    def send(self) -> None:
        """Send what is new since the last time, and what newcomers need."""
        trial, now = self._trial, self._trial.arena.now
        bag = self._recorder.bag
        for number, instant, data in bag.take():
            topic = bag.topics[number]
            if topic.name not in self.channels.topics:
                continue
            # Where each sensor is mounted comes once, all on one topic.
            self.channels.send(topic.name, data, instant, data if topic.name.endswith("/tf_static") else None)
        self._send_scene(now)
        for name, record in trial.records.items():
            if record.tick != self._last_ticks.get(name):
                self._last_ticks[name] = record.tick
                data = json.dumps(self._tree(name, record)).encode()
                self.channels.send(f"/{name}/{TREE}", data, record.now)
        if self.is_over and not self._is_end_logged:
            self._is_end_logged = True
            self._queued.append(Event(now, "", "game", f"over: {trial.judge.outcome} ({trial.judge.reason})"))
        with self._lock:
            queued, self._queued = self._queued, []
        for event in [*self._events.take(self._parts.take()), *queued]:
            level = LogLevel.Warning if event.kind == _REFUSED else _LEVELS.get(event.kind, LogLevel.Info)
            log = Log(timestamp=timestamp(event.now), level=level, message=event.text, name=event.robot or event.kind)
            self.channels.send(LOG, log.encode(), event.now)
        self.channels.send_again()
        self._server.broadcast_time(now)

    def parameters(self) -> dict[str, Any]:
        """Return the values of all live parameters, by ``<robot>.<key>``."""
        sheets = self._tuning.sheets().items()
        return {f"{name}.{key}": value for name, sheet in sheets for key, value in sheet["values"].items()}

    def change(self, values: Mapping[str, Any]) -> None:
        """Change live parameters before the next tick, each robot's whole or not at all; a refusal is logged.

        Args:
            values: by ``<robot>.<key>``
        """
        wanted: dict[str, dict[str, Any]] = {}
        for name, value in values.items():
            robot, _, key = name.partition(".")
            wanted.setdefault(robot, {})[key] = value
        with self._lock:
            for robot, changes in wanted.items():
                try:
                    if not self._is_tunable:
                        raise ConfigError("parameters may be set where the view was started with --tune")
                    self._tuning.change(robot, changes)
                except ConfigError as error:
                    self._queued.append(Event(self._trial.arena.now, robot, _REFUSED, str(error)))

    def close(self) -> None:
        """Stop the server and close the trial."""
        self._stack.close()

    def _add_channels(self) -> None:
        own = {f"/{name}/{topic}" for name in self._nodes for topic in (TREE, TICKS)}
        for topic in self._recorder.bag.topics:
            if topic.name not in own:
                self.channels.add_ros(topic)
        for name in self._nodes:
            self.channels.add_json(f"/{name}/{TREE}", _TREE_SCHEMA)
        self.channels.add_foxglove(SCENE, SceneUpdate)
        self.channels.add_foxglove(LOG, Log)

    def _send_scene(self, now: int) -> None:
        trial = self._trial
        state = None if trial.host is None else trial.host.rules.state
        world = layout_shapes(trial.layout, self._colours)
        shown = (*world, *picture_shapes(trial.plan.game, trial.judge, state))
        if shown != self._shown:
            self._shown = shown
            self.channels.send(SCENE, scene_update("arena", shown, now).encode(), now, "arena")
        for name, robot in trial.arena.robots.items():
            shapes = robot_shapes(name, trial.plan.robots[name].body, robot.truth.pose, self._colours[name])
            self.channels.send(SCENE, scene_update(name, shapes, now).encode(), now, name)

    def _tree(self, name: str, record: TickRecord) -> dict[str, Any]:
        nodes = [
            {"name": node.name, "depth": depth, "status": node.status.name, "feedback": node.feedback_message}
            for node, depth in self._nodes[name]
        ]
        return {"tick": record.tick, "tip": record.active, "nodes": nodes}


class _Listener(ServerListener):
    """Answers clients, each in a thread of the server.

    Args:
        subscribed: called with the topic of each new subscription
        parameters: gives all values
        change: takes wanted values
    """

    def __init__(
        self,
        subscribed: Callable[[str], None],
        parameters: Callable[[], dict[str, Any]],
        change: Callable[[Mapping[str, Any]], None],
    ) -> None:
        self._subscribed, self._parameters, self._change = subscribed, parameters, change

    def on_subscribe(self, client: Client, channel: ChannelView) -> None:
        self._subscribed(channel.topic)

    def on_get_parameters(
        self, client: Client, param_names: list[str], request_id: str | None = None
    ) -> list[Parameter]:
        values = self._parameters()
        return [Parameter(name, value=values[name]) for name in param_names or values if name in values]

    def on_set_parameters(
        self, client: Client, parameters: list[Parameter], request_id: str | None = None
    ) -> list[Parameter]:
        self._change({parameter.name: parameter.get_value() for parameter in parameters})
        # All, for a value that was refused is to be seen as it still is.
        return self.on_get_parameters(client, [])


def _depths(node: Behaviour, depth: int = 0) -> Iterator[tuple[Behaviour, int]]:
    """Yield a tree's nodes, each before its children, with its distance from the root."""
    yield node, depth
    for child in node.children:
        yield from _depths(child, depth + 1)


def _started(name: str, port: int, context: Context, listener: ServerListener) -> WebSocketServer:
    """Return a server that listens on this machine alone.

    Raises:
        ConfigError: the port is taken, or there is none of this number
    """
    try:
        return start_server(
            name=f"Arena Trees: {name}",
            host=_HOST,
            port=port,
            capabilities=[Capability.Parameters, Capability.Time],
            server_listener=listener,
            context=context,
        )
    except (OSError, OverflowError, RuntimeError) as error:
        raise ConfigError("cannot listen there: it is taken, or no port", key="--port", value=port) from error
