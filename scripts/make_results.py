"""Writes tables of docs/results.md from the JSON of the runs that they report.

    for each line of RUNS:  arena-trees run ARGUMENTS --json FOLDER/NAME.json
    python scripts/make_results.py FOLDER

A table of which a run is not in the folder stays as it is. The sentences between the tables are written by hand: read
them again afterwards.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from arena_trees.simulation.experiments import intervals
from arena_trees.simulation.experiments.intervals import Estimate

ROOT = Path(__file__).resolve().parents[1]
RESULTS_PAGE = ROOT / "docs" / "results.md"
TABLE = re.compile(r"(?P<begin><!-- table (?P<name>\w+) -->\n)(?P<rows>.*?)(?P<end><!-- /table -->)", re.DOTALL)

RUNS = {
    "boxes": "wolf_rabbit --trials 200 --compare source",
    "open": "wolf_rabbit_open --trials 60 --compare source",
    "slow": "wolf_rabbit_slow_vision --trials 100 --compare source",
    "rabbit_by_code": "wolf_rabbit --trials 60 --compare source --set rabbit.return_linear_speed=0.28"
    " --set rabbit.wander_radius=1.3",
    "boxes_by_code": "wolf_rabbit --trials 100 --strategy source --set wolf.cone_check=patrol",
    "open_by_code": "wolf_rabbit_open --trials 60 --strategy source --set wolf.cone_check=patrol",
    "claims_at_65_px": "wolf_rabbit --trials 60 --strategy source --set wolf.catch_bbox_width_px=65",
    "recovery": "breach_recovery --trials 96 --compare source",
    "no_false_boxes": "breach_recovery --trials 96 --strategy source --set wolf.sensors.camera.false_alarms=0",
    "errors": "error_analysis --trials 60",
    **{
        scenario: f"{scenario} --trials 200 --compare source"
        for kind in ("empty", "wall", "dodging")
        for scenario in (f"pursuit_{kind}", f"pursuit_{kind}_source_scale")
    },
}
"""Name of a run to the arguments that play it, seeds from 1000."""

TRACKING = (
    ("filter and look-ahead, half images", "tracking_error_filtered"),
    ("raw detections, half images", "tracking_error_raw"),
    ("frames in the deadband", "deadband_share"),
    ("lost events", "lost_events"),
)

BEHAVIOUR = (
    ("catch success rate", "catch_rate"),
    ("mean time to catch, s", "time_to_catch_s"),
    ("mean time to catch or end, s", "game_time_s"),
    ("true distance at the catch, m", "catch_true_distance_m"),
    ("false catches a trial", "catch_false_count"),
    ("until both stand, s", "stop_after_catch_s"),
    ("breaches a trial, wolf", "wolf_breaches_per_trial"),
    ("breaches a trial, rabbit", "rabbit_breaches_per_trial"),
    ("breach recoveries (`breach_recovery`)", "recovery_rate"),
    ("time of a recovery, s", "time_to_recover_s"),
    ("rests of the rabbit a trial", "rest_events_per_trial"),
    ("collisions a trial", "collisions"),
    ("contacts of the robots a trial", "robot_contacts"),
)

Run = Mapping[str, Any]
Runs = Mapping[str, Run]
Row = Sequence[str]


def main(folder: Path) -> None:
    """Rewrite the page's tables."""
    runs = {
        name: json.loads(path.read_text(encoding="utf-8"))
        for name in RUNS
        if (path := folder / f"{name}.json").exists()
    }
    text = RESULTS_PAGE.read_text(encoding="utf-8")
    RESULTS_PAGE.write_text(TABLE.sub(lambda found: table(found, runs), text), encoding="utf-8")


def table(found: re.Match[str], runs: Runs) -> str:
    """Return a table of the page with the figures of the runs; as it is where one of them is missing."""
    try:
        heading, *rows = TABLES[found["name"]](runs)
    except KeyError as missing:
        if missing.args[0] not in RUNS:
            raise
        print(f"table {found['name']} stays as it is: there is no {missing.args[0]}.json")
        return found[0]
    lines = [heading, ["---"] * len(heading), *rows]
    return found["begin"] + "".join(f"| {' | '.join(cells)} |\n" for cells in lines) + found["end"]


def catches(runs: Runs) -> Iterator[Row]:
    """Who catches how often, and how soon, in which world."""
    metrics = ("catch_rate", "time_to_catch_s", "game_time_s")
    heads = ("caught", "time to the catch, s", "time to the catch or the end, s")
    yield ["", "games", *(f"{head}: {arm}" for head in heads for arm in ("arena", "source"))]
    worlds = (
        ("four random boxes", "boxes"),
        ("the open room (`wolf_rabbit_open`)", "open"),
        ("slow vision (`wolf_rabbit_slow_vision`)", "slow"),
        ("boxes, the rabbit with its code's values", "rabbit_by_code"),
    )
    for label, name in worlds:
        run = runs[name]
        arms = (run["summary"], run["arms"]["source"]["summary"])
        yield [label, games(run), *(figure(arm, metric) for metric in metrics for arm in arms)]
    for label, name in (("four random boxes", "boxes_by_code"), ("the open room", "open_by_code")):
        cells = [cell for metric in metrics for cell in ("", figure(runs[name]["summary"], metric))]
        yield [f"{label}, the source as its code has it: blind in the chase", games(runs[name]), *cells]


def claims(runs: Runs) -> Iterator[Row]:
    """When the wolf itself says that it has caught: there the document's games end."""
    yield ["", "games", "the wolf claims", "after, s", "true distance then, m", "claims that were false, a game"]
    boxes, early = runs["boxes"], runs["claims_at_65_px"]
    wolves = (
        ("arena: range at most 0.54 m", boxes, boxes["summary"]),
        ("source: box of 140 px", boxes, boxes["arms"]["source"]["summary"]),
        ("source: box of 65 px, its code's", early, early["summary"]),
    )
    for label, run, summary in wolves:
        names = ("claim_rate", "time_to_claim_s", "claim_true_distance_m", "catch_false_count")
        yield [label, games(run), *(figure(summary, name) for name in names)]


def tracking(runs: Runs) -> Iterator[Row]:
    """How well each wolf aims in the games that both end with a catch, and over all ticks of chase."""
    yield ["", "name", "pairs", "arena", "source", "source less arena", "all games: arena", "all games: source"]
    for world, name in (("", "boxes"), ("slow vision: ", "slow")):
        run = runs[name]
        source = run["arms"]["source"]
        both = [
            pair for pair in zip(run["trials"], source["trials"], strict=True) if all(one["caught"] for one in pair)
        ]
        for label, metric in TRACKING:
            ours, theirs = ([one[metric] for one in arm] for arm in zip(*both, strict=True))
            apart = [their - our for our, their in zip(ours, theirs, strict=True) if None not in (our, their)]
            pairs = (intervals.mean(ours), intervals.mean(theirs), intervals.mean(apart))
            every = (figure(arm["summary"], metric) for arm in (run, source))
            yield [world + label, f"`{metric}`", str(pairs[2].n), *map(estimate, pairs), *every]


def behaviour(runs: Runs) -> Iterator[Row]:
    """What the document asks for in section 3.3."""
    yield ["metric", "name in the summary", "arena", "source"]
    for label, name in BEHAVIOUR:
        run = runs["recovery" if "recover" in name else "boxes"]
        yield [label, f"`{name}`", figure(run["summary"], name), figure(run["arms"]["source"]["summary"], name)]
    clear = runs["no_false_boxes"]["summary"]
    yield ["breach recoveries without false boxes", "`recovery_rate`", "", figure(clear, "recovery_rate")]


def commands(runs: Runs) -> Iterator[Row]:
    """How each run is played again."""
    yield ["run", "played by"]
    for name, arguments in RUNS.items():
        yield [name.replace("_", " "), f"`arena-trees run {arguments}`"]


def errors(runs: Runs) -> Iterator[Row]:
    """What goes wrong where something is wrong: section 3.4."""
    names = ("catch_rate", "time_to_catch_s", "tracking_error_filtered", "lost_events")
    yield ["what is wrong", *(f"`{name}`" for name in names), "breaches, wolf and rabbit"]
    run = runs["errors"]
    for label, arm in (("nothing", run), *run["arms"].items()):
        summary = arm["summary"]
        out = [f"{summary[f'{robot}_breaches_per_trial']['mean']:.2g}" for robot in ("wolf", "rabbit")]
        yield [
            label,
            *(figure(summary, name, 3 if name == "time_to_catch_s" else 2) for name in names),
            " and ".join(out),
        ]


def pursuits(runs: Runs) -> Iterator[Row]:
    """Who hits how often, how soon and how well, in which room and at which scale."""
    metrics = (
        "hit_rate", "time_to_hit_s", "first_shot_hit_rate", "shots_per_hit", "aim_error_deg", "aim_bias_deg",
        "range_mae_pct", "range_bias_pct", "detection_latency_s", "false_detections_per_10_min", "return_error_m",
        "contact_free_rate",
    )  # fmt: skip
    yield ["", "", "games", *(f"`{name}`" for name in metrics)]
    for scenario in (name for name in RUNS if name.startswith("pursuit_")):
        run = runs[scenario]
        for arm, summary in (("arena", run["summary"]), ("source", run["arms"]["source"]["summary"])):
            yield [f"`{scenario}`", arm, games(run), *(figure(summary, name) for name in metrics)]


TABLES: Mapping[str, Callable[[Runs], Iterator[Row]]] = {
    "catches": catches,
    "claims": claims,
    "tracking": tracking,
    "behaviour": behaviour,
    "errors": errors,
    "pursuits": pursuits,
    "commands": commands,
}


def games(run: Run) -> str:
    """Return how many games a run has in each arm."""
    return str(len(run["trials"]))


def figure(summary: Mapping[str, Mapping[str, float]], name: str, digits: int = 3) -> str:
    """Return a metric of a summary with its interval."""
    value = summary[name]
    middle = next(value[kind] for kind in ("rate", "median", "mean") if kind in value)
    return with_interval(middle, value["low"], value["high"], digits)


def estimate(value: Estimate) -> str:
    """Return an estimate with its interval."""
    return with_interval(value.value, value.low, value.high, 3)


def with_interval(middle: float | None, low: float | None, high: float | None, digits: int) -> str:
    """Return a figure with its interval, which too few games have not."""
    if middle is None or low is None or high is None:
        return "-" if middle is None else f"{middle:.{digits}g}"
    return f"{middle:.{digits}g} ({low:.{digits}g} to {high:.{digits}g})"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
