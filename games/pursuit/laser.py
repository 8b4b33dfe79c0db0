"""The laser of a pursuit: what a shot meets, in three dimensions (the Pursuit and Engagement report, section II.B)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arena_trees.games.truth import TruthSample
from arena_trees.robot.geometry import wrap
from arena_trees.world.body import Barrel, Body, Sphere
from arena_trees.world.line_of_sight import LineOfSight, Point3

__all__ = ["Aim", "Laser", "centre_of"]


@dataclass(frozen=True, slots=True)
class Aim:
    """How a barrel points at a ball.

    Attributes:
        distance: from the barrel's origin to the ball's centre, m
        angle: between the barrel and the way to the ball's centre, rad; in azimuth alone where the barrel has no pitch
        azimuth: from the way to the ball's centre to the barrel, rad, counter-clockwise positive
        blocked: name of the wall or box in between, or None
        hits: whether a shot now hits
    """

    distance: float
    angle: float
    azimuth: float
    blocked: str | None
    hits: bool


class Laser:
    """A laser that shines from a barrel along a straight line.

    A shot hits where the ball's centre is within reach, the barrel points at it to within the half angle, and no wall
    or box is in between. The report's script tests the first two alone; light that goes through walls would let a
    chaser hit what it cannot see. It gets as far as its first wall, over one that is low enough, and through glass.

    Args:
        body: of the robot that carries it; it has a barrel
        target: ball of the other robot
        sight: walls and boxes
        reach: of the laser, m
        half_angle: of the cone within which it hits, rad
    """

    def __init__(self, body: Body, target: Sphere, sight: LineOfSight, reach: float, half_angle: float) -> None:
        self._barrel = body.barrel or Barrel()
        self._target = target
        self._sight = sight
        self._reach = reach
        self._half_angle = half_angle

    def barrel(self, shooter: TruthSample) -> tuple[Point3, float, float]:
        """Return the barrel's origin (map frame), its yaw (rad, map frame) and its pitch (rad, upwards)."""
        yaw, pitch = shooter.turret or (0.0, 0.0)
        yaw = wrap(shooter.pose.yaw + yaw)
        ahead = self._barrel.x * math.cos(pitch)
        origin = (
            shooter.pose.x + ahead * math.cos(yaw),
            shooter.pose.y + ahead * math.sin(yaw),
            self._barrel.height + self._barrel.x * math.sin(pitch),
        )
        return origin, yaw, pitch

    def aim(self, shooter: TruthSample, other: TruthSample) -> Aim:
        """Return how the barrel points at the other's ball."""
        origin, yaw, pitch = self.barrel(shooter)
        centre = centre_of(other, self._target)
        dx, dy, dz = (b - a for a, b in zip(origin, centre, strict=True))
        distance = math.sqrt(dx * dx + dy * dy + dz * dz)
        azimuth = wrap(yaw - math.atan2(dy, dx))
        angle = abs(azimuth)
        if shooter.turret is not None and distance > 0.0:
            # The angle of two unit vectors by their chord: exact for small ones, where the arc cosine is not.
            level = math.cos(pitch)
            ahead = (level * math.cos(yaw), level * math.sin(yaw), math.sin(pitch))
            chord = math.dist(ahead, (dx / distance, dy / distance, dz / distance))
            angle = 2.0 * math.asin(min(1.0, chord / 2.0))
        met = self._sight.first(origin, centre)
        near = distance <= self._reach and angle < self._half_angle
        return Aim(distance, angle, azimuth, None if met is None else met[0], near and met is None)

    def beam(self, shooter: TruthSample, length: float) -> float:
        """Return how far (m) the beam gets on the floor plan, at most a length (m), up to the first wall or box."""
        origin, yaw, pitch = self.barrel(shooter)
        level = math.cos(pitch)
        end = (
            origin[0] + length * level * math.cos(yaw),
            origin[1] + length * level * math.sin(yaw),
            origin[2] + length * math.sin(pitch),
        )
        met = self._sight.first(origin, end)
        return length * level * (1.0 if met is None else met[1])


def centre_of(sample: TruthSample, ball: Sphere) -> Point3:
    """Return the centre of the ball that a robot carries on its axis."""
    return sample.pose.x, sample.pose.y, ball.height
