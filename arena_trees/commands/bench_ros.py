"""``arena-trees bench ros`` and ``bench ros-faults``: how the nodes keep time, and how soon a robot stands without."""

from __future__ import annotations

import dataclasses
import json
import statistics
from pathlib import Path
from typing import Any

from rich.table import Table

from arena_trees.commands.bench_plan import bench_plan
from arena_trees.commands.console import plain_console, progress_bar
from arena_trees.commands.run_ros import check_ros

__all__ = ["measure_faults", "measure_game"]

_LOGS = Path("results") / "ros"


def measure_game(seconds: float, camera: str, json_file: Path | None) -> None:
    """Play the scenario of config/bench.yaml for so long (s), and print how trees and gates kept time."""
    check_ros()
    from arena_trees.nodes.monitors import ros_bench
    from arena_trees.nodes.programs.game_programs import prepare

    plan = bench_plan()
    order = prepare(plan["scenario"], [], {**plan["ros_set"], "camera": camera})
    with progress_bar() as progress:
        progress.add_task(f"playing for {seconds:g} s", total=None)
        result = ros_bench.measure(order, _LOGS / "bench", seconds)
    _leave(dataclasses.asdict(result), json_file)
    table = Table(title=f"{plan['scenario']}, {camera} camera: {result.seconds:.0f} s", title_justify="left")
    table.add_column("what")
    for robot in result.robots:
        table.add_column(robot, justify="right")
    rows = (
        ("ticks", "ticks", 0),
        ("ticks lost", "lost", 0),
        ("tick period, mean, ms", "period_ms", 3),
        ("tick period, distance from 20 ms, p99, ms", "jitter_ms", 2),
        ("scan to cmd_vel, median, ms", "latency_p50_ms", 1),
        ("scan to cmd_vel, p99, ms", "latency_p99_ms", 1),
    )
    for text, name, digits in rows:
        table.add_row(text, *(f"{getattr(timing, name):.{digits}f}" for timing in result.robots.values()))
    shares = Table(title="processor time", title_justify="left")
    shares.add_column("process")
    shares.add_column("share of one core", justify="right")
    for name, share in {**result.cpu, "together": sum(result.cpu.values())}.items():
        shares.add_row(name, f"{100.0 * share:.1f} %")
    console = plain_console()
    console.print(table)
    console.print(shares)
    console.print(f"{result.real_time_factor:.2f} times real time")


def measure_faults(count: int, json_file: Path | None) -> None:
    """Kill nodes so often, and print how soon the robot stood."""
    check_ros()
    from arena_trees.nodes.monitors import ros_faults

    with progress_bar() as progress:
        task = progress.add_task("killing nodes", total=4 * count)
        times = ros_faults.measure(_LOGS / "faults", count, lambda: progress.advance(task), bench_plan()["faults"])
    _leave(times, json_file)
    table = Table(title=f"{count} of each", title_justify="left")
    for heading in ("what", "median, ms", "longest, ms", "bound, ms", "within"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    for name, bound in ros_faults.BOUNDS.items():
        taken = times[name]
        values = (statistics.median(taken), max(taken), bound)
        within = sum(one <= bound for one in taken)
        table.add_row(name, *(f"{1000.0 * value:.0f}" for value in values), f"{within} of {len(taken)}")
    plain_console().print(table)


def _leave(values: Any, json_file: Path | None) -> None:
    if json_file is not None:
        from arena_trees.robot.configuration.files import write_atomically

        text = json.dumps(values, indent=1, allow_nan=False)
        write_atomically(json_file, lambda stream: stream.write(text.encode() + b"\n"))
