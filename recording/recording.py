"""Recordings in memory: what a rosbag2 directory holds of the robots in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena_trees.games.contacts import Pairs
from arena_trees.games.truth import End
from arena_trees.recording.clock_line import SAME, ClockLine
from arena_trees.recording.outlines import Outline
from arena_trees.recording.traces.tick import NodeInfo, Tick
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.percepts import Bumpers, Odometry, PoseEstimate
from arena_trees.robot.scan import LaserScan
from arena_trees.robot.stamped import Stamped
from arena_trees.world.body import TURTLEBOT4, Body

__all__ = ["ALONE", "SEQUENCES_OF", "NodeInfo", "Outline", "Recording", "RobotRecording", "Tick"]

ALONE = "robot"
"""Name of a robot without a namespace."""

SEQUENCES_OF = {
    "scan": "scans",
    "odometry": "odometry",
    "pose": "poses",
    "bumpers": "bumpers",
}
"""Attribute of :class:`~arena_trees.robot.percepts.Readings` to that of a :class:`RobotRecording`; other sensors are
in ``more`` of both."""


@dataclass(frozen=True, slots=True)
class RobotRecording:
    """What a recording holds of one robot; each sequence in the order of its arrivals.

    Attributes:
        name: of the robot; its namespace
        role: of the robot, or None where the recording does not say
        tree: its tree's nodes in the order of ``root.iterate()``; empty where the recording has no tree
        ticks: one a tick; empty where the recording has none
        scans: as the sensor gave them
        odometry: as the base gave it
        poses: as the localisation gave them: the robot's own belief, map frame
        truth: instant (ns) and true pose in the map frame; in recordings of the arena only
        bumpers: pressed zones
        commands: instant (ns) and velocity on ``cmd_vel``
        cues: instant (ns) and cue, of its tree and of whoever else gave one
        shots: instants (ns) at which it fired its weapon, where that is no part of its ticks
        more: readings of the sensors that have no attribute here, by their keys
        seen: instants (ns) at which the robot's loop first had each message, by the name of the attribute,
            such as ``scans``, or by the key in ``more``; shape (n,), as long as that
        body: what it is made of; a TurtleBot 4's where the recording has none
        gate: parameters of a gate that was a process of its own, as plain values; empty where it did not publish them
        notes: what could not be read from the recording, or was put right, a sentence each
        namespace: of its topics, without a slash at its end; empty where they have none
        clock: from the bag's clock to the robot's, which all its instants are of
    """

    name: str
    role: str | None = None
    tree: tuple[NodeInfo, ...] = ()
    ticks: Sequence[Tick] = ()
    scans: Sequence[LaserScan] = ()
    odometry: Sequence[Odometry] = ()
    poses: Sequence[PoseEstimate] = ()
    truth: Sequence[tuple[int, Pose2D]] = ()
    bumpers: Sequence[Bumpers] = ()
    commands: Sequence[tuple[int, Twist2D]] = ()
    cues: Sequence[tuple[int, str]] = ()
    shots: Sequence[int] = ()
    more: Mapping[str, Sequence[Stamped]] = field(default_factory=dict)
    seen: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    body: Body = TURTLEBOT4
    gate: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    namespace: str = ""
    clock: ClockLine = SAME

    def streams(self) -> Mapping[str, Sequence[Any]]:
        """Return the readings of every sensor by its key."""
        return {**{key: getattr(self, part) for key, part in SEQUENCES_OF.items()}, **self.more}


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording.

    Attributes:
        path: of the rosbag2 directory
        info: what is on ``/recording``: version, scenario, seed, trial, and each robot's role, fence and
            parameters; empty for a recording of other software
        start: instant of the first message, ns
        end: instant of the last message, ns
        robots: name to robot
        messages: instant of sending (ns) and message between robots and rules, in this order
        ends: instant (ns) and how the rules ended the game, None where they began it; empty where nobody rules
        contacts: instant (ns) and which robots touch what from then on; None where nobody knows, as of real robots
        outlines: walls, boxes and fences
        skipped: how many messages could not be used, by topic and reason, such as ``/red/scan: malformed``
    """

    path: Path
    info: Mapping[str, Any]
    start: int
    end: int
    robots: Mapping[str, RobotRecording]
    messages: Sequence[tuple[int, Message]]
    outlines: Sequence[Outline]
    skipped: Mapping[str, int]
    ends: Sequence[tuple[int, End | None]] = ()
    contacts: Sequence[tuple[int, Pairs]] | None = None
