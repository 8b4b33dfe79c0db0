"""Measures the nodes of a game on this machine: ``timing`` of trees and gates, or how a robot stands after ``kills``.

    python tests/benchmarks/ros.py timing --seconds 45
    python tests/benchmarks/ros.py kills --count 20

What is played is in ``ros.yaml`` beside this file.
"""

import argparse
import dataclasses
import json
import statistics
from pathlib import Path
from typing import Any

import ros_kills
import ros_timing
from rich.console import Console
from rich.table import Table

from arena_trees.nodes.programs.game_programs import prepare
from arena_trees.robot.configuration.yaml_files import load_yaml

PLAN = load_yaml(Path(__file__).with_suffix(".yaml"))
LOGS = Path("results") / "ros"
ROWS = (
    ("ticks", "ticks", 0),
    ("ticks lost", "lost", 0),
    ("tick period, mean, ms", "period_ms", 3),
    ("tick period, distance from 20 ms, p99, ms", "jitter_ms", 2),
    ("scan to cmd_vel, median, ms", "latency_p50_ms", 1),
    ("scan to cmd_vel, p99, ms", "latency_p99_ms", 1),
)


def measure_timing(seconds: float, camera: str, console: Console) -> dict[str, Any]:
    """Play for so long (s), print how trees and gates kept time, and return it."""
    plan = PLAN["timing"]
    order = prepare(plan["scenario"], [], {**plan["set"], "camera": camera})
    result = ros_timing.measure(order, LOGS / "timing", seconds)
    table = Table("what", *result.robots, title=f"{camera} camera: {result.seconds:.0f} s")
    for text, name, digits in ROWS:
        table.add_row(text, *(f"{getattr(timing, name):.{digits}f}" for timing in result.robots.values()))
    shares = Table("process", "share of one core")
    for name, share in {**result.cpu, "together": sum(result.cpu.values())}.items():
        shares.add_row(name, f"{100.0 * share:.1f} %")
    console.print(table, shares, f"{result.real_time_factor:.2f} times real time")
    return dataclasses.asdict(result)


def measure_kills(count: int, console: Console) -> dict[str, Any]:
    """Kill each node so often, print how soon the robot stood, and return it."""
    result = ros_kills.measure(LOGS / "kills", count, PLAN["kills"])
    table = Table("what", "median, ms", "longest, ms", "bound, ms", "within", title=f"{count} of each")
    for name, bound in ros_kills.BOUNDS.items():
        taken = result.times[name]
        values = (statistics.median(taken), max(taken), bound)
        within = sum(one <= bound for one in taken)
        table.add_row(name, *(f"{1000.0 * value:.0f}" for value in values), f"{within} of {len(taken)}")
    console.print(table, f"repeated because the machine stalled: {result.repeated}")
    return dataclasses.asdict(result)


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["timing", "kills"])
    parser.add_argument("--seconds", type=float, default=60.0, help="of the game, with timing")
    parser.add_argument("--camera", choices=["pinhole", "rendered"], default="pinhole", help="with timing")
    parser.add_argument("--count", type=int, default=20, help="of each kill, with kills")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured to this file, too")
    given = parser.parse_args()
    console = Console()
    if given.what == "timing":
        values = measure_timing(given.seconds, given.camera, console)
    else:
        values = measure_kills(given.count, console)
    if given.json is not None:
        given.json.write_text(json.dumps(values, indent=1, allow_nan=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
