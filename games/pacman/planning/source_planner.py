"""The PacMan report's strategy as written: the pellet with the lowest score of distance, risk and direction."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arena_trees.games.pacman.messages import GhostView, PacmanGame, Pellet
from arena_trees.games.pacman.planning.pellet_planner import Intent, Plan
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.geometry import Pose2D

__all__ = ["SourceParameters", "SourcePlanner"]


@dataclass(frozen=True, slots=True)
class SourceParameters:
    """Constants of the PacMan report, algorithms 3 and 4.

    Attributes:
        risk_radius: a pellet nearer to a ghost is risky, m
        risk_weight: score for each metre that it is nearer
        direction_penalty: score for lying in a threatening ghost's direction
        threat_distance: a ghost within it threatens, m
        closing_distance: so does one within this that closes in, m
        closing_speed: with at least this speed, m/s
        replan_margin: a pellet must be better by so much to be taken instead
    """

    risk_radius: float = 2.0
    risk_weight: float = 3.0
    direction_penalty: float = 5.0
    threat_distance: float = 2.0
    closing_distance: float = 3.0
    closing_speed: float = 0.03
    replan_margin: float = 0.3


class SourcePlanner:
    """Scores pellets by Euclidean distances, and keeps its target until another is better by the margin.

    The score is ``d_r + max(0, r_g - d_c) w_g + D``; D is ``w_d (1 + a)`` where a ghost threatens and a, the dot
    product of the ways (m) from the robot to ghost and to pellet, is positive. Terms of several ghosts add up.

    Args:
        parameters: constants
    """

    def __init__(self, parameters: SourceParameters | None = None) -> None:
        self.parameters = parameters if parameters is not None else SourceParameters()
        self.reset()

    def reset(self) -> None:
        """Begin anew with a new game."""
        self._target: int | None = None
        self._gaps: dict[str, tuple[int, float]] = {}

    def prepare(self, game: PacmanGame) -> None:
        """Take in a game that will begin: there is nothing to prepare."""

    def watch(self, game: PacmanGame) -> None:
        """Take in the state of the game between two decisions: nothing, the document looks when it decides."""

    def decide(self, pose: Pose2D, game: PacmanGame, now: int) -> Plan:
        """Return the pellet to go to; now (ns) is when the state of the game was received."""
        if not game.pellets:
            self._target = None
            return Plan(Intent.WAIT, (pose.x, pose.y))
        threats = [ghost for ghost in game.ghosts if not ghost.frightened and self._threatens(pose, ghost, now)]
        scores = {pellet.id: self._score(pose, pellet, game, threats) for pellet in game.pellets}
        best = min(scores, key=lambda number: scores[number])
        current = self._target
        if current not in scores or scores[best] + self.parameters.replan_margin < scores[current]:
            self._target = current = best
        pellet = next(pellet for pellet in game.pellets if pellet.id == current)
        return Plan(Intent.COLLECT, (pellet.x, pellet.y), pellet.id)

    def _score(self, pose: Pose2D, pellet: Pellet, game: PacmanGame, threats: list[GhostView]) -> float:
        parameters = self.parameters
        score = pose.distance_to(pellet.x, pellet.y)
        for ghost in game.ghosts:
            if not ghost.frightened:
                gap = math.hypot(pellet.x - ghost.x, pellet.y - ghost.y)
                score += max(0.0, parameters.risk_radius - gap) * parameters.risk_weight
        for ghost in threats:
            alignment = (ghost.x - pose.x) * (pellet.x - pose.x) + (ghost.y - pose.y) * (pellet.y - pose.y)
            if alignment > 0.0:
                score += parameters.direction_penalty * (1.0 + alignment)
        return score

    def _threatens(self, pose: Pose2D, ghost: GhostView, now: int) -> bool:
        gap = pose.distance_to(ghost.x, ghost.y)
        then, before = self._gaps.get(ghost.name, (now, gap))
        if now != then or ghost.name not in self._gaps:
            self._gaps[ghost.name] = (now, gap)
        closing = (before - gap) / to_seconds(now - then) if now > then else 0.0
        near = gap <= self.parameters.threat_distance
        return near or (gap <= self.parameters.closing_distance and closing >= self.parameters.closing_speed)
