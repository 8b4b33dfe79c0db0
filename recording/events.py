"""Events: what of a recording a person wants to jump to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from arena_trees.games.registry import load_games
from arena_trees.recording.recording import Recording, RobotRecording
from arena_trees.recording.sensor_dropouts import dropouts_of
from arena_trees.robot.clock import from_seconds, to_seconds

__all__ = ["KINDS", "Event", "EventLister", "list_events"]

KINDS = ("game", "message", "loss", "cue", "fault", "parameter", "bump", "silence", "gate")
"""Kinds of event, the weightiest for a reader first."""

_LOST = "LOST"
_PAUSE = from_seconds(0.5)
"""A reason of the gate that comes again within this time is the same event: at a limit it flickers."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event.

    Attributes:
        now: instant, ns
        robot: name of the robot or rule that it is about; empty where there is none
        kind: one of :data:`KINDS`
        text: for people
    """

    now: int
    robot: str
    kind: str
    text: str


def list_events(recording: Recording) -> list[Event]:
    """Return a recording's events in the order of their instants."""
    events = EventLister().take(recording)
    for robot in recording.robots.values():
        events += _silences(robot, recording)
    return sorted(events, key=lambda event: event.now)


class EventLister:
    """Lists the events of a recording that comes in parts, each later than the one before; no silences."""

    def __init__(self) -> None:
        self._states = {game.state.topic for game in load_games().values() if game.state is not None}
        self._known: dict[tuple[str, str], Any] = {}
        self._latest: dict[tuple[str, str], tuple[int, Mapping[str, Any]]] = {}
        self._faults: dict[str, str | None] = {}
        self._limited: dict[tuple[str, str], int] = {}
        self._pressed: dict[str, frozenset[str]] = {}

    def take(self, part: Recording) -> list[Event]:
        """Return the events of the next part in the order of their instants."""
        events = list(self._of_messages(part))
        for robot in part.robots.values():
            events += self._of_ticks(robot)
            events += self._of_bumpers(robot)
        return sorted(events, key=lambda event: event.now)

    def _of_messages(self, part: Recording) -> Iterator[Event]:
        """Yield each message, but of a game's repeated state only what is new in it, and no things of many parts.

        A message that comes again soon with nothing new but real numbers is no event: it reports how something moves.
        """
        known, latest = self._known, self._latest
        for instant, message in part.messages:
            if message.topic not in self._states:
                before, same = latest.get((message.sender, message.topic), (None, {}))
                fixed = {key: value for key, value in message.payload.items() if not isinstance(value, float)}
                latest[message.sender, message.topic] = instant, fixed
                if before is not None and instant - before < _PAUSE and fixed == same:
                    continue
                text = ": ".join(filter(None, (_words(message.topic), _phrase(message.payload))))
                yield Event(instant, message.sender, "message", text)
                continue
            news = {key: value for key, value in message.payload.items() if known.get((message.sender, key)) != value}
            known.update({(message.sender, key): value for key, value in news.items()})
            reported = {key: value for key, value in news.items() if not isinstance(value, (dict, list))}
            if reported:
                yield Event(instant, message.sender, "game", _phrase(reported))

    def _of_ticks(self, robot: RobotRecording) -> Iterator[Event]:
        for tick in robot.ticks:
            for cue in tick.cues:
                yield Event(tick.now, robot.name, "loss" if cue == _LOST else "cue", _loss(cue, tick.active))
            if tick.fault is not None and tick.fault != self._faults.get(robot.name):
                yield Event(tick.now, robot.name, "fault", tick.fault)
            self._faults[robot.name] = tick.fault
            for key, value in tick.parameters.items():
                yield Event(tick.now, robot.name, "parameter", f"{key} = {value}")
            for reason in tick.reasons:
                if tick.now - self._limited.get((robot.name, reason), -_PAUSE) >= _PAUSE:
                    yield Event(tick.now, robot.name, "gate", reason)
                self._limited[robot.name, reason] = tick.now

    def _of_bumpers(self, robot: RobotRecording) -> Iterator[Event]:
        for bumpers in robot.bumpers:
            new = bumpers.pressed - self._pressed.get(robot.name, frozenset())
            if new:
                yield Event(bumpers.arrival, robot.name, "bump", ", ".join(sorted(new)))
            self._pressed[robot.name] = bumpers.pressed


def _loss(cue: str, active: str) -> str:
    return f"{cue}, {active} runs" if cue == _LOST and active else cue


def _silences(robot: RobotRecording, recording: Recording) -> Iterator[Event]:
    for silence in dropouts_of(robot, recording.start, recording.end):
        length = to_seconds(silence.end - silence.begin)
        yield Event(silence.begin, robot.name, "silence", f"no {silence.sensor} for {length:.1f} s")


def _phrase(payload: Mapping[str, Any]) -> str:
    """Return a payload in words; real numbers, such as where something is, are seen in the arena and left out."""
    return ", ".join(_value_text(_words(key), value) for key, value in payload.items() if not isinstance(value, float))


def _value_text(name: str, value: Any) -> str:
    """Return a named value in words: a yes or no, how many there are, a word, or a number."""
    if value is None or value is False:
        return f"{name}: {'none' if value is None else 'no'}"
    if value is True:
        return f"{name}: yes"
    if isinstance(value, (dict, list)):
        return f"{name}: {len(value)}"
    return f"{name} {_words(str(value))}"


def _words(text: str) -> str:
    return text.replace("_", " ")
