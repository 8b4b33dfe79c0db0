"""Which robots touched what: as an arena knows it, or as bumpers tell."""

from __future__ import annotations

from collections.abc import Mapping

from arena_trees.games.contacts import Pairs
from arena_trees.games.game import Player
from arena_trees.recording.judging.pose_measurement import PoseMeasurement
from arena_trees.recording.judging.recorded_truth import RecordedTruth
from arena_trees.recording.recording import Recording

__all__ = ["recorded_contacts"]

_NEAR = 0.15
"""Metres between two hulls up to which a pressed bumper is taken for a touch of the two."""


def recorded_contacts(
    recording: Recording, truth: RecordedTruth, players: Mapping[str, Player]
) -> tuple[list[tuple[int, Pairs]], str]:
    """Return who touches whom from an instant on (ns, the bag's clock), and by what that is known.

    Known by the ``arena``, or by ``bumpers``, which a TurtleBot 4 has at its front alone; empty where nothing tells.
    A bumper that is pressed within 0.15 m of another robot's hull touches that robot, and else an obstacle.
    """
    if recording.contacts is not None:
        return list(recording.contacts), "arena"
    changes: list[tuple[int, str, frozenset[str]]] = []
    for name in players:
        robot = recording.robots.get(name)
        for one in () if robot is None else robot.bumpers:
            assert robot is not None
            changes.append((robot.clock.back(one.stamp), name, one.pressed))
    found: list[tuple[int, Pairs]] = []
    touching: dict[str, str] = {}
    for now, name, pressed in sorted(changes, key=lambda change: change[0]):
        other = _touched(name, now, truth, players) if pressed else ""
        if touching.get(name, "") != other:
            touching[name] = other
            found.append((now, frozenset((robot, touched) for robot, touched in touching.items() if touched)))
    return found, "bumpers" if changes else ""


def _touched(name: str, now: int, truth: RecordedTruth, players: Mapping[str, Player]) -> str:
    """Return what a robot touches whose bumper is pressed."""
    here = _nearest(truth, name, now)
    for other, player in players.items():
        there = None if other == name else _nearest(truth, other, now)
        if here is None or there is None:
            continue
        reach = players[name].body.radius + player.body.radius + _NEAR
        if here.pose.distance_to(there.pose.x, there.pose.y) <= reach:
            return other
    return "obstacle"


def _nearest(truth: RecordedTruth, name: str, now: int) -> PoseMeasurement | None:
    """Return the measurement of a robot that is nearest in time."""
    return min(truth.poses.get(name, ()), key=lambda one: abs(one.now - now), default=None)
