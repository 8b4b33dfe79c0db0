"""The turret's joints as a sensor."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from arena_trees.robot.sensor import Quantity, RosTopic, Sensor, Times
from arena_trees.robot.stamped import Stamped
from arena_trees.robot.turret import STEADY, TurretRates

__all__ = ["SENSOR", "TURRET_JOINTS", "TURRET_TOPIC", "TurretState"]

TURRET_TOPIC = "turret/joint_states"
TURRET_JOINTS = ("turret_yaw_joint", "turret_pitch_joint")
"""Of a turret, in its ``sensor_msgs/JointState``; a positive pitch points upwards."""

_HALF_TURN = math.pi + 1e-6
_FASTEST = 100.0
"""rad/s; what is faster is a broken number."""


@dataclass(frozen=True, slots=True)
class TurretState(Stamped):
    """Where a turret points, relative to base_link, as its encoders say.

    Attributes:
        yaw: rad, counter-clockwise positive, in [-pi, pi]
        pitch: rad, positive upwards
        rates: how it turns
    """

    yaw: float
    pitch: float
    rates: TurretRates = STEADY

    def __str__(self) -> str:
        return f"yaw {math.degrees(self.yaw):+.1f} deg, pitch {math.degrees(self.pitch):+.1f} deg"


def reading(message: Any, times: Times) -> TurretState:
    """Return where a turret points, in a ``sensor_msgs/JointState``; NaN for a joint that is not in it.

    Where no velocities are given, the turret is taken to stand still.
    """
    yaw, pitch = (_joint(message, joint, message.position) for joint in TURRET_JOINTS)
    if not len(message.velocity):
        return TurretState(*times, yaw, pitch)
    return TurretState(
        *times, yaw, pitch, TurretRates(*(_joint(message, joint, message.velocity) for joint in TURRET_JOINTS))
    )


def _joint(message: Any, joint: str, values: Any) -> float:
    names = list(message.name)
    at = names.index(joint) if joint in names else len(values)
    return float(values[at]) if at < len(values) else math.nan


def fields(turret: TurretState) -> dict[str, Any]:
    """Return the fields of a ``sensor_msgs/JointState``."""
    rates = turret.rates
    return {
        "name": list(TURRET_JOINTS),
        "position": [turret.yaw, turret.pitch],
        "velocity": [rates.yaw, rates.pitch],
    }


SENSOR = Sensor(
    key="turret",
    description="the turret, of a body that has one",
    reading=TurretState,
    carried=lambda body: body.turret is not None,
    stale_s=0.3,
    ros=RosTopic(topic=TURRET_TOPIC, type="sensor_msgs/msg/JointState", reading=reading, fields=fields),
    simulated="arena_trees.sensors.turret.simulated:SIMULATED",
    quantities={
        "yaw": Quantity(value=lambda turret: turret.yaw, unit="rad", limits=(-_HALF_TURN, _HALF_TURN)),
        "pitch": Quantity(value=lambda turret: turret.pitch, unit="rad", limits=(-math.pi / 2.0, math.pi / 2.0)),
        "yaw rate": Quantity(value=lambda turret: turret.rates.yaw, unit="rad/s", limits=(-_FASTEST, _FASTEST)),
        "pitch rate": Quantity(value=lambda turret: turret.rates.pitch, unit="rad/s", limits=(-_FASTEST, _FASTEST)),
    },
    always_counted=True,
)
