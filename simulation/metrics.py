"""Metrics: what a trial is judged by, their summary over trials, and the comparison of two arms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from arena_trees.simulation import intervals
from arena_trees.simulation.intervals import Estimate

__all__ = ["METRICS", "Metric", "Values", "compare", "summarise"]

Values = Mapping[str, float | int | bool | None]
"""A trial's values by name; None where the trial has none, such as a time to a catch that never came."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric.

    Attributes:
        name: in the summary
        kind: ``rate`` of a yes or no, ``mean`` of a value, ``count`` of rare events, or ``ticks`` for a
            value that is already a mean over a trial's ticks, weighted by their number
        value: name of the trial's value
        text: what it is
        better: whether more or less of it is better, None where neither
        weight: name of the trial's number of ticks, for kind ``ticks``
    """

    name: str
    kind: Literal["rate", "mean", "count", "ticks"]
    value: str
    text: str
    better: Literal["more", "less"] | None = None
    weight: str = ""


METRICS = (
    Metric("catch_rate", "rate", "caught", "trials with a confirmed catch", "more"),
    Metric("time_to_catch_s", "mean", "time_to_catch_s", "time to the confirmed catch", "less"),
    Metric("game_time_s", "mean", "game_time_s", "time to the catch or the end, caught or not", "less"),
    Metric("catch_true_distance_m", "mean", "catch_true_distance_m", "true distance at the confirmed catch"),
    Metric("catch_false_count", "count", "catch_false_count", "claims beyond the catch distance, a trial", "less"),
    Metric("stop_after_catch_s", "mean", "stop_after_catch_s", "from the confirmation until all stand", "less"),
    Metric("recovery_rate", "rate", "recovered", "trials in which the robot came back inside", "more"),
    Metric("time_to_recover_s", "mean", "time_to_recover_s", "time until it was back inside", "less"),
    Metric(
        "tracking_error_filtered",
        "ticks",
        "tracking_error_filtered",
        "|steered column - true column|, half images",
        "less",
        "chase_ticks",
    ),
    Metric(
        "tracking_error_raw",
        "ticks",
        "tracking_error_raw",
        "|newest measured column - true column|, half images",
        "less",
        "chase_ticks",
    ),
    Metric(
        "deadband_share", "ticks", "deadband_share", "chase ticks aimed within the deadband", "more", "all_chase_ticks"
    ),
    Metric(
        "outside_image_share",
        "ticks",
        "outside_image_share",
        "chase ticks with the true column outside the image; they are in the errors",
        "less",
        "chase_ticks",
    ),
    Metric(
        "hidden_share",
        "ticks",
        "hidden_share",
        "chase ticks with the target not in front of the camera; not in the errors",
        "less",
        "all_chase_ticks",
    ),
    Metric("lost_events", "count", "lost_events", "chases that ended by loss, a trial", "less"),
    Metric("rest_events_per_trial", "count", "rest_events", "rests of the rabbit, a trial"),
    Metric("completion_rate", "rate", "completed", "rounds of PacMan with every pellet scored", "more"),
    Metric("at_least_all_but_one_rate", "rate", "all_but_one", "rounds with at most one pellet left", "more"),
    Metric("deaths", "count", "deaths", "deaths that were declared, a trial", "less"),
    Metric("false_deaths", "count", "false_deaths", "deaths without a true touch, a trial", "less"),
    Metric("missed_deaths", "count", "missed_deaths", "true touches without a death, a trial", "less"),
    Metric("pellets_collected", "mean", "pellets_collected", "pellets scored", "more"),
    Metric("false_pickups", "count", "false_pickups", "pellets scored without a true touch, a trial", "less"),
    Metric("completion_time_s", "mean", "completion_time_s", "from the round's begin to its last pellet", "less"),
    Metric("ghost_free_tour_s", "mean", "ghost_free_tour_s", "time of the best tour without a ghost"),
    Metric("tour_ratio", "mean", "tour_ratio", "completion time over that of the ghost-free tour", "less"),
    Metric("cue_latency_s", "mean", "cue_latency_s", "from an event to its cue, mean of each trial", "less"),
    Metric("cue_latency_max_s", "mean", "cue_latency_max_s", "from an event to its cue, longest of each trial", "less"),
    Metric("cues_missing", "count", "cues_missing", "events without a cue, a trial", "less"),
    Metric("crossings", "mean", "crossings", "robots that crossed and drove away, a trial", "more"),
    Metric("throughput_per_min", "mean", "throughput_per_min", "crossings a minute", "more"),
    Metric("conflicts", "count", "conflicts", "pairs of robots in each other's way at a crossing, a trial", "less"),
    Metric("min_separation_m", "mean", "min_separation_m", "nearest that two centres came in a trial", "more"),
    Metric("delay_mean_s", "mean", "delay_mean_s", "time lost at a crossing, mean of each trial", "less"),
    Metric("delay_p95_s", "mean", "delay_p95_s", "time lost at a crossing, 95 % point of each trial", "less"),
    Metric("delay_max_s", "mean", "delay_max_s", "time lost at a crossing, longest of each trial", "less"),
    Metric("door_wait_s", "mean", "door_wait_s", "wait for a place in the arena, mean of each trial", "less"),
    Metric("grant_latency_s", "mean", "grant_latency_s", "first in the lane until granted, mean of each trial", "less"),
    Metric(
        "grant_latency_max_s", "mean", "grant_latency_max_s", "first in the lane until granted, longest of each", "less"
    ),
    Metric(
        "emergency_wait_max_s", "mean", "emergency_wait_max_s", "the same of class EMERGENCY, longest of each", "less"
    ),
    Metric("overtakings", "count", "overtakings", "entries past an earlier one in whose way it was, a trial"),
    Metric("order_inversions", "count", "order_inversions", "trips held up too long by later ones, a trial", "less"),
    Metric("held_up_max_s", "mean", "held_up_max_s", "time that later ones held up an earlier one, longest", "less"),
    Metric("stalls", "count", "stalls", "trips that stood for longer than is promised, a trial", "less"),
    Metric(
        "left_turn_success_rate",
        "ticks",
        "left_turn_success_rate",
        "left turns that ended in their lane",
        "more",
        "left_turns",
    ),
    Metric("turn_success_rate", "ticks", "turn_success_rate", "ways through it that ended so", "more", "ways"),
    Metric("lane_rms_m", "ticks", "lane_rms_m", "error beside the way, root mean square", "less", "lane_ticks"),
    Metric("stop_error_m", "mean", "stop_error_m", "from where robots should wait to where they stand", "less"),
    Metric("false_stages", "count", "false_stages", "stages told too early or too late, a trial", "less"),
    Metric(
        "flows_again_s", "mean", "flows_again_s", "from clearing the box until a robot moves in it, longest", "less"
    ),
    Metric("enters_again_s", "mean", "enters_again_s", "from clearing the box to the next entry, longest", "less"),
    Metric("collisions", "count", "collisions", "contacts with a wall or a box, a trial", "less"),
    Metric("robot_contacts", "count", "robot_contacts", "contacts of two robots, a trial", "less"),
    Metric("latched_robots", "count", "latched_robots", "robots stopped by a fault, a trial", "less"),
    Metric("real_time_factor", "mean", "real_time_factor", "simulated time over time taken", None),
)
"""Every metric but the breaches, which have one a robot."""


def summarise(trials: Sequence[Values]) -> dict[str, Estimate]:
    """Return every metric that the trials have values for, by name."""
    return {metric.name: _estimate(metric, trials) for metric in _applicable(trials)}


def compare(first: Sequence[Values], second: Sequence[Values]) -> dict[str, tuple[Metric, Estimate]]:
    """Return metric and paired difference (second minus first) by name.

    Args:
        first: trials of one arm
        second: trials of another arm in the same worlds, in the same order
    """
    differences = {}
    for metric in _applicable([*first, *second]):
        a = [_number(trial.get(metric.value)) for trial in first]
        b = [_number(trial.get(metric.value)) for trial in second]
        differences[metric.name] = (metric, intervals.difference(a, b))
    return differences


def _applicable(trials: Sequence[Values]) -> Iterator[Metric]:
    """Yield the metrics of which a trial has the value, be it None."""
    names = dict.fromkeys(name for trial in trials for name in trial)
    for metric in METRICS:
        if metric.value == "collisions":
            yield from _breaches(names)
        if metric.value in names:
            yield metric


def _breaches(names: Mapping[str, None]) -> Iterator[Metric]:
    for name in names:
        if name.endswith("_breaches"):
            robot = name.removesuffix("_breaches")
            text = f"times the {robot}'s centre left its fence, a trial"
            yield Metric(f"{name}_per_trial", "count", name, text, "less")


def _estimate(metric: Metric, trials: Sequence[Values]) -> Estimate:
    numbers = [_number(trial.get(metric.value)) for trial in trials]
    present = [number for number in numbers if number is not None]
    if metric.kind == "rate":
        return intervals.rate([bool(number) for number in present])
    if metric.kind == "ticks":
        weights = [_number(trial.get(metric.weight)) or 0.0 for trial in trials]
        sums = [(number or 0.0) * weight for number, weight in zip(numbers, weights, strict=True)]
        return intervals.ratio(sums, weights)
    return intervals.mean(present, count=metric.kind == "count")


def _number(value: float | int | bool | None) -> float | None:
    return None if value is None else float(value)
