"""A microphone that hears its robot's own motors: a sensor with a message type that ROS 2 does not have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import arena_trees as at


@dataclass(frozen=True, slots=True)
class SoundLevel(at.Stamped):
    """How loud it is, dB."""

    level: float


class Microphone(at.PeriodicSensor[SoundLevel]):
    """Louder the faster its robot drives."""

    def __init__(self, parameters: at.SensorTiming, surroundings: at.Surroundings) -> None:
        super().__init__(parameters.rate_hz, parameters.latency_s, surroundings.rng)
        self._rng = surroundings.rng

    def measure(self, truth: at.RobotTruth, times: tuple[int, int, int]) -> SoundLevel:
        """Return the level at the robot."""
        return SoundLevel(*times, 40.0 + 60.0 * abs(truth.twist.linear) + float(self._rng.standard_normal()))


def reading(message: Any, times: tuple[int, int, int]) -> SoundLevel:
    """Return what is in a message."""
    return SoundLevel(*times, message.level)


SENSOR = at.Sensor(
    key="sound_level",
    description="how loud it is at the robot",
    reading=SoundLevel,
    carried=lambda body: body.lidar,
    ros=at.RosTopic(
        topic="microphone/level",
        type="some_lab_msgs/msg/SoundLevel",
        definition="std_msgs/Header header\nfloat32 level\n",
        reading=reading,
        fields=lambda sound: {"level": sound.level},
        frame="microphone_link",
    ),
    simulated="helpers.sound_level:SIMULATED",
    quantities={"level": at.Quantity(value=lambda sound: sound.level, unit="dB", step=0.1, limits=(0.0, 150.0))},
    shown=lambda sound: f"{sound.level:.0f} dB",
)
SIMULATED = at.SimulatedSensor(at.SensorTiming, Microphone)
