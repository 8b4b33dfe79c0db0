"""The chapter of the crossing: our scheduler and the Crossroads report's, robots without sensors and with them."""

from __future__ import annotations

from collections.abc import Iterator

from arena_trees.games.book import Cell, Chapter, Figure, Run, Table, Trials, changes_table, field_run

__all__ = ["CHAPTER"]

_EIGHT = "robots=8"
_AGAIN = "rules.arrivals_per_min=0"
_LINE = ("bus.loss=0.2", "bus.delay_s=0.5")
_LOADS = (("6.7", 5), ("11.1", 5), ("15.6", 5), ("18", 30), ("20", 5))
_COURTESIES = ("0", "3")


def _deaths(*deaths: str) -> str:
    return f"rules.deaths=[{', '.join(deaths)}]"


def _silent(sensor: str) -> str:
    """Return the faults by which a sensor of one robot after another is silent for 4 s."""
    entries = (
        f"{{robot: robot_{number}, sensor: {sensor}, at_s: {10 + 11 * number}, for_s: 4}}" for number in range(1, 9)
    )
    return f"faults=[{', '.join(entries)}]"


def _load(arrivals: str, trials: int, *more: str) -> Run:
    settings = (_EIGHT, f"rules.arrivals_per_min={arrivals}", *more)
    return Run("crossroads", trials, compare="source", settings=settings)


def _drive(trials: int, duration_s: int, *more: str, compare: str = "") -> Run:
    return Run("crossroads_lidar", trials, compare=compare, settings=(f"duration_s={duration_s}", *more))


_LIGHTS = {
    "steady": tuple(
        f"crosser.sensors.lanes.light.{key}"
        for key in ("brightness_low=1", "brightness_high=1", "glare=0", "shadow=0")
    ),
    "day": (),
    "night": (
        "crosser.sensors.lanes.light.brightness_low=0.3", "crosser.sensors.lanes.light.brightness_high=0.5",
        "crosser.sensors.lanes.brightness=243", "crosser.sensors.lanes.contrast=2.9",
    ),
}  # fmt: skip
"""The light that the report asks for, the arena's own, and night with the camera set to 2.9 times as bright."""
_RED_LINE = "crosser.source_right_turn=red_line"


def _steer(robots: int, light: str, *more: str, strategy: str = "source") -> Run:
    """Return robots by the report's scheduler, in rendered pictures, that steer as the report's do, or as ours."""
    # The option --strategy is the scheduler's here.
    steering = (f"strategy={strategy}", "rules.protocol=source")
    settings = ("duration_s=60", f"robots={robots}", *steering, *_LIGHTS[light], *more)
    return Run("crossroads_rendered", 10, settings=settings)


_RUNS = {
    "capacity": Run("crossroads", 5, compare="source", settings=(_EIGHT, _AGAIN)),
    **{f"load_{arrivals.replace('.', '_')}": _load(arrivals, trials) for arrivals, trials in _LOADS},
    "load_18_hour": _load("18", 3, "duration_s=3600"),
    "capacity_hour": Run("crossroads", 3, settings=(_EIGHT, _AGAIN, "duration_s=3600")),
    **{
        f"courtesy_{one}": Run("crossroads", 5, settings=(_EIGHT, _AGAIN, f"rules.times.courtesy={one}"))
        for one in _COURTESIES
    },
    "emergencies": Run(
        "crossroads", 10, settings=(_EIGHT, "rules.arrivals_per_min=17.8", "rules.emergency_share=0.05")
    ),
    "fifty": Run("crossroads", 3, settings=("robots=50", _AGAIN)),
    "drive": Run("crossroads_lidar", 14),
    "drive_row": Run("crossroads_row", 10, 30_000),
    "drive_scheduler_dies": _drive(10, 120, _deaths("{dies: scheduler, at_s: 60, for_s: 1}"), *_LINE),
    "drive_robot_dies": _drive(20, 120, _deaths("{dies: robot, at_s: 30, for_s: 20}")),
    "drive_both_die": _drive(
        20, 120, _deaths("{dies: robot, at_s: 30, for_s: 20}", "{dies: scheduler, at_s: 36, for_s: 1}"), *_LINE
    ),
    "drive_scan_silent": _drive(10, 120, _silent("scan")),
    "drive_odometry_silent": _drive(10, 120, _silent("odometry")),
    "drive_left": _drive(6, 300, "robots=4", "crosser.movement=left", "rules.plan.size=3.0"),
    "drive_rendered": Run("crossroads_rendered", 50, 2000, settings=("duration_s=60",)),
    "drive_no_walls": Run(
        "crossroads_rendered", 50, 2000, settings=("duration_s=60", "robots=1", "rules.localiser.walls=false")
    ),
    "crossing_field": field_run("crossroads_lidar", 4),
    "row_field": field_run("crossroads_row", 4),
    "trespassers_field": field_run("crossroads_trespassers", 2),
    "crossing_changes": Run("crossroads_sensitivity", 40, 30_000),
    "drive_source": Run("crossroads_lidar", 4, settings=("rules.protocol=source",)),
    **{f"steer_{light}_{robots}": _steer(robots, light) for light in _LIGHTS for robots in (1, 2)},
    **{f"steer_{light}_2_red_line": _steer(2, light, _RED_LINE) for light in _LIGHTS},
    **{f"steer_{light}_2_ours": _steer(2, light, strategy="arena") for light in ("day", "night")},
}

_DRIVEN = (
    ("`crossroads_lidar`, 8 robots, 300 s", "drive"),
    ("`crossroads_row`, 8 robots, two crossings in a row, 300 s", "drive_row"),
    ("20 % loss, 0.5 s delay, the scheduler dead from 60 to 61 s, 120 s", "drive_scheduler_dies"),
    ("a robot dies in the box after 30 s and is carried away 20 s later, 120 s", "drive_robot_dies"),
    ("the same, 20 % loss, 0.5 s delay, the scheduler dead from 36 to 37 s", "drive_both_die"),
    ("the LiDAR of each robot silent for 4 s, one after another, 120 s", "drive_scan_silent"),
    ("their odometry instead", "drive_odometry_silent"),
    ("4 robots that all turn left, `plan.size=3.0`, 300 s", "drive_left"),
    ("`crossroads_rendered`, 2 robots, 60 s", "drive_rendered"),
    ("the same, 1 robot, no walls (`localiser.walls=false`)", "drive_no_walls"),
    ("`protocol=source`, `crossroads_lidar`, 8 robots, 300 s", "drive_source"),
)


_MANNERS = (
    ("two of eight ignore the scheduler", ""), ("two push in", "pushes in"),
    ("two stop in the box", "stops in the box"), ("two stray", "strays"),
)  # fmt: skip


def _field() -> Iterator[tuple[Cell, ...]]:
    rows = [("eight robots (`crossroads_lidar`)", "crossing_field", "")]
    rows += [("eight robots, two crossings in a row (`crossroads_row`)", "row_field", "")]
    rows += [(label, "trespassers_field", arm) for label, arm in _MANNERS]
    for label, run, arm in rows:
        sums = ("crossings", "conflicts", "driven_contacts", "robot_contacts", "collisions")
        yield (
            label,
            Trials(run),
            *(Figure(run, name, arm, "sum") for name in sums),
            Figure(run, "throughput_per_min", arm),
            Figure(run, "delay_max_s", arm, "most"),
        )


def _loads() -> Iterator[tuple[Cell, ...]]:
    rows = [(f"{arrivals} arrivals a minute", f"load_{arrivals.replace('.', '_')}") for arrivals, _ in _LOADS]
    rows.insert(4, ("18 arrivals a minute, 3600 s", "load_18_hour"))
    for label, run in (("at once (capacity)", "capacity"), *rows):
        yield (
            label,
            Trials(run),
            *(Figure(run, name, arm) for name in ("throughput_per_min", "delay_mean_s") for arm in ("", "source")),
            Figure(run, "grant_latency_max_s", part="most"),
            Figure(run, "overtakings"),
            Figure(run, "held_up_max_s", part="most"),
            Figure(run, "order_inversions", part="sum"),
        )


def _order() -> Iterator[tuple[Cell, ...]]:
    for courtesy, run in (("0", "courtesy_0"), ("3", "courtesy_3"), ("5, the default", "capacity")):
        held_up = Figure(run, "held_up_max_s", part="most")
        yield courtesy, Trials(run), Figure(run, "throughput_per_min"), Figure(run, "overtakings"), held_up


def _safety() -> Iterator[tuple[Cell, ...]]:
    rows = (
        ("capacity", "capacity"), ("80 % of capacity", "load_18"), ("three hours at capacity", "capacity_hour"),
        ("emergencies", "emergencies"), ("50 robots", "fifty"),
    )  # fmt: skip
    for label, run in rows:
        yield (
            label,
            Trials(run),
            Figure(run, "crossings", part="sum"),
            Figure(run, "conflicts", part="sum"),
            Figure(run, "stalls", part="sum"),
            Figure(run, "min_separation_m", part="least"),
            Figure(run, "throughput_per_min"),
            Figure(run, "delay_mean_s"),
            Figure(run, "grant_latency_max_s", part="most"),
        )


def _driving() -> Iterator[tuple[Cell, ...]]:
    for label, run in _DRIVEN:
        yield (
            label,
            Trials(run),
            Figure(run, "crossings", part="sum"),
            "-" if run == "drive_no_walls" else Figure(run, "min_separation_m", part="least"),
            Figure(run, "left_turns", part="sum"),
            Figure(run, "left_turn_success_rate"),
            Figure(run, "lane_rms_m"),
            Figure(run, "lane_rms_m", part="most"),
            Figure(run, "throughput_per_min"),
            Figure(run, "delay_mean_s"),
            Figure(run, "delay_max_s", part="most"),
            Figure(run, "order_inversions", part="sum"),
        )


def _steering() -> Iterator[tuple[Cell, ...]]:
    lights = {"steady": "steady light", "day": "by day", "night": "by night"}
    rows = [(f"one robot, {label}", f"steer_{light}_1") for light, label in lights.items()]
    rows += [(f"two robots, {label}", f"steer_{light}_2") for light, label in lights.items()]
    rows += [
        (f"two, right turns by the red line, {label}", f"steer_{light}_2_red_line") for light, label in lights.items()
    ]
    rows += [(f"two that steer as ours, {lights[light]}", f"steer_{light}_2_ours") for light in ("day", "night")]
    for label, run in rows:
        yield (
            label,
            Trials(run),
            Figure(run, "crossings", part="sum"),
            Figure(run, "turn_success_rate"),
            Figure(run, "lane_rms_m"),
            Figure(run, "lane_error_max_m", part="most"),
            Figure(run, "conflicts", part="sum"),
            Figure(run, "robot_contacts", part="sum"),
            Figure(run, "collisions", part="sum"),
        )


_CHANGED = ("half the gains", "scans 0.25 s later", "scans 0.5 s later")
_TOLD_BY = ("throughput_per_min", "delay_mean_s", "lane_rms_m", "stop_error_m")

CHAPTER = Chapter(
    _RUNS,
    (
        Table(
            "loads",
            "Our scheduler and the Crossroads report's, eight robots without sensors",
            (
                "robots come again", "n", "crossings a minute: arena", "crossings a minute: source",
                "mean delay, s: arena", "mean delay, s: source", "longest latency, s", "overtaken, a trial",
                "held up, longest, s", "inversions, all trials",
            ),
            tuple(_loads()),
        ),
        Table(
            "order",
            "What order costs, at capacity",
            ("`courtesy`, s", "n", "crossings a minute", "overtaken, a trial", "held up, longest, s"),
            tuple(_order()),
        ),
        Table(
            "safety",
            "Safety and waits, robots without sensors",
            (
                "what is played", "n", "crossings, all trials", "conflicts, all trials", "stalls, all trials",
                "nearest centres, m", "crossings a minute", "mean delay, s", "longest latency, s",
            ),
            tuple(_safety()),
        ),
        Table(
            "driving",
            "Robots that drive",
            (
                "what is played", "n", "crossings, all trials", "nearest centres, m", "left turns, all trials",
                "of these ended well",
                "cross-track error, RMS, m", "worst trial, m", "crossings a minute", "mean delay, s",
                "longest delay, s", "inversions, all trials",
            ),
            tuple(_driving()),
        ),
        Table(
            "steering",
            "Robots steered and scheduled as the report's",
            (
                "what is played", "n", "crossings, all trials", "ways that end in their lane",
                "cross-track error, RMS, m", "greatest, m", "conflicts", "contacts of robots", "contacts with walls",
            ),
            tuple(_steering()),
        ),
        Table(
            "field",
            "In the field, and with robots that heed no scheduler",
            (
                "what is played", "n", "crossings, all trials", "conflicts", "contacts driven into",
                "contacts of robots", "contacts with walls", "crossings a minute", "longest delay, s",
            ),
            tuple(_field()),
        ),
        changes_table("crossing_changes", _CHANGED, _TOLD_BY),
    ),
)  # fmt: skip
