"""Plants faults into copies of this checkout, and searches for each with ``arena-trees falsify``.

    python tests/benchmarks/planted_faults.py
    python tests/benchmarks/planted_faults.py --fault forgets_leases --without

With ``--without`` the same points are played without the fault as well. It ends with 1 where a fault is not found, or
something is found without one.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Column, Table

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = (".*", "build", "results", "__pycache__", "*.egg-info")
FOUND = 4
"""Exit code of a search that found what breaks the promise."""


@dataclass(frozen=True)
class PlantedFault:
    """A fault, and the search that shall find it.

    Attributes:
        file: of the checkout
        changes: texts of it, each of which stands there once, and what stands there instead
        words: of the search
    """

    file: str
    changes: tuple[tuple[str, str], ...]
    words: tuple[str, ...]

    def plant(self, folder: Path) -> None:
        """Put the fault into a copy of the checkout.

        Raises:
            ValueError: a text that it changes does not stand there once
        """
        path = folder / self.file
        text = path.read_text(encoding="utf-8")
        for old, new in self.changes:
            if text.count(old) != 1:
                raise ValueError(f"{self.file}: this stands there {text.count(old)} times: {old!r}")
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")


CROSSING = (
    "crossroads", "--violates", "apart", "--points", "30", "--trials", "4", "--set", "robots.count=8",
    "--set", "duration_s=120", "--set", "rules.arrivals_per_min=24",
    "--set", "rules.deaths=[{dies: scheduler, at_s: 60, for_s: 1}]",
    "--set", "promises={apart: {metric: min_separation_m, at_least: 0.4}}",
    "--param", "rules.deaths.0.at_s=10:110", "--param", "rules.deaths.0.for_s=0.1:5", "--param", "bus.loss=0:0.95",
)  # fmt: skip

FAULTS = {
    "half_margin": PlantedFault(
        "safety/obstacle.py",
        (("return parameters.obstacle_margin + ", "return 0.5 * parameters.obstacle_margin + "),),
        (
            "wolf_rabbit", "--violates", "clear", "--points", "20", "--trials", "4", "--seed", "100",
            "--set", "isolated=true", "--set", "robots={wolf: {role: wolf}}", "--set", "strategy=source",
            "--set", "duration_s=40",
            "--set", "promises={clear: {robot: wolf, statement: 'never(closer_ahead_than(0.212))'}}",
            "--param", "wolf.roam_linear_speed=0.1:0.306", "--param", "wolf.obstacle_distance=0.18:0.6",
        ),
    ),
    "forgets_leases": PlantedFault(
        "games/crossroads/scheduling/robot_table.py",
        (
            ("elif claim.stage is Stage.PASSING or claim.lease > 0.0:", "elif False:"),
            ("if holder.key not in self._plan.movements:", "if True:"),
        ),
        CROSSING,
    ),
    "opens_at_once": PlantedFault(
        "games/crossroads/scheduling/scheduler.py",
        (("if not self._missing if self._roster else waited:", "if True:"),),
        CROSSING,
    ),
    "ignores_hit_evader": PlantedFault(
        "behaviours/pursuit/chaser/watch_room.py",
        (("if self._is_hit() and self._quarry is not None:", "if False:"),),
        (
            "pursuit_hiding", "--violates", "passes_by", "--points", "2", "--trials", "20",
            "--set", "promises={passes_by: {robot: chaser, statement: \"never(near('evader', 0.35))\"}}",
            "--param", "evader.max_speed=0.11:0.3", "--param", "evader.turn_speed=0.2:1.5",
            "--param", "chaser.speed=0.1:0.3",
        ),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Search:
    """What a search found.

    Attributes:
        point: at which the promise was first broken, or None
        keys: that are left of the point after it was shrunk
        seconds: to the end of shrinking, or of the last point
        kept: by how much the promise was kept at least, or None where it was broken
    """

    point: str | None
    keys: int
    seconds: float
    kept: str | None


def search(folder: Path, fault: PlantedFault, jobs: int) -> Search:
    """Search in a copy of the checkout, and return what was found.

    Raises:
        SystemExit: the search ended with an error
    """
    command = [sys.executable, "-m", "arena_trees", "falsify", *fault.words, "--jobs", str(jobs)]
    begun = time.monotonic()
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    with TemporaryDirectory() as out:
        done = subprocess.run(
            [*command, "--out", f"{out}/found"], cwd=folder, env=environment, capture_output=True, text=True
        )
    seconds = time.monotonic() - begun
    if done.returncode not in (0, FOUND):
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    first = re.search(r"point (\d+): broken", done.stdout)
    left = re.search(r"what it takes:\n(.*?)written:", done.stdout, re.DOTALL)
    keys = [line for line in left[1].splitlines() if not line.startswith("  nothing:")] if left else []
    kept = re.search(r"was kept at all \d+ points, by (\S+) at least", done.stdout)
    return Search(first and first[1], len(keys), seconds, kept and kept[1])


def main() -> None:
    """Search for faults, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fault", action="append", choices=FAULTS, help="those alone; repeatable")
    parser.add_argument("--without", action="store_true", help="play the same points without the fault, too")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    wanted = parser.parse_args()
    table = Table(Column("fault", no_wrap=True), "found at point", "keys left", "seconds", "without it kept by")
    as_expected = True
    for name in wanted.fault or FAULTS:
        fault = FAULTS[name]
        with TemporaryDirectory() as folder:
            copy = Path(folder) / "copy"
            shutil.copytree(ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_OUT))
            without = search(copy, fault, wanted.jobs).kept or "broken" if wanted.without else ""
            fault.plant(copy)
            found = search(copy, fault, wanted.jobs)
        table.add_row(name, found.point or "-", str(found.keys), f"{found.seconds:.0f}", without)
        as_expected &= found.point is not None and without != "broken"
    Console().print(table)
    sys.exit(not as_expected)


if __name__ == "__main__":
    main()
