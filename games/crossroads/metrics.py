"""What a crossing is measured by."""

from __future__ import annotations

from arena_trees.games.metrics import Metric, by_rules, count, mean, weighted

__all__ = ["ENDINGS", "METRICS"]

METRICS: tuple[Metric, ...] = (
    mean("crossings", "robots that crossed and drove away, a trial", better="more"),
    mean("throughput_per_min", "crossings a minute", better="more", heading="a minute"),
    count("conflicts", "pairs of robots in each other's way, a trial", better="less", heading="conflicts"),
    mean("min_separation_m", "nearest that two centres came in a trial", better="more", heading="nearest, m"),
    mean("delay_mean_s", "time lost at a crossing, mean of each trial", better="less", heading="delay, s"),
    mean("delay_p95_s", "time lost at a crossing, 95 % point of each trial", better="less", heading="95 %, s"),
    mean("delay_max_s", "time lost at a crossing, longest of each trial", better="less", heading="longest, s"),
    mean("door_wait_s", "wait for a place in the arena, mean of each trial", better="less"),
    by_rules(mean("grant_latency_s", "first in the lane until granted, mean of each trial", better="less")),
    by_rules(mean("grant_latency_max_s", "first in the lane until granted, longest of each", better="less")),
    by_rules(
        mean(
            "emergency_wait_max_s",
            "trips of class EMERGENCY: first in the lane until granted, longest of each",
            better="less",
        )
    ),
    count("overtakings", "entries past an earlier one in whose way it was, a trial"),
    count("order_inversions", "trips held up too long by later ones, a trial", better="less", heading="inversions"),
    mean("held_up_max_s", "time that later ones held up an earlier one, longest", better="less"),
    count("stalls", "trips that stood for longer than is promised, a trial", better="less", heading="stalls"),
    weighted("left_turn_success_rate", "left turns that ended in their lane", weight="left_turns", better="more"),
    weighted(
        "turn_success_rate",
        "ways through the box, turns or not, that ended in their lane",
        weight="ways",
        better="more",
    ),
    weighted("lane_rms_m", "error beside the way, root mean square", weight="lane_ticks", better="less"),
    mean("lane_error_max_m", "error beside the way, greatest of each trial", better="less"),
    mean("stop_error_m", "from where robots should wait to where they stand", better="less"),
    count("false_stages", "stages told too early or too late, a trial", better="less"),
    count(
        "driven_contacts",
        "contacts with a robot into which one that heeds the scheduler drove, a trial",
        better="less",
        heading="driven into",
    ),
    mean("flows_again_s", "from clearing the box until a robot moves in it, longest", better="less"),
    mean("enters_again_s", "from clearing the box to the next entry, longest", better="less"),
)
"""Besides what every game is measured by; the first of them are of all crossings, the later of robots that drive."""

ENDINGS = {
    "over": "Robots cross again and again, and nobody wins: the trial ends when time is up, duration_s of the "
    "scenario, or when a person stops the scheduler.",
}
"""Outcome to the rule by which a trial ends so."""
