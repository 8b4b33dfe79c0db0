"""The turret: what becomes of its rates."""

from __future__ import annotations

import math

from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.configuration.parameters import parameter
from arena_trees.robot.geometry import wrap
from arena_trees.robot.timing import MAXIMUM_RATE_HZ, TICK
from arena_trees.robot.turret import STEADY, TurretRates
from arena_trees.simulation.sensors.simulated_sensor import SensorTiming
from arena_trees.world.body import Turret

__all__ = ["SimulatedTurret", "TurretParameters"]

_DT = to_seconds(TICK)


class TurretParameters(SensorTiming):
    """Habits of the turret's motors and encoders; how fast and how far it turns is the body's."""

    rate_hz: float = parameter(50.0, "messages a second", "Hz", gt=0, le=MAXIMUM_RATE_HZ)
    latency_s: float = parameter(0.01, "from the measurement to the message's arrival", "s", ge=0, le=5)
    noise_deg: float = parameter(0.03, "standard deviation of an angle", "deg", ge=0, le=5)
    command_timeout_s: float = parameter(0.5, "rates older than this stop the turret", "s", gt=0, le=10)


class SimulatedTurret:
    """Turns by commanded rates: watchdog, limits of rate and acceleration, ends of its ranges; no mass.

    Args:
        turret: how fast and how far it turns
        parameters: of its motors

    Attributes:
        yaw: true angle, rad, in [-pi, pi]
        pitch: true angle, rad, positive upwards
        rates: true rates
    """

    def __init__(self, turret: Turret, parameters: TurretParameters) -> None:
        self.yaw = 0.0
        self.pitch = 0.0
        self.rates = STEADY
        self._turret = turret
        self._timeout = from_seconds(parameters.command_timeout_s)
        self._command = STEADY
        self._commanded_at: int | None = None

    @property
    def angles(self) -> tuple[float, float]:
        """Where it points: yaw and pitch, rad, base_link."""
        return self.yaw, self.pitch

    def command(self, rates: TurretRates, now: int) -> None:
        """Take rates at their arrival (ns); such as are not finite count as standing still."""
        self._command = rates if rates.is_finite else STEADY
        self._commanded_at = now

    def step(self, now: int) -> None:
        """Turn for the tick that begins at ``now`` (ns)."""
        late = self._commanded_at is None or now - self._commanded_at > self._timeout
        wanted, before, turret = STEADY if late else self._command, self.rates, self._turret
        change = turret.acceleration * _DT
        yaw_rate = _towards(before.yaw, wanted.yaw, turret.max_yaw_rate, change)
        pitch_rate = _towards(before.pitch, wanted.pitch, turret.max_pitch_rate, change)
        yaw = self.yaw + 0.5 * (before.yaw + yaw_rate) * _DT
        pitch = self.pitch + 0.5 * (before.pitch + pitch_rate) * _DT
        if turret.max_yaw < math.pi and abs(yaw) >= turret.max_yaw:
            yaw, yaw_rate = math.copysign(turret.max_yaw, yaw), 0.0
        if not turret.min_pitch < pitch < turret.max_pitch:
            pitch, pitch_rate = min(max(pitch, turret.min_pitch), turret.max_pitch), 0.0
        self.yaw, self.pitch, self.rates = wrap(yaw), pitch, TurretRates(yaw_rate, pitch_rate)


def _towards(rate: float, wanted: float, limit: float, change: float) -> float:
    """Return the rate that is reached from another within a tick."""
    wanted = min(max(wanted, -limit), limit)
    return rate + min(max(wanted - rate, -change), change)
