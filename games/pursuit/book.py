"""The chapter of pursuit: who hits how often, how soon and how well, in which room and at which scale.

Its runs begin at seed 4000: lower ones had been looked at before the last change of the aim.
"""

from __future__ import annotations

from collections.abc import Iterator

from arena_trees.games.book import Cell, Chapter, Figure, Picture, Run, Table, Trials, changes_table, field_run

__all__ = ["CHAPTER"]

_SEED = 4000
_ROOMS = ("empty", "wall", "dodging")
_BOTH_SCALES = tuple(f"pursuit_{room}{scale}" for room in _ROOMS for scale in ("", "_source_scale"))
_SCENARIOS = (*_BOTH_SCALES, "pursuit_hiding", "pursuit_clutter")

_FIELD = ("pursuit_dodging", "pursuit_wall")
_EVADERS = (
    ("explores", ""),
    ("dodges", "dodges"),
    ("hides", "hides"),
    ("hides and dodges", "hides and dodges"),
    ("the same among clutter", "hides and dodges among clutter"),
)

_RUNS = {
    **{scenario: Run(scenario, 200, _SEED, compare="source") for scenario in _SCENARIOS},
    **{
        f"{scenario}_rendered": Run(scenario, 50, _SEED, compare="source", camera="rendered")
        for scenario in _BOTH_SCALES
    },
    **{f"{scenario}_field": field_run(scenario, 200, compare="source") for scenario in _FIELD},
    "evaders_field": field_run("pursuit_evaders", 40),
    "evaders_field_source": field_run("pursuit_evaders", 40, strategy="source"),
    "pursuit_changes": Run("pursuit_sensitivity", 40, 30_000),
    "ways": Run("pursuit_empty_source_scale", 1, _SEED),
}

_HITS = ("hit_rate", "time_to_hit_s", "first_shot_hit_rate", "shots_per_hit", "aim_error_deg", "aim_bias_deg")
_SIGHT = (
    "range_mae_pct", "range_bias_pct", "detection_latency_s", "false_detections_per_10_min", "last_seen_error_m",
    "loss_latency_s",
)  # fmt: skip
_WAYS = (
    "chaser_odometry_error_m", "evader_odometry_error_m", "return_error_m", "return_error_deg", "contact_free_rate",
)  # fmt: skip
_COMPARED = ("hit_rate", "time_to_hit_s", "aim_error_deg", "range_mae_pct", "contact_free_rate")

_CHANGED = ("half the gain", "vision 0.5 s later")
_TOLD_BY = ("hit_rate", "time_to_hit_s", "first_shot_hit_rate", "aim_error_deg")


def _arms(metrics: tuple[str, ...], camera: str = "") -> Iterator[tuple[Cell, ...]]:
    scenarios = {"": _SCENARIOS, "_rendered": _BOTH_SCALES, "_field": _FIELD}[camera]
    for scenario in scenarios:
        run = f"{scenario}{camera}"
        for arm in ("arena", "source"):
            yield f"`{scenario}`", arm, Trials(run), *(Figure(run, name, arm) for name in metrics)


def _pairs() -> Iterator[tuple[Cell, ...]]:
    for scenario in _SCENARIOS:
        yield f"`{scenario}`", *(Figure(scenario, name, "arena", less="source") for name in _COMPARED)


def _evaders(metrics: tuple[str, ...]) -> Iterator[tuple[Cell, ...]]:
    for evader, arm in _EVADERS:
        for strategy, run in (("arena", "evaders_field"), ("source", "evaders_field_source")):
            cells = (Figure(run, name, arm) for name in metrics)
            yield f"`pursuit_evaders`: {evader}", strategy, Trials(run), *cells


def _table(name: str, caption: str, metrics: tuple[str, ...], camera: str = "") -> Table:
    heads = ("scenario", "strategy", "games", *(f"`{metric}`" for metric in metrics))
    evaders = _evaders(metrics) if camera == "_field" else ()
    return Table(name, caption, heads, (*_arms(metrics, camera), *evaders))


CHAPTER = Chapter(
    _RUNS,
    (
        _table("hits", "Hits", _HITS),
        Table(
            "pairs",
            "Game by game, arena less source: means of the worlds in which both have a value",
            ("scenario", *(f"`{name}`" for name in _COMPARED)),
            tuple(_pairs()),
        ),
        _table("sight", "What is believed of the ball", _SIGHT),
        _table("places", "Odometry and the way home", _WAYS),
        _table("rendered", "With rendered cameras, and the detectors on their images", (*_HITS, *_SIGHT, *_WAYS),
               "_rendered"),
        _table("field", "In the field", (*_HITS, "contact_free_rate"), "_field"),
        changes_table("pursuit_changes", _CHANGED, _TOLD_BY),
    ),
    (
        Picture(
            "ways", "True ways, odometry, and where the evader was believed to be, as the Pursuit report's figure 5",
            "ways", "ways",
        ),
    ),
)  # fmt: skip
