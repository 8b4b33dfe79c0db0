"""What wall following is measured by; each robot is measured up to the end of its lap."""

from __future__ import annotations

from arena_trees.games.metrics import by_robots, charted, count, mean, per_robot, rate

__all__ = ["ENDINGS", "METRICS"]

METRICS = (
    charted(rate("laps_completed_rate", "trials in which every robot completed its lap", value="laps_completed",
                 better="more", heading="laps")),
    per_robot(mean("correct_distance_share", "share of the time within the tolerance of the ideal distance from the "
                   "wall, by the truth, all of the time counted", better="more", heading="right")),
    per_robot(mean("odometry_correct_distance_share", "share within the tolerance as the report counts it: of "
    "odometry messages, "
                   "while the wall is followed, at which the nearest ray of the newest scan was within the tolerance",
                   better="more")),
    per_robot(mean("wall_distance_m", "distance from the wall, by the truth")),
    per_robot(mean("lap_time_s", "time of a completed lap", better="less", heading="lap, s")),
    per_robot(count("stuck_count", "times that it stayed at a place for 5 s, a trial", better="less")),
    per_robot(mean("heading_rate_rms", "root mean square of the true yaw rate, radians a second", better="less")),
    per_robot(mean("heading_ripple_rms", "root mean square of the yaw rate less its mean over the time that the ideal "
    "distance "
                   "takes at full speed, radians a second", better="less", heading="ripple")),
    by_robots(per_robot(mean("gate_share", "share of the ticks with a motion commanded in which the velocity gate took "
                   "some of it away", better="less", heading="gate"))),
    per_robot(mean("gap_m", "of a robot that follows another one: from its centre to the other's hull, by the truth, "
                   "from 5 s after the chase began")),
    per_robot(mean("chase_share", "share of the time in which it followed another robot")),
    per_robot(count("false_locks", "times that it followed another robot where a wall was between them, or where none "
                    "was, a trial", better="less", heading="false")),
    per_robot(count("occlusions", "times that another robot within its reach was hidden by a wall, a trial")),
)  # fmt: skip

ENDINGS = {
    "lap": "Every robot was back within rules.finish_radius of where it began, after at least rules.least_s and three "
    "quarters of a turn or more about the place rules.centre_x, rules.centre_y.",
    "collided": "A robot touched a wall or another robot before all laps were complete, and rules.contact_ends says "
    "that this ends the game.",
    "over": "Time was up, duration_s of the scenario, before every robot was back within rules.finish_radius of where "
    "it began.",
}
"""Outcome to the rule by which a trial ends so."""
