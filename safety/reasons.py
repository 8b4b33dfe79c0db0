"""What the velocity gate's reasons mean: one table, from which ``arena-trees explain`` and the documents are made."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

__all__ = ["REASONS", "GateReason", "Reason"]


class GateReason(str, enum.Enum):
    """Why the velocity gate does not let a command through as it is.

    Each member is its text: it compares, hashes, prints and is written as JSON like the plain string. What each means
    and when it ends is in :data:`REASONS`.
    """

    NO_COMMAND = "no command"
    NO_SCAN = "no scan"
    SCAN_STALE = "scan stale"
    SCAN_FROZEN = "scan frozen"
    NO_RANGES = "no ranges"
    RANGES_STALE = "ranges stale"
    ODOMETRY_STUCK = "odometry stuck"
    LOCALISATION_LOST = "localisation lost"
    LOCALISATION_JUMPED = "localisation jumped"
    CLOCK_WENT_BACK = "clock went back"
    LATCHED = "latched"
    WITHHELD = "withheld"
    GATE_SILENT = "gate silent"
    OBSTACLE = "obstacle"
    UNSEEN = "unseen"
    RANGE = "range"
    FENCE = "fence"
    STOP_LINE = "stop line"
    BUMPER = "bumper"
    SPEED_CAP = "speed cap"
    TURRET_CAP = "turret cap"
    WEAPON_HELD = "weapon held"

    def __str__(self) -> str:
        return self.value


class Reason(NamedTuple):
    """A reason why the gate does not let a command through as it is.

    Attributes:
        kind: ``stop`` where nothing passes, ``directional`` where some motion is taken away, ``cap`` of speeds
        meaning: what has happened
        clears: when it ends
    """

    kind: str
    meaning: str
    clears: str


REASONS: Mapping[GateReason, Reason] = MappingProxyType(
    {
        GateReason.NO_COMMAND: Reason("stop", "no behaviour asked for motion", "with the next command"),
        GateReason.NO_SCAN: Reason("stop", "no scan with a return has come yet", "with the first such scan"),
        GateReason.SCAN_STALE: Reason(
            "stop", "the newest return is older than 0.5 s, or fresh for less than 0.2 s", "by itself"
        ),
        GateReason.SCAN_FROZEN: Reason(
            "stop", "eight scans in a row are identical while the robot moved", "after three that differ"
        ),
        GateReason.NO_RANGES: Reason(
            "stop", "a range sensor of the robot has never been heard", "with the first reading of each of them"
        ),
        GateReason.RANGES_STALE: Reason(
            "stop",
            "the reading of one range sensor is older than 0.3 s, or they are fresh for less than 0.2 s",
            "by itself",
        ),
        GateReason.ODOMETRY_STUCK: Reason(
            "stop",
            "odometry reports the same place although the wheels were to drive 0.15 m or to turn 45 degrees: it is"
            " stuck, or the base does not obey",
            "1 s later, and twice as late each time until odometry moves",
        ),
        GateReason.LOCALISATION_LOST: Reason(
            "stop", "no pose, or older than 0.5 s; only for robots with a fence or a stop line", "by itself"
        ),
        GateReason.LOCALISATION_JUMPED: Reason(
            "stop", "the pose moved 0.5 m or 30 degrees more than the wheels did", "1 s later"
        ),
        GateReason.CLOCK_WENT_BACK: Reason("stop", "the robot's clock ran backwards", "with the next tick"),
        GateReason.LATCHED: Reason(
            "stop", "a fault, a command that is not finite, or an operator's stop", "by a reset only"
        ),
        GateReason.WITHHELD: Reason(
            "stop",
            "the velocity gate, a process of its own, is latched or waits for a standstill: the tree commands one",
            "with a reset of the velocity gate",
        ),
        GateReason.GATE_SILENT: Reason(
            "stop",
            "the velocity gate, a process of its own, has said nothing for 3 s: it hangs or has ended; the tree"
            " commands a standstill",
            "when the gate is back, and released where it has latched",
        ),
        GateReason.OBSTACLE: Reason(
            "directional",
            "something is within the stopping distance on this path",
            "by turning, or when it is gone",
        ),
        GateReason.UNSEEN: Reason(
            "directional",
            "hull would go where the LiDAR has no beams: no way back, and ahead no faster than the bumper forgives; or"
            " where it has lost all its returns at once, as in low sun",
            "by turning until the LiDAR looks there; when the returns come again, or after blind_memory",
        ),
        GateReason.RANGE: Reason(
            "directional",
            "the beam of a range sensor meets something within the stopping distance on this path",
            "by turning, or when it is gone",
        ),
        GateReason.FENCE: Reason(
            "directional",
            "the robot could not stop before its fence, or would not come back inside",
            "by turning inward",
        ),
        GateReason.STOP_LINE: Reason(
            "directional",
            "without a lease the robot could not stop before its stop line",
            "with a lease, or by turning away",
        ),
        GateReason.BUMPER: Reason("directional", "the bumper is pressed; no way forward", "when it is free"),
        GateReason.SPEED_CAP: Reason("cap", "the command was faster than the base", ""),
        GateReason.TURRET_CAP: Reason("cap", "the turret was to turn faster than it can, or the robot has none", ""),
        GateReason.WEAPON_HELD: Reason(
            "cap",
            "a shot was asked for while the gate was latched, its clock went back or its command stream was not to be"
            " trusted, or the robot has no barrel",
            "",
        ),
    }
)
"""Every reason of the gate and of the limits in this folder; a game's own limits say theirs in their docstrings."""
