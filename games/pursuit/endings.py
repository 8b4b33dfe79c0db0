"""How a pursuit ends."""

from __future__ import annotations

__all__ = ["ENDINGS"]

_SHOT = "from at most rules.reach, within rules.half_angle_deg of the ball's centre and past every wall and box"

ENDINGS = {
    "home": f"A shot hit the evader's ball, {_SHOT}, and then the chaser said that it was home. It may err: "
    "return_error_m is how far it truly was.",
    "hit": f"A shot hit the evader's ball, {_SHOT}, and time was up, duration_s of the scenario, before the chaser "
    "said that it was home; in isolation, where it does not learn of its hit, rules.lit_s after the shot.",
    "escaped": f"Time was up, duration_s of the scenario, and no shot had hit the evader's ball {_SHOT}.",
    "over": "Time was up, duration_s of the scenario, where a chaser or an evader is missing, so that nobody could be "
    "hit or escape.",
}
"""Outcome to the rule by which a trial ends so."""
