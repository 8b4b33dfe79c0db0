"""How a game of wolf and rabbit ends."""

from __future__ import annotations

from arena_trees.games.wolf_rabbit.rules import Recovery

__all__ = ["ENDINGS"]

_BACK = Recovery()
_INSIDE = f"{_BACK.inside:g} m inside the fence, or as far as rules.recovery says"
_WITHIN = f"{_BACK.within_s:g} s, or the time that rules.recovery says"

ENDINGS = {
    "caught": "A wolf claimed a catch in play, and the true distance between its centre and the rabbit's was at most "
    "rules.catch_distance when the claim was judged.",
    "survived": "Time was up, duration_s of the scenario, and no claim of a wolf had come from within "
    "rules.catch_distance of the rabbit.",
    "recovered": f"A robot that began outside of its fence had its centre {_INSIDE}, within {_WITHIN}.",
    "failed": "A robot that began outside of its fence touched something on the way back, or its centre was not "
    f"{_INSIDE}, after {_WITHIN}.",
    "over": "Time was up, duration_s of the scenario, where there is no rabbit, so that nobody could be caught or "
    "survive.",
}
"""Outcome to the rule by which a trial ends so."""
