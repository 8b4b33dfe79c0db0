"""How a round of PacMan ends."""

from __future__ import annotations

__all__ = ["ENDINGS"]

ENDINGS = {
    "complete": "Every pellet was scored: the robot's centre came within rules.pickup_radius of each of them.",
    "died": "A ghost came within rules.death_radius of the robot's centre, and that death took the last of "
    "rules.lives.",
    "out_of_reach": "The robot gave up the pellets that were left, for it got no nearer to any of them within "
    "unreached_s, a parameter of the role pacman.",
    "over": "Time was up, duration_s of the scenario, with pellets and a life left; or the game called the round "
    "complete though the judge still counted pellets.",
}
"""Outcome to the rule by which a trial ends so."""
