"""The chapter of PacMan: pellets of each trial as the PacMan report charts them, and rounds with faster ghosts."""

from __future__ import annotations

from collections.abc import Iterator

from arena_trees.games.book import Cell, Chapter, Figure, Picture, Run, Table, Trials, changes_table, field_run

__all__ = ["CHAPTER"]

_RUNS = {
    "round_1": Run("pacman", 200, compare="source"),
    "round_2": Run("pacman", 60, compare="source", settings=("rules.first_round=2",)),
    "round_3": Run("pacman", 120, compare="source", settings=("rules.first_round=3",)),
    "round_4": Run("pacman", 60, compare="source", settings=("rules.first_round=4",)),
    "guard": Run("pacman_guard", 100),
    "no_ghost": Run("pacman", 10, settings=("rules.ghosts=[]",)),
    "pacman_field": field_run("pacman", 100, compare="source"),
    "ghosts_field": field_run("pacman_ghosts", 20),
    "ghosts_field_source": field_run("pacman_ghosts", 20, strategy="source"),
    "report_speed": field_run(
        "pacman", 60, strategy="source", settings=("pacman.gate.max_linear=0.255", "pacman.spin_s=8")
    ),
    "pacman_changes": Run("pacman_sensitivity", 40, 30_000),
    "ten_trials": Run("pacman", 10, compare="source"),
}

_METRICS = ("completion_rate", "at_least_all_but_one_rate", "completion_time_s")
_ROUNDS = (("round 1", "0.25"), ("round 2", "0.30"), ("round 3", "0.35"), ("round 4", "0.40"))


def _rounds() -> Iterator[tuple[Cell, ...]]:
    for label, speed in _ROUNDS:
        run = label.replace(" ", "_")
        yield label, speed, Trials(run), *(Figure(run, metric, arm) for metric in _METRICS for arm in ("", "source"))
    for label, speed, run in (
        ("far pellet guarded (`pacman_guard`)", "0.25", "guard"),
        ("no ghost (`--set 'rules.ghosts=[]'`)", "-", "no_ghost"),
    ):
        cells = (cell for metric in _METRICS for cell in (Figure(run, metric), "-"))
        yield label, speed, Trials(run), *cells


def _differences() -> Iterator[tuple[Cell, ...]]:
    for label, _ in _ROUNDS:
        run = label.replace(" ", "_")
        yield (
            label,
            *(Figure(run, metric, "arena", less="source") for metric in _METRICS),
            *(Figure(run, metric, arm) for metric in ("deaths", "pellets_collected") for arm in ("", "source")),
        )


def _report() -> Iterator[tuple[Cell, ...]]:
    """Return the PacMan report's section 3.1: its ten trials on the robot, and ours in ten worlds and in 200."""
    yield "the PacMan report's ten trials, as it tells them", "30 %", "60 %", "-"
    names = ("completion_rate", "at_least_all_but_one_rate", "pellets_collected")
    for label, run in (("ten worlds", "ten_trials"), ("200 worlds", "round_1")):
        for arm in ("arena", "source"):
            yield f"{label}: {arm}", *(Figure(run, name, arm) for name in names)
    yield "100 worlds in the field: source", *(Figure("pacman_field", name, "source") for name in names)
    slow = (Figure("report_speed", name) for name in names)
    yield "the same at the speed of the report's robot: source", *slow


def _faults() -> Iterator[tuple[Cell, ...]]:
    names = ("false_deaths", "missed_deaths", "false_pickups", "cues_missing", "collisions")
    for label, run, arms in (
        *((label, label.replace(" ", "_"), ("arena", "source")) for label, _ in _ROUNDS),
        ("far pellet guarded", "guard", ("",)),
        ("no ghost", "no_ghost", ("",)),
    ):
        for arm in arms:
            cells = (Figure(run, name, arm, "sum") for name in names)
            yield label, arm or "arena", Trials(run), *cells, Figure(run, "cue_latency_max_s", arm, "most")


_GHOSTS = (
    "chases at 0.10 m/s", "chases at 0.15 m/s", "chases at 0.20 m/s", "chases at 0.25 m/s", "clyde", "ambusher",
    "the arcade's four",
)  # fmt: skip


def _field() -> Iterator[tuple[Cell, ...]]:
    names = ("completion_rate", "at_least_all_but_one_rate", "pellets_collected", "completion_time_s")
    for arm in _ARMS:
        yield (
            "wanders (the document's)",
            arm,
            Trials("pacman_field"),
            *(Figure("pacman_field", name, arm) for name in names),
        )
    for ghost in _GHOSTS:
        for arm, run in (("arena", "ghosts_field"), ("source", "ghosts_field_source")):
            yield ghost, arm, Trials(run), *(Figure(run, name, ghost) for name in names)


_ARMS = ("arena", "source")
_CHANGED = ("half the gain", "messages 0.5 s later")
_TOLD_BY = ("completion_rate", "pellets_collected", "completion_time_s", "cue_latency_s")

CHAPTER = Chapter(
    _RUNS,
    (
        Table(
            "report",
            "The report's trials",
            ("", "all pellets", "at most one left", "pellets a trial, of eight"),
            tuple(_report()),
        ),
        Table(
            "rounds",
            "Rounds",
            ("", "ghost, m/s", "n", *(f"{head}: {arm}" for head in (
                "all pellets", "all but one", "time of a completed round, s") for arm in _ARMS)),
            tuple(_rounds()),
        ),
        Table(
            "differences",
            "Game by game, arena less source",
            ("", "all pellets", "all but one", "time where both complete the round, s",
             *(f"{head} a trial: {arm}" for head in ("deaths", "pellets") for arm in _ARMS)),
            tuple(_differences()),
        ),
        Table(
            "faults",
            "What the judge found wrong, over all trials",
            ("", "", "n", "deaths without a touch", "touches without a death", "pickups without a touch",
             "events without a cue", "contacts with a wall", "longest time to a cue, s"),
            tuple(_faults()),
        ),
        Table(
            "field",
            "In the field",
            ("ghost", "robot", "n", "all pellets", "all but one", "pellets, of eight", "time of a completed round, s"),
            tuple(_field()),
        ),
        changes_table("pacman_changes", _CHANGED, _TOLD_BY),
    ),
    (
        Picture("trials", "Pellets of each of ten trials, as the PacMan report charts its own", "ten_trials", "trials"),
    ),
)  # fmt: skip
