"""A turret and its shots in recordings: they come back, and are replayed tick for tick."""

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.recorded import measured, play_with, sensed
from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.recording.bags.decoding import checked, reading
from arena_trees.recording.loading import load_recording
from arena_trees.recording.recording import Recording
from arena_trees.recording.replaying.plan import plan_replay
from arena_trees.recording.replaying.replay import ReplayResult, replay
from arena_trees.recording.traces.decoder import MalformedError
from arena_trees.robot.geometry import ZERO
from arena_trees.robot.percepts import Readings
from arena_trees.robot.record import TickRecord
from arena_trees.robot.turret import STEADY, TurretRates
from arena_trees.sensors.turret.sensor import SENSOR


class Sweep(ActionBehaviour):
    """Turns the turret to and fro by its own encoders, and fires at each turn."""

    def __init__(self, robot: str) -> None:
        super().__init__("Sweep", robot, ("turret",))
        self._way = 4.0

    def update(self) -> Status:
        state = self.percepts.turret
        if state is not None and state.yaw * self._way > 0.4 * abs(self._way):
            self._way = -self._way
            self.fire()
        self.aim(self._way, 0.1 * self._way)
        return Status.RUNNING


def sweeping(robot: str, *_: Any) -> Sweep:
    return Sweep(robot)


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> tuple[list[TickRecord], list[Readings], Recording]:
    """Play a wolf with a turret; return its records and readings, and what was recorded."""
    changes = {"seed": 5, "duration_s": 4.0, "wolf.body": {"turret": {}, "barrel": {}}}
    records, readings, path = play_with(tmp_path_factory.mktemp("turret"), {"wolf": sweeping}, "wolf", 200, changes)
    assert sum(record.fired for record in records) >= 3
    return records, readings, load_recording(path)


def again(recording: Recording) -> ReplayResult:
    return replay(plan_replay(recording, "wolf", create_root=sweeping))


def test_encoders_come_back_to_the_last_bit(played):
    _, readings, recording = played
    got = recording.robots["wolf"].more["turret"]
    assert len(got) > 150
    assert measured(got) == sensed(readings, "turret")
    assert "turret" not in recording.robots["rabbit"].more


def test_what_was_asked_and_done_comes_back(played):
    records, _, recording = played
    ticks = recording.robots["wolf"].ticks
    for tick, record in zip(ticks, records, strict=True):
        assert (tick.trigger, tick.fired) == (record.trigger, record.fired)
        assert (tick.aim is None) == (record.aim is None)
        assert tick.turret.yaw == pytest.approx(record.turret.yaw, abs=1e-8)
        assert tick.turret.pitch == pytest.approx(record.turret.pitch, abs=1e-8)
    assert max(tick.turret.yaw for tick in ticks) == 3.0 and min(tick.turret.yaw for tick in ticks) == -3.0
    assert any("turret cap" in tick.reasons for tick in ticks)
    rabbit = recording.robots["rabbit"].ticks
    assert {(tick.aim, tick.turret, tick.trigger, tick.fired) for tick in rabbit} == {(None, STEADY, False, False)}


def test_it_is_replayed_tick_for_tick(played):
    result = again(played[2])
    assert result.first is None, result.first and result.first.differences
    assert result.compared == 200 and not result.notes


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"aim": TurretRates(1.0, 0.0)}, "aim +1.000000 rad/s +0.000000 rad/s, now +4.000000 rad/s +0.400000 rad/s"),
        ({"turret": TurretRates(1.0, 0.0)}, "turret +1.000000 rad/s +0.000000 rad/s, now"),
        ({"trigger": True}, "trigger True, now none"),
        ({"fired": True}, "fired True, now none"),
    ],
)
def test_the_first_difference_is_told(played, change: dict[str, Any], told: str):
    recording = played[2]
    wolf = recording.robots["wolf"]
    ticks = [replace(tick, **change) if tick.number == 6 else tick for tick in wolf.ticks]
    result = again(replace(recording, robots={"wolf": replace(wolf, ticks=ticks)}))
    assert result.first is not None and result.first.tick == 6
    assert result.first.differences[0].startswith(told)
    assert result.different == 1


def test_a_body_without_a_turret_replays_otherwise(played):
    recording = played[2]
    wolf = replace(recording.robots["wolf"], body=recording.robots["rabbit"].body)
    result = again(replace(recording, robots={"wolf": wolf}))
    assert result.first is not None and any("turret" in difference for difference in result.first.differences)


class Joints:
    """A message of joint states."""

    def __init__(self, **values: float) -> None:
        self.header = SimpleNamespace(stamp=SimpleNamespace(sec=0, nanosec=1))
        self.name = list(values)
        self.position = list(values.values())
        self.velocity: list[float] = []


def test_joints_may_come_in_any_order_and_without_velocities():
    joints = Joints(wheel=9.0, turret_pitch_joint=0.2, turret_yaw_joint=-1.0)
    state = checked(SENSOR, reading(joints, 2, 3, SENSOR.ros))
    assert (state.yaw, state.pitch, state.rates) == (-1.0, 0.2, STEADY)


@pytest.mark.parametrize(
    "joints",
    [
        Joints(turret_yaw_joint=0.1),
        Joints(turret_yaw_joint=math.nan, turret_pitch_joint=0.0),
        Joints(turret_yaw_joint=4.0, turret_pitch_joint=0.0),
        Joints(turret_yaw_joint=0.0, turret_pitch_joint=1.6),
    ],
    ids=["a joint is missing", "not finite", "no angle", "over the head"],
)
def test_what_is_no_turret_is_refused(joints: Joints):
    with pytest.raises(MalformedError, match=r"not finite|out of range"):
        checked(SENSOR, reading(joints, 2, 3, SENSOR.ros))


def test_the_base_does_not_move(played):
    assert {record.twist for record in played[0]} == {ZERO}
