"""What wolf and rabbit is measured by."""

from __future__ import annotations

from arena_trees.games.metrics import by_robots, by_rules, count, mean, rate, weighted
from arena_trees.games.wolf_rabbit.rules import Recovery

__all__ = ["ENDINGS", "METRICS"]

METRICS = (
    by_rules(
        rate(
            "catch_rate",
            "trials with a confirmed catch of every rabbit",
            value="caught",
            better="more",
            heading="caught",
        )
    ),
    by_rules(
        count("catches_per_trial", "rabbits caught, a trial, where there are several", value="catches", better="more")
    ),
    by_rules(
        mean("time_to_catch_s", "time to the confirmed catch, of several the last", better="less", heading="time, s")
    ),
    by_rules(mean("game_time_s", "time to the catch or the end, caught or not", better="less")),
    mean("catch_true_distance_m", "true distance at the confirmed catch"),
    by_rules(count("catch_false_count", "claims beyond the catch distance, a trial", better="less", heading="false")),
    by_robots(
        rate("claim_rate", "trials in which the wolf itself said that it had caught, rightly or not", value="claimed")
    ),
    by_robots(mean("time_to_claim_s", "time until the wolf first said that it had caught, rightly or not")),
    mean("claim_true_distance_m", "true distance between the centres when the wolf first said that it had caught"),
    mean("stop_after_catch_s", "from the confirmation until all stand", better="less"),
    rate(
        "recovery_rate", "trials in which the robot came back inside", value="recovered", better="more", heading="back"
    ),
    mean("time_to_recover_s", "time until it was back inside", better="less"),
    weighted(
        "tracking_error_filtered",
        "|steered column - true column|, half images",
        weight="chase_ticks",
        better="less",
        heading="error",
    ),
    weighted(
        "tracking_error_raw",
        "|newest measured column - true column|, half images",
        weight="chase_ticks",
        better="less",
        heading="raw",
    ),
    by_robots(
        weighted("deadband_share", "chase ticks aimed within the deadband", weight="all_chase_ticks", better="more")
    ),
    weighted(
        "outside_image_share",
        "chase ticks with the true column outside the image; they are in the errors",
        weight="chase_ticks",
        better="less",
    ),
    weighted(
        "hidden_share",
        "chase ticks with the target not in front of the camera; not in the errors",
        weight="all_chase_ticks",
        better="less",
    ),
    by_robots(count("lost_events", "chases that ended by loss, a trial", better="less", heading="lost")),
    by_robots(count("rest_events_per_trial", "rests of the rabbit, a trial", value="rest_events")),
    by_robots(count("meals_per_trial", "carrots that the rabbit begins to eat, a trial", value="meals")),
)

_BACK = Recovery()
_INSIDE = f"{_BACK.inside:g} m inside the fence, or as far as rules.recovery says"
_WITHIN = f"{_BACK.within_s:g} s, or the time that rules.recovery says"

ENDINGS = {
    "caught": "A wolf claimed a catch in play, and the true distance between its centre and the rabbit's was at most "
    "rules.catch_distance when the claim was judged; of several rabbits, each was caught so.",
    "survived": "Time was up, duration_s of the scenario, and no claim of a wolf had come from within "
    "rules.catch_distance of the rabbit; of several rabbits, of one of them.",
    "recovered": f"A robot that began outside of its fence had its centre {_INSIDE}, within {_WITHIN}.",
    "failed": "A robot that began outside of its fence touched something on the way back, or its centre was not "
    f"{_INSIDE}, after {_WITHIN}.",
    "over": "Time was up, duration_s of the scenario, where there is no rabbit, so that nobody could be caught or "
    "survive.",
}
"""Outcome to the rule by which a trial ends so."""
