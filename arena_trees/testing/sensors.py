"""Checks that a sensor keeps the contract of sensors."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from arena_trees.experiments.plan import TrialPlan, make_plan
from arena_trees.experiments.scenario import apply_changes, find_scenario, load_scenario, scenario_names
from arena_trees.experiments.trial import Trial, run_trial
from arena_trees.perception.writer import PerceptionBlackboardWriter
from arena_trees.recording.bags.message_types import typestore
from arena_trees.recording.bags.serialising import serialised
from arena_trees.recording.loading import load_recording
from arena_trees.recording.replaying.plan import plan_replay
from arena_trees.recording.replaying.replay import replay
from arena_trees.recording.trial_recorder import RecordTrials
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.percepts import Readings
from arena_trees.robot.sensor import RefusedReadingError, RosTopic, Sensor
from arena_trees.robot.sensor_registry import sensors
from arena_trees.robot.stamped import Stamped
from arena_trees.simulation.faults.values import garbage
from arena_trees.testing.trials import play_to_end
from arena_trees.world.body import Body

__all__ = ["check_sensor"]

_TOPIC = re.compile(r"[A-Za-z][A-Za-z0-9_]*(/[A-Za-z][A-Za-z0-9_]*)*")
_PRECISION = 1e-6
"""Relative; a message may carry a number in single precision."""


def check_sensor(sensor: Sensor, *, scenario: str | Path | None = None, duration_s: float = 4.0) -> tuple[str, ...]:
    """Play a game shortly with robots that carry a sensor, and look whether it keeps the contract of sensors.

    A test of a sensor calls it, and nothing else is needed::

        def test_conformance():
            check_sensor(SENSOR)

    Args:
        sensor: to be checked; it must be installed, and the arena must have it
        scenario: name or file; where not given, the first one, by name, in which a robot carries the sensor
        duration_s: time of a trial, s; so long that the sensor measures at least three times

    Returns:
        what was looked at, a phrase each

    Raises:
        AssertionError: the sensor does not keep the contract; the text states in what
        ConfigError: the scenario cannot be used
    """
    key = sensor.key
    assert sensors().get(key) is sensor, f"the sensor installed as {key} is another one"
    assert sensor.simulated, f"{key} is not in the arena"
    plan = _plan(sensor, scenario, duration_s)
    body = plan.robots[_carrier(plan, sensor)].body
    topics = sensor.ros.topics(body)
    assert topics, f"{key}: a robot that carries it has no topic of it"
    for topic in topics:
        _check_topic(sensor, topic)
    readings = _read(plan, sensor).found
    assert len(readings) >= 3, f"{key}: {len(readings)} readings came in {duration_s:g} s"
    _check_readings(sensor, readings)
    again = _read(plan, sensor).found
    assert _equal(readings, again), f"{key}: equal seeds give other readings: something is not drawn from rng"
    for reading in readings:
        _check_message(sensor, reading, body)
    _check_garbage(sensor, readings[-1])
    with tempfile.TemporaryDirectory(prefix="arena-trees-") as folder:
        _check_recorded(sensor, plan, readings, Path(folder))
    _check_silence(sensor, plan)
    return (
        "topic and type are good",
        "readings are stamped, counted and accepted",
        "equal seeds give equal readings",
        "messages carry all of a reading",
        "garbage is refused",
        "readings are recorded and replayed",
        "it falls silent by a fault, and its age grows",
    )


def _check_topic(sensor: Sensor, ros: RosTopic) -> None:
    assert _TOPIC.fullmatch(ros.topic), f"{sensor.key}: {ros.topic!r} is no topic in the robot's namespace"
    assert not ros.frame.startswith("/"), f"{sensor.key}: the frame {ros.frame!r} begins with a slash"
    known = ros.type in typestore().types or ros.definition
    assert known, f"{sensor.key}: {ros.type!r} is no type of ROS 2 Jazzy, and has no definition"


def _plan(sensor: Sensor, scenario: str | Path | None, duration_s: float) -> TrialPlan:
    for name in scenario_names() if scenario is None else (str(scenario),):
        path = find_scenario(name)
        changes: dict[str, Any] = {"duration_s": duration_s, "variants": {}, "faults": []}
        plan = make_plan(apply_changes(load_scenario(path), changes), path, path.parent)
        # Robots of a world of the game's own have no sensors.
        if not plan.has_world and any(sensor.carried(robot.body) for robot in plan.robots.values()):
            return plan
    raise ConfigError(f"no robot of it carries {sensor.key}", key="scenario", value=scenario)


def _carrier(plan: TrialPlan, sensor: Sensor) -> str:
    return next(name for name, robot in plan.robots.items() if sensor.carried(robot.body))


class _Reader:
    """Notes what a robot reads of a sensor; a :class:`~arena_trees.experiments.trial.TrialObserver`.

    Attributes:
        found: each reading
        last: what the robot read in the newest tick
    """

    def __init__(self, name: str, key: str) -> None:
        self.found: list[Stamped] = []
        self.last = Readings(0)
        self._name, self._key = name, key

    def begin(self, trial: Trial) -> None:
        """Do nothing."""

    def tick(self, trial: Trial) -> None:
        """Note what is new, and look whether it is a percept."""
        key, loop = self._key, trial.loops[self._name]
        self.last = loop.readings
        reading = loop.readings.get(key)
        if reading is not None and (not self.found or reading.sequence != self.found[-1].sequence):
            assert reading.arrival <= loop.readings.now, f"{key}: a reading is handed over before it arrives"
            self.found.append(reading)
        assert isinstance(loop.writer, PerceptionBlackboardWriter)
        refused = [what for what in loop.writer.refusals if what.startswith(f"{key}: ")]
        assert not refused, f"what the arena measures is refused: {', '.join(refused)}"
        assert (reading is None) == (loop.percepts.get(key) is None), f"{key}: a reading is no percept"

    def end(self, trial: Trial) -> None:
        """Do nothing."""


def _read(plan: TrialPlan, sensor: Sensor) -> _Reader:
    """Play the first trial of a plan, and return what the first robot that carries a sensor read of it."""
    reader = _Reader(_carrier(plan, sensor), sensor.key)
    trial = Trial(plan, 0)
    try:
        trial.observer = reader
        play_to_end(trial)
    finally:
        trial.close()
    return reader


def _check_readings(sensor: Sensor, readings: Sequence[Stamped]) -> None:
    key = sensor.key
    for reading in readings:
        assert isinstance(reading, sensor.reading), f"{key}: {reading!r} is no {sensor.reading.__name__}"
        for name, quantity in sensor.quantities.items():
            assert isinstance(quantity.value(reading), float | int), f"{key}: {name} is no number"
        assert sensor.shown is None or isinstance(sensor.shown(reading), str), f"{key}: what is shown is no text"
    numbers = [reading.sequence for reading in readings]
    assert numbers == list(range(1, len(readings) + 1)), f"{key}: sequence numbers do not count up from 1"
    for one, other in pairwise(readings):
        assert other.stamp > one.stamp, f"{key}: stamps do not grow"


def _check_message(sensor: Sensor, reading: Stamped, body: Body) -> None:
    """Send a reading through its message twice: the first time a number may lose digits, and never again."""
    once = _sent(sensor, reading, body)
    for name, quantity in sensor.quantities.items():
        before, after = quantity.value(reading), quantity.value(once)
        close = abs(before - after) <= _PRECISION * abs(before) or (before != before and after != after)
        assert close, f"{sensor.key}: {name} is {before!r}, and {after!r} in a message"
    assert _equal(_sent(sensor, once, body), once), f"{sensor.key}: a message does not carry all of {reading!r}"


def _sent(sensor: Sensor, reading: Stamped, body: Body) -> Any:
    """Return what is made of a reading's messages."""
    times = reading.stamp, reading.arrival, reading.sequence
    join, made = sensor.ros.joiner(body), None
    for topic in sensor.ros.topics(body):
        data = serialised(topic.type, reading.stamp, topic.frame, topic.fields(reading))
        message = typestore().deserialize_cdr(data, topic.type)
        place = () if topic.mount is None or not topic.mounted else (topic.mount(reading),)
        made = join(topic.reading(message, times, *place))
    assert made is not None, f"{sensor.key}: the messages of {reading!r} make no reading"
    return replace(made, sequence=reading.sequence)


def _equal(one: Any, other: Any) -> bool:
    """Return whether two values are the same to the last bit, arrays and NaN too."""
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and one.dtype == other.dtype and one.tobytes() == other.tobytes()
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_equal, one, other))
    if is_dataclass(one):
        return type(one) is type(other) and all(
            _equal(getattr(one, field.name), getattr(other, field.name)) for field in fields(one)
        )
    return bool(one == other or (one != one and other != other))


def _check_garbage(sensor: Sensor, reading: Stamped) -> None:
    spoiled = garbage(reading)
    if _equal(spoiled, reading):
        return
    try:
        sensor.checked(spoiled)
    except RefusedReadingError:
        return
    raise AssertionError(f"{sensor.key}: {spoiled!r} is not refused")


def _check_recorded(sensor: Sensor, plan: TrialPlan, readings: Sequence[Stamped], folder: Path) -> None:
    run_trial(plan, 0, watch=RecordTrials(folder))
    recording = load_recording(folder / "trial_000")
    name = _carrier(plan, sensor)
    recorded = recording.robots[name].more.get(sensor.key, ())
    body = plan.robots[name].body
    sent = [replace(_sent(sensor, reading, body), sequence=0) for reading in readings]
    same = _equal([replace(one, sequence=0) for one in recorded], sent)
    assert same, f"{sensor.key}: other readings are recorded than were measured"
    result = replay(plan_replay(recording, name))
    assert result.compared, f"the recording of {name} has no ticks"
    assert not result.different, f"{name} replays otherwise than recorded"


def _check_silence(sensor: Sensor, plan: TrialPlan) -> None:
    name = _carrier(plan, sensor)
    half = plan.scenario.duration_s / 2.0
    fault = {"robot": name, "sensor": sensor.key, "at_s": half}
    silent = replace(plan, scenario=apply_changes(plan.scenario, {"faults": [fault]}))
    last = _read(silent, sensor).last
    reading = last.get(sensor.key)
    assert reading is not None and to_seconds(reading.age(last.now)) > 0.8 * half, f"{sensor.key} does not fall silent"
