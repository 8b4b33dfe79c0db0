"""Measures what each fault of each sensor does to the robot that has it; prints the table of docs/faults.md.

    python benchmarks/faults.py [--trials 10] [--seed 1000] [--jobs 2] [--sensor scan ...]

Each cell is a scenario played with a fault of one sensor of one robot from 3 s to the end, at 30 s at the latest; the
column before the kinds has the same seeds without a fault. It shows how fast the robot drove from then on until its own
game ended (median over the trials), how many games ended as most do without a fault, how many had a contact, where the
game counts them, and by which reason the gate limited the robot more often than without it, where that grew by more
than a tenth of the time.
"""

from __future__ import annotations

import argparse
import statistics
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from arena_trees.experiments.results import TrialResult
from arena_trees.recording.play import play
from arena_trees.simulation.faults.fault import KINDS

AT_S, DURATION_S = 3.0, 30.0
_KINDS = tuple(kind for kind in KINDS["sensor"] if kind not in ("wrong", "flood"))
PLAYED = {
    "scan": ("wolf_rabbit_open", "wolf"),
    "odometry": ("wolf_rabbit_open", "wolf"),
    "pose": ("wolf_rabbit_open", "wolf"),
    "detections": ("wolf_rabbit_open", "wolf"),
    "bumpers": ("wolf_rabbit_open", "wolf"),
    "battery": ("wolf_rabbit_open", "wolf"),
    "lane": ("crossroads_rendered", "robot_1"),
    "markers": ("crossroads_rendered", "robot_1"),
    "circles": ("pursuit_empty", "chaser"),
    "ranges": ("pursuit_empty_source_scale", "chaser"),
    "turret": ("pursuit_empty_source_scale", "chaser"),
    "robot_scan": ("wall_chase_source_scale", "r2"),
}
"""Which scenario is played for a sensor, and whose sensor it is."""
CONTACTS = ("collisions", "robot_contacts")


class Seen(NamedTuple):
    """What a robot did from the fault on: its mean speed (m/s), the share of each reason, and how its game went."""

    speed: float
    reasons: dict[str, float]
    outcome: str
    contacts: float | None


def seen(trial: TrialResult, robot: str) -> Seen:
    """Return what a robot did in a trial; None for the contacts that its game does not count."""
    track = trial.trajectories[robot]
    late = track.time >= AT_S
    way = float(np.hypot(*np.diff(track.pose[late, :2], axis=0).T).sum())
    limited = [reasons for reasons, is_late in zip(track.limited, late, strict=True) if is_late]
    counts = Counter(reason for reasons in limited for reason in reasons)
    shares = {reason: count / len(limited) for reason, count in counts.items()}
    counted = [float(trial.values[name] or 0) for name in CONTACTS if name in trial.values]
    return Seen(way / (trial.simulated_s - AT_S), shares, trial.outcome, sum(counted) if counted else None)


def cell(healthy: list[Seen], trials: list[Seen]) -> str:
    """Return what robots did, in words."""
    usual = statistics.mode(one.outcome for one in healthy)
    ended = sum(one.outcome == usual for one in trials)
    words = [f"{statistics.median(one.speed for one in trials):.2f} m/s", f"{usual} {ended}"]
    touched = sum(bool(one.contacts) for one in trials)
    if touched:
        words.append(f"contacts {touched}")
    grown = {
        reason: statistics.fmean(one.reasons.get(reason, 0.0) for one in trials)
        - statistics.fmean(one.reasons.get(reason, 0.0) for one in healthy)
        for reason in {reason for one in trials for reason in one.reasons}
    }
    reason, growth = max(grown.items(), key=lambda item: item[1], default=("", 0.0))
    return ", ".join([*words, reason] if growth > 0.1 else words)


def main() -> None:
    """Play, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sensor", nargs="+", choices=PLAYED, default=list(PLAYED))
    wanted = parser.parse_args()

    def played(scenario: str, robot: str, *faults: dict[str, Any]) -> list[Seen]:
        changes = {"duration_s": DURATION_S, "faults": list(faults)}
        result = play(scenario, changes=changes, trials=wanted.trials, seed=wanted.seed, jobs=wanted.jobs)
        return [seen(trial, robot) for trial in result.trials]

    healthy: dict[tuple[str, str], list[Seen]] = {}
    print(f"| sensor | scenario, robot | none | {' | '.join(_KINDS)} |")
    print("|---" * (3 + len(_KINDS)) + "|")
    for sensor in wanted.sensor:
        where = PLAYED[sensor]
        if where not in healthy:
            healthy[where] = played(*where)
        cells = [
            cell(healthy[where], healthy[where]),
            *(
                cell(healthy[where], played(*where, {"robot": where[1], "sensor": sensor, "kind": kind, "at_s": AT_S}))
                for kind in _KINDS
            ),
        ]
        print(f"| `{sensor}` | `{where[0]}`, {where[1]} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
