"""The chapter of wall following: laps by each law, and figures 4 to 7 of the Wall Following report."""

from __future__ import annotations

from collections.abc import Iterator

from arena_trees.games.book import Cell, Chapter, Figure, Picture, Run, Table, Trials, changes_table, field_run

__all__ = ["CHAPTER"]

_LAWS = {
    "rules": (),
    "pd": ("law=pd",),
    "pd_corrected": ("law=pd", "corrected=true"),
    "pid": ("law=pid",),
    "subsumption": ("law=subsumption",),
}
"""The report's laws, and what a robot is set to for each besides its strategy."""
_LAW_NAMES = {"rules": "rules", "pd": "PD", "pd_corrected": "PD, put right", "pid": "PID", "subsumption": "subsumption"}
_SCALES = ("", "_source_scale")
_BEHIND = {"wall_following": ("r1",), "wall_chase": ("r1", "r2")}


def _law(scenario: str, law: str) -> Run:
    robots = _BEHIND[scenario.removesuffix("_source_scale")]
    settings = tuple(f"{robot}.{text}" for robot in robots for text in _LAWS[law])
    return Run(scenario, 100, strategy="source", settings=settings)


def _gains(scenario: str, robot: str, corrected: bool) -> Run:
    """Return the sweep of a robot's gains: the report's figures 6 and 7."""
    robots = _BEHIND[scenario.removesuffix("_source_scale")]
    laws = ("law=pd", "corrected=true") if corrected else ("law=pd",)
    settings = tuple(f"{name}.{text}" for name in robots for text in laws)
    grid = (f"{robot}.kp=1:10:10", f"{robot}.kd=1:10:10")
    return Run(scenario, 3, strategy="source", settings=settings, grid=grid)


def _speeds(strategy: str) -> Run:
    grid = ("r1.speed=1.0:2.5:4", "r1.turn_rate=0.5:2.0:4")
    return Run("wall_following_source_scale", 10, strategy=strategy, grid=grid)


_RUNS = {
    **{
        f"{game}{scale}": Run(f"{game}{scale}", 100) for game in _BEHIND for scale in _SCALES
    },
    **{
        f"{game}{scale}_{law}": _law(f"{game}{scale}", law) for game in _BEHIND for scale in _SCALES for law in _LAWS
    },
    "wall_field": field_run("wall_chase", 200),
    "wall_changes": Run("wall_sensitivity", 40, 30_000),
    "gains_r1": _gains("wall_following_source_scale", "r1", False),
    "gains_r1_corrected": _gains("wall_following_source_scale", "r1", True),
    "gains_r2": _gains("wall_chase_source_scale", "r2", False),
    "gains_r2_corrected": _gains("wall_chase_source_scale", "r2", True),
    "speeds_arena": _speeds("arena"),
    "speeds_rules": _speeds("source"),
    "tolerance": Run(
        "wall_following_source_scale", 10, grid=("r1.tolerance=0.1:1.0:10", "strategy=arena,source")
    ),
    "way_rules": Run("wall_chase_source_scale", 1, strategy="source"),
    "way_pd": Run("wall_chase_source_scale", 1, strategy="source", settings=("r1.law=pd", "r2.law=pd")),
    "way_arena": Run("wall_chase_source_scale", 1),
}  # fmt: skip

_LAP = ("lap_time_s", "stuck_count", "heading_rate_rms", "heading_ripple_rms", "gate_share")
_FOLLOWED = ("gap_m", "chase_share", "false_locks", "occlusions")


def _rows(game: str) -> Iterator[tuple[str, str, str]]:
    """Yield scenario, law and run of each row of a table."""
    for scenario in (f"{game}{scale}" for scale in _SCALES):
        yield scenario, "ours", scenario
        for law, law_name in _LAW_NAMES.items():
            yield scenario, law_name, f"{scenario}_{law}"


def _distances(game: str) -> Iterator[tuple[Cell, ...]]:
    for scenario, law_name, run in _rows(game):
        cells: list[Cell] = [f"`{scenario}`", law_name, Trials(run), Figure(run, "laps_completed_rate")]
        for robot in _BEHIND[game]:
            cells += [
                Figure(run, f"{robot}_correct_distance_share"),
                Figure(run, f"{robot}_correct_distance_share", part="p10"),
                # Where one LiDAR sees walls and robots, rays say nothing of the wall behind a robot that is followed.
                "-" if (scenario, robot) == ("wall_chase", "r1") else Figure(run, f"{robot}_{_SHARE}"),
            ]
        yield *cells, Figure(run, "collisions")


def _field() -> Iterator[tuple[Cell, ...]]:
    for robot in _BEHIND["wall_chase"]:
        share = f"{robot}_correct_distance_share"
        yield (
            "`wall_chase`",
            robot,
            Trials("wall_field"),
            Figure("wall_field", "laps_completed_rate"),
            Figure("wall_field", share),
            Figure("wall_field", share, part="p10"),
            Figure("wall_field", "collisions"),
            Figure("wall_field", "robot_contacts"),
        )


def _driving(game: str) -> Iterator[tuple[Cell, ...]]:
    for scenario, law_name, run in _rows(game):
        for robot in _BEHIND[game]:
            yield f"`{scenario}`", law_name, robot, *(Figure(run, f"{robot}_{name}") for name in _LAP)


def _chases() -> Iterator[tuple[Cell, ...]]:
    for scenario, law_name, run in _rows("wall_chase"):
        contacts = Figure(run, "robot_contacts")
        yield f"`{scenario}`", law_name, *(Figure(run, f"r2_{name}") for name in _FOLLOWED), contacts


def _grids() -> Iterator[tuple[Cell, ...]]:
    """Return the report's best and worst gains, and ours; its figures are of one episode a point, as it reads them."""
    yield "R1, the report's PD law, its best as it tells it", "-", "97 %", "-"
    yield "R2, the report's PD law, its best as it tells it", "-", "94 %", "-"
    for label, run, robot in (
        ("R1, PD as written", "gains_r1", "r1"),
        ("R1, PD put right", "gains_r1_corrected", "r1"),
        ("R2, PD as written", "gains_r2", "r2"),
        ("R2, PD put right", "gains_r2_corrected", "r2"),
    ):
        share = f"{robot}_{_SHARE}"
        yield label, Figure(run, "laps_completed_rate"), Figure(run, share, part="most"), Figure(run, share)


def _distance_heads(game: str) -> tuple[str, ...]:
    heads = ("right distance", "10th percentile of it", "as the report counts it")
    robots = (f"{robot}: {head}" for robot in _BEHIND[game] for head in heads)
    return ("scenario", "law", "n", "laps completed", *robots, "contacts a trial")


_SHARE = "odometry_correct_distance_share"
_COUNTED = "as the report counts it, over the gains of its PD law"

_CHANGED = ("half the gain", "scans 0.25 s later", "scans 0.5 s later")
_TOLD_BY = ("laps_completed_rate", "r1_correct_distance_share", "r2_correct_distance_share", "r1_lap_time_s")

CHAPTER = Chapter(
    _RUNS,
    (
        Table("laps", "Laps and distance from the wall", _distance_heads("wall_following"),
              tuple(_distances("wall_following"))),
        Table("driving", "How it drives", ("scenario", "law", "robot", *(f"`{name}`" for name in _LAP)),
              tuple(_driving("wall_following"))),
        Table("chases", "Both robots: laps and distance from the wall", _distance_heads("wall_chase"),
              tuple(_distances("wall_chase"))),
        Table("chase_driving", "How both drive", ("scenario", "law", "robot", *(f"`{name}`" for name in _LAP)),
              tuple(_driving("wall_chase"))),
        Table("following", "The robot behind",
              ("scenario", "law", *(f"`{name}`" for name in _FOLLOWED), "contacts of the robots a trial"),
              tuple(_chases())),
        Table("gains", "Gains of the PD law, figures 6 and 7",
              ("", "laps completed, all points", "right distance, best point", "right distance, all points"),
              tuple(_grids())),
        Table("field", "In the field, by our law",
              ("scenario", "robot", "n", "laps completed", "right distance", "10th percentile of it",
               "contacts a trial", "contacts of the robots a trial"),
              tuple(_field())),
        changes_table("wall_changes", _CHANGED, _TOLD_BY),
    ),
    (
        Picture("way_rules", "The report's rules, as its figure 4", "way_rules", "ways"),
        Picture("way_pd", "The report's PD law, as its figure 5", "way_pd", "ways"),
        Picture("way_arena", "Our law", "way_arena", "ways"),
        Picture("gains_r1", f"R1: share of right distance {_COUNTED}, as its figure 6", "gains_r1", "sweep",
                f"r1_{_SHARE}"),
        Picture("gains_r1_corrected", "The same with the law put right", "gains_r1_corrected", "sweep", f"r1_{_SHARE}"),
        Picture("gains_r2", f"R2: share of right distance {_COUNTED}, as its figure 7", "gains_r2", "sweep",
                f"r2_{_SHARE}"),
        Picture("gains_r2_corrected", "The same with the law put right", "gains_r2_corrected", "sweep", f"r2_{_SHARE}"),
        Picture("laps_r1_corrected", "Laps completed over the gains, R1 with the law put right", "gains_r1_corrected",
                "sweep", "laps_completed_rate"),
        Picture("contacts_rules", "Contacts a trial by speed and turn rate, the report's rules", "speeds_rules",
                "sweep", "collisions"),
        Picture("contacts_arena", "Contacts a trial by speed and turn rate, our law", "speeds_arena", "sweep",
                "collisions"),
        Picture("laps_rules", "Laps completed by speed and turn rate, the report's rules", "speeds_rules", "sweep",
                "laps_completed_rate"),
        Picture("ripple", "Ripple of the heading by the tolerance, of both strategies", "tolerance", "sweep",
                "r1_heading_ripple_rms", lines=True),
    ),
)  # fmt: skip
