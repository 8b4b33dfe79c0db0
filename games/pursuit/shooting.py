"""Shots: what each shot of a trial was aimed at, by the truth."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from arena_trees.games.figures import Mark
from arena_trees.games.metrics import Value
from arena_trees.games.pursuit.laser import Aim, Laser
from arena_trees.games.pursuit.rules import PursuitRules, Trigger
from arena_trees.games.truth import TruthSample
from arena_trees.robot.clock import to_seconds

__all__ = ["Shot", "ShotObserver"]

_STEADY = 0.02
"""A ball whose bearing turns more slowly than this, rad/s, is neither led nor followed."""


@dataclass(frozen=True, slots=True)
class Shot:
    """One shot that counted.

    Attributes:
        now: instant, ns
        x: of the chaser, map frame, m
        y: of the chaser, map frame, m
        aim: how the barrel pointed at the ball
        lead: angle in azimuth by which it pointed before the moving ball, rad, negative behind; None where the ball's
            bearing did not turn
    """

    now: int
    x: float
    y: float
    aim: Aim
    lead: float | None


class ShotObserver:
    """Judges each shot up to the first that hits.

    Attributes:
        shots: that counted

    Args:
        laser: of the chaser
        rules: of the pursuit
    """

    def __init__(self, laser: Laser, rules: PursuitRules) -> None:
        self.shots: list[Shot] = []
        self._laser = laser
        self._reach = rules.reach
        self._trigger = Trigger(rules.cooldown_s)

    @property
    def hit(self) -> Shot | None:
        """The shot that hit, or None."""
        return self.shots[-1] if self.shots and self.shots[-1].aim.hits else None

    def observe(self, now: int, chaser: TruthSample, evader: TruthSample) -> bool:
        """Look at an instant (ns), and return whether a shot has hit in it."""
        if not chaser.fired or self.hit is not None or not self._trigger.pull(now):
            return False
        aim = self._laser.aim(chaser, evader)
        turns = _bearing_rate(chaser, evader)
        lead = None if abs(turns) < _STEADY else math.copysign(aim.azimuth, aim.azimuth * turns)
        self.shots.append(Shot(now, chaser.pose.x, chaser.pose.y, aim, lead))
        return aim.hits

    def values(self) -> dict[str, Value]:
        """Return what the shots are judged by."""
        hit, shots = self.hit, self.shots
        leads = [shot.lead for shot in shots if shot.lead is not None]
        return {
            "hit": hit is not None,
            "time_to_hit_s": None if hit is None else to_seconds(hit.now),
            "first_shot_hit": shots[0].aim.hits if shots else None,
            "shots": len(shots),
            "shots_per_hit": None if hit is None else len(shots),
            "shot_hit_share": (hit is not None) / len(shots) if shots else None,
            "shots_beyond_reach": sum(shot.aim.distance > self._reach for shot in shots),
            "shots_ignored": self._trigger.ignored,
            "aim_error_deg": _median_deg([shot.aim.angle for shot in shots]),
            "aim_bias_deg": _median_deg(leads),
        }

    def marks(self) -> Sequence[Mark]:
        """Return the shots, where the chaser stood."""
        return [
            Mark(
                to_seconds(shot.now), shot.x, shot.y,
                "hit" if shot.aim.hits else "missed", "#3c7a2b" if shot.aim.hits else "#c8401f",
            )
            for shot in self.shots
        ]  # fmt: skip


def _bearing_rate(chaser: TruthSample, evader: TruthSample) -> float:
    """Return how fast (rad/s, counter-clockwise) the way from chaser to evader turns in the map."""
    dx, dy = evader.pose.x - chaser.pose.x, evader.pose.y - chaser.pose.y
    vx = evader.twist.linear * math.cos(evader.pose.yaw) - chaser.twist.linear * math.cos(chaser.pose.yaw)
    vy = evader.twist.linear * math.sin(evader.pose.yaw) - chaser.twist.linear * math.sin(chaser.pose.yaw)
    away = dx * dx + dy * dy
    return (dx * vy - dy * vx) / away if away > 0.0 else 0.0


def _median_deg(angles: Sequence[float]) -> float | None:
    return math.degrees(statistics.median(angles)) if angles else None
