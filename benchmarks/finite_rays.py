"""Shares of a scan's rays that return: of the profiles' simulated LiDARs, and of recordings.

python benchmarks/finite_rays.py [BAG...]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

from arena_trees.experiments.plan import make_plan
from arena_trees.experiments.profile import profile_names
from arena_trees.experiments.scenario import apply_changes, find_scenario, load_scenario
from arena_trees.experiments.trial import Trial

_SCENARIO, _SEED, _TRIALS = "wolf_rabbit", 500, 20
_TICKS, _EVERY = 300, 25


def main() -> None:
    """Measure and print."""
    print("| scans of | scans | least | 5 % | median | 95 % | most |\n" + "|---" * 7 + "|")
    for profile in profile_names():
        show(f"{_SCENARIO}, {profile}", list(simulated(profile)))
    for bag in sys.argv[1:]:
        show(Path(bag).name, list(recorded(Path(bag))))


def simulated(profile: str) -> Iterator[float]:
    """Yield the share of finite rays of each robot's scan, now and then in some short trials."""
    path = find_scenario(_SCENARIO)
    plan = make_plan(apply_changes(load_scenario(path), {"profile": profile, "seed": _SEED}), path, path.parent)
    for index in range(_TRIALS):
        with closing(Trial(plan, index)) as trial:
            trial.begin()
            for tick in range(1, _TICKS + 1):
                trial.step()
                if tick % _EVERY == 0:
                    scans = (robot.read().scan for robot in trial.arena.robots.values())
                    yield from (float(np.isfinite(scan.ranges).mean()) for scan in scans if scan is not None)


def recorded(bag: Path) -> Iterator[float]:
    """Yield the share of valid rays of each LaserScan of a rosbag2 recording."""
    with AnyReader([bag], default_typestore=get_typestore(Stores.ROS2_HUMBLE)) as reader:
        scans = [one for one in reader.connections if one.msgtype == "sensor_msgs/msg/LaserScan"]
        for connection, _, data in reader.messages(connections=scans):
            scan: Any = reader.deserialize(data, connection.msgtype)
            ranges = np.asarray(scan.ranges)
            yield float(((ranges >= scan.range_min) & (ranges <= scan.range_max)).mean())


def show(name: str, shares: list[float]) -> None:
    """Print one row of the table."""
    figures = " | ".join(f"{value:.2f}" for value in np.percentile(shares, (0, 5, 50, 95, 100)))
    print(f"| {name} | {len(shares)} | {figures} |")


if __name__ == "__main__":
    main()
