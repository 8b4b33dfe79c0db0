"""What a pursuit is measured by; medians and means are over trials unless the text specifies otherwise."""

from __future__ import annotations

from arena_trees.games.metrics import by_contacts, by_robots, count, mean, median, per_robot, rate, weighted

__all__ = ["ENDINGS", "METRICS"]

METRICS = (
    rate("hit_rate", "trials in which the ball was hit", value="hit", better="more", heading="hit"),
    median("time_to_hit_s", "time to the hit", better="less", heading="time, s"),
    rate(
        "first_shot_hit_rate",
        "trials with a shot in which the first one hit",
        value="first_shot_hit",
        better="more",
        heading="first",
    ),
    mean("shots_per_hit", "shots that counted, of trials with a hit, shots", better="less", heading="shots"),
    weighted(
        "shot_hit_share",
        "share of all shots that hit, trials without a hit among them",
        weight="shots",
        better="more",
    ),
    count("shots_beyond_reach", "shots from beyond the laser's reach, a trial", better="less"),
    count("shots_ignored", "shots within the cooldown, a trial", better="less"),
    median(
        "aim_error_deg", "median of a trial's shots: angle between barrel and ball", better="less", heading="aim, deg"
    ),
    median(
        "aim_bias_deg",
        "median of a trial's shots: azimuth from ball to barrel, before the moving ball positive, behind it negative",
    ),
    weighted(
        "range_mae_pct",
        "|believed range - true range| of the true one, while the ball is tracked 1 to 8 m away, percent",
        weight="range_ticks",
        better="less",
        heading="range, %",
    ),
    weighted(
        "range_bias_pct",
        "believed range - true range of the true one, while the ball is tracked 1 to 8 m away, percent",
        weight="range_ticks",
    ),
    weighted(
        "detection_latency_s",
        "from the instant from which the ball can be seen, up to 8 m away, until it is believed to be seen",
        weight="sightings",
        better="less",
        heading="seen, s",
    ),
    count("missed_sightings", "times that the ball could be seen and was not believed, a trial", better="less"),
    weighted(
        "loss_latency_s",
        "from the instant from which the ball cannot be seen until it is believed to be out of sight",
        weight="losses",
        better="less",
    ),
    weighted(
        "false_detections_per_10_min",
        "times that a ball was believed where none could be seen, in ten minutes of the chase, times",
        weight="watched_s",
        better="less",
        heading="false",
    ),
    weighted(
        "last_seen_error_m",
        "from where the ball was believed to be when it was lost to where it was then",
        weight="last_seen",
        better="less",
    ),
    per_robot(mean("odometry_error_m", "odometry's place at the trial's end, from the true one", better="less")),
    mean(
        "return_error_m", "true distance from home of a chaser that says it is home", better="less", heading="home, m"
    ),
    mean("return_error_deg", "true heading of a chaser that says it is home, off that of home", better="less"),
    by_robots(
        mean("return_believed_m", "distance from home as a chaser that says it is home believes it", better="less")
    ),
    by_robots(
        mean(
            "return_believed_deg",
            "heading off that of home as a chaser that says it is home believes it",
            better="less",
        )
    ),
    by_contacts(
        rate(
            "contact_free_rate",
            "trials in which the chaser touched nothing",
            value="contact_free",
            better="more",
        )
    ),
)

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
