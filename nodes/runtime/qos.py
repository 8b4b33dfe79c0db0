"""Quality of service by meaning. A best-effort subscription receives from reliable and best-effort publishers alike."""

from __future__ import annotations

from typing import Literal

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy

__all__ = ["COMMAND", "EVENTS", "LATCHED", "RECENT", "RELIABLE_SENSOR", "SENSOR", "Reliability", "sensor_qos"]

Reliability = Literal["best_effort", "reliable"]


def _profile(
    reliability: ReliabilityPolicy, depth: int, durability: DurabilityPolicy = DurabilityPolicy.VOLATILE
) -> QoSProfile:
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST, depth=depth, reliability=reliability, durability=durability
    )  # fmt: skip


SENSOR = _profile(ReliabilityPolicy.BEST_EFFORT, 1)
"""The newest value of a sensor; one that is lost is not sent again, because the next is better."""

RELIABLE_SENSOR = _profile(ReliabilityPolicy.RELIABLE, 5)
"""As the Create 3 publishes its sensors: sensor data, reliably."""

COMMAND = _profile(ReliabilityPolicy.RELIABLE, 1)
"""Velocities: the newest only, and not lost."""

EVENTS = _profile(ReliabilityPolicy.RELIABLE, 50)
"""Things that happen once: cues and messages."""

LATCHED = _profile(ReliabilityPolicy.RELIABLE, 1, DurabilityPolicy.TRANSIENT_LOCAL)
"""The newest value of a state, also for those who come later."""


RECENT = _profile(ReliabilityPolicy.RELIABLE, 50, DurabilityPolicy.TRANSIENT_LOCAL)
"""Things that happen once, the last of which also reach those who come later."""


def sensor_qos(reliability: Reliability) -> QoSProfile:
    """Return the profile of a sensor's publisher of that reliability, with a depth of 1."""
    return SENSOR if reliability == "best_effort" else _profile(ReliabilityPolicy.RELIABLE, 1)
