"""Compares what tells a robot how far its stop line is: walls in the LiDAR, the line itself, a marker, all together.

Plays ``crossroads_rendered`` with one robot and its markers looked for, and prints the error of each source while the
robot drives towards its line, by its true distance.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict

from arena_trees.experiments.plan import TrialPlan, make_plan
from arena_trees.experiments.scenario import apply_changes, find_scenario, load_scenario
from arena_trees.experiments.trial import Trial
from arena_trees.games.crossroads.layout.section import crossing_of
from arena_trees.games.crossroads.localisation.lanes import CrossingLanes
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.geometry import Pose2D

RANGES = ((0.2, 0.6), (0.6, 1.2), (1.2, 2.2))
"""True distances from base_link to the middle of the line, m."""

_STEADY = 1.0
"""Seconds after which the first measurements have been taken."""

Errors = dict[tuple[str, tuple[float, float]], list[float]]
"""Source and range of true distances to errors, m."""


def main() -> None:
    """Play, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=60.0)
    arguments = parser.parse_args()
    changes = {
        "robots.count": 1,
        "seed": arguments.seed,
        "duration_s": arguments.seconds,
        "crosser.sensors.lanes.markers": True,
    }
    plan = make_plan(apply_changes(load_scenario(find_scenario("crossroads_rendered")), changes), "measure")
    errors: Errors = defaultdict(list)
    for index in range(arguments.trials):
        _play(plan, index, errors)
    print("| source | from the line, m | n | RMS, cm | mean, cm | largest, cm |\n" + "|---" * 6 + "|")
    for (source, (near, far)), found in sorted(errors.items()):
        rms = math.sqrt(sum(error * error for error in found) / len(found))
        mean, largest = sum(found) / len(found), max(map(abs, found))
        print(
            f"| {source} | {near} to {far} | {len(found)} | {100 * rms:.2f} | {100 * mean:+.2f} | {100 * largest:.1f} |"
        )


def _play(plan: TrialPlan, index: int, errors: Errors) -> None:
    trial = Trial(plan, index)
    (name,) = plan.robots
    road = crossing_of(plan.arena)
    assert road is not None
    try:
        localiser = trial.loops[name].writer.percept_filter.localiser  # type: ignore[attr-defined]
        lanes = CrossingLanes(road.geometry())
        trial.begin()
        truths: dict[int, Pose2D] = {}
        while not trial.judge.over:
            truths[trial.arena.now] = trial.arena.true_pose(name)
            trial.step()
            odometry = trial.loops[name].percepts.odometry
            if to_seconds(trial.arena.now) < _STEADY or odometry is None or odometry.stamp not in truths:
                continue
            # What is reported is of the instant of the newest odometry.
            true = truths[odometry.stamp]
            distance = lanes.nearest(true).stop_distance(true)
            if trial.records[name].active != "Approach the line" or distance is None:
                continue
            for source, reported in localiser.stop_distances.items():
                for near, far in RANGES:
                    if near <= distance < far:
                        errors[source, (near, far)].append(reported - distance)
    finally:
        trial.close()


if __name__ == "__main__":
    main()
