"""How a game of wall following ends."""

from __future__ import annotations

__all__ = ["ENDINGS"]

ENDINGS = {
    "lap": "Every robot was back within rules.finish_radius of where it began, after at least rules.least_s and three "
    "quarters of a turn or more about the place rules.centre_x, rules.centre_y.",
    "collided": "A robot touched a wall or another robot before all laps were complete, and rules.contact_ends says "
    "that this ends the game.",
    "over": "Time was up, duration_s of the scenario, before every robot was back within rules.finish_radius of where "
    "it began.",
}
"""Outcome to the rule by which a trial ends so."""
