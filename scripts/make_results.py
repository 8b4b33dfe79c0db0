"""Writes the tables of docs/results.md from the JSON of the runs that they report.

    arena-trees run wolf_rabbit --trials 200 --compare source --json FOLDER/wr.json
    arena-trees run breach_recovery --trials 96 --json FOLDER/br.json
    arena-trees run wolf_rabbit_slow_vision --trials 100 --compare source --json FOLDER/sv.json
    arena-trees run error_analysis --trials 60 --json FOLDER/ea.json
    python scripts/make_results.py FOLDER

The sentences between the tables are written by hand: read them again afterwards.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS_PAGE = ROOT / "docs" / "results.md"
RESULTS = re.compile(r"(<!-- results -->\n)(.*)(<!-- /results -->)", re.DOTALL)
RECOVERY = ("recovery_rate", "time_to_recover_s")
BY_HAND = ("real_time_factor",)

Summary = Mapping[str, Mapping[str, float]]


def main(folder: Path) -> None:
    """Rewrite the page's tables."""
    names = ("wr", "br", "sv", "ea")
    runs = {name: json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in names}
    text = RESULTS_PAGE.read_text(encoding="utf-8")
    found = RESULTS.search(text)
    if found is None:
        raise SystemExit("docs/results.md has no results between its markers")
    lines = [row(line, runs) for line in found[2].splitlines()]
    RESULTS_PAGE.write_text(text[: found.start(2)] + "\n".join(lines) + "\n" + text[found.end(2) :], encoding="utf-8")


def row(line: str, runs: Mapping[str, Any]) -> str:
    """Return a line of the tables with the figures of the runs."""
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    name = cells[1].strip("`") if len(cells) > 1 else ""
    if len(cells) == 4 and cells[1].startswith("`") and name not in BY_HAND:
        run = runs["sv" if cells[0].startswith("with slow vision") else "br" if name in RECOVERY else "wr"]
        theirs = "-" if name in RECOVERY else figure(run["arms"]["source"]["summary"], name)
        return f"| {cells[0]} | {cells[1]} | {figure(run['summary'], name)} | {theirs} |"
    if len(cells) == 6 and (cells[0] == "nothing" or cells[0] in runs["ea"]["arms"]):
        run = runs["ea"] if cells[0] == "nothing" else runs["ea"]["arms"][cells[0]]
        return f"| {cells[0]} | {' | '.join(error_row(run['summary']))} |"
    return line


def figure(summary: Summary, name: str, digits: int = 3) -> str:
    """Return a metric with its interval."""
    value = summary[name]
    middle = value["rate"] if "rate" in value else value["mean"]
    return f"{middle:.{digits}g} ({value['low']:.{digits}g} to {value['high']:.{digits}g})"


def error_row(summary: Summary) -> list[str]:
    """Return the cells of the error analysis for one thing that is wrong."""
    breaches = [f"{summary[f'{robot}_breaches_per_trial']['mean']:.2g}" for robot in ("wolf", "rabbit")]
    return [
        figure(summary, "catch_rate", 2),
        figure(summary, "time_to_catch_s"),
        figure(summary, "tracking_error_filtered", 2),
        figure(summary, "lost_events", 2),
        " and ".join(breaches),
    ]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
