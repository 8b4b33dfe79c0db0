"""What PacMan is measured by."""

from __future__ import annotations

from arena_trees.games.metrics import by_robots, by_rules, charted, count, mean, rate

__all__ = ["ENDINGS", "METRICS"]

METRICS = (
    by_rules(
        rate(
            "completion_rate",
            "rounds of PacMan with every pellet scored",
            value="completed",
            better="more",
            heading="all pellets",
        )
    ),
    by_rules(
        rate(
            "at_least_all_but_one_rate",
            "rounds with at most one pellet left",
            value="all_but_one",
            better="more",
            heading="all but one",
        )
    ),
    by_rules(count("deaths", "deaths that were declared, a trial", better="less")),
    count("false_deaths", "deaths without a true touch, a trial", better="less", heading="false deaths"),
    count("missed_deaths", "true touches without a death, a trial", better="less", heading="missed deaths"),
    by_rules(charted(mean("pellets_collected", "pellets scored, a trial", better="more", heading="pellets"))),
    count("false_pickups", "pellets scored without a true touch, a trial", better="less"),
    by_rules(mean("completion_time_s", "from the round's begin to its last pellet", better="less", heading="time, s")),
    by_rules(mean("ghost_free_tour_s", "time of the best tour without a ghost")),
    by_rules(
        mean("tour_ratio", "completion time over that of the ghost-free tour", better="less", heading="of best tour")
    ),
    by_robots(mean("cue_latency_s", "from an event to its cue, mean of each trial", better="less")),
    by_robots(mean("cue_latency_max_s", "from an event to its cue, longest of each trial", better="less")),
    by_robots(count("cues_missing", "events without a cue, a trial", better="less")),
)

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
