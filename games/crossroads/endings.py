"""How a trial of a crossing ends."""

from __future__ import annotations

__all__ = ["ENDINGS"]

ENDINGS = {
    "over": "Robots cross again and again, and nobody wins: the trial ends when time is up, duration_s of the "
    "scenario, or when a person stops the scheduler.",
}
"""Outcome to the rule by which a trial ends so."""
