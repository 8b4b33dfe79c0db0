"""Names of the blackboard keys under a robot's namespace, ``/<robot>/``.

Percepts are written by the perception writer before each tick; the command, cues, outbox and
tracking are written by behaviours and read by the robot loop after it.
"""

from __future__ import annotations

from functools import lru_cache

from arena_trees.robot.sensor_registry import sensors

__all__ = [
    "AIM", "COMMAND", "CUES", "ENERGY", "FIRE", "GATE", "HOME", "OUTBOX", "OUTPUTS", "TARGET", "TRACKING",
    "namespace", "percept_keys",
]  # fmt: skip

NOW = "now"
SCAN = "scan"
ODOMETRY = "odometry"
POSE = "pose"
GEOFENCE = "geofence"
BUMPERS = "bumpers"
INBOX = "inbox"
FIELDS = (
    NOW, SCAN, ODOMETRY, POSE, GEOFENCE, BUMPERS, INBOX,
)  # fmt: skip
"""Percepts that are attributes of :class:`arena_trees.robot.percepts.Percepts`; those of all other sensors are in its
``more``."""

COMMAND = "command"
"""Twist2D the tree wants now, or None; cleared before each tick."""
AIM = "aim"
"""TurretRates the tree wants now, or None, which holds the turret still; cleared before each tick."""
FIRE = "fire"
"""Whether the tree fires the weapon in this tick; cleared before each tick."""
CUES = "cues"
"""List of Cue of this tick; cleared before each tick."""
OUTBOX = "outbox"
"""List of :class:`~arena_trees.robot.messaging.game_message.GameMessage` to send after this tick.

It is cleared before each tick."""
TRACKING = "tracking"
"""Tracking of this tick, or None; cleared before each tick."""
TARGET = "target"
"""Target that the robot follows, or None; written by the tree's sensing branch."""
ENERGY = "energy"
"""Energy of a robot that tires, 0 to 100; written by its energy leaves."""
HOME = "home"
"""Home pose in the odom frame; written once, from the first odometry."""
GATE = "gate"
"""State of a velocity gate in a process of its own, in words; written by the tree node before each tick."""
OUTPUTS = (COMMAND, AIM, FIRE, CUES, OUTBOX, TRACKING)


@lru_cache(maxsize=1)
def percept_keys() -> tuple[str, ...]:
    """Return every percept's key.

    Raises:
        ConfigError: a sensor of another package cannot be used
    """
    return (*FIELDS, *sensors())


def namespace(robot: str) -> str:
    """Return the blackboard namespace of a robot."""
    return f"/{robot}"
